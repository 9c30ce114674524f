import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../clock.ts';
import type { KubeClient } from '../kube/client/client.ts';
import { getObject } from '../kube/client/get-object.ts';
import { isForbidden } from '../kube/client/kube-error.ts';
import {
  isSameDeclaration,
  type KubeObject,
  keyOf,
  objectPath,
  type ResourceType,
} from '../kube/resource.ts';
import type { Kind, Notice, Recorded, Report } from './kind.ts';
import { awaitChange, goOn, type Outcome } from './outcome.ts';
import { writeStatus } from './status-writer.ts';
import {
  confirmsTheSame,
  isChanged,
  isOnTop,
  isRefusedBySchema,
  type Kept,
  unspoken,
} from './superseded.ts';

export interface LifecycleOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly emit: (object: KubeObject, type: ResourceType, notice: Notice) => void;
  /**
   * Puts the version that our own status write made into the kind's store, without waking the key
   * for it; see Store.put.
   */
  readonly take: (
    kind: Kind,
    id: string,
    object: KubeObject,
    known: KubeObject | undefined,
  ) => void;
}

export interface ReconcileResult {
  readonly outcome: Outcome;
  readonly did: string;
  readonly facts?: Report['facts'];
  readonly counts?: Report['counts'];
  /** What both hands of the clock said when the outcome was worked out. */
  readonly asOf: { readonly now: number; readonly monotonic: number };
}

/**
 * One pass over one key: store → load → plan → act → report → status. Guarantees: a result that
 * could not be written is kept and written before anything else is done for the object, so the
 * remote call behind it is not repeated.
 */
export class Lifecycle {
  readonly #options: LifecycleOptions;
  readonly #kept = new Map<string, Kept>();
  /** What a step has learned and only the next one would write. */
  readonly #unsaid = new Map<string, Kept>();
  /** Keys whose last visit goes on, or left something kept. */
  readonly #open = new Set<string>();

  constructor(options: LifecycleOptions) {
    this.#options = options;
  }

