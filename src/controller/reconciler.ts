import type { Clock } from '../clock.ts';
import { getObject } from '../kube/client/client.ts';
import { isForbidden, KubeError } from '../kube/client/kube-error.ts';
import { type KubeObject, keyOf, objectPath } from '../kube/resource.ts';
import type { Kind, Recorded, Report } from './kind.ts';
import { awaitChange, goOn, type Outcome } from './outcome.ts';
import { StatusWriter, type StatusWriterOptions } from './status-writer.ts';
import { isEdited, type PendingResult, withLastWord } from './superseded.ts';

export interface ReconcilerOptions extends StatusWriterOptions {
  readonly clock: Clock;
}

export interface ReconcileResult {
  readonly outcome: Outcome;
  readonly did: string;
  readonly facts?: Report['facts'];
  readonly counts?: Report['counts'];
  /** When the outcome was worked out, by both clocks. */
  readonly asOf: { readonly now: number; readonly monotonic: number };
}

/**
 * One reconcile of one key: store → load → plan → act → report → status. Guarantees: a result that
 * could not be written stays pending and is written before anything else is done for the object, so
 * the remote call behind it is not repeated.
 */
export class Reconciler {
  readonly #options: ReconcilerOptions;
  readonly #writer: StatusWriter;
  /** By queue key, what a step has learned and the status of the next one is to tell. */
  readonly #deferred = new Map<string, PendingResult>();
  /** Queue keys of which something is in no status yet; see Kind.release. */
  readonly #open = new Set<string>();

  constructor(options: ReconcilerOptions) {
    this.#options = options;
    this.#writer = new StatusWriter(options);
  }

  /**
   * `id` is the queue's key, `key` the store's. Throws KubeError when a status could not be
   * written.
   */
  async run(kind: Kind, id: string, key: string): Promise<ReconcileResult> {
    this.#writeDeferredWhereEdited(kind, id, key);
    // A reconcile that throws leaves open what the one before it did.
    let isOpen = this.#open.has(id);
    try {
      const uid = this.#writer.pending.get(id)?.base.metadata.uid;
      const recorded = await this.#writePending(kind, id);
      const object = kind.get(key) ?? (await this.#findRestored(kind, key));
      if (recorded === 'lost' && object?.metadata.uid === uid) {
        isOpen = false;
        return { outcome: goOn, did: 'dropped', asOf: this.#readClocks() };
      }
      if (!object) {
        kind.forget(key);
        isOpen = false;
        return { outcome: awaitChange, did: 'forgot', asOf: this.#readClocks() };
      }
      const report = await kind.reconcile(object, this.#options.clock);
      const asOf = this.#readClocks();
      const outcome = await this.#record(kind, id, { base: object, report });
      isOpen = outcome.next === 'go-on';
      const { did, facts, counts } = report;
      return { outcome, did, facts, counts, asOf };
    } finally {
      this.#release(kind, id, key, isOpen);
    }
  }

  /**
   * No further reconcile follows: writes what is deferred or pending. `wake` gets the keys of all
   * that, for which no other event will come when work begins again. Rejects with the first
   * KubeError, when all have been tried.
   */
  async end(wake: (id: string) => void): Promise<void> {
    const { pending } = this.#writer;
    for (const [id, deferred] of this.#deferred) pending.set(id, deferred);
    this.#deferred.clear();
    const writes = await Promise.allSettled(
      [...pending].map(async ([id, result]) => {
        try {
          await this.#writeAtEnd(id, result);
        } finally {
          this.#release(result.kind, id, keyOf(result.base), false);
          wake(id);
        }
      }),
    );
    const failed = writes.find((write) => write.status === 'rejected');
    if (failed) throw failed.reason;
  }

  /**
   * A status that announces what is not sent any more is not written. Where it may stand already,
   * its last word is; where it does not, what the step before it learned.
   */
  async #writeAtEnd(id: string, result: PendingResult): Promise<void> {
    const { recorded } = await this.#writer.write(id, withLastWord(result));
    const before = this.#writer.pending.get(id);
    if (recorded === 'lost' && before) await this.#writer.write(id, before);
  }

  /**
   * After an edit, or a deletion, the step that was to tell what is deferred may never follow: that
   * is written first.
   */
  #writeDeferredWhereEdited(kind: Kind, id: string, key: string): void {
    const deferred = this.#deferred.get(id);
    if (!deferred) return;
    const newest = kind.get(key);
    const isAnother = newest?.metadata.uid !== deferred.base.metadata.uid;
    if (!isAnother && !isEdited(deferred.base, newest)) return;
    this.#deferred.delete(id);
    if (!isAnother) this.#writer.pending.set(id, deferred);
  }

  /**
   * Writes what an earlier reconcile could not. A status that the schema refuses would hold up its
   * object for ever, so it is dropped when the user changes what it speaks of: what follows then is
   * as after a crash.
   */
  async #writePending(kind: Kind, id: string): Promise<Recorded | undefined> {
    const result = this.#writer.pending.get(id);
    if (!result) return undefined;
    try {
      const { recorded } = await this.#writer.write(id, result);
      return recorded;
    } catch (error) {
      const isRefusedBySchema = error instanceof KubeError && error.status === 422;
      if (!isRefusedBySchema || !isEdited(result.base, kind.get(keyOf(result.base)))) throw error;
      this.#writer.pending.delete(id);
      return undefined;
    }
  }

  /**
   * An object that the server has said is gone and that the watch shows again: the server is asked
   * once more, since a restored backup may have brought it back.
   */
  async #findRestored(kind: Kind, key: string): Promise<KubeObject | undefined> {
    const gone = kind.dropped(key);
    if (!gone) return undefined;
    try {
      const path = objectPath(kind.type, gone.namespace, gone.name);
      const found = await getObject(this.#options.client, path);
      if (found) kind.put(found);
    } catch (error) {
      // Its namespace's Role may be gone with it. Without the right to ask, it stays gone.
      if (!isForbidden(error)) throw error;
    }
    return kind.get(key);
  }

  async #record(
    kind: Kind,
    id: string,
    { base, report }: { readonly base: KubeObject; readonly report: Report },
  ): Promise<Outcome> {
    const { status, lastWord, ...rest } = report;
    // Where another process's status wins, this report is dropped, and what the step before has
    // learned is written in its place; but not where this step has changed something at the API. A
    // report with a last word has changed nothing.
    const before = lastWord && this.#deferred.get(id);
    this.#deferred.delete(id);
    const defer = (seen: KubeObject): void => {
      if (lastWord) this.#deferred.set(id, { kind, base: seen, report: { ...rest, ...lastWord } });
    };
    if (!status) {
      defer(base);
      this.#writer.sendEvents(kind, base, report);
      return report.outcome;
    }
    const result = { kind, base, report: { ...report, status }, ...(before && { before }) };
    const { recorded, outcome } = await this.#writer.write(id, result);
    const written = kind.get(keyOf(base));
    if (recorded !== 'lost' && written?.metadata.uid === base.metadata.uid)
      // An edit that came meanwhile is one that this step has not seen.
      defer(isEdited(base, written) ? { ...base, status } : written);
    return outcome;
  }

  #release(kind: Kind, id: string, key: string, goesOn: boolean): void {
    const isOpen = goesOn || this.#writer.pending.has(id);
    if (isOpen) this.#open.add(id);
    else this.#open.delete(id);
    kind.release(key, isOpen);
  }

  #readClocks(): ReconcileResult['asOf'] {
    return { now: this.#options.clock.now(), monotonic: this.#options.clock.monotonic() };
  }
}
