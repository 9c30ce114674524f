import { SPECS } from '../kinds/objects.ts';

export const { PipeSettings: PIPE, Organization: ACME, Activity: RECORD } = SPECS;

export const endpoint = (id: string) => ({ id, cloudProvider: 'gcp', region: 'r1' });

/** As somebody writes it. */
export function manifest(kind: string, spec: object, metadata: object = { name: 'one' }) {
  return { apiVersion: 'pipewright.dev/v1alpha1', kind, metadata, spec };
}

export interface Told {
  /** Of the condition Ready. */
  readonly ready?: 'True' | 'False';
  readonly reason?: string;
  /** The condition beside it that is True. */
  readonly beside?: 'Stalled' | 'Reconciling';
  readonly status?: object;
  readonly metadata?: object;
}

/** As the API server has it: its generation is 2, and the operator has said something of that. */
export function stored(kind: string, spec: object, told: Told = {}) {
  const { ready = 'True', reason = 'Applied', beside, status, metadata } = told;
  const message = `it says ${reason}`;
  const condition = (type: string, value: string) => {
    return { type, status: value, reason, message, observedGeneration: 2 };
  };
  const conditions = [condition('Ready', ready), ...(beside ? [condition(beside, 'True')] : [])];
  const name = { name: 'one', namespace: 'ingest', uid: 'u', generation: 2 };
  return {
    ...manifest(kind, spec, { ...name, ...metadata }),
    status: { observedGeneration: 2, conditions, ...status },
  };
}

export const pipe = (told: Told = {}, spec: object = {}) =>
  stored('PipeSettings', { ...PIPE, ...spec }, told);

export const failed = (reason: string, beside?: 'Stalled' | 'Reconciling'): Told =>
  beside ? { ready: 'False', reason, beside } : { ready: 'False', reason };

/** What the status of an organization has after a reply that listed these. */
export function listing(...ids: readonly string[]) {
  const privateEndpoints = ids.map(endpoint);
  return { organization: { name: 'Acme', privateEndpoints, privateEndpointsTotal: ids.length } };
}
