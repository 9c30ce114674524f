import type { Lane } from '../../runtime/queue.ts';
import { generationOf, readyOf, requestedAt } from '../common-status.ts';
import { type Due, whenDue } from '../due.ts';
import { parseDuration } from '../duration.ts';
import { type Held, judgeTarget, type Turn } from '../target.ts';
import { planCleanup } from './cleanup.ts';
import type { Tuple } from './endpoints.ts';
import { type Goal, goalOf, isOurs } from './goal.ts';
import type { Facts } from './load.ts';
import { nextStep, type Step, type Work } from './next-step.ts';
import { type Preview, previewOf } from './preview.ts';
import { addressOf, stateHash } from './remote.ts';
import { FINALIZER, type LedgerEntry, type Organization, type OrganizationSpec, parseSpec } from './resource.ts';
import { type Session, sessionOf } from './session.ts';

/** Everything the operator can do about an Organization. */
export type Plan =
  /** It is as it should be, or its time has not come. */
  | { readonly do: 'nothing'; readonly at?: number }
  | { readonly do: 'refuse-spec'; readonly message: string; readonly at?: number }
  | { readonly do: 'reschedule'; readonly at: number }
  | { readonly do: 'suspend'; readonly confirmed: boolean }
  /** `lost`: what was this object's and is so no more, because another one is proven. */
  | { readonly do: 'yield'; readonly to: Held | Turn; readonly spec: OrganizationSpec; readonly lost: readonly Tuple[] }
  /** Its ledger and intent speak of another API. */
  | { readonly do: 'disown'; readonly lost: readonly Tuple[] }
  | { readonly do: 'preview'; readonly preview: Preview; readonly planOnly: boolean }
  /** Puts the finalizer on. */
  | { readonly do: 'hold' }
  /** Takes the finalizer off. `abandoned`: may be left at the API. `spared`: stays, because another object lists it. */
  | {
      readonly do: 'release';
      readonly abandoned: readonly Tuple[];
      readonly spared: readonly Tuple[];
      readonly because?: 'held' | 'gone' | 'deadline';
    }
  | {
      readonly do: 'step';
      readonly work: Work;
      readonly step: Step;
      readonly lane: Lane;
      readonly probe: boolean;
    };

/** Decides. The order is the order of precedence: deletion, a spec that cannot be read, suspend, another object's organization, Plan, time. */
export function plan(object: Organization, facts: Facts, now: number): Plan {
  const foreign = ofAnotherApi(object, facts);
  if (foreign) return { do: 'disown', lost: foreign };
  if (object.metadata.deletionTimestamp) return planCleanup(object, facts, now);
  const parsed = parseSpec(object);
  if (!parsed.ok) return { do: 'refuse-spec', message: parsed.message };
  const { spec } = parsed;
  const mayRemove = spec.deletionPolicy === 'RemovePrivateEndpoints';
  if (isHeld(object) && !mayRemove) return { do: 'release', abandoned: [], spared: [] };
  const verdict = judgeTarget(facts.standing, now);
  if (verdict.holds && mayRemove && !isHeld(object) && oursIn(object).length > 0) return { do: 'hold' };
  const goal = goalOf(spec);
  const { path } = addressOf(spec.organizationId);
  const hash = stateHash(facts.baseUrl, addressOf(spec.organizationId), goal);
  if (spec.suspend) return { do: 'suspend', confirmed: isConfirmed(object, hash) };
  if (!verdict.holds) {
    return { do: 'yield', to: verdict, spec, lost: verdict.why === 'held' ? oursIn(object) : [] };
  }
  if (spec.mode === 'Plan' || facts.planOnly) {
    const preview = previewOf(object, { goal, path, hash, now });
    return { do: 'preview', preview, planOnly: spec.mode !== 'Plan' };
  }
  const { turn, againAt = Number.POSITIVE_INFINITY } = verdict;
  const work = workOf(object, facts, { spec, goal, now });
  const { applied, pendingChange } = object.status ?? {};
  const isSent = applied?.requestHash === hash && applied.generation === generationOf(object) && !pendingChange;
  const due = dueOf(object, facts, { spec, confirmed: isSent && againAt > now, now });
  if (due.due === 'reschedule') return { do: 'reschedule', at: due.at };
  if (!due.due && !work.session.fresh) {
    const at = Math.min(due.at ?? Number.POSITIVE_INFINITY, againAt);
    return at === Number.POSITIVE_INFINITY ? { do: 'nothing' } : { do: 'nothing', at };
  }
  if (turn) {
    return readyOf(object.status)?.reason === 'Applied'
      ? { do: 'nothing', at: turn.until }
      : { do: 'yield', to: turn, spec, lost: [] };
  }
  if (mayRemove && !isHeld(object) && goal.endpoints) return { do: 'hold' };
  const lane = work.session.fresh || !due.due ? 'user' : due.lane;
  return { do: 'step', work, step: nextStep(work), lane, probe: due.due === true && due.probe };
}

