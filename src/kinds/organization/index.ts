import type { Context, Kind, Result } from '../../controller/kind.ts';
import { SETTLE_AFTER_TIMEOUT_MS } from '../../waits.ts';
import { digestOf } from '../shared/canonical.ts';
import type { KindContext } from '../shared/context.ts';
import { type Decision, type Declared, decideDeclared } from '../shared/declared.ts';
import { createKind } from '../shared/objects.ts';
import { cleanUp } from './deletion.ts';
import { goalOf } from './goal.ts';
import { oursIn } from './inventory.ts';
import { perform, type Setup } from './perform.ts';
import { previewOf } from './preview.ts';
import { addressOf, UPDATE_ORGANIZATION } from './remote.ts';
import {
  FINALIZER,
  hasFinalizer,
  mayRemove,
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
function create(context: KindContext): Kind {
  const ways = new Map<string, Ways>();
  const waysOf = ({ metadata: { uid } }: Organization): Ways => {
    const known = ways.get(uid) ?? new Ways();
    ways.set(uid, known);
    return known;
  };
  const apiHash = digestOf(context.api.baseUrl);
  const settleMs = context.apiTimeoutMs + SETTLE_AFTER_TIMEOUT_MS;
  const setup = { context, apiHash, settleMs, waysOf, failedCleanups: new Set<string>() };
  const kind = { type: organizationType, status, targetOf };
  return createKind<Organization>(context, kind, (object, attempt, shared) =>
    reconcile(object, attempt, { ...setup, ...shared }),
  );
}

async function reconcile(
  object: Organization,
  context: Context<Organization>,
  setup: Setup,
): Promise<Result> {
  await setup.caller.remember(object);
  if (object.metadata.deletionTimestamp) return cleanUp(object, context, setup);
  if (!(await keepFinalizer(object, context))) return { next: 'on-change', did: 'nothing' };
  const decided = decide(context.object(), setup, context.now());
  if (decided.type === 'done') return decided.result;
  const { spec, due } = decided;
  const { result } = await perform(context.object(), context, setup, {
    ...{ spec, due, goal: goalOf(spec) },
    stillWanted: () => context.stillWanted(),
    refuse: (newest) => {
      const again = decide(newest, setup, context.now(), true);
      return again.type === 'done' ? again.result : undefined;
    },
  });
  return result;
}

/**
 * The finalizer stands under RemovePrivateEndpoints on who has something of its own at the API,
 * also while suspended or planned; Retain takes it off. False: it is not known to be so.
 */
async function keepFinalizer(
  object: Organization,
  context: Context<Organization>,
): Promise<boolean> {
  const { status: known = {} } = object;
  const hasOwn = oursIn(known).length > 0 || known.pendingChange !== undefined;
  if (mayRemove(object) ? !hasOwn || hasFinalizer(object) : !hasFinalizer(object)) return true;
  return context.finalizer(FINALIZER, mayRemove(object));
}

function decide(
  object: Organization,
  { context, caller, others, apiHash }: Setup,
  now: number,
  hasPermit = false,
): Decision<OrganizationSpec> {
  const { baseUrl } = context.api;
  const kind: Declared<Organization, OrganizationSpec> = {
    parse: parseSpec,
    contested: contestedOf,
    hashOf: (spec) => addressOf(baseUrl, spec.organizationId, goalOf(spec)).hash,
    isSettled: ({ status: known = {} }) => isSettled(known),
    preview: (one, spec) => previewOf(one, spec.organizationId, goalOf(spec), now),
  };
  const known = { others: others(object), apiHash, planOnly: context.planOnly, now };
  return decideDeclared(object, kind, { ...caller.factsOf(object, hasPermit), ...known });
}

/** Nothing is open since it was confirmed. */
function isSettled({ pendingChange, privateEndpoints = [] }: NonNullable<Organization['status']>) {
  const isThere = privateEndpoints.every(
    ({ state, lastError }) => state === 'Present' && !lastError,
  );
  return !pendingChange && isThere;
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
