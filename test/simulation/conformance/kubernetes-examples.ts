import { activityType } from '../../../src/kinds/activity/resource.ts';
import { organizationType } from '../../../src/kinds/organization/resource.ts';
import { pipeSettingsType } from '../../../src/kinds/pipe-settings/resource.ts';
import type { ResourceType } from '../../../src/kube/resource.ts';

interface Example {
  readonly type: ResourceType;
  /** Nothing is wrong with it. */
  readonly spec: Readonly<Record<string, unknown>>;
  /** Each of these cannot be changed, not even to this. */
  readonly immutable: Readonly<Record<string, string>>;
}

const ID = '0b1d7c52-91a4-4f0e-8a3b-6f1e2d3c4b5a';
const credentialsSecretRef = { name: 'management-api' };

export const PIPES = {
  type: pipeSettingsType,
  spec: {
    organizationId: ID,
    serviceId: '5c2f',
    pipeId: '9e44',
    credentialsSecretRef,
    settings: { engine_max_threads: 8, object_storage_use_cluster_function: true },
  },
  immutable: { organizationId: 'other', serviceId: 'other', pipeId: 'other' },
} as const satisfies Example;

export const ORGANIZATIONS = {
  type: organizationType,
  spec: {
    organizationId: ID,
    credentialsSecretRef,
    name: 'Acme Data',
    privateEndpoints: [
      { id: 'psc-1', cloudProvider: 'gcp', region: 'asia-northeast1', description: 'one' },
    ],
  },
  immutable: { organizationId: '1b1d7c52-91a4-4f0e-8a3b-6f1e2d3c4b5a' },
} as const satisfies Example;

export const ACTIVITIES = {
  type: activityType,
  spec: { organizationId: ID, activityId: '77ab', credentialsSecretRef },
  immutable: { organizationId: 'other', activityId: 'other' },
} as const satisfies Example;

/** The kinds of the product, one object of each. */
export const EXAMPLES: readonly Example[] = [PIPES, ORGANIZATIONS, ACTIVITIES];

/** What stands in every status before the operator's first visit. */
export const PENDING = {
  observedGeneration: -1,
  conditions: [
    {
      type: 'Ready',
      status: 'Unknown',
      reason: 'Pending',
      message:
        'Not tried yet: no operator has reconciled this object, or it waits for the rate limit of its API key',
      observedGeneration: -1,
      lastTransitionTime: '1970-01-01T00:00:00Z',
    },
  ],
};

export const OTHER_UID = '11111111-1111-4111-8111-111111111111';
