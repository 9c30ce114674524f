import type * as z from 'zod/mini';
import type { KubeObject, ResourceType } from '../../kube/resource.ts';
import { type Stored, specParser } from '../schema/definition.ts';
import {
  choice,
  fields,
  flag,
  immutable,
  integer,
  optional,
  text,
  uniqueList,
} from '../schema/schema.ts';
import {
  credentialsSecretRef,
  mode,
  reassertInterval,
  suspend,
  uuid,
} from '../schema/spec-fields.ts';
import { endpointIdentity } from './endpoints/identity.ts';
import { LIMITS } from './limits.ts';
import type { status } from './status.ts';

export const organizationType: ResourceType = {
  group: 'pipewright.dev',
  version: 'v1alpha1',
  plural: 'organizations',
  kind: 'Organization',
};

/** Held only under `deletionPolicy: RemovePrivateEndpoints`. */
export const FINALIZER = 'pipewright.dev/remove-private-endpoints';

const declaredEndpoint = fields('One private endpoint.', {
  ...endpointIdentity({
    id: 'Id of the endpoint at its cloud provider. 1 to 512 printable ASCII characters without spaces and " \\ < > &. Quote it in YAML.',
    cloudProvider: 'Cloud provider, as the API names it, such as gcp. 1 to 64 characters as in id.',
    region: 'Region, as the API names it, such as ap-northeast-1. 1 to 64 characters as in id.',
  }),
  description: optional(
    text({
      about:
        'Sent when the endpoint is added. A later change is only shown in status.differences, because the API cannot change it. At most 512 characters.',
      max: LIMITS.description,
    }),
  ),
});

export const spec = fields(
  'The name and private endpoints of one existing organization. At least one of name and privateEndpoints.',
  {
    organizationId: uuid('The organization.'),
    credentialsSecretRef,
    name: optional(
      text({
        about: 'Name of the organization. 1 to 256 characters. Absent: not managed.',
        min: 1,
        max: LIMITS.name,
      }),
    ),
    privateEndpoints: optional(
      uniqueList(
        'The private endpoints that must exist, each id once, at most 100. Endpoints of others stay. Empty: those that this object owns are removed. Absent: not managed, and nothing is removed.',
        LIMITS.endpoints,
        'id',
        declaredEndpoint,
      ),
    ),
    adoptPrivateEndpoints: optional(
      flag(
        'While true, this object owns listed endpoints that existed before: they are removed when they are no longer listed. Absent: false.',
      ),
    ),
    maxPrivateEndpointRemovals: optional(
      integer({
        about:
          'A change that would remove more endpoints than this is not sent, and Ready has reason RemovalBlocked. 0 to 100. Absent: 5. It does not limit the deletion of this object.',
        min: 0,
        max: 100,
      }),
    ),
    deletionPolicy: optional(
      choice(
        'What the deletion of this object does with the endpoints that it owns. Retain (the default) leaves them. RemovePrivateEndpoints removes them first.',
        ['Retain', 'RemovePrivateEndpoints'],
      ),
    ),
    suspend,
    mode,
    reassertInterval,
  },
  [immutable('organizationId', 'organization')],
  {
    check: ({ name, privateEndpoints }) => name !== undefined || privateEndpoints !== undefined,
    must: 'have name, privateEndpoints or both',
    rule: {
      rule: 'has(self.name) || has(self.privateEndpoints)',
      message: 'must have name, privateEndpoints or both; with neither there is nothing to manage',
    },
  },
);

export type OrganizationSpec = Stored<z.output<typeof spec>>;

export type OrganizationStatus = Stored<z.output<typeof status>>;

/** One endpoint as `spec` lists it. */
export type DeclaredEndpoint = NonNullable<OrganizationSpec['privateEndpoints']>[number];

/** What is known of one endpoint of this object. */
export type LedgerEntry = NonNullable<OrganizationStatus['privateEndpoints']>[number];

/** An add or remove on its way. */
export type PendingChange = NonNullable<OrganizationStatus['pendingChange']>;

/**
 * As stored. `spec` is unknown until `parseSpec` has read it; `status` is ours and was checked by
 * the API server.
 */
export interface Organization extends KubeObject {
  readonly status?: OrganizationStatus;
}

/** Reads the spec of a stored object; takes whatever the API server's schema takes. */
export const parseSpec = specParser(spec);

/** Whether the finalizer is on. */
export function hasFinalizer(object: Organization): boolean {
  return object.metadata.finalizers?.includes(FINALIZER) ?? false;
}

/**
 * Files objects under the organization they stand for, whether or not the rest of their spec is
 * valid.
 */
export function targetOf(object: KubeObject): string | undefined {
  const spec = object.spec as { organizationId?: unknown } | undefined;
  return typeof spec?.organizationId === 'string' ? spec.organizationId : undefined;
}
