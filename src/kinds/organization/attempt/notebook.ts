import { isDeepStrictEqual } from 'node:util';
import { type KubeObject, keyOf } from '../../../kube/resource.ts';
import { LET_GO_MS } from '../../../waits.ts';
import { generationOf, readyOf } from '../../status/common-status.ts';
import { hidesTheSame, mayHide } from '../../target/unsettled.ts';
import { tupleKey } from '../endpoints/endpoints.ts';
import type { Organization, OrganizationSpec } from '../resource.ts';
import { isUnsent, leftAt, type Notes, openIn, openNow, unsentOf, withLostName } from './notes.ts';

/**
 * The notes of a kind, by store key. Those of an object that is gone are not taken for another's
 * under the same name.
 */
export class Notebook {
  readonly #notes = new Map<string, Notes>();
  /** By version, monotonic ms: when this process was first told of it. */
  readonly #toldAt = new WeakMap<Organization, number>();
  /** How long after it was sent a write may be at work at the API. */
  readonly atWorkMs: number;

  constructor(atWorkMs: number) {
    this.atWorkMs = atWorkMs;
  }

  /**
   * What is at work and was not noted by this process was sent by another: it counts from when this
   * one was first told of it, were it in the midst of a call of its own. While its own intent
   * stands there unsent, nobody has sent anything since.
   */
  of(object: Organization, monotonic: number): Notes {
    const kept = this.#notes.get(keyOf(object));
    const open = openIn(object.status);
    const toldAt = this.#toldAt.get(object) ?? monotonic;
    this.#toldAt.set(object, toldAt);
    const settlesAt = toldAt + this.atWorkMs;
    const theirs = { ...(hidesTheSame(object) && nameIn(object)), settlesAt };
    if (kept?.uid !== object.metadata.uid) {
      const notes: Notes = {
        uid: object.metadata.uid,
        ...openNow({ settlesAt, openUntil: new Map() }, object.status),
        settlesAt,
        missedAt: missingSince(object, toldAt),
        looks: 0,
        ...(mayHide(object) && { lostNames: [theirs] }),
        failedLooks: failedLooksIn(object),
        inVain: { generation: generationOf(object), counts: new Map() },
      };
      this.set(object, notes);
      return notes;
    }
    const isNoted = isDeepStrictEqual(kept.lastRequest, object.status?.lastRequest);
    if (kept.open === open && isNoted) return kept;
    // What this attempt was answered is this process's own too.
    const isOthers =
      !isNoted && !isDeepStrictEqual(kept.session?.draft.lastRequest, object.status?.lastRequest);
    // The last word of an attempt that an edit has ended; an intent of somebody else on top of it
    // is not this process's own.
    const isOwnWord = !isNoted && !isOthers && open === openIn(kept.session?.draft);
    const isKnown = kept.open === open || isOwnWord || isUnsent(kept, object.status?.pendingChange);
    // Where nobody else has recorded anything, what was open keeps its time: so where an unsent
    // intent is withdrawn.
    const known = isKnown
      ? kept
      : { settlesAt, openUntil: isOthers ? new Map<string, number>() : kept.openUntil };
    const { missingSince: _, isGone: __, unlistedSince: ___, ...rest } = kept;
    const lasting = { ...rest, failedLooks: failedLooksIn(object) };
    const notes = {
      // Another process has looked since: what it says is Missing may have been there between, and
      // so may the organization, or a list.
      ...(isOthers
        ? { ...lasting, missedAt: missingSince(object, toldAt), ...(!isKnown && { looks: 0 }) }
        : kept),
      ...(isOthers && mayHide(object) && { lostNames: withLostName(kept, theirs, monotonic) }),
      settlesAt: known.settlesAt,
      ...openNow(known, object.status),
    };
    this.set(object, notes);
    return notes;
  }

  set(object: KubeObject, notes: Notes): void {
    this.#notes.set(keyOf(object), notes);
  }

