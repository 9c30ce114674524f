import { isDeepStrictEqual } from 'node:util';
import { getObject, type KubeClient } from '../kube/client/client.ts';
import { isConflict, isNotFound, mayBeCarriedOut } from '../kube/client/kube-error.ts';
import {
  apiVersionOf,
  isSameDeclaration,
  type KubeObject,
  keyOf,
  objectPath,
  type ResourceType,
} from '../kube/resource.ts';
import type { Kind, Notice, Recorded, Report } from './kind.ts';
import { awaitChange, type Outcome } from './outcome.ts';
import {
  confirmsTheSame,
  mayReplace,
  type PendingResult,
  withStaleConditions,
} from './superseded.ts';

/**
 * Conflicts in a row before the result is left for later: somebody else is writing this object all
 * the time.
 */
const MOST_CONFLICTS = 5;

/** How a write ended, and what the queue does then. */
interface WriteEnd {
  readonly recorded: Recorded;
  readonly outcome: Outcome;
}

export interface StatusWriterOptions {
  readonly client: KubeClient;
  readonly emit: (object: KubeObject, type: ResourceType, notice: Notice) => void;
}

/**
 * Puts results into the status of their objects: the one place that writes one.
 *
 *     result ─► newest version ─► may it go on top? ── no ──► superseded: await the change
 *                    ▲                    │ yes
 *                    │                    ▼
 *                 GET again ◄─ 409 ──── PUT ── 200 ──► written: events are sent, the queue goes on
 *                    │                    │
 *                    └─ no such object ─► gone          any other answer, or none: still pending
 */
export class StatusWriter {
  readonly #options: StatusWriterOptions;
  /** By queue key, what could not be written yet. */
  readonly pending = new Map<string, PendingResult>();

  constructor(options: StatusWriterOptions) {
    this.#options = options;
  }

  /**
   * Replaces the whole status, with the object's resourceVersion and uid as precondition, and sends
   * the events that go with it. Throws KubeError where it could not be written: then it is pending.
   */
  async write(id: string, result: PendingResult): Promise<WriteEnd> {
    const { kind, base, report } = result;
    const newest = kind.get(keyOf(base));
    if (newest?.metadata.uid !== base.metadata.uid) return this.#isGone(id, result);
    const { resourceVersion } = newest.metadata;
    const trying = { ...result, triedOn: resourceVersion };
    this.pending.set(id, trying);
    // A write on top of this very version has failed before, and yet the version has not moved. A
    // cluster restored from a backup gives versions a second time, so this may be another object
    // state with the same version: what stands there is read first.
    let target = result.triedOn === resourceVersion ? await this.#readAgain(result) : newest;
    for (let conflicts = 0; target; conflicts += 1) {
      if (!mayReplace(target, result)) return this.#isSuperseded(id, result, target);
      if (isDeepStrictEqual(target.status, report.status)) return this.#isWritten(id, result);
      try {
        await this.#put(kind, target, report.status);
        return this.#isWritten(id, result);
      } catch (error) {
        if (mayBeCarriedOut(error)) this.pending.set(id, { ...trying, mayBeStored: true });
        if (!isNotFound(error) && (!isConflict(error) || conflicts >= MOST_CONFLICTS)) throw error;
        target = await this.#readAgain(result);
        // The object is there: what was not found is its status, as with a CRD that declares no
        // such subresource.
        if (target && isNotFound(error)) throw error;
      }
    }
    const end = this.#isGone(id, result);
    kind.drop(base);
    return end;
  }

  sendEvents(kind: Kind, object: KubeObject, { notices = [] }: Report): void {
    for (const notice of notices) this.#options.emit(object, kind.type, notice);
  }

  #isWritten(id: string, { kind, base, report }: PendingResult): WriteEnd {
    this.#isOver(id, kind, base, 'written');
    this.sendEvents(kind, base, report);
    return { recorded: 'written', outcome: report.outcome };
  }

  /** Whoever wrote what stands there has brought a change, and with it the next reconcile. */
  #isSuperseded(id: string, result: PendingResult, found: KubeObject): WriteEnd {
    const { kind, base, report, mayBeStored, before } = result;
    const recorded = confirmsTheSame(found, result) ? 'same' : 'lost';
    this.#isOver(id, kind, base, recorded);
    if (before) this.pending.set(id, before);
    // Our write had no answer: it may have been stored, and then overwritten by a process that saw
    // it as done and so sends no event.
    if (mayBeStored && !isDeepStrictEqual(found.status, base.status))
      this.sendEvents(kind, base, report);
    return { recorded, outcome: awaitChange };
  }

  #isGone(id: string, { kind, base }: PendingResult): WriteEnd {
    this.#isOver(id, kind, base, 'lost');
    return { recorded: 'lost', outcome: awaitChange };
  }

  #isOver(id: string, kind: Kind, base: KubeObject, recorded: Recorded): void {
    this.pending.delete(id);
    kind.recorded(keyOf(base), recorded);
  }

  /**
   * What stands there now, if it is the same object still. The store gets it as a change: nobody
   * may have looked at it yet.
   */
  async #readAgain({ kind, base }: PendingResult): Promise<KubeObject | undefined> {
    const { name, namespace, uid } = base.metadata;
    const known = kind.get(keyOf(base));
    const found = await getObject(this.#options.client, objectPath(kind.type, namespace, name));
    if (found) kind.put(found, known);
    return found?.metadata.uid === uid ? found : undefined;
  }

  async #put(kind: Kind, object: KubeObject, status: object): Promise<void> {
    const { name, namespace, uid, resourceVersion } = object.metadata;
    const key = keyOf(object);
    const known = kind.get(key);
    const metadata = { name, namespace, uid, resourceVersion };
    const body = { apiVersion: apiVersionOf(kind.type), kind: kind.type.kind, metadata, status };
    const path = objectPath(kind.type, namespace, name, 'status');
    await kind.holdBack(key, async () => {
      const { client } = this.#options;
      const written = await client.request<KubeObject>({ method: 'PUT', path, body });
      // After a restored backup a version may be given twice: then the status went on top of a
      // spec that nobody has looked at.
      if (isSameDeclaration(written, kind.get(key))) kind.putOwnWrite(written, known, status);
      else kind.put(withStaleConditions(written), known);
    });
  }
}
