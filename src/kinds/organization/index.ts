import type { Context, Kind, Result } from '../../controller/kind.ts';
import { SETTLE_AFTER_TIMEOUT_MS } from '../../waits.ts';
import { digestOf } from '../shared/canonical.ts';
import type { KindContext } from '../shared/context.ts';
import { type Declared, reconcileDeclared } from '../shared/declared.ts';
import { createKind } from '../shared/objects.ts';
import { cleanUp } from './deletion.ts';
import { goalOf, oursIn } from './goal.ts';
import { tryOnce } from './perform.ts';
import { previewOf } from './preview.ts';
import type { Ways } from './refusal.ts';
import { addressOf, UPDATE_ORGANIZATION } from './remote.ts';
import * as resource from './resource.ts';
import { status } from './status.ts';
import type { Setup } from './work.ts';

type Organization = resource.Organization;

/** `operation` is what metrics call its requests. */
export const organization = { create, operation: UPDATE_ORGANIZATION };

/** The name and private endpoints of one existing organization, brought about by PATCH. */
function create(kind: KindContext): Kind {
  const apiHash = digestOf(kind.api.baseUrl);
  const settleMs = kind.apiTimeoutMs + SETTLE_AFTER_TIMEOUT_MS;
  const memory = { ways: new Map<string, Ways>(), failedCleanups: new Set<string>() };
  const options = { type: resource.organizationType, status, targetOf: resource.targetOf };
  return createKind<Organization>(kind, options, (object, context, shared) =>
    reconcile(object, context, { kind, apiHash, settleMs, ...memory, ...shared }),
  );
}

async function reconcile(
  object: Organization,
  context: Context<Organization>,
  setup: Setup,
): Promise<Result> {
  await setup.caller.remember(object);
  if (object.metadata.deletionTimestamp) return cleanUp(object, context, setup);
  const isKept = await keepFinalizer(object, context);
  if (!isKept) return { next: 'on-change', did: 'nothing' };
  const declared = declaredOrganization(setup);
  const stillWanted = (): boolean => context.stillWanted();
  return reconcileDeclared(
    ...([context.object(), context, setup, declared] as const),
    async (began, { spec, due }, calls, none) => {
      const wish = { began, context, calls, spec, goal: goalOf(spec), stillWanted };
      return (await tryOnce(setup, wish, due, none)).result;
    },
  );
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
  const mayRemove = resource.mayRemove(object);
  const hasFinalizer = resource.hasFinalizer(object);
  if (mayRemove ? !hasOwn || hasFinalizer : !hasFinalizer) return true;
  return context.finalizer(resource.FINALIZER, mayRemove);
}

/** What is declared of an organization, for the decision that all such kinds make the same way. */
function declaredOrganization({
  kind: { api, planOnly },
  apiHash,
}: Setup): Declared<Organization, resource.OrganizationSpec> {
  return {
    ...{ apiHash, planOnly },
    parse: resource.parseSpec,
    contested: ({ organizationId }) => ({
      kind: resource.organizationType.kind,
      what: 'organization',
      beforeDeletion: BEFORE_DELETION,
      find: `kubectl get organizations.pipewright.dev -A --field-selector spec.organizationId=${organizationId}`,
    }),
    hashOf: (spec) => addressOf(api.baseUrl, spec.organizationId, goalOf(spec)).hash,
    isSettled: ({ status: { pendingChange, privateEndpoints = [] } = {} }) =>
      !pendingChange &&
      privateEndpoints.every(({ state, lastError }) => state === 'Present' && !lastError),
    preview: (object, spec, now) => previewOf(object, spec.organizationId, goalOf(spec), now),
  };
}

const BEFORE_DELETION =
  'Before you delete one with deletionPolicy RemovePrivateEndpoints, set that to Retain: else the private endpoints that it owns are removed, but for those that another object in its namespace lists';
