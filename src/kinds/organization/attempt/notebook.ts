import { isDeepStrictEqual } from 'node:util';
import { type KubeObject, keyOf } from '../../../kube/resource.ts';
import { FINALIZER_REMOVED_MS } from '../../../waits.ts';
import { generationOf, readyOf } from '../../status/common-status.ts';
import { hidesTheSame, mayHide } from '../../target/unsettled.ts';
import { tupleKey } from '../endpoints/endpoints.ts';
import type { Organization, OrganizationSpec } from '../resource.ts';
import {
  afterLeaving,
  isUnsent,
  type LostName,
  type Notes,
  notingOpen,
  openIn,
  withLostName,
} from './notes.ts';

/**
 * The notes of a kind, by store key. Those of an object that is gone are not taken for another's
 * under the same name.
 */
export class Notebook {
  readonly #notes = new Map<string, Notes>();
  /** By version, monotonic ms: when this process was first told of it. */
  readonly #toldAt = new WeakMap<Organization, number>();
  /** How long after it was sent a write may be at work at the API. */
  readonly #atWorkMs: number;

  constructor(atWorkMs: number) {
    this.#atWorkMs = atWorkMs;
  }

  /** The notes of this object, brought up to what its status says. */
  of(object: Organization, monotonic: number): Notes {
    const kept = this.#notes.get(keyOf(object));
    const toldAt = this.#toldAt.get(object) ?? monotonic;
    this.#toldAt.set(object, toldAt);
    const isKnown = kept?.uid === object.metadata.uid;
    const known = isKnown ? kept : firstNotes(object, toldAt, this.#atWorkMs);
    const notes = this.#updated(known, object, { toldAt, monotonic });
    if (notes !== kept) this.set(object, notes);
    return notes;
  }

  /**
   * What another process has written into the status is noted. Two questions:
   *
   * - Who sent the last request? This process, where it has noted it or its attempt was answered
   *   so; else another one.
   * - Since when is what the status leaves open at work? As noted, where it leaves open what was
   *   noted, what this process's attempt does, or an intent of its own that has not left; else
   *   since this process was told of it.
   */
  #updated(
    kept: Notes,
    object: Organization,
    { toldAt, monotonic }: { readonly toldAt: number; readonly monotonic: number },
  ): Notes {
    const { atWork, session } = kept;
    const { lastRequest, pendingChange } = object.status ?? {};
    const open = openIn(object.status);
    const isNoted = isDeepStrictEqual(atWork.lastRequest, lastRequest);
    if (atWork.open === open && isNoted) return kept;
    // The answer to the attempt that is under way, which no status has told yet.
    const isOwnAnswer = isDeepStrictEqual(session?.draft.lastRequest, lastRequest);
    const isOthers = !isNoted && !isOwnAnswer;
    // The last status of an attempt that an edit has ended; with somebody else's intent on top of
    // it, it is not ours any more.
    const isOwnStatus = !isNoted && isOwnAnswer && open === openIn(session?.draft);
    const isKnown = atWork.open === open || isOwnStatus || isUnsent(kept, pendingChange);
    const settlesAt = toldAt + this.#atWorkMs;
    // Where an unsent intent was withdrawn, say, nobody else has recorded anything: each entry
    // keeps its time.
    const times = isKnown
      ? atWork
      : { settlesAt, entriesSettleAt: isOthers ? new Map() : atWork.entriesSettleAt };
    const noted = notingOpen({ ...atWork, ...times }, object.status);
    if (!isOthers) return { ...kept, atWork: noted };
    // Another process has looked since: what it says is Missing may have been there between, and so
    // may the organization, or a list.
    return {
      ...kept,
      atWork: isKnown ? noted : { ...noted, looks: 0 },
      lostNames: mayHide(object)
        ? withLostName(kept.lostNames, nameOfOthers(object, settlesAt), monotonic)
        : kept.lostNames,
      looks: {
        ...kept.looks,
        missedAt: missingIn(object, toldAt),
        unlistedSince: undefined,
        failedInRow: failedLooksIn(object),
      },
      deletion: { ...kept.deletion, notFoundSince: undefined, isGone: undefined },
    };
  }

  set(object: KubeObject, notes: Notes): void {
    this.#notes.set(keyOf(object), notes);
  }

