import { isDeepStrictEqual } from 'node:util';
import type { Notice, Report } from '../../controller/kind.ts';
import { awaitChange, backOff, goOn, recheckAt } from '../../controller/outcome.ts';
import type { CommonPlan } from '../engine/plan.ts';
import { reportCommon } from '../engine/report.ts';
import { commonStatus, withoutUndefined } from '../status/common-status.ts';
import { type Contested, reportConflict } from '../target/conflict-report.ts';
import type { Done } from './act.ts';
import { type Tuple, tupleKey } from './endpoints/endpoints.ts';
import { bare } from './ledger/entries.ts';
import { namingAll } from './ledger/notices.ts';
import { oursIn, type Plan } from './plan.ts';
import { driftCount, type NotedReport } from './readiness/attempt-end.ts';
import { reportStep } from './readiness/report-step.ts';
import { fitted, merged } from './readiness/size.ts';
import {
  type LedgerEntry,
  type Organization,
  type OrganizationSpec,
  type OrganizationStatus,
  organizationType,
} from './resource.ts';

/**
 * Turns a plan that was carried out into the whole status, the events and the next reconcile. Each
 * status has the ledger in it, so it goes on top of a newer version only where nobody else has
 * recorded anything; an intent has a rule of its own.
 */
export function report(object: Organization, done: Done, now: number): NotedReport {
  return {
    isOnTop: ({ status }) => isDeepStrictEqual(status, object.status),
    ...reportOf(object, done, now),
  };
}

function reportOf(object: Organization, done: Done, now: number): NotedReport {
  switch (done.do) {
    case 'nothing':
    case 'reschedule':
    case 'suspend':
    case 'preview':
      return reportInSize(object, done, now);
    case 'refuse-spec': {
      const said = reportInSize(object, done, now);
      return done.at === undefined ? said : { ...said, outcome: recheckAt(done.at) };
    }
    case 'yield':
      return yieldTo(object, done, now);
    case 'disown':
      return disown(object, done.lost, now);
    case 'hold':
    case 'release':
      // Another writer that was faster has woken the object already; where there was none, the next
      // reconcile must not follow at once.
      if (!done.isWritten) return { outcome: backOff, did: 'nothing' };
      return done.do === 'hold'
        ? { outcome: goOn, did: 'hold', facts: {} }
        : reportRelease(object, done);
    case 'end':
    case 'intend':
    case 'call':
      return reportStep(object, done, now);
  }
}

/** What every kind reports in the same way, in the size that an object may have. */
function reportInSize(object: Organization, plan: CommonPlan, now: number): NotedReport {
  const said = reportCommon(object, plan, now);
  return said.status ? { ...said, status: fitted(said.status) } : said;
}

/** What objects for one organization contend for. */
function contestedOf({ organizationId }: Pick<OrganizationSpec, 'organizationId'>): Contested {
  const { kind } = organizationType;
  const find = `kubectl get organizations.pipewright.dev -A --field-selector spec.organizationId=${organizationId}`;
  const beforeDeletion =
    'Before you delete one with deletionPolicy RemovePrivateEndpoints, set that to Retain: else the private endpoints that it owns are removed';
  return { kind, what: 'the organization', find, beforeDeletion };
}

/**
 * Somebody else's key is the one that the API takes for this organization, or it is not this
 * object's turn.
 */
function yieldTo(
  object: Organization,
  plan: Extract<Plan, { do: 'yield' }>,
  now: number,
): NotedReport {
  const { to, spec, lost, session } = plan;
  // What an attempt has been answered stands in no status yet.
  const previous = session?.draft ?? object.status;
  const contested = contestedOf(spec);
  const said = reportConflict({ object, previous, contested, to, now });
  const before =
    'Another object holds the organization now, so these private endpoints are no longer tracked as this object’s:';
  return {
    status: merged(
      { ...object, ...(previous && { status: previous }) },
      { ...said.status, ...(lost.length > 0 && nobodys(object)) },
    ),
    outcome: said.outcome,
    notices: [...(session?.notices ?? []), ...said.notices, ...lostNotices(lost, before)],
    did: 'yield',
    ...(session && { facts: {}, counts: driftCount(session) }),
  };
}

/** What another API holds can be neither seen nor removed here. */
function disown(object: Organization, lost: readonly Tuple[], now: number): NotedReport {
  const summary = {
    ready: 'Unknown',
    progress: 'Reconciling',
    reason: 'Pending',
    message: '--api-url has changed; the state at the new address is read next',
  } as const;
  const common = commonStatus(object, object.status, { summary, now, acknowledge: false });
  const before =
    '--api-url has changed since these private endpoints were sent, so they are no longer tracked as this object’s:';
  // Nothing was sent to this one.
  const privateEndpoints = object.status?.privateEndpoints?.filter(
    ({ state }) => state !== 'Unconfirmed',
  );
  return {
    status: merged(object, {
      ...common,
      ...nobodys({ status: { ...object.status, privateEndpoints } }),
      organization: undefined,
      proof: undefined,
      applied: undefined,
    }),
    outcome: goOn,
    notices: lostNotices(lost, before),
    did: 'disown',
  };
}

function lostNotices(lost: readonly Tuple[], before: string): Notice[] {
  const after =
    'They stay at the API. To own those that spec lists again, set spec.adoptPrivateEndpoints to true';
  return namingAll(lost, { type: 'Warning', reason: 'OwnershipLost', before, after });
}

/**
 * The proof has ended: nothing is this object's any more, and nobody has to remember at which API
 * it was.
 */
export function reportUnproven(said: Report, object: Organization): Report {
  const status: OrganizationStatus | undefined = said.status;
  if (!object.status?.proof || !status || status.proof) return said;
  const before =
    'The API has not accepted the key of this object for 24 hours, so these private endpoints are no longer tracked as this object’s:';
  const notices = [...(said.notices ?? []), ...lostNotices(oursIn({ status }), before)];
  return { ...said, status: withoutUndefined({ ...status, ...nobodys({ status }) }), notices };
}

/**
 * The ledger with nothing in it that is this object's. What was sent and not seen yet is open all
 * the same, and counts when it was in vain.
 */
function nobodys({ status }: Pick<Organization, 'status'>): Partial<OrganizationStatus> {
  const found = new Map<string, LedgerEntry>();
  for (const entry of status?.privateEndpoints ?? []) {
    if (entry.state === 'Unconfirmed') found.set(tupleKey(entry), { ...entry, origin: 'Found' });
    else if (entry.state !== 'Refused')
      found.set(tupleKey(entry), { ...bare(entry), origin: 'Found', state: 'Present' });
  }
  return {
    privateEndpoints: found.size > 0 ? [...found.values()] : undefined,
    pendingChange: undefined,
  };
}

/**
 * A deleted object without our finalizer is nobody's business here, even where the store has not
 * heard of its end.
 */
function reportRelease(object: Organization, plan: Extract<Plan, { do: 'release' }>): NotedReport {
  const isOver = object.metadata.deletionTimestamp !== undefined;
  if (!isOver) return { outcome: goOn, did: 'release', facts: {} };
  const did = plan.abandoned.length > 0 ? 'abandon' : 'release';
  const counts = plan.abandoned.length > 0 ? { abandoned: plan.abandoned.length } : {};
  return { outcome: awaitChange, did, facts: {}, counts, finalizerRemoved: true };
}
