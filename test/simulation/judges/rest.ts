import type { Thing } from '../kubernetes/objects.ts';
import type { Judge } from '../oracles/court.ts';
import type { ApiCall, EndpointView } from '../record/facts.ts';
import {
  endpointKey,
  hasCondition,
  keyOf,
  type Plural,
  REQUESTED_AT,
  readyOf,
  specOf,
  statusOf,
} from '../record/objects.ts';

const MINUTE = 60_000;
/** So long after the adversary rests nothing is in the midst of an attempt. */
const QUIET_MS = 6 * MINUTE;
/** So late what is due may leave: its place in line, and what the API server takes. */
const LATE_MS = 60_000;
/** What an attempt takes, of several calls one after the other. */
const ATTEMPT_MS = MINUTE;

/** What must be over, once everything works and has had its time. */
const PASSING: ReadonlySet<string> = new Set([
  'Pending',
  'Unavailable',
  'OutcomeUnknown',
  'RateLimited',
  'Unauthorized',
  'Forbidden',
  'Conflict',
  'DependencyNotReady',
  'UnexpectedResponse',
  'SecretNotFound',
  'SecretInvalid',
  'SecretForbidden',
]);

/** Nobody has asked for more than the API has confirmed, and nothing was in the way since. */
function isConfirmed(thing: Thing): boolean {
  const { activity, applied, lastHandledReconcileAt, unconfirmedWrite } = statusOf(thing);
  const { generation, annotations = {} } = thing.metadata;
  if (!activity && (applied?.generation !== generation || unconfirmedWrite)) return false;
  return readyOf(thing)?.status === 'True' && annotations[REQUESTED_AT] === lastHandledReconcileAt;
}

/** Everything comes to rest, nothing moves then, and nextAttemptTime is kept. */
export const rest: Judge = (life, court) => {
  const quietFrom = life.world.restAt + QUIET_MS;
  const lastCall = new Map<string, number>();
  /** And no list has shown it yet. */
  const removedByOthers = new Set<string>();

  const dueOf = ({ status }: Thing): number => {
    const { nextAttemptTime } = statusOf({ status } as Thing);
    return nextAttemptTime === undefined ? Infinity : Date.parse(nextAttemptTime) - life.wall;
  };

  const shows = ({ target, reply }: ApiCall): void => {
    if (reply?.status !== 200 || !reply.result) return;
    const { privateEndpoints: list } = reply.result;
    const shown = Array.isArray(list) ? (list as EndpointView[]).map(endpointKey) : [];
    for (const key of removedByOthers)
      if (target === `organization ${key.slice(0, 36)}` && !shown.includes(key.slice(37)))
        removedByOthers.delete(key);
  };

  life.chronicle.listen((fact) => {
    if (fact.what === 'process' && fact.did === 'ends with an error' && !life.world.flags.elected)
      court.report('rest failed', fact.process, fact.text ?? 'the process ends with an error');
    if (fact.what === 'other')
      for (const one of fact.moves.removed)
        removedByOthers.add(`${fact.organizationId} ${endpointKey(one)}`);
    if (fact.what === 'answered') shows(fact.call);
    if (fact.what !== 'leaves') return;
    const { call, at } = fact;
    const since = lastCall.get(call.target) ?? -Infinity;
    lastCall.set(call.target, at);
    const things = life.objectsFor(call.target);
    const isAtRest = at >= quietFrom || (things.length > 0 && things.every(isConfirmed));
    if (!isAtRest || at - since < ATTEMPT_MS) return;
    if (!things.some((thing) => dueOf(thing) <= at + 1_000))
      court.report('rest call', call.target, `${call.name} leaves, and nothing is due`);
  });

  /** What is declared and not refused is there, unless another client has removed it since. */
  const lackingIn = (thing: Thing): string | undefined => {
    const { organizationId = '', privateEndpoints = [], name } = specOf(thing);
    const reason = readyOf(thing)?.reason ?? '';
    const isLasting = ['Applied', 'Rejected'].includes(reason) || hasCondition(thing, 'Stalled');
    if (!isLasting || !['Applied', 'Rejected', 'NotConfirmed'].includes(reason)) return undefined;
    const { manners = [] } = life.world.organizations.find(({ id }) => id === organizationId) ?? {};
    // "No way to observe: `Rejected`"
    const isBlind = manners.some(({ behaviour }) => behaviour.organization?.emptyLists);
    if (isBlind && name === undefined) return undefined;
    const refused = manners.flatMap(({ behaviour }) => behaviour.organization?.refusedIds ?? []);
    const list = life.api.organizations.of(organizationId)?.privateEndpoints ?? [];
    return privateEndpoints.find(
      (one) =>
        !refused.includes(one.id.toLowerCase()) &&
        !list.some(({ id }) => id.toLowerCase() === one.id.toLowerCase()) &&
        !removedByOthers.has(`${organizationId} ${endpointKey(one)}`),
    )?.id;
  };

  const judge = (plural: Plural, thing: Thing): void => {
    const key = keyOf(plural, thing);
    const ready = readyOf(thing);
    const { generation, deletionTimestamp } = thing.metadata;
    if (!ready || ready.observedGeneration !== generation) {
      court.report('rest unseen', key, `generation ${generation} has no condition of its own`);
      return;
    }
    if (deletionTimestamp !== undefined)
      court.report('rest held', key, `it is deleted and not let go: ${ready.reason}`);
    if (hasCondition(thing, 'Reconciling') && hasCondition(thing, 'Stalled'))
      court.report('rest conditions', key, 'it is Reconciling and Stalled');
    const { suspend, mode } = specOf(thing);
    const wanted = suspend ? 'Suspended' : mode === 'Plan' ? 'Planned' : undefined;
    const problem = plural === 'organizations' ? lackingIn(thing) : undefined;
    if (problem) court.report('rest lacking', key, `${ready.reason}, and the API lacks ${problem}`);
    const isSaid = wanted === undefined || [wanted, 'TargetConflict'].includes(ready.reason);
    if (isSaid && !PASSING.has(ready.reason)) {
      if (dueOf(thing) < life.timeline.now - LATE_MS)
        court.report('rest promise', key, `${ready.reason} was to be tried, and was not`);
      return;
    }
    court.report('rest reason', key, `${ready.reason}: ${ready.message}`);
  };

  return {
    atEnd: () => {
      for (const { plural, thing } of life.objects()) judge(plural, thing);
    },
  };
};
