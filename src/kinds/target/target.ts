/** An object as it is named to others. */
export interface Holder {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
}

/** What one of several objects for one target has to say for itself. */
export interface Claim extends Holder {
  /** RFC 3339, as the API server writes it. */
  readonly created: string;
  /** The API has taken its own key for this target; see proof.ts. */
  readonly proven: boolean;
  /**
   * It could make a call: valid, not suspended, not planned only, not being deleted, and its Secret
   * is not known to be of no use.
   */
  readonly able: boolean;
  /**
   * The API has refused its key, or answered it with 403, 404 or 410, and neither its spec nor its
   * Secret is another one since.
   */
  readonly refused: boolean;
  /** The API has answered it at all. */
  readonly answered: boolean;
  /** Epoch ms: when its declared state was last confirmed. */
  readonly appliedAt: number | undefined;
  /** Epoch ms: when the API last took something of it, whatever it said then. */
  readonly provenAt: number | undefined;
  /**
   * Epoch ms: when its last call ended, where that was a write of which nobody knows what it did.
   */
  readonly unknownAt: number | undefined;
  /**
   * Epoch ms: when its last call ended, whatever came of it. A refusal hides that one before it was
   * lost.
   */
  readonly calledAt: number | undefined;
}

/** When the API may have taken something of an object, by its status. */
export type Calls = Pick<Claim, 'created' | 'appliedAt' | 'provenAt' | 'unknownAt' | 'calledAt'>;

/** All that decides who may act for a target, as the object that asks sees it. */
export interface Standing {
  readonly own: Claim;
  readonly others: readonly Claim[];
  /** It shows `TargetConflict`. */
  readonly waits: boolean;
  /** There is a configured namespace in which the holder may stand unseen. */
  readonly unlisted: boolean;
  /**
   * So much earlier than it was confirmed a write may have been carried out, by the clock of the
   * process that sent it.
   */
  readonly atWorkMs: number;
  /** What those have sent that are gone. */
  readonly departed?: readonly Calls[] | undefined;
  /** For so long a write of another object, or of one that is gone, may still be at work. */
  readonly unsettledMs: number | undefined;
  /**
   * For so long the younger lets the older go first, where nobody is proven and they have just
   * appeared.
   */
  readonly courtesyMs: number;
}

/** `until`: epoch ms, at the latest. */
export interface Turn {
  readonly why: 'unsettled' | 'courtesy';
  readonly until: number;
}

export interface Held {
  readonly holds: false;
  /**
   * `held`: another one is proven, so what this one had there is its own no longer. `turn`: another
   * one of its namespace is tried first. `unlisted`: the holder may be out of sight.
   */
  readonly why: 'held' | 'turn' | 'unlisted';
  /** Only one of the same namespace: nobody is told of objects that he may not see. */
  readonly holder?: Holder;
  /** Epoch ms: when what it has sent itself is settled. */
  readonly until?: number;
}

export type Verdict =
  | {
      readonly holds: true;
      /** It may act, but makes no call before this. */
      readonly turn?: Turn;
      /**
       * Epoch ms: from then on what it has sent is to be sent again, because a rival's may have
       * been carried out after it.
       */
      readonly againAt?: number;
    }
  | Held;

/**
 * Who may act for a target. Among the proven the oldest holds it. Where nobody is proven, the first
 * of each namespace tries, and those of different namespaces keep each other from nothing: anybody
 * may write anybody's ids into an object. The same for every observer, whatever order the objects
 * were seen in.
 */
export function judgeTarget(standing: Standing, now: number): Verdict {
  const { own, others, waits, unlisted } = standing;
  const holder = oldest([own, ...others].filter(({ proven }) => proven));
  if (holder && holder.uid !== own.uid) return { holds: false, why: 'held', ...named(holder, own) };
  // Whose key was refused comes after all others by its own waits; another word than that would
  // hide them.
  const isFree = holder !== undefined || !own.able || own.refused;
  const first = isFree ? undefined : oldest(others.filter((other) => triesBefore(other, own)));
  if (first) return { holds: false, why: 'turn', ...named(first, own) };
  if (waits && unlisted) return { holds: false, why: 'unlisted' };
  const turn = turnOf(standing, { hasHolder: holder !== undefined, now });
  const againAt = confirmedAgainst(standing, now);
  return { holds: true, ...(turn && { turn }), ...(againAt !== undefined && { againAt }) };
}

