import type { Draft, Operation, Place } from './operations.ts';

interface Meta {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly deletionTimestamp?: string;
  readonly finalizers?: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
}

/** An object, a list of them, or a Status. */
export interface Body {
  readonly kind?: string;
  readonly metadata?: Partial<Meta>;
  readonly spec?: unknown;
  readonly status?: unknown;
  readonly reason?: string;
  readonly items?: readonly Body[];
}

/** One of the two servers. */
export interface Server {
  ask(request: Request): Promise<{ readonly status: number; readonly body: Body }>;
  /** What a watch from a version on brings, up to and with the object of this name. */
  watch(collection: string, from: string, last: string): Promise<readonly WatchEvent[]>;
}

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

export interface WatchEvent {
  readonly type: string;
  readonly object: Body;
}

/**
 * Sends operations to one server, and gives what it answers without what differs between two that
 * are equal: versions and uids are numbered in the order in which they are seen.
 */
export class Client {
  readonly #server: Server;
  readonly #namespace: string;
  readonly #first = new Map<string, Partial<Meta>>();
  readonly #present = new Map<string, Partial<Meta>>();
  readonly #numbers = new Map<string, number>();
  /** Where watches may begin: by collection, the versions of the first and of the last list. */
  readonly #listed = new Map<string, readonly string[]>();

  constructor(server: Server, namespace: string) {
    this.#server = server;
    this.#namespace = namespace;
  }

  async send(operation: Operation): Promise<unknown> {
    const { status, body } = await this.#server.ask(this.#requestOf(operation));
    if (operation.type === 'list') {
      const version = String(body.metadata?.resourceVersion);
      const [first = version] = this.#listed.get(operation.at.plural) ?? [];
      this.#listed.set(operation.at.plural, [first, version]);
      return { status, items: body.items?.map((one) => this.#masked(one)) };
    }
    if (status >= 300) return { status, reason: body.reason };
    // What is gone has no version any more.
    if (body.kind === 'Status') return { status };
    const { metadata = {} } = body;
    const key = keyOf(operation.at);
    const isGone = metadata.deletionTimestamp !== undefined && !metadata.finalizers?.length;
    if (isGone) return { status, isGone };
    if (!this.#first.has(key)) this.#first.set(key, metadata);
    this.#present.set(key, metadata);
    return { status, object: this.#masked(body) };
  }

  /** What watches from the first and from the last list on bring, up to this object. */
  async watch({ plural, name }: Place): Promise<readonly unknown[]> {
    const all: unknown[] = [];
    for (const from of this.#listed.get(plural) ?? []) {
      const events = await this.#server.watch(this.#collection(plural), from, name);
      all.push(events.map(({ type, object }) => ({ type, object: this.#masked(object) })));
    }
    return all;
  }

  #requestOf(operation: Operation): Request {
    const { type, at } = operation;
    const path = `${this.#collection(at.plural)}/${at.name}`;
    const kind = { pipesettings: 'PipeSettings', organizations: 'Organization' }[at.plural];
    const head = { apiVersion: 'pipewright.dev/v1alpha1', kind };
    if (type === 'list') return { method: 'GET', path: this.#collection(at.plural) };
    if (type === 'get') return { method: 'GET', path };
    if (type === 'create') {
      const body = { ...head, ...whole(at, operation.draft, {}), status: { nobody: 'reads this' } };
      return { method: 'POST', path: this.#collection(at.plural), body };
    }
    const [present, first] = [this.#present, this.#first].map((known) => known.get(keyOf(at)));
    const pick = (which: typeof operation.uid) => ({ present, first, none: undefined })[which];
    const uid = pick(operation.uid)?.uid;
    const resourceVersion = pick(operation.version)?.resourceVersion;
    const given = { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) };
    switch (type) {
      case 'put':
        return { method: 'PUT', path, body: { ...head, ...whole(at, operation.draft, given) } };
      case 'put-status': {
        const body = { ...head, metadata: { name: at.name, ...given }, status: operation.status };
        return { method: 'PUT', path: `${path}/status`, body };
      }
      case 'patch':
      case 'patch-status': {
        const { metadata, ...change } = operation.change as Body;
        const body = { ...change, metadata: { ...metadata, ...given } };
        return { method: 'PATCH', path: type === 'patch' ? path : `${path}/status`, body };
      }
      case 'delete':
        return { method: 'DELETE', path, body: { preconditions: given } };
    }
  }

  #collection(plural: string): string {
    return `/apis/pipewright.dev/v1alpha1/namespaces/${this.#namespace}/${plural}`;
  }

  #masked({ kind, metadata = {}, spec, status }: Body): object {
    const { name, uid, resourceVersion, generation, annotations } = metadata;
    return {
      kind,
      name,
      generation,
      annotations,
      spec,
      status,
      finalizers: metadata.finalizers,
      isBeingDeleted: metadata.deletionTimestamp !== undefined,
      uid: this.#numberOf(`uid ${uid}`),
      version: this.#numberOf(`version ${resourceVersion}`),
    };
  }

  #numberOf(text: string): number {
    const number = this.#numbers.get(text) ?? this.#numbers.size + 1;
    this.#numbers.set(text, number);
    return number;
  }
}

function keyOf({ plural, name }: Place): string {
  return `${plural}/${name}`;
}

function whole({ name }: Place, { spec, finalizers, note }: Draft, given: object): object {
  const metadata = {
    name,
    ...given,
    ...(finalizers.length > 0 && { finalizers }),
    ...(note !== undefined && { annotations: { note } }),
  };
  return { metadata, spec };
}