  /** The first byte of an intent is about to leave. */
  leaves(object: Organization, monotonic: number): void {
    this.set(object, afterLeaving(this.of(object, monotonic), monotonic, this.#atWorkMs));
  }

  /** A status was written; the first after an intent is that of the intent. */
  written(key: string): void {
    const kept = this.#notes.get(key);
    const [newest, ...standing] = kept?.unsent ?? [];
    if (kept && newest)
      this.#notes.set(key, { ...kept, unsent: [{ ...newest, isOnRecord: true }, ...standing] });
  }

  /**
   * A status will never be written. Where that was an intent, the same one to the letter may stand
   * there, which another process has written in the same second: its time counts from now.
   */
  lost(key: string, object: Organization | undefined, monotonic: number): void {
    const kept = this.#notes.get(key);
    const [newest, ...standing] = kept?.unsent ?? [];
    if (!kept || !newest) return;
    const { session } = kept;
    const isTheirs =
      object !== undefined &&
      !newest.isOnRecord &&
      isUnsent({ unsent: [newest] }, object.status?.pendingChange);
    const settlesAt = monotonic + this.#atWorkMs;
    this.#notes.set(key, {
      ...kept,
      // It speaks of nothing any more; but what it was answered, where that is written after all,
      // is this process's own.
      session: session && {
        ...session,
        anchor: '',
        draft: { ...session.draft, pendingChange: undefined },
      },
      unsent: newest.isOnRecord ? kept.unsent : standing,
      ...(isTheirs && {
        atWork: notingOpen({ ...kept.atWork, settlesAt, looks: 0 }, object.status),
      }),
    });
  }

  /** Something else has been done for the object than to go on with its attempt. */
  endSession(object: KubeObject): void {
    this.#change(object, (notes) => ({ ...notes, session: undefined }));
  }

  /** Work begins again: another process may have been shown other lists since. */
  takeOver(object: KubeObject): void {
    this.#change(object, (notes) => ({
      ...notes,
      session: undefined,
      looks: { ...notes.looks, lastCount: undefined },
    }));
  }

  /** Notes what is told of all that an object leaves; false: that was told before. */
  noteLeft(object: Organization, toldLeft: string, monotonic: number): boolean {
    const notes = this.of(object, monotonic);
    if (notes.deletion.toldLeft === toldLeft) return false;
    this.set(object, { ...notes, deletion: { ...notes.deletion, toldLeft } });
    return true;
  }

  finalizerRemoved(object: KubeObject, monotonic: number): void {
    const finalizerRemovedUntil = monotonic + FINALIZER_REMOVED_MS;
    this.#change(object, (notes) => ({
      ...notes,
      deletion: { ...notes.deletion, finalizerRemovedUntil },
    }));
  }

  forget(key: string): void {
    this.#notes.delete(key);
  }

  #change(object: KubeObject, change: (notes: Notes) => Notes): void {
    const kept = this.#notes.get(keyOf(object));
    if (kept?.uid === object.metadata.uid) this.set(object, change(kept));
  }
}

/** Of an object that this process has not seen before. */
function firstNotes(object: Organization, toldAt: number, atWorkMs: number): Notes {
  return {
    uid: object.metadata.uid,
    atWork: { open: '', settlesAt: toldAt + atWorkMs, entriesSettleAt: new Map(), looks: 0 },
    unsent: [],
    lostNames: [],
    looks: { missedAt: missingIn(object, toldAt), failedInRow: 0 },
    unconfirmedChanges: { generation: generationOf(object), counts: new Map() },
    deletion: {},
  };
}

/**
 * What another process has missed is missed since this one was told so at the latest, whatever the
 * clock says that dated it.
 */
function missingIn({ status }: Organization, toldAt: number): ReadonlyMap<string, number> {
  const missing = status?.privateEndpoints?.filter(({ state }) => state === 'Missing') ?? [];
  return new Map(missing.map((entry) => [tupleKey(entry), toldAt]));
}

/**
 * The name that another process may have sent; which one is known only where the spec is the same.
 */
function nameOfOthers(object: Organization, settlesAt: number): LostName {
  const { name } = (object.spec ?? {}) as Partial<OrganizationSpec>;
  return { ...(hidesTheSame(object) && name !== undefined && { name }), settlesAt };
}

/** In a row, as far as a status can tell: it is Unavailable by an answer of 5xx. */
function failedLooksIn({ status }: Organization): number {
  const { httpStatus = 0 } = status?.lastRequest ?? {};
  return readyOf(status)?.reason === 'Unavailable' && httpStatus >= 500
    ? (status?.attempts ?? 0)
    : 0;
}
