import type { ApiRequest, Reply } from '../../src/api/http/client.ts';
import { encodePath } from '../../src/api/http/path.ts';
import { readAnswer } from '../../src/api/reply/envelope.ts';
import { queueKey } from '../../src/controller/controller.ts';
import type { Kind } from '../../src/controller/kind.ts';
import { Reconciler } from '../../src/controller/reconciler.ts';
import { createKinds } from '../../src/kinds/index.ts';
import type { Definition } from '../../src/kinds/schema/definition.ts';
import type { KubeClient } from '../../src/kube/client/client.ts';
import type { RequestCall } from '../../src/kube/client/exchange.ts';
import { type KubeObject, keyOf } from '../../src/kube/resource.ts';
import { ManagementApi, type Once } from '../simulation/management/api.ts';
import { FakeClock } from './fake-clock.ts';
import { aKindContext } from './kind-context.ts';

/** A request that reached the API, and for which object. */
export interface Sent {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly body?: string;
}

const MOST_STEPS = 400;

/**
 * The operator's own engine with one kind, the parts of the simulated API, and an API server that
 * is a map: all in one process and in no time, so that hundreds of histories can be lived.
 */
export class KindStage {
  readonly clock = new FakeClock('2026-03-01T12:00:00.000Z');
  readonly api = new ManagementApi({
    passed: () => this.clock.monotonic(),
    now: () => this.clock.now(),
  });
  /** Since it was emptied last. */
  sent: Sent[] = [];
  /** What is special about each of the next calls; undefined: nothing. */
  next: (Once | 'lost' | undefined)[] = [];
  readonly #definition: Definition;
  readonly #namespaceOf: (name: string) => string;
  readonly #stored = new Map<string, KubeObject>();
  #version = 1;
  #caller = '';
  #kind: Kind;
  #reconciler: Reconciler;

