import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Cluster } from '../../src/kube/cluster.ts';
import { type KubeObject, objectPath, type ResourceType } from '../../src/kube/resource.ts';
import type { SecretObject } from '../../src/kube/secrets.ts';
import { aLine, aList, aStatus, clusterAt, sendJson } from './kube-server.ts';

/** One call as it arrived. */
export interface SeenCall {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly watch: boolean;
  readonly body: unknown;
}

/** Instead of an honest answer. `lost`: the work is done and the answer never arrives. */
export type Fate =
  | {
      readonly status: number;
      readonly reason: string;
      readonly message?: string;
      readonly retryAfter?: number;
    }
  | 'reset'
  | 'lost';

interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly path: string;
  readonly object: KubeObject;
}

interface OpenWatch {
  readonly response: ServerResponse;
  readonly path: string;
  seen: number;
}

/**
 * An API server for objects with a status subresource, on loopback: resource versions, generations,
 * uids, conditional PUT of the status or of the whole, PATCH of metadata, lists and watches. Just that; the rest is
 * for the real one.
 */
export class FakeKubeServer {
  readonly calls: SeenCall[] = [];
  /** Asked about every call as it arrives; may change objects first, as another client would. */
  fate: (call: SeenCall) => Fate | undefined | Promise<Fate | undefined> = () => undefined;
  /** What is kept of a status that is written. */
  stored: (written: { readonly status?: unknown }) => unknown = ({ status }) => status;
  readonly #objects = new Map<string, KubeObject>();
  readonly #history: Change[] = [];
  readonly #watches = new Set<OpenWatch>();
  readonly #sockets = new Set<Socket>();
  #server = this.#make();
  #port = 0;
  #version = 100;
  #held = false;

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
    return this;
  }

  /** From now on connections are refused, until `start`. */
  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
    this.#server = this.#make();
  }

  get cluster(): Cluster {
    return clusterAt(`http://127.0.0.1:${this.#port}`);
  }

  get(type: ResourceType, key: string): KubeObject | undefined {
    return this.#objects.get(pathOf(type, key));
  }

  /** Creates the object `namespace/name`, with a uid of its own. */
  create(type: ResourceType, key: string, content: object = {}): KubeObject {
    const [namespace = '', name = ''] = key.split('/');
    const metadata = { name, namespace, generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' };
    return this.#store('ADDED', pathOf(type, key), {
      ...content,
      metadata: { ...metadata, uid: `uid-${this.#version}`, resourceVersion: '' },
    });
  }

  /** Changes an object as another client would; a new spec is a new generation. */
  edit(
    type: ResourceType,
    key: string,
    {
      annotations,
      generation: given,
      ...change
    }: Pick<KubeObject, 'spec' | 'status'> &
      Pick<SecretObject, 'data'> &
      Pick<KubeObject['metadata'], 'annotations' | 'generation'>,
  ): KubeObject {
    const before = this.#expect(type, key);
    const generation = given ?? (before.metadata.generation ?? 0) + ('spec' in change ? 1 : 0);
    const now = {
      ...before,
      ...change,
      metadata: { ...before.metadata, generation, ...(annotations && { annotations }) },
    };
    return this.#store('MODIFIED', pathOf(type, key), now);
  }

  remove(type: ResourceType, key: string): void {
    const object = this.#expect(type, key);
    const path = pathOf(type, key);
    this.#objects.delete(path);
    this.#tell({ type: 'DELETED', path, object: withVersion(object, this.#next()) });
  }

  /** Events stay with the server until `releaseWatches`. */
  holdWatches(): void {
    this.#held = true;
  }

  releaseWatches(): void {
    this.#held = false;
    for (const watch of this.#watches) this.#send(watch);
  }

  get openWatches(): number {
    return this.#watches.size;
  }

  /** Bodies of the status writes that arrived, in order. */
  get statusWrites(): KubeObject[] {
    return this.calls.filter(isStatusWrite).map(({ body }) => body as KubeObject);
  }

  #make(): Server {
    const server = createServer((request, response) => void this.#answer(request, response));
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    return server;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname: path, searchParams } = new URL(request.url ?? '/', 'http://server');
    const watch = searchParams.get('watch') === 'true';
    const call = { method: request.method ?? '', path, watch, body: await bodyOf(request) };
    this.calls.push(call);
    const fate = await this.fate(call);
    if (fate === 'reset') return void request.socket.destroy();
    if (typeof fate === 'object') {
      const headers =
        fate.retryAfter === undefined ? {} : { 'retry-after': String(fate.retryAfter) };
      return sendJson(
        response,
        fate.status,
        aStatus(fate.status, fate.reason, fate.message),
        headers,
      );
    }
    if (watch) return this.#watch(response, path, Number(searchParams.get('resourceVersion')));
    const [status, answer] = this.#serve(call);
    if (fate === 'lost') return void request.socket.destroy();
    sendJson(response, status, answer);
  }

  #serve({ method, path, body }: SeenCall): readonly [number, unknown] {
    if (method === 'POST') return [201, this.#post(path, body as KubeObject)];
    if (method === 'GET' && isCollection(path)) {
      const items = [...this.#objects].filter(([at]) => isIn(at, path)).map(([, object]) => object);
      return [200, aList(items, String(this.#version))];
    }
    const target = path.replace(/\/status$/, '');
    const held = this.#objects.get(target);
    if (!held) return [404, aStatus(404, 'NotFound')];
    if (method === 'GET') return [200, held];
    const { metadata, status } = body as KubeObject;
    const { resourceVersion, uid } = held.metadata;
    const merged = { ...held, metadata: { ...held.metadata, ...metadata } };
    const whole = method === 'PATCH' ? merged : (body as KubeObject);
    if (metadata.resourceVersion === resourceVersion && (metadata.uid ?? uid) === uid)
      return [
        200,
        this.#store(
          'MODIFIED',
          target,
          target === path ? whole : { ...held, status: this.stored({ status }) },
        ),
      ];
    return [
      409,
      aStatus(
        409,
        'Conflict',
        'the object has been modified; apply your changes to the latest version',
      ),
    ];
  }

  #post(collection: string, object: KubeObject): KubeObject {
    const metadata = { ...object.metadata, uid: `uid-${this.#version}` };
    return this.#store('ADDED', `${collection}/${metadata.name}`, { ...object, metadata });
  }

  #watch(response: ServerResponse, path: string, seen: number): void {
    const watch = { response, path, seen };
    this.#watches.add(watch);
    response.on('close', () => this.#watches.delete(watch));
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
    this.#send(watch);
  }

  #send(watch: OpenWatch): void {
    if (this.#held) return;
    for (const { type, path, object } of this.#history) {
      const version = Number(object.metadata.resourceVersion);
      if (version <= watch.seen) continue;
      watch.seen = version;
      if (isIn(path, watch.path)) watch.response.write(aLine(type, object));
    }
  }

  #store(type: 'ADDED' | 'MODIFIED', path: string, object: KubeObject): KubeObject {
    const stored = withVersion(object, this.#next());
    this.#objects.set(path, stored);
    this.#tell({ type, path, object: stored });
    return stored;
  }

  #tell(change: Change): void {
    this.#history.push(change);
    for (const watch of this.#watches) this.#send(watch);
  }

  #expect(type: ResourceType, key: string): KubeObject {
    const object = this.get(type, key);
    if (!object) throw new Error(`the test server holds no ${type.kind} "${key}"`);
    return object;
  }

  #next(): string {
    this.#version += 1;
    return String(this.#version);
  }
}

function isStatusWrite({ method, path }: SeenCall): boolean {
  return method === 'PUT' && path.endsWith('/status');
}

const PATH = /^(\/apis?\/(?:v1|[^/]+\/[^/]+))(?:\/namespaces\/([^/]+))?\/([^/]+)(?:\/([^/]+))?$/;

function isCollection(path: string): boolean {
  return PATH.exec(path)?.[4] === undefined;
}

/** Whether the object at `path` belongs to a collection, of one namespace or of all. */
function isIn(path: string, collection: string): boolean {
  const [, root, namespace, plural] = PATH.exec(path) ?? [];
  const [, ofRoot, ofNamespace = namespace, ofPlural] = PATH.exec(collection) ?? [];
  return root === ofRoot && namespace === ofNamespace && plural === ofPlural;
}

function pathOf(type: ResourceType, key: string): string {
  const [namespace = '', name = ''] = key.split('/');
  return objectPath(type, namespace, name);
}

function withVersion(object: KubeObject, resourceVersion: string): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion } };
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return chunks.length === 0
    ? undefined
    : (JSON.parse(Buffer.concat(chunks).toString()) as unknown);
}