  /**
   * The first byte of an intent is about to leave: from now on nobody can say that it never did.
   */
  leaves(object: Organization, monotonic: number): void {
    this.set(object, leftAt(this.of(object, monotonic), monotonic, this.atWorkMs));
  }

  /** A status has got on record; the first after an intent is that of the intent. */
  written(key: string): void {
    const kept = this.#notes.get(key);
    const [claimed, ...standing] = kept?.unsent ?? [];
    if (kept && claimed)
      this.#notes.set(key, { ...kept, unsent: [{ ...claimed, isOnRecord: true }, ...standing] });
  }

  /**
   * A status has not got on record. Where that was an intent, the same one to the letter may stand
   * there, which another process has written in the same second: it counts from now.
   */
  lost(key: string, object: Organization | undefined, monotonic: number): void {
    const kept = this.#notes.get(key);
    const [claimed, ...standing] = kept?.unsent ?? [];
    if (!kept || !claimed) return;
    const { session, ...rest } = kept;
    // It speaks of nothing any more; but what it was answered, where that is written after all, is
    // this process's own.
    const ended = session && {
      session: { ...session, anchor: '', draft: { ...session.draft, pendingChange: undefined } },
    };
    const refused = claimed.isOnRecord ? [] : [claimed];
    const isTheirs =
      object !== undefined && unsentOf({ unsent: refused }, object.status?.pendingChange);
    const settlesAt = monotonic + this.atWorkMs;
    const theirs = isTheirs && {
      ...openNow({ settlesAt, openUntil: kept.openUntil }, object.status),
      settlesAt,
      looks: 0,
    };
    const unsent = claimed.isOnRecord ? [claimed, ...standing] : standing;
    this.#notes.set(key, { ...rest, ...ended, unsent, ...theirs });
  }

  /** Something else has been done for the object than to go on with its attempt. */
  endSession(object: KubeObject): void {
    const kept = this.#notes.get(keyOf(object));
    if (kept?.uid !== object.metadata.uid) return;
    const { session: _, ...notes } = kept;
    this.set(object, notes);
  }

  /** Work begins again: another process may have been shown other lists since. */
  takeOver(object: KubeObject): void {
    this.endSession(object);
    const kept = this.#notes.get(keyOf(object));
    if (!kept) return;
    const { listed: _, ...notes } = kept;
    this.set(object, notes);
  }

  /** Notes what is said of all that an object leaves; false: that was said before. */
  noteGoodbye(object: Organization, goodbye: string, monotonic: number): boolean {
    const notes = this.of(object, monotonic);
    if (notes.goodbye === goodbye) return false;
    this.set(object, { ...notes, goodbye });
    return true;
  }

  /** Its finalizer is off. */
  letGo(object: KubeObject, monotonic: number): void {
    const kept = this.#notes.get(keyOf(object));
    if (kept?.uid === object.metadata.uid)
      this.set(object, { ...kept, letGoUntil: monotonic + LET_GO_MS });
  }

  forget(key: string): void {
    this.#notes.delete(key);
  }
}

/**
 * What another process has missed is missed no later than this one was told so, whatever the clock
 * that dated it says.
 */
function missingSince({ status }: Organization, toldAt: number): ReadonlyMap<string, number> {
  const missing = status?.privateEndpoints?.filter(({ state }) => state === 'Missing') ?? [];
  return new Map(missing.map((entry) => [tupleKey(entry), toldAt]));
}

function nameIn({ spec }: Organization): { readonly name?: string } {
  const name = (spec as Partial<OrganizationSpec> | undefined)?.name;
  return name === undefined ? {} : { name };
}

/** In a row, as far as a status can tell: it is Unavailable by an answer of 5xx. */
function failedLooksIn({ status }: Organization): number {
  const { httpStatus = 0 } = status?.lastRequest ?? {};
  return readyOf(status)?.reason === 'Unavailable' && httpStatus >= 500
    ? (status?.attempts ?? 0)
    : 0;
}
