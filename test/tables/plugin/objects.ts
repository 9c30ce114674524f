export const UUID = '7f0e0b1d-0000-4000-8000-000000000000';

/** Specs with which nothing is wrong. */
export const PIPE = {
  organizationId: 'o',
  serviceId: 's',
  pipeId: 'p',
  credentialsSecretRef: { name: 'api' },
  settings: { engine_max_threads: 8 },
};
export const ACME = {
  organizationId: UUID,
  credentialsSecretRef: { name: 'api' },
  name: 'Acme',
};
export const RECORD = {
  organizationId: 'o',
  activityId: 'a-b',
  credentialsSecretRef: { name: 'api' },
};

export const endpoint = (id: string) => ({ id, cloudProvider: 'gcp', region: 'r1' });
export const verified = { time: '2026-03-01T11:00:00Z', apiHash: 'a' };

/** As somebody writes it. */
export function manifest(kind: string, spec: object, metadata: object = { name: 'one' }) {
  return { apiVersion: 'pipewright.dev/v1alpha1', kind, metadata, spec };
}

interface Told {
  /** Of the condition Ready. */
  readonly ready?: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  /** The condition beside it that is True. */
  readonly beside?: 'Stalled' | 'Reconciling';
  readonly status?: object;
  readonly metadata?: { readonly name?: string; readonly [field: string]: unknown };
}

/** As the API server has it: its generation is 2, and the operator has said something of that. */
export function stored(kind: string, spec: object, told: Told = {}) {
  const { ready = 'True', reason = 'Applied', beside, status, metadata } = told;
  const condition = (type: string, value: string) => ({
    type,
    status: value,
    reason,
    message: `it says ${reason}`,
    observedGeneration: 2,
    lastTransitionTime: '2026-03-01T11:00:00Z',
  });
  return {
    ...manifest(kind, spec),
    metadata: {
      name: 'one',
      namespace: 'ingest',
      uid: 'u',
      resourceVersion: '1',
      generation: 2,
      creationTimestamp: '2026-03-01T10:00:00Z',
      ...metadata,
    },
    status: {
      observedGeneration: 2,
      conditions: [condition('Ready', ready), ...(beside ? [condition(beside, 'True')] : [])],
      ...status,
    },
  };
}

/** What the status of an organization has after a reply that listed these. */
export function listing(...ids: readonly string[]) {
  const privateEndpoints = ids.map(endpoint);
  return { organization: { name: 'Acme', privateEndpoints, privateEndpointsTotal: ids.length } };
}