function triesBefore(other: Claim, own: Claim): boolean {
  return other.namespace === own.namespace && other.able && !other.refused && isOlder(other, own);
}

function turnOf(
  { own, others, unsettledMs, courtesyMs }: Standing,
  { hasHolder, now }: { readonly hasHolder: boolean; readonly now: number },
): Turn | undefined {
  if (unsettledMs !== undefined) return { why: 'unsettled', until: now + unsettledMs };
  if (hasHolder || courtesyMs <= 0) return undefined;
  const isBefore = (other: Claim): boolean =>
    other.namespace !== own.namespace &&
    other.able &&
    !other.answered &&
    (own.refused || isOlder(other, own));
  return others.some(isBefore) ? { why: 'courtesy', until: now + courtesyMs } : undefined;
}

/**
 * When a rival's call may have come after ours was confirmed; the holder sends again then. Two
 * processes that do not see each other may both have written, and where both times lie within the
 * time that a write can be at work, nobody knows which came last. A time in the future, which a
 * wrong clock has written, counts as long past; and whatever a clock says, nothing was sent for a
 * rival before it was there.
 */
export function confirmedAgainst(
  standing: Pick<Standing, 'departed' | 'atWorkMs'> & {
    readonly own: Calls;
    readonly others: readonly Calls[];
  },
  now: number,
): number | undefined {
  const { own, departed = [], atWorkMs } = standing;
  if (own.appliedAt === undefined) return undefined;
  const others = [...standing.others, ...departed];
  const taken = Math.max(0, ...others.map((calls) => lastTakenAt(calls, now)));
  // A refusal shows no other call: an earlier one, whose answer was lost, may stand behind it. So a
  // refusal later than our confirmation counts, too. One in the same second does not: the calls of
  // one object follow one another, so what was lost came before.
  const called = Math.max(0, ...others.map((calls) => latest([calls.calledAt], { ...calls, now })));
  const since = past(own.appliedAt, now);
  if (called > since || (taken > 0 && taken >= since)) return Math.max(called, taken) + 1_000;
  // So close to each other: once more when neither can be at work.
  return taken > 0 && taken + atWorkMs >= since ? taken + atWorkMs + 1_000 : undefined;
}

/** Whether what was confirmed is to be sent again by now. */
export function isSuperseded(standing: Standing, now: number): boolean {
  return (confirmedAgainst(standing, now) ?? Number.POSITIVE_INFINITY) <= now;
}

/** When the API last took something of it, or may have, by its status; 0: never. */
function lastTakenAt({ created, appliedAt, provenAt, unknownAt }: Calls, now: number): number {
  return latest([appliedAt, provenAt, unknownAt], { created, now });
}

function latest(
  times: readonly (number | undefined)[],
  { created, now }: { readonly created: string; readonly now: number },
): number {
  const known = times.filter((at) => at !== undefined);
  return known.length === 0
    ? 0
    : Math.max(...[...known, Date.parse(created)].map((at) => past(at, now)));
}

/**
 * By the clocks of others the future is long past, but not never: of two such times nobody knows
 * which came first.
 */
const LONG_PAST = 1;

function past(time: number, now: number): number {
  return time <= now ? time : LONG_PAST;
}

function named({ uid, namespace, name }: Claim, own: Claim): { readonly holder?: Holder } {
  return namespace === own.namespace ? { holder: { uid, namespace, name } } : {};
}

function oldest(claims: readonly Claim[]): Claim | undefined {
  return claims.reduce<Claim | undefined>(
    (first, claim) => (!first || isOlder(claim, first) ? claim : first),
    undefined,
  );
}

function isOlder(a: Claim, b: Claim): boolean {
  return a.created === b.created ? a.uid < b.uid : a.created < b.created;
}
