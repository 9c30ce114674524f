import type * as z from 'zod/mini';
import type { KubeObject, ResourceType } from '../../kube/resource.ts';
import { type Stored, specParser } from '../schema/parser.ts';
import {
  choice,
  fields,
  flag,
  immutable,
  integer,
  list,
  optional,
  text,
} from '../schema/schema.ts';
import {
  credentialsSecretRef,
  mode,
  reassertInterval,
  suspend,
  uuid,
} from '../schema/spec-fields.ts';
import { piece, toStructural } from '../schema/structural.ts';
import { plain } from './endpoints/endpoints.ts';
import { declaredIdentity } from './endpoints/identity.ts';
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
  ...declaredIdentity({
    id: 'Id of the endpoint at its cloud provider. 1 to 512 printable ASCII characters without spaces and " \\ < > &. Quote it in YAML.',
    cloudProvider: 'Cloud provider, as the API names it, such as gcp. 1 to 64 characters as in id.',
    region: 'Region, as the API names it, such as ap-northeast-1. 1 to 64 characters as in id.',
  }),
  description: optional(
    text(
      'Sent when the endpoint is added. A later change is only shown in status.differences, because the API cannot change it. At most 512 characters.',
      LIMITS.description,
    ),
  ),
});

const anyEndpoints = list(
  'The private endpoints that must exist, each id once, at most 100. Endpoints of others stay. Empty: those that this object owns are removed. Absent: not managed, and nothing is removed.',
  LIMITS.endpoints,
  declaredEndpoint,
);
const privateEndpoints = piece(
  anyEndpoints.check(({ value, issues }) => {
    const seen = new Set<string>();
    for (const [index, { id }] of value.entries()) {
      const message = 'must be an id that is listed only once';
      if (seen.has(plain(id)))
        issues.push({ code: 'custom', input: id, path: [index, 'id'], message });
      seen.add(plain(id));
    }
  }),
  {
    ...toStructural(anyEndpoints),
    'x-kubernetes-validations': [
      {
        // One list in a list, so that each id is put in lower case once: for every pair it would
        // cost more than the API server lets in.
        rule: '[self.map(a, a.id.lowerAscii())].all(all, all.all(a, all.exists_one(b, a == b)))',
        message: 'must list each id only once',
      },
    ],
  },
);

export const spec = fields(
  'The name and private endpoints of one existing organization. At least one of name and privateEndpoints.',
  {
    organizationId: uuid('The organization.'),
    credentialsSecretRef,
    name: optional(
      text('Name of the organization. 1 to 256 characters. Absent: not managed.', LIMITS.name, {
        must: `be text of 1 to ${LIMITS.name} characters`,
        accepts: (name) => name !== '',
        rule: "self != ''",
      }),
    ),
    privateEndpoints: optional(privateEndpoints),
    adoptPrivateEndpoints: optional(
      flag(
        'While true, this object owns listed endpoints that existed before: they are removed when they are no longer listed. Absent: false.',
      ),
    ),
    maxPrivateEndpointRemovals: optional(
      integer(
        'A change that would remove more endpoints than this is not sent, and Ready has reason RemovalBlocked. 0 to 100. Absent: 5. It does not limit the deletion of this object.',
        0,
        100,
      ),
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

/**
 * As stored. `spec` is unknown until `parseSpec` has read it; `status` is ours and was checked by
 * the API server.
 */
export interface Organization extends KubeObject {
  readonly status?: OrganizationStatus;
}

/** Reads the spec of a stored object; takes whatever the API server's schema takes. */
export const parseSpec = specParser(spec);

/** Whether the stored spec can be read. */
export function isValid(object: Pick<KubeObject, 'spec'>): boolean {
  return parseSpec(object).ok;
}

/** Whether the finalizer is on. */
export function hasFinalizer(object: Organization): boolean {
  return object.metadata.finalizers?.includes(FINALIZER) ?? false;
}

/**
 * Files objects under the organization they stand for, whether or not the rest of their spec is
 * valid. Ids are the same in whatever case they are written.
 */
export function targetOf(object: KubeObject): string | undefined {
  const { organizationId } = (object.spec ?? {}) as { readonly organizationId?: unknown };
  return typeof organizationId === 'string' ? organizationId.toLowerCase() : undefined;
}
