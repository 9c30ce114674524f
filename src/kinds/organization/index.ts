import type { Context, Kind, Result } from '../../controller/kind.ts';
import { SETTLE_AFTER_TIMEOUT_MS } from '../../waits.ts';
import { createCaller } from '../shared/calls.ts';
import { digestOf } from '../shared/canonical.ts';
import { refuseOthers, refuseSpec, refuseSuspended } from '../shared/checks.ts';
import { generationOf } from '../shared/common-status.ts';
import type { KindContext } from '../shared/context.ts';
import { type Due, reassertMsOf, whenDue } from '../shared/due.ts';
import { createKind, createKindStore } from '../shared/objects.ts';
import { ownershipOf, rivalConfirmedLater } from '../shared/target.ts';
import { cleanUp } from './deletion.ts';
import { type Goal, goalOf } from './goal.ts';
import { oursIn } from './known.ts';
import { perform, type Setup } from './perform.ts';
import { planOf } from './preview.ts';
import { addressOf, UPDATE_ORGANIZATION } from './remote.ts';
import {
  FINALIZER,
  hasFinalizer,
  isValid,
  type Organization,
  type OrganizationSpec,
  organizationType,
  parseSpec,
  targetOf,
} from './resource.ts';
import { status } from './status.ts';
import { Ways } from './ways.ts';

/** `operation` is what metrics call its requests. */
export const organization = { create, operation: UPDATE_ORGANIZATION };

/** The name and private endpoints of one existing organization, brought about by PATCH. */
function create(context: KindContext): Kind<Organization> {
  const { kind } = organizationType;
  const { store, others } = createKindStore<Organization>({ kind, context, status, targetOf });
  const caller = createCaller<Organization>(kind, context, targetOf);
  const ways = new Map<string, Ways>();
  const setup: Setup = {
    context,
    caller,
    others,
    apiHash: digestOf(context.api.baseUrl),
    settleMs: context.apiTimeoutMs + SETTLE_AFTER_TIMEOUT_MS,
    waysOf: ({ metadata: { uid } }) => {
      const known = ways.get(uid) ?? new Ways();
      ways.set(uid, known);
      return known;
    },
    failedCleanups: new Set(),
  };
  return createKind({
    type: organizationType,
    store,
    caller,
    reconcile: (object, context) => reconcile(object, context, setup),
  });
}

async function reconcile(
  object: Organization,
  context: Context<Organization>,
  setup: Setup,
): Promise<Result> {
  await setup.caller.remember(object);
  if (object.metadata.deletionTimestamp) return cleanUp(object, context, setup);
  const isKept = await keepFinalizer(object, context);
  if (!isKept) return { next: { at: context.now() + 1_000 }, did: 'nothing' };
  const decided = decide(context.object(), setup, context.now());
  if (decided.type === 'refused') return decided.result;
  const { spec, goal, due } = decided;
  const { result } = await perform(context.object(), context, setup, {
    ...{ spec, goal, due },
    stillWanted: () => context.stillWanted(),
    refuse: (now) => {
      const again = decide(now, setup, context.now());
      return again.type === 'refused' ? again.result : undefined;
    },
  });
  return result;
}

/**
 * The finalizer stands under RemovePrivateEndpoints on who has something of its own at the API, also
 * while suspended or planned; Retain takes it off. False: it is not known to be so.
 */
async function keepFinalizer(
  object: Organization,
  context: Context<Organization>,
): Promise<boolean> {
  const { deletionPolicy } = (object.spec ?? {}) as { readonly deletionPolicy?: unknown };
  const hasOwn =
    oursIn(object.status ?? {}).length > 0 || object.status?.pendingChange !== undefined;
  const mayRemove = deletionPolicy === 'RemovePrivateEndpoints';
  if (mayRemove && hasOwn && !hasFinalizer(object)) return context.finalizer(FINALIZER, true);
  if (!mayRemove && hasFinalizer(object)) return context.finalizer(FINALIZER, false);
  return true;
}

type Decided =
  | { readonly type: 'refused'; readonly result: Result }
  | {
      readonly type: 'attempt';
      readonly spec: OrganizationSpec;
      readonly goal: Goal;
      readonly due: Extract<Due, { type: 'now' }>;
    };

/** Whether an attempt is made now; the order is that of precedence. */
function decide(object: Organization, setup: Setup, now: number): Decided {
  const refused = (result: Result): Decided => ({ type: 'refused', result });
  const parsed = parseSpec(object);
  // Make sure the stored spec can be read
  if (!parsed.ok) return refused(refuseSpec(object, parsed.message, now));
  const { spec } = parsed;
  const goal = goalOf(spec);
  const { hash } = addressOf(setup.context.api.baseUrl, spec.organizationId, goal);
  const others = setup.others(object);
  const confirmed = isConfirmed(object, hash) && !rivalConfirmedLater(object, others);
  // Make sure it is not suspended
  if (spec.suspend) {
    const says = confirmed
      ? 'The declared state is the one last confirmed'
      : 'The declared state has not been confirmed. Set spec.suspend to false to send it';
    return refused(refuseSuspended(object, { ready: confirmed, says, now }));
  }
  // Make sure no other object owns the organization
  const ownership = ownershipOf(object, others, { apiHash: setup.apiHash, isValid });
  const waits = refuseOthers(object, { ownership, contested: contestedOf(spec), now });
  if (waits) return refused(waits);
  // Make sure Apply is wanted
  if (spec.mode === 'Plan' || setup.context.planOnly)
    return refused(planOf(object, { spec, goal, setup, now }));
  // Make sure something is to be sent, and its time has come
  const facts = setup.caller.factsOf(object);
  const due = whenDue(object, facts, { confirmed, reassertMs: reassertMsOf(spec), now });
  if (due.type === 'later')
    return refused({ next: due.at === undefined ? 'on-change' : { at: due.at }, did: 'nothing' });
  return { type: 'attempt', spec, goal, due };
}

/** Whether what the API last confirmed is what is declared now, and nothing is open since. */
function isConfirmed(object: Organization, hash: string): boolean {
  const { applied, pendingChange, privateEndpoints = [] } = object.status ?? {};
  return (
    applied?.requestHash === hash &&
    applied.generation === generationOf(object) &&
    !pendingChange &&
    privateEndpoints.every(({ state, lastError }) => state === 'Present' && !lastError)
  );
}

function contestedOf({ organizationId }: OrganizationSpec) {
  return {
    kind: organizationType.kind,
    what: 'the organization',
    find: `kubectl get organizations.pipewright.dev -A --field-selector spec.organizationId=${organizationId}`,
    beforeDeletion:
      'Before you delete one with deletionPolicy RemovePrivateEndpoints, set that to Retain: else the private endpoints that it owns are removed',
  };
}
