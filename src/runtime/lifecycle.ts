import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../clock.ts';
import type { KubeClient } from '../kube/client.ts';
import { KubeError } from '../kube/errors.ts';
import { type KubeObject, keyOf, type ResourceType } from '../kube/resource.ts';
import type { Kind, Notice, Report } from './kind.ts';
import { awaitChange, goOn, type Outcome } from './outcome.ts';
import { hasOthersAttempt, Unheard } from './overtaken.ts';
import { writeStatus } from './status-writer.ts';

/** A result whose status write has not succeeded yet: the remote side has been told, the cluster has not. */
interface Kept {
  readonly report: Report & { readonly status: object };
  /** The object as the pass saw it. */
  readonly base: KubeObject;
  /** When the result was worked out, by the monotonic clock. */
  readonly at: number;
}

export interface LifecycleOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly emit: (object: KubeObject, type: ResourceType, notice: Notice) => void;
  /** Puts the version that our own status write made into the kind's store, without waking the key for it. */
  readonly take: (kind: Kind, id: string, object: KubeObject) => void;
}

export interface PassResult {
  readonly outcome: Outcome;
  readonly did: string;
  readonly facts?: Report['facts'];
  /** What both hands of the clock said when the outcome was worked out. */
  readonly asOf: { readonly now: number; readonly monotonic: number };
}

/**
 * One pass over one key: store → load → plan → act → report → status. Guarantees: a result that could not be written
 * is kept and written before anything else is done for the object, so the remote call behind it is not repeated; and where
 * it can be written no more, because another's stands there or the object is gone, whoever is concerned sends again.
 */
export class Lifecycle {
  readonly #options: LifecycleOptions;
  readonly #kept = new Map<string, Kept>();
  readonly #unheard = new Unheard();

  constructor(options: LifecycleOptions) {
    this.#options = options;
  }

  /** `id` is the queue's key, `key` the store's. Throws KubeError when a status could not be written. */
  async run(kind: Kind, id: string, key: string): Promise<PassResult> {
    try {
      await this.#catchUp(kind, id);
      const known = kind.get(key);
      if (known && (await this.#hear(kind, known))) return { outcome: goOn, did: 'overtaken', asOf: this.#hands() };
      const object = kind.get(key);
      if (!object) {
        kind.forget(key);
        return { outcome: awaitChange, did: 'forgot', asOf: this.#hands() };
      }
      const report = await kind.pass(object, this.#options.clock);
      const asOf = this.#hands();
      const outcome = await this.#record(kind, id, { base: object, report, at: asOf.monotonic });
      return { outcome, did: report.did, facts: report.facts, asOf };
    } finally {
      kind.settle(key, { unwritten: this.#kept.has(id) });
    }
  }

  #hands(): PassResult['asOf'] {
    const { clock } = this.#options;
    return { now: clock.now(), monotonic: clock.monotonic() };
  }

  /**
   * Writes what an earlier pass could not. A status that the schema refuses would hold up its object for ever, so it
   * is dropped when the user changes what it speaks of: the next pass then does what one does after a crash.
   */
  async #catchUp(kind: Kind, id: string): Promise<void> {
    const kept = this.#kept.get(id);
    if (!kept) return;
    try {
      await this.#write(kind, id, kept);
    } catch (error) {
      if (!isRefusedBySchema(error) || !isChanged(kept.base, kind.get(keyOf(kept.base)))) throw error;
      this.#kept.delete(id);
    }
  }

  async #record(kind: Kind, id: string, { base, report, at }: Omit<Kept, 'report'> & { readonly report: Report }) {
    const { status } = report;
    if (!status) {
      this.#tell(kind, base, report);
      return report.outcome;
    }
    const kept = { base, report: { ...report, status }, at };
    this.#kept.set(id, kept);
    return this.#write(kind, id, kept);
  }

  /** Whoever changes the object meanwhile wakes its key, so a result that came to nothing needs no further visit. */
  async #write(kind: Kind, id: string, kept: Kept): Promise<Outcome> {
    const { base, report, at } = kept;
    const { client, clock } = this.#options;
    const newest = kind.get(keyOf(base));
    if (newest?.metadata.uid !== base.metadata.uid) return this.#passOn(kind, id, kept);
    let isSuperseded = false;
    const written = await writeStatus({
      client,
      type: kind.type,
      object: newest,
      statusFor: (object) => {
        isSuperseded = hasOthersAttempt(object, { base, status: report.status });
        return isSuperseded ? report.overtaken?.(object, clock.now()) : report.status;
      },
      wrote: (object) => (isSuperseded ? kind.put(object) : this.#options.take(kind, id, object)),
      met: (newer) => kind.put(newer),
    });
    if (written === 'gone') {
      kind.drop(base);
      return this.#passOn(kind, id, kept);
    }
    this.#kept.delete(id);
    if (isSuperseded) return awaitChange;
    if (report.overtaken) this.#unheard.answer(kind, base, at);
    this.#tell(kind, base, report);
    return report.outcome;
  }

  /** The object is gone: what was sent for it concerns whoever stands, or will stand, for the same thing. */
  async #passOn(kind: Kind, id: string, { base, report, at }: Kept): Promise<Outcome> {
    this.#kept.delete(id);
    this.#unheard.add({ kind, object: base, report, at });
    for (const rival of kind.rivals(base)) await this.#hear(kind, rival);
    return awaitChange;
  }

  /** Tells an object what was sent for another in its place; false where there is nothing to tell. */
  async #hear(kind: Kind, object: KubeObject): Promise<boolean> {
    const { client, clock } = this.#options;
    const now = clock.now();
    const note = this.#unheard.for(kind, object, now);
    if (!note) return false;
    const statusFor = (newer: KubeObject): object | undefined => note.overtaken(newer, now);
    const put = (newer: KubeObject): void => kind.put(newer);
    const write = { client, type: kind.type, object, statusFor, wrote: put, met: put };
    if ((await writeStatus(write)) === 'gone') {
      kind.drop(object);
      return false;
    }
    this.#unheard.drop(note);
    return true;
  }

  #tell(kind: Kind, object: KubeObject, { notices = [] }: Report): void {
    for (const notice of notices) this.#options.emit(object, kind.type, notice);
  }
}

function isRefusedBySchema(error: unknown): boolean {
  return error instanceof KubeError && error.status === 422;
}

function isChanged(base: KubeObject, newest: KubeObject | undefined): boolean {
  const { generation, annotations } = base.metadata;
  return (
    newest?.metadata.generation !== generation ||
    !isDeepStrictEqual(newest?.metadata.annotations ?? {}, annotations ?? {})
  );
}
