import type { Context, Kind, Result } from '../../controller/kind.ts';
import { SETTLE_AFTER_TIMEOUT_MS } from '../../waits.ts';
import { digestOf } from '../shared/canonical.ts';
import type { KindContext } from '../shared/context.ts';
import { type Declared, reconcileDeclared } from '../shared/declared.ts';
import { createKind } from '../shared/objects.ts';
import { howToSend, showPlan } from '../shared/planned.ts';
import { cleanUp } from './deletion.ts';
import { goalOf } from './goal.ts';
import { oursIn } from './inventory.ts';
import { type Setup, tryOnce } from './perform.ts';
import { previewOf } from './preview.ts';
import { addressOf, UPDATE_ORGANIZATION } from './remote.ts';
import * as resource from './resource.ts';
import { status } from './status.ts';
import type { Ways } from './ways.ts';

type Organization = resource.Organization;

/** `operation` is what metrics call its requests. */
export const organization = { create, operation: UPDATE_ORGANIZATION };

/** The name and private endpoints of one existing organization, brought about by PATCH. */
function create(context: KindContext): Kind {
  const apiHash = digestOf(context.api.baseUrl);
  const settleMs = context.apiTimeoutMs + SETTLE_AFTER_TIMEOUT_MS;
  const memory = { ways: new Map<string, Ways>(), failedCleanups: new Set<string>() };
  const kind = { type: resource.organizationType, status, targetOf: resource.targetOf };
  return createKind<Organization>(context, kind, (object, attempt, shared) =>
    reconcile(object, attempt, { context, apiHash, settleMs, ...memory, ...shared }),
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
    context.object(),
    context,
    setup,
    declared,
    async (began, wanted, ...made) => {
      const wish = { ...wanted, goal: goalOf(wanted.spec), stillWanted };
      const { result } = await tryOnce(began, context, setup, wish, ...made);
      return result;
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
  context: { api, planOnly },
  apiHash,
}: Setup): Declared<Organization, resource.OrganizationSpec> {
  const { kind } = resource.organizationType;
  const hashOf = (spec: resource.OrganizationSpec): string =>
    addressOf(api.baseUrl, spec.organizationId, goalOf(spec)).hash;
  return {
    ...{ apiHash, planOnly },
    parse: resource.parseSpec,
    contested: ({ organizationId }) => ({
      ...{ kind, what: 'the organization', beforeDeletion: BEFORE_DELETION },
      find: `kubectl get organizations.pipewright.dev -A --field-selector spec.organizationId=${organizationId}`,
    }),
    isHeld: ({ status: { applied, pendingChange, privateEndpoints = [] } = {} }, spec) =>
      applied?.requestHash === hashOf(spec) &&
      !pendingChange &&
      privateEndpoints.every(({ state, lastError }) => state === 'Present' && !lastError),
    plan: (object, spec, isLast, now) => {
      const { isEmpty, ...preview } = previewOf(object, spec.organizationId, goalOf(spec), now);
      const how = howToSend(spec);
      return showPlan(object, {
        preview,
        hash: hashOf(spec),
        isEmpty: isEmpty && isLast,
        how,
        now,
      });
    },
  };
}

const BEFORE_DELETION =
  'Before you delete one with deletionPolicy RemovePrivateEndpoints, set that to Retain: else the private endpoints that it owns are removed, but for those that another object in its namespace lists';