  /**
   * `id` is the queue's key, `key` the store's. Throws KubeError when a status could not be
   * written.
   */
  async run(kind: Kind, id: string, key: string): Promise<ReconcileResult> {
    this.#tellBefore(kind, id, key);
    // A visit that breaks off leaves open what the one before it did.
    let isOpen = this.#open.has(id);
    try {
      const uid = this.#kept.get(id)?.base.metadata.uid;
      const caughtUp = await this.#catchUp(kind, id);
      const object = kind.get(key) ?? (await this.#broughtBack(kind, key));
      if (caughtUp === 'lost' && object?.metadata.uid === uid) {
        isOpen = false;
        return { outcome: goOn, did: 'dropped', asOf: this.#hands() };
      }
      if (!object) {
        kind.forget(key);
        isOpen = false;
        return { outcome: awaitChange, did: 'forgot', asOf: this.#hands() };
      }
      const report = await kind.reconcile(object, this.#options.clock);
      const asOf = this.#hands();
      const outcome = await this.#record(kind, id, { base: object, report });
      isOpen = outcome.next === 'go-on';
      return { outcome, did: report.did, facts: report.facts, counts: report.counts, asOf };
    } finally {
      this.#release(kind, id, { key, isOpen: isOpen || this.#kept.has(id) });
    }
  }

  /**
   * Of what it has said is gone the server is asked once more, whenever news show it again: a
   * restored backup may have brought it back.
   */
  async #broughtBack(kind: Kind, key: string): Promise<KubeObject | undefined> {
    const gone = kind.dropped(key);
    if (!gone) return undefined;
    try {
      const found = await getObject(
        this.#options.client,
        objectPath(kind.type, gone.namespace, gone.name),
      );
      if (found) kind.put(found);
    } catch (error) {
      // Its namespace's Role may be gone with it: who may not ask leaves it gone.
      if (!isForbidden(error)) throw error;
    }
    return kind.get(key);
  }

  #release(
    kind: Kind,
    id: string,
    { key, isOpen }: { readonly key: string; readonly isOpen: boolean },
  ): void {
    if (isOpen) this.#open.add(id);
    else this.#open.delete(id);
    kind.release(key, isOpen);
  }

  /**
   * No further pass follows: writes what the next steps would have told, and what could not be
   * written before. `visit` gets the keys of all that; they have lost their places in line. Rejects
   * with the first KubeError, when all have been tried.
   */
  async end(visit: (id: string) => void): Promise<void> {
    for (const [id, kept] of this.#unsaid) this.#kept.set(id, kept);
    this.#unsaid.clear();
    // What would have to be taken back at once need not be written.
    const owed = [...this.#kept].filter(([, { report }]) => !report.lastWord);
    const written = await Promise.allSettled(
      owed.map(async ([id, kept]) => {
        const release = (): void => {
          this.#release(kept.kind, id, { key: keyOf(kept.base), isOpen: this.#kept.has(id) });
          visit(id);
        };
        await this.#write(id, kept).finally(release);
      }),
    );
    const failed = written.find((one) => one.status === 'rejected');
    if (failed) throw failed.reason;
  }

  /**
   * Where the user has said something new, the step that would tell it may never follow: what was
   * learned is written first.
   */
  #tellBefore(kind: Kind, id: string, key: string): void {
    const unsaid = this.#unsaid.get(id);
    const newest = kind.get(key);
    const isOfAnother = newest?.metadata.uid !== unsaid?.base.metadata.uid;
    if (!unsaid || (!isOfAnother && !isChanged(unsaid.base, newest))) return;
    this.#unsaid.delete(id);
    if (!isOfAnother) this.#kept.set(id, unsaid);
  }

  #hands(): ReconcileResult['asOf'] {
    const { clock } = this.#options;
    return { now: clock.now(), monotonic: clock.monotonic() };
  }

  /**
   * Writes what an earlier pass could not. A status that the schema refuses would hold up its
   * object for ever, so it is dropped when the user changes what it speaks of: the next pass then
   * does what one does after a crash.
   */
  async #catchUp(kind: Kind, id: string): Promise<Recorded | undefined> {
    const kept = this.#kept.get(id);
    if (!kept) return undefined;
    try {
      const { recorded } = await this.#write(id, kept);
      return recorded;
    } catch (error) {
      if (!isRefusedBySchema(error) || !isChanged(kept.base, kind.get(keyOf(kept.base))))
        throw error;
      this.#kept.delete(id);
      return undefined;
    }
  }

  async #record(
    kind: Kind,
    id: string,
    { base, report }: { readonly base: KubeObject; readonly report: Report },
  ) {
    const { status, lastWord, ...rest } = report;
    // Only a status that something is still to follow leaves it as true as it was.
    const unsaid = lastWord && this.#unsaid.get(id);
    this.#unsaid.delete(id);
    if (!status) {
      if (lastWord) this.#unsaid.set(id, { kind, base, report: { ...rest, ...lastWord } });
      this.#tell(kind, base, report);
      return report.outcome;
    }
    const { recorded, outcome } = await this.#write(id, {
      kind,
      base,
      report: { ...report, status },
      ...(unsaid && { unsaid }),
    });
    const object = kind.get(keyOf(base));
    if (lastWord && recorded !== 'lost' && object) {
      this.#unsaid.set(id, { kind, base: object, report: { ...rest, ...lastWord } });
    }
    return outcome;
  }

  async #write(
    id: string,
    kept: Kept,
  ): Promise<{ readonly recorded: Recorded; readonly outcome: Outcome }> {
    const { kind, base, report } = kept;
    const key = keyOf(base);
    const newest = kind.get(key);
    if (newest?.metadata.uid !== base.metadata.uid) {
      this.#kept.delete(id);
      kind.recorded(key, 'lost');
      return { recorded: 'lost', outcome: awaitChange };
    }
    const tried = { ...kept, tried: newest.metadata.resourceVersion };
    this.#kept.set(id, tried);
    let isSame = false;
    let mayHaveStood = false;
    const written = await writeStatus({
      client: this.#options.client,
      type: kind.type,
      object: newest,
      isTried: kept.tried === newest.metadata.resourceVersion,
      statusFor: (object) => {
        isSame = confirmsTheSame(object, { base, status: report.status });
        mayHaveStood = kept.isUnanswered === true && !isDeepStrictEqual(object.status, base.status);
        return isOnTop(object, kept) ? report.status : undefined;
      },
      unheard: () => void this.#kept.set(id, { ...tried, isUnanswered: true }),
      wrote: (object, known) => {
        // After a restored backup a version may be given twice: then the write goes on top of what
        // nobody has looked at.
        if (isSameDeclaration(object, kind.get(key))) this.#options.take(kind, id, object, known);
        else kind.put(unspoken(object), known);
      },
      known: () => kind.get(key),
      met: (found, known) => kind.put(found, known),
    });
    this.#kept.delete(id);
    const isRecorded = written !== 'gone' && written !== 'superseded';
    const otherwise = written === 'superseded' && isSame ? 'same' : 'lost';
    const recorded = isRecorded ? 'written' : otherwise;
    kind.recorded(key, recorded);
    if (written === 'gone') kind.drop(base);
    if (written === 'superseded' && kept.unsaid) this.#kept.set(id, kept.unsaid);
    // Whoever wrote the other word on top of it has nothing to tell of what he found done.
    if (written === 'superseded' && mayHaveStood) this.#tell(kind, base, report);
    // Whoever wrote the other word has woken the key.
    if (!isRecorded) return { recorded, outcome: awaitChange };
    this.#tell(kind, base, report);
    return { recorded, outcome: report.outcome };
  }

  #tell(kind: Kind, object: KubeObject, { notices = [] }: Report): void {
    for (const notice of notices) this.#options.emit(object, kind.type, notice);
  }
}
