import type * as z from 'zod/mini';
import type { KubeObject } from '../../kube/resource.ts';
import { typeOf } from '../schema/definition.ts';
import { type Stored, specParser } from '../schema/parser.ts';
import * as piece from '../schema/schema.ts';
import * as shared from '../schema/spec-fields.ts';
import { LIMITS } from './endpoints.ts';
import type { status } from './status.ts';

export const organizationType = typeOf('Organization', 'organizations');

/** Held only under `deletionPolicy: RemovePrivateEndpoints`. */
export const FINALIZER = 'pipewright.dev/remove-private-endpoints';

const { optional } = piece;
const ABOUT = {
  id: 'Id of the endpoint at its cloud provider. Quote it in YAML.',
  cloudProvider: 'Cloud provider, as the API names it, such as gcp.',
  region: 'Region, as the API names it, such as ap-northeast-1.',
  description:
    'Sent when the endpoint is added. A later change is only shown in status.differences, because the API cannot change it. At most 512 characters.',
  endpoints:
    'The private endpoints that must exist, each id once, at most 100. Endpoints of others stay. Empty: those that this object owns are removed. Absent: not managed, and nothing is removed.',
  name: 'Name of the organization. 1 to 256 characters. Absent: not managed.',
  adopt:
    'While true, this object owns listed endpoints that existed before: they are removed when they are no longer listed. Absent: false.',
  mostRemovals:
    'A change that would remove more endpoints than this is not sent, and Ready has reason RemovalBlocked. 0 to 100. Absent: 5. It does not limit the deletion of this object.',
  policy:
    'What the deletion of this object does with the endpoints that it owns. Retain (the default) leaves them. RemovePrivateEndpoints removes them first, also if suspend is true or mode is Plan, for at most --cleanup-deadline; after that, some may be left at the API.',
  spec: 'The name and private endpoints of one existing organization. At least one of name and privateEndpoints.',
};

const declaredEndpoint = piece.fields('One private endpoint.', {
  id: shared.plainText(ABOUT.id, LIMITS.id),
  cloudProvider: shared.plainText(ABOUT.cloudProvider, LIMITS.cloudProvider),
  region: shared.plainText(ABOUT.region, LIMITS.region),
  description: optional(piece.text(ABOUT.description, 512)),
});

const listed = piece.list(ABOUT.endpoints, LIMITS.endpoints, declaredEndpoint);

const name = piece.text(ABOUT.name, LIMITS.name, {
  must: `be text of 1 to ${LIMITS.name} characters`,
  accepts: (text) => text !== '',
  rule: "self != ''",
});

export const spec = piece.fields(
  ABOUT.spec,
  {
    organizationId: shared.uuid('The organization.'),
    credentialsSecretRef: shared.credentialsSecretRef,
    name: optional(name),
    privateEndpoints: optional(piece.idsOnce(listed)),
    adoptPrivateEndpoints: optional(piece.flag(ABOUT.adopt)),
    maxPrivateEndpointRemovals: optional(piece.integer(ABOUT.mostRemovals, 0, 100)),
    deletionPolicy: optional(piece.choice(ABOUT.policy, ['Retain', 'RemovePrivateEndpoints'])),
    ...shared.whenSent,
  },
  [piece.immutable('organizationId', 'organization')],
  {
    must: 'have name, privateEndpoints or both; with neither there is nothing to manage',
    accepts: (one) => one.name !== undefined || one.privateEndpoints !== undefined,
    rule: 'has(self.name) || has(self.privateEndpoints)',
  },
);

export type OrganizationSpec = Stored<z.output<typeof spec>>;
export type OrganizationStatus = Stored<z.output<typeof status>>;
export type DeclaredEndpoint = NonNullable<OrganizationSpec['privateEndpoints']>[number];
export type InventoryEntry = NonNullable<OrganizationStatus['privateEndpoints']>[number];
export type PendingChange = NonNullable<OrganizationStatus['pendingChange']>;

/** As stored: `spec` is unknown until `parseSpec` has read it; `status` is ours. */
export interface Organization extends KubeObject {
  readonly status?: OrganizationStatus;
}

export const parseSpec = specParser(spec);

export function hasFinalizer({ metadata }: Organization): boolean {
  return metadata.finalizers?.includes(FINALIZER) ?? false;
}

/** Whether the organization's own endpoints go with the object, also where spec is not valid. */
export function mayRemove({ spec: stored }: Organization): boolean {
  const { deletionPolicy } = (stored ?? {}) as { readonly deletionPolicy?: unknown };
  return deletionPolicy === 'RemovePrivateEndpoints';
}

/** The organization it stands for, also where spec is not valid; in whatever case it is written. */
export function targetOf({ spec: stored }: KubeObject): string | undefined {
  const { organizationId } = (stored ?? {}) as { readonly organizationId?: unknown };
  return typeof organizationId === 'string' ? organizationId.toLowerCase() : undefined;
}