  /** Names are unique in all namespaces. */
  constructor(definition: Definition, namespaceOf: (name: string) => string) {
    this.#definition = definition;
    this.#namespaceOf = namespaceOf;
    [this.#kind, this.#reconciler] = this.#process();
  }

  /** As the API server has them now. */
  objects(): readonly KubeObject[] {
    return [...this.#stored.values()];
  }

  get(name: string): KubeObject | undefined {
    return this.#stored.get(`${this.#namespaceOf(name)}/${name}`);
  }

  /** As `kubectl apply` of a whole spec does: what is the same makes no new generation. */
  applied(name: string, spec: unknown): KubeObject {
    const before = this.get(name);
    const version = String(this.#version + 1);
    if (!before) {
      const metadata = {
        name,
        namespace: this.#namespaceOf(name),
        uid: `uid-${name}`,
        resourceVersion: version,
        generation: 1,
        creationTimestamp: rfc3339(this.clock.now()),
      };
      return { metadata, spec, status: this.#definition.pendingStatus };
    }
    const { metadata } = before;
    const isSame = JSON.stringify(before.spec) === JSON.stringify(spec);
    const generation = (metadata.generation ?? 0) + (isSame ? 0 : 1);
    return { ...before, metadata: { ...metadata, generation, resourceVersion: version }, spec };
  }

  apply(name: string, spec: unknown): void {
    this.#put(this.applied(name, spec));
  }

  /** As `kubectl delete` does: gone at once, or when the last finalizer is. */
  delete(name: string): void {
    const object = this.get(name);
    if (!object) throw new Error(`there is no ${name} to delete`);
    if ((object.metadata.finalizers ?? []).length === 0) return this.#remove(object);
    const { generation = 0 } = object.metadata;
    const deletionTimestamp = rfc3339(this.clock.now());
    this.#put({
      ...object,
      metadata: { ...object.metadata, generation: generation + 1, deletionTimestamp },
    });
  }

  /** Another process leads from now on: it knows what the statuses say. */
  restart({ planOnly = false } = {}): void {
    [this.#kind, this.#reconciler] = this.#process(planOnly);
  }

  /** Reconciles until nothing is left to do now. */
  async settle(): Promise<void> {
    for (let steps = 0, isAtRest = false; !isAtRest; ) {
      isAtRest = true;
      for (const key of this.#stored.keys()) {
        this.#caller = this.#stored.get(key)?.metadata.name ?? '';
        const id = queueKey(this.#definition.type.kind, key);
        const { outcome, asOf } = await this.#reconciler.run(this.#kind, id, key);
        const isLater = outcome.next === 'recheck' && outcome.at > asOf.now;
        if (outcome.next !== 'await-change' && !isLater) isAtRest = false;
        if ((steps += 1) > MOST_STEPS) throw new Error('this does not come to rest');
      }
    }
  }

  async pass(ms: number): Promise<void> {
    await this.clock.advance(ms);
    await this.settle();
  }

  #process(planOnly = false): [Kind, Reconciler] {
    const context = aKindContext(this.clock, { answer: () => Promise.reject(new Error('unused')) });
    const kinds = createKinds({
      ...context,
      planOnly,
      api: { ...context.api, call: (request) => this.#call(request) },
      // From outside, only objects of one namespace are seen to share a key.
      readCredential: async (namespace) => {
        this.api.keys.set(namespace, 'secret');
        const authorization = `Basic ${Buffer.from(`${namespace}:secret`).toString('base64')}`;
        const credential = { id: namespace, authorization, mask: (text: string) => text };
        return { ok: true, credential, resourceVersion: '1' };
      },
      writeFinalizers: async (_type, object, finalizers) => {
        const stored = this.#stored.get(keyOf(object));
        if (!stored) throw new Error('a finalizer is written for what is not there');
        const next = { ...stored, metadata: { ...stored.metadata, finalizers } };
        if (!stored.metadata.deletionTimestamp || finalizers.length > 0) return this.#put(next);
        this.#remove(stored);
        return undefined;
      },
    });
    const kind = kinds.find(({ type }) => type.kind === this.#definition.type.kind);
    if (!kind) throw new Error(`there is no kind ${this.#definition.type.kind}`);
    const client: KubeClient = {
      request: <T>({ path, body }: RequestCall) => {
        const name = path.split('/').at(-2) ?? '';
        const stored = this.get(name);
        if (!stored) throw new Error(`a status is written for ${path}`);
        const { status } = JSON.parse(JSON.stringify(body)) as KubeObject;
        return Promise.resolve(this.#put({ ...stored, status }) as T);
      },
      stream: () => {
        throw new Error('nobody watches here');
      },
      close: () => Promise.resolve(),
    };
    kind.takeOver();
    const sink = kind.sink();
    const all = this.objects().map((object) => sink.trim?.(structuredClone(object)) ?? object);
    sink.replace(all, String(this.#version), false);
    return [kind, new Reconciler({ client, clock: this.clock, emit: () => undefined })];
  }

  /** Stores it, and tells the operator by its watch. */
  #put(object: KubeObject): KubeObject {
    this.#version += 1;
    const metadata = { ...object.metadata, resourceVersion: String(this.#version) };
    const stored = { ...object, metadata };
    this.#stored.set(keyOf(stored), stored);
    const sink = this.#kind.sink();
    sink.apply('MODIFIED', sink.trim?.(structuredClone(stored)) ?? stored);
    return structuredClone(stored);
  }

  #remove(object: KubeObject): void {
    this.#stored.delete(keyOf(object));
    this.#version += 1;
    const metadata = { ...object.metadata, resourceVersion: String(this.#version) };
    this.#kind.sink().apply('DELETED', { ...object, metadata });
  }

  async #call({ method, path, body, credential, begin }: ApiRequest): Promise<Reply> {
    const aborted = begin?.();
    if (aborted) return { answered: false, sent: false, cause: 'called off', aborted };
    const at = encodePath(path);
    this.sent.push({ name: this.#caller, method, path: at, ...(body !== undefined && { body }) });
    const once = this.next.shift();
    const headers = {
      authorization: credential.authorization,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const work = this.api.work(
      { method, path: at, headers, body: body ?? '' },
      once === 'lost' ? {} : once,
    );
    work.ended?.();
    if (once === 'lost') return { answered: false, sent: true, cause: 'no answer within 35s' };
    const { status, text } = work.reply;
    return readAnswer(
      { httpStatus: status, headers: work.reply.headers ?? {}, body: { text } },
      { url: 'https://api.example.com', nowMs: this.clock.now(), mask: (same) => same },
    );
  }
}

function rfc3339(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}
