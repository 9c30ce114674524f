import type * as z from 'zod/mini';
import type { KubeObject, ResourceType } from '../../kube/resource.ts';
import { type Stored, specParser } from '../definition.ts';
import { choice, fields, flag, immutable, integer, optional, text, uniqueList } from '../schema.ts';
import { credentialsSecretRef, mode, reassertInterval, suspend, uuid } from '../spec-fields.ts';
import type { status } from './status.ts';

export const organizationType: ResourceType = {
  group: 'pipewright.dev',
  version: 'v1alpha1',
  plural: 'organizations',
  kind: 'Organization',
};

/** Held only under `deletionPolicy: RemovePrivateEndpoints`. */
export const FINALIZER = 'pipewright.dev/remove-private-endpoints';

/** How many entries spec and status may have and how long their texts may be, in code points; `report` cuts to these. */
export const LIMITS = {
  /** Endpoints in spec, and so in the `add` of one change. */
  endpoints: 100,
  name: 256,
  id: 512,
  cloudProvider: 64,
  region: 64,
  description: 512,
  /** All listed ones, as many more on their way out, and some. Also the `remove` of one change. */
  ledger: 220,
  ledgerDescription: 64,
  ledgerMessage: 200,
  reportedEndpoints: 200,
  reportedDescription: 64,
  byocConfigs: 20,
  /** Texts of a reply that are neither a name nor part of an endpoint. */
  reportedText: 64,
  differences: 16,
  drift: 12,
  planRequests: 4,
  planChanges: 220,
  historyChanges: 24,
  /** `privateEndpoints[<id>].description`, where the id may have 512 and is cut. */
  field: 160,
  /** Values in differences, drift and plan. */
  value: 64,
  /** The same in history, which has many. */
  historyValue: 32,
  body: 16_384,
} as const;

/**
 * Each of these characters is one byte in the JSON that is stored. Ledger and intent repeat what spec lists and may never be cut:
 * of other characters, which cost up to six bytes, they would outgrow what the API server can store. It also keeps out the line
 * break of a YAML block and letters that look alike.
 */
const PLAIN = /^[!#-%'-;=?-[\]-~]+$/;
const plain = (about: string, max: number) =>
  text({
    about,
    min: 1,
    max,
    pattern: PLAIN,
    must: `be 1 to ${max} printable ASCII characters without spaces and " \\ < > &`,
  });

/** What tells one endpoint from another: all three together. In status with the bounds of spec, so that each fits. */
export function endpointIdentity(about: Readonly<Record<'id' | 'cloudProvider' | 'region', string>>) {
  return {
    id: plain(about.id, LIMITS.id),
    cloudProvider: plain(about.cloudProvider, LIMITS.cloudProvider),
    region: plain(about.region, LIMITS.region),
  };
}

const declaredEndpoint = fields('One private endpoint.', {
  ...endpointIdentity({
    id: 'Id of the endpoint at its cloud provider. 1 to 512 printable ASCII characters without spaces and " \\ < > &. Quote it in YAML.',
    cloudProvider: 'Cloud provider, in the words of the API, such as gcp. 1 to 64 characters as in id.',
    region: 'Region, in the words of the API, such as ap-northeast-1. 1 to 64 characters as in id.',
  }),
  description: optional(
    text({
      about:
        'Sent when the endpoint is added. A later change is only reported in status.differences: the API cannot change it. At most 512 characters.',
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
        'The private endpoints that must be there, each id once, at most 100. What others added stays. Empty: those that this object added are removed. Absent: not managed, and nothing is removed.',
        LIMITS.endpoints,
        'id',
        declaredEndpoint,
      ),
    ),
    adoptPrivateEndpoints: optional(
      flag(
        'While true, listed endpoints that were already there become those of this object: they are removed when they are no longer listed. Absent: false.',
      ),
    ),
    maxPrivateEndpointRemovals: optional(
      integer({
        about:
          'A change that would remove more endpoints than this stops and says so. 0 to 100. Absent: 5. Deletion of this object is not bound by it.',
        min: 0,
        max: 100,
      }),
    ),
    deletionPolicy: optional(
      choice(
        'What deletion of this object does to the endpoints that it added. Retain (absent means that) leaves them. RemovePrivateEndpoints removes them first.',
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

/** As stored. `spec` is unknown until `parseSpec` has read it; `status` is ours and was checked by the API server. */
export interface Organization extends KubeObject {
  readonly status?: OrganizationStatus;
}

/** Reads the spec of a stored object; takes whatever the API server's schema takes. */
export const parseSpec = specParser(spec);
