import type { Clock } from '../clock.ts';
import type { KubeClient } from '../kube/client.ts';
import { isConflict, KubeError } from '../kube/errors.ts';
import { isSameDeclaration, type KubeObject, keyOf, type ResourceType } from '../kube/resource.ts';
import { writeFinalizers } from './finalizers.ts';
import type { Context, Event, Kind } from './kind.ts';
import { type Known, newestOf, putStatus, take } from './status-writer.ts';

/** What all attempts share. */
export interface AttemptOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly emit: (object: KubeObject, type: ResourceType, event: Event) => void;
  /** Whether this process leads, to the very moment. */
  readonly mayStart: () => boolean;
}

/** What attempts ask of the worker that runs them. */
export interface Host {
  /** Gives its place back; what `enter` returns resolves when it has one again. */
  readonly leave: () => void;
  readonly enter: () => unknown;
  /** What was read counts no more: reconcile the object once more. */
  readonly again: (kind: Kind, object: KubeObject) => void;
}

/** One reconcile of one object while it runs: what its kind is given as context. */
export class Attempt implements Context {
  readonly known: Known;
  /** Kubernetes has not taken a write, so the key comes again whatever its kind says. */
  failure: KubeError | undefined;
  #isWanted = true;
  #end: (() => void) | undefined;
  readonly #begun: KubeObject;
  readonly #options: AttemptOptions;
  readonly #host: Host;

  constructor(kind: Kind, object: KubeObject, options: AttemptOptions, host: Host) {
    this.known = { kind, object, statuses: [object.status] };
    this.#begun = object;
    this.#options = options;
    this.#host = host;
  }

  now(): number {
    return this.#options.clock.now();
  }

  object(): KubeObject {
    const newest = newestOf(this.known);
    this.known.object = newest;
    if (!this.known.statuses.includes(newest.status)) this.known.statuses.push(newest.status);
    return newest;
  }

  stillWanted(): boolean {
    if (!this.#options.mayStart()) this.cancel();
    this.changed();
    return this.#isWanted;
  }

  onUnwanted(end: () => void): void {
    this.#end = end;
    if (!this.#isWanted) end();
  }

  /** What was begun is not wanted any more. */
  cancel(): void {
    this.#isWanted = false;
    this.#end?.();
  }

  /** The store may have another object than the one that this began with. */
  changed(): void {
    const now = this.known.kind.store.get(keyOf(this.#begun));
    if (!now || !isSameDeclaration(now, this.#begun)) this.cancel();
  }

  parked<Value>(wait: () => Promise<Value>): Promise<Value> {
    this.#host.leave();
    return wait().finally(this.#host.enter);
  }

  save(status: object): Promise<boolean> {
    const { client } = this.#options;
    return this.#try(async () => (await putStatus(client, this.known, status)) === 'written');
  }

  finalizer(name: string, present: boolean): Promise<boolean> {
    return this.#try(() => this.#setFinalizer(name, present));
  }

  emit(event: Event): void {
    this.#options.emit(this.#begun, this.known.kind.type, event);
  }

  /** Once more, where somebody was quicker and has changed nothing that counts. */
  async #setFinalizer(name: string, present: boolean, isRepeated = false): Promise<boolean> {
    const newest = newestOf(this.known);
    const { finalizers = [] } = newest.metadata;
    if (finalizers.includes(name) === present) return true;
    const others = finalizers.filter((other) => other !== name);
    const wanted = present ? [...others, name] : others;
    const { type } = this.known.kind;
    const reply = await writeFinalizers(this.#options.client, type, newest, wanted);
    if (!reply) return !present;
    const stands = (reply.metadata.finalizers ?? []).includes(name) === present;
    take(this.known, reply);
    if (stands || isRepeated || !this.stillWanted()) return stands;
    return this.#setFinalizer(name, present, true);
  }

  async #try(write: () => Promise<boolean>): Promise<boolean> {
    try {
      if (await write()) return true;
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      if (!isConflict(error)) this.failure = error;
    }
    if (!this.failure) this.#host.again(this.known.kind, this.#begun);
    return false;
  }
}
