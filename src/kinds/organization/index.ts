import type { Context, Kind } from '../../controller/kind.ts';
import { keyOf } from '../../kube/resource.ts';
import { SETTLE_AFTER_TIMEOUT_MS } from '../../waits.ts';
import { digestOf } from '../shared/canonical.ts';
import type { KindContext } from '../shared/context.ts';
import { type Declared, reconcileDeclared } from '../shared/declared.ts';
import { createKind } from '../shared/objects.ts';
import { attempt } from './attempt.ts';
import { goalOf, oursIn } from './decide.ts';
import { cleanUp } from './deletion.ts';
import { previewOf } from './preview.ts';
import { addressOf, Ways } from './remote.ts';
import * as resource from './resource.ts';
import { status } from './status.ts';
import type { Setup } from './work.ts';

type Organization = resource.Organization;
type Spec = resource.OrganizationSpec;
type Act = Parameters<typeof reconcileDeclared<Organization, Spec>>[4];

/** The name and private endpoints of one existing organization, brought about by PATCH. */
export function organization(kind: KindContext): Kind {
  const declared = declaredOrganization(kind);
  const settleMs = kind.apiTimeoutMs + SETTLE_AFTER_TIMEOUT_MS;
  const learned = new Map<string, { readonly uid: string; readonly ways: Ways }>();
  const options = { type: resource.organizationType, status, targetOf: resource.targetOf };
  const made = createKind<Organization>(kind, options, async (object, context, shared) => {
    const { uid } = object.metadata;
    const known = learned.get(keyOf(object));
    const ways = known?.uid === uid ? known.ways : new Ways();
    learned.set(keyOf(object), { uid, ways });
    const setup: Setup = { ...shared, kind, apiHash: declared.apiHash, settleMs, ways };
    await shared.caller.remember(object);
    if (object.metadata.deletionTimestamp) return cleanUp(object, context, setup);
    if (!(await keepFinalizer(object, context))) return { next: 'on-change', did: 'nothing' };
    const stillWanted = (): boolean => context.stillWanted();
    const act: Act = (began, { spec, due }, calls, none) =>
      attempt(setup, { ...due, began, context, calls, goal: goalOf(spec), stillWanted }, none);
    return reconcileDeclared(context.object(), context, shared, declared, act);
  });
  const forget = (key: string): void => {
    learned.delete(key);
    made.forget(key);
  };
  return { ...made, forget };
}

/**
 * The finalizer stands under RemovePrivateEndpoints on who has something of its own at the API,
 * also while suspended or planned; Retain takes it off. False: it is not known to be so.
 */
async function keepFinalizer(object: Organization, context: Context): Promise<boolean> {
  const { status: known = {} } = object;
  const hasOwn = oursIn(known).length > 0 || known.pendingChange !== undefined;
  const stands = resource.hasFinalizer(object);
  const shall = resource.mayRemove(object) && (stands || hasOwn);
  return stands === shall || context.finalizer(resource.FINALIZER, shall);
}

function declaredOrganization(kind: KindContext): Declared<Organization, Spec> {
  const { baseUrl } = kind.api;
  const apiHash = digestOf(baseUrl);
  return {
    apiHash,
    planOnly: kind.planOnly,
    parse: resource.parseSpec,
    contested: ({ organizationId }) => ({
      kind: resource.organizationType.kind,
      what: 'organization',
      beforeDeletion: BEFORE_DELETION,
      find: `kubectl get organizations.pipewright.dev -A --field-selector spec.organizationId=${organizationId}`,
    }),
    hashOf: (spec) => addressOf(baseUrl, spec).hash,
    isSettled({ status: { pendingChange, privateEndpoints = [] } = {} }, spec) {
      if (pendingChange) return false;
      if (!spec.privateEndpoints) return true;
      return privateEndpoints.every(({ state, lastError }) => state === 'Present' && !lastError);
    },
    preview: (object, spec, now) => previewOf(object, goalOf(spec), now, apiHash),
  };
}

const BEFORE_DELETION =
  'Before you delete an Organization with deletionPolicy RemovePrivateEndpoints, set deletionPolicy to Retain; otherwise the private endpoints that it owns are removed, except those that another object in its namespace lists';
