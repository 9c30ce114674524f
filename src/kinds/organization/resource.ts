import type * as z from 'zod/mini';
import type { KubeObject, ResourceType } from '../../kube/resource.ts';
import { type Stored, specParser } from '../schema/parser.ts';
import * as piece from '../schema/schema.ts';
import * as shared from '../schema/spec-fields.ts';
import { piece as made, type Structural, toStructural } from '../schema/structural.ts';
import { plain } from './endpoints.ts';
import { declaredIdentity, LIMITS } from './limits.ts';
import type { status } from './status.ts';

export const organizationType: ResourceType = {
  group: 'pipewright.dev',
  version: 'v1alpha1',
  plural: 'organizations',
  kind: 'Organization',
};

/** Held only under `deletionPolicy: RemovePrivateEndpoints`. */
export const FINALIZER = 'pipewright.dev/remove-private-endpoints';

const { optional } = piece;

const declaredEndpoint = piece.fields('One private endpoint.', {
  ...declaredIdentity({
    id: 'Id of the endpoint at its cloud provider. 1 to 512 printable ASCII characters without spaces and " \\ < > &. Quote it in YAML.',
    cloudProvider: 'Cloud provider, as the API names it, such as gcp. 1 to 64 characters as in id.',
    region: 'Region, as the API names it, such as ap-northeast-1. 1 to 64 characters as in id.',
  }),
  description: optional(
    piece.text(
      'Sent when the endpoint is added. A later change is only shown in status.differences, because the API cannot change it. At most 512 characters.',
      512,
    ),
  ),
});

const anyEndpoints = piece.list(
  'The private endpoints that must exist, each id once, at most 100. Endpoints of others stay. Empty: those that this object owns are removed. Absent: not managed, and nothing is removed.',
  LIMITS.endpoints,
  declaredEndpoint,
);

/** Each id is put in lower case once: for every pair it would cost more than the server lets in. */
const UNIQUE: Structural['x-kubernetes-validations'] = [
  {
    rule: '[self.map(a, a.id.lowerAscii())].all(all, all.all(a, all.exists_one(b, a == b)))',
    message: 'must list each id only once',
  },
];
const uniqueEndpoints = anyEndpoints.check(({ value, issues }) => {
  const ids = value.map(({ id }) => plain(id));
  const message = 'must be an id that is listed only once';
  for (const [index, id] of ids.entries())
    if (ids.indexOf(id) < index)
      issues.push({ code: 'custom', input: value[index]?.id, path: [index, 'id'], message });
});
const privateEndpoints = made(uniqueEndpoints, {
  ...toStructural(anyEndpoints),
  'x-kubernetes-validations': UNIQUE,
});

export const spec = piece.fields(
  'The name and private endpoints of one existing organization. At least one of name and privateEndpoints.',
  {
    organizationId: shared.uuid('The organization.'),
    credentialsSecretRef: shared.credentialsSecretRef,
    name: optional(
      piece.text(
        'Name of the organization. 1 to 256 characters. Absent: not managed.',
        LIMITS.name,
        {
          must: `be text of 1 to ${LIMITS.name} characters`,
          accepts: (name) => name !== '',
          rule: "self != ''",
        },
      ),
    ),
    privateEndpoints: optional(privateEndpoints),
    adoptPrivateEndpoints: optional(
      piece.flag(
        'While true, this object owns listed endpoints that existed before: they are removed when they are no longer listed. Absent: false.',
      ),
    ),
    maxPrivateEndpointRemovals: optional(
      piece.integer(
        'A change that would remove more endpoints than this is not sent, and Ready has reason RemovalBlocked. 0 to 100. Absent: 5. It does not limit the deletion of this object.',
        0,
        100,
      ),
    ),
    deletionPolicy: optional(
      piece.choice(
        'What the deletion of this object does with the endpoints that it owns. Retain (the default) leaves them. RemovePrivateEndpoints removes them first.',
        ['Retain', 'RemovePrivateEndpoints'],
      ),
    ),
    suspend: shared.suspend,
    mode: shared.mode,
    reassertInterval: shared.reassertInterval,
  },
  [piece.immutable('organizationId', 'organization')],
  {
    must: 'have name, privateEndpoints or both; with neither there is nothing to manage',
    accepts: ({ name, privateEndpoints: listed }) => name !== undefined || listed !== undefined,
    rule: 'has(self.name) || has(self.privateEndpoints)',
  },
);

export type OrganizationSpec = Stored<z.output<typeof spec>>;
export type OrganizationStatus = Stored<z.output<typeof status>>;
/** One endpoint as `spec` lists it. */
export type DeclaredEndpoint = NonNullable<OrganizationSpec['privateEndpoints']>[number];
/** What is known of one endpoint of this object. */
export type InventoryEntry = NonNullable<OrganizationStatus['privateEndpoints']>[number];
/** What is being added and removed. */
export type PendingChange = NonNullable<OrganizationStatus['pendingChange']>;

/** As stored: `spec` is unknown until `parseSpec` has read it; `status` is ours. */
export interface Organization extends KubeObject {
  readonly status?: OrganizationStatus;
}

/** Reads the spec of a stored object; takes whatever the API server's schema takes. */
export const parseSpec = specParser(spec);

/** Whether the finalizer is on. */
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
