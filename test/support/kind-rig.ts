import { isDeepStrictEqual } from 'node:util';
import type { Context, Event, Kind, Result } from '../../src/controller/kind.ts';
import { createKinds } from '../../src/kinds/index.ts';
import type { Definition } from '../../src/kinds/schema/definition.ts';
import type { KindContext } from '../../src/kinds/shared/context.ts';
import { type KubeObject, keyOf } from '../../src/kube/resource.ts';

/**
 * One kind without the engine, over an API server that is a map: every write stands at once, and
 * the kind hears of it before it has the reply.
 */
export class KindRig {
  /** Every status that was written. */
  readonly written: unknown[] = [];
  readonly events: Event[] = [];
  readonly #stored = new Map<string, KubeObject>();
  readonly #kind: Kind;
  readonly #context: KindContext;
  #version: number;

  /** A process that begins with these objects. */
  constructor(definition: Definition, context: KindContext, objects: readonly KubeObject[] = []) {
    const kind = createKinds(context).find(({ type }) => type.kind === definition.type.kind);
    if (!kind) throw new Error(`there is no kind ${definition.type.kind}`);
    this.#kind = kind;
    this.#context = context;
    for (const object of objects) this.#stored.set(keyOf(object), object);
    this.#version = Math.max(1, ...objects.map(({ metadata }) => Number(metadata.resourceVersion)));
    const trimmed = objects.map((object) => kind.store.trim(asOnTheWire(object)));
    kind.store.beginList()(trimmed, String(this.#version));
  }

  /** As the API server has them now. */
  objects(): readonly KubeObject[] {
    return [...this.#stored.values()];
  }

  get(key: string): KubeObject | undefined {
    return this.#stored.get(key);
  }

  put(object: KubeObject): KubeObject {
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: this.#next() } };
    this.#stored.set(keyOf(stored), stored);
    this.#kind.store.apply('MODIFIED', asOnTheWire(stored));
    return stored;
  }

  remove(object: KubeObject): void {
    this.#stored.delete(keyOf(object));
    const metadata = { ...object.metadata, resourceVersion: this.#next() };
    this.#kind.store.apply('DELETED', { ...object, metadata });
  }

  /** One attempt, and its status. Undefined: there is no such object. */
  async reconcile(key: string): Promise<Result | undefined> {
    const object = this.#kind.store.get(key);
    if (!object) return undefined;
    const result = await this.#kind.reconcile(object, this.#contextOf(key, object));
    if (result.status) this.#write(key, result.status);
    this.events.push(...(result.events ?? []));
    return result;
  }

  #contextOf(key: string, begun: KubeObject): Context {
    const { clock } = this.#context;
    return {
      now: () => clock.now(),
      object: () => this.#kind.store.get(key) ?? begun,
      stillWanted: () => {
        const now = this.#stored.get(key)?.metadata;
        return now?.uid === begun.metadata.uid && now?.generation === begun.metadata.generation;
      },
      onUnwanted: () => undefined,
      parked: (wait) => wait(),
      save: async (status) => this.#write(key, status),
      finalizer: async (name, present) => this.#setFinalizer(key, name, present),
      emit: (event) => void this.events.push(event),
    };
  }

  #write(key: string, status: object): boolean {
    const stored = this.#stored.get(key);
    if (!stored) return false;
    const plain = JSON.parse(JSON.stringify(status)) as object;
    if (isDeepStrictEqual(plain, stored.status)) return true;
    this.written.push(plain);
    this.put({ ...stored, status: plain });
    return true;
  }

  #setFinalizer(key: string, name: string, present: boolean): boolean {
    const stored = this.#stored.get(key);
    if (!stored) return !present;
    const others = (stored.metadata.finalizers ?? []).filter((one) => one !== name);
    const finalizers = present ? [...others, name] : others;
    const isGone = stored.metadata.deletionTimestamp !== undefined && finalizers.length === 0;
    if (isGone) this.remove(stored);
    else this.put({ ...stored, metadata: { ...stored.metadata, finalizers } });
    return true;
  }

  #next(): string {
    this.#version += 1;
    return String(this.#version);
  }
}

function asOnTheWire(object: KubeObject): KubeObject {
  return JSON.parse(JSON.stringify(object)) as KubeObject;
}