/** Whether the finalizer is on. */
export function isHeld(object: Organization): boolean {
  return object.metadata.finalizers?.includes(FINALIZER) ?? false;
}

export function workOf(
  object: Organization,
  { notes, baseUrl, apiHash, atWorkMs, monotonic }: Facts,
  {
    spec,
    goal,
    now,
    deadline,
  }: { readonly spec: OrganizationSpec; readonly goal: Goal; readonly now: number; readonly deadline?: number },
): Work {
  const address = addressOf(spec.organizationId);
  const isNew = isNews(object);
  const generation = generationOf(object);
  const inVain = isNew || notes.inVain.generation !== generation ? { generation, counts: new Map() } : notes.inVain;
  return {
    spec,
    goal,
    segments: address.segments,
    hash: stateHash(baseUrl, address, goal),
    apiHash,
    notes: { ...notes, inVain },
    session: isNew ? withRefusalsDue(sessionOf(object, notes, monotonic)) : sessionOf(object, notes, monotonic),
    isNews: isNew,
    plannedAt: { now, monotonic },
    atWorkMs,
    ...(deadline !== undefined && { deadline }),
  };
}

/** What the API refused before is tried again with this attempt. */
function withRefusalsDue(session: Session): Session {
  const { privateEndpoints } = session.draft;
  if (session.fresh || !privateEndpoints) return session;
  const ledger = privateEndpoints.map((entry) => {
    const { nextAttemptTime: _, ...due } = entry;
    return entry.lastError === undefined ? entry : due;
  });
  return { ...session, draft: { ...session.draft, privateEndpoints: ledger } };
}

/** Whether the user has said something that the status does not speak of yet: another spec, or a request to try now. */
function isNews(object: Organization): boolean {
  const requested = requestedAt(object);
  if (requested !== undefined && requested !== object.status?.lastHandledReconcileAt) return true;
  return readyOf(object.status)?.observedGeneration !== generationOf(object);
}

/** Whether what the API last confirmed is what is declared now, and nothing is open or was tried in vain since. */
function isConfirmed({ status }: Organization, hash: string): boolean {
  if (status?.applied?.requestHash !== hash || status.pendingChange) return false;
  const isOpen = ({ state }: LedgerEntry): boolean => state !== 'Present';
  return status.lastRequest?.outcome === 'Succeeded' && !(status.privateEndpoints ?? []).some(isOpen);
}

/** What is this object's, or may be, where the status speaks of another API than this one. */
function ofAnotherApi(object: Organization, facts: Facts): readonly Tuple[] | undefined {
  const { status } = object;
  if (!status?.privateEndpoints && !status?.pendingChange) return undefined;
  return isElsewhere(object, facts) ? oursIn(object) : undefined;
}

/** A status of the first version has no proof: there the hash of the request tells, where it is of the present spec. */
function isElsewhere(object: Organization, { apiHash, baseUrl }: Facts): boolean {
  const { proof, applied } = object.status ?? {};
  if (proof) return proof.apiHash !== apiHash;
  if (applied?.generation !== generationOf(object)) return false;
  const parsed = parseSpec(object);
  return parsed.ok && applied.requestHash !== stateHash(baseUrl, addressOf(parsed.spec.organizationId), goalOf(parsed.spec));
}

function oursIn({ status }: Pick<Organization, 'status'>): readonly Tuple[] {
  const { privateEndpoints = [], pendingChange } = status ?? {};
  return [...privateEndpoints.filter(isOurs), ...(pendingChange?.add ?? [])];
}

function dueOf(
  object: Organization,
  facts: Facts,
  { spec, confirmed, now }: { readonly spec: OrganizationSpec; readonly confirmed: boolean; readonly now: number },
): Due {
  return whenDue({
    generation: generationOf(object),
    uid: object.metadata.uid,
    status: object.status,
    requested: requestedAt(object),
    confirmed,
    reassertMs: spec.reassertInterval === undefined ? undefined : parseDuration(spec.reassertInterval),
    secret: facts.secret,
    triedSecret: facts.triedSecret,
    hasSlot: facts.hasSlot,
    now,
  });
}
