import { fileURLToPath } from 'node:url';
import { loadProduct } from '../life/product.ts';
import { CONTESTED, OBJECT, ORGANIZATION } from '../scope/moves.ts';
import { SMALL_WORLD } from '../scope/world.ts';
import { HandRecord } from './record.ts';

const product = await loadProduct(fileURLToPath(new URL('../../../src', import.meta.url)));
const SPEC = { organizationId: ORGANIZATION, credentialsSecretRef: { name: 'api' } };

export const KEY = `organizations/${OBJECT.namespace}/${OBJECT.name}`;
export const PIPE = `pipesettings/${OBJECT.namespace}/p1`;
const PIPE_SPEC = { ...SPEC, serviceId: 'service', pipeId: 'pipe-1' };
/** The one setting that is written. */
export const THREADS = 'engine_max_threads';
export const LOOK = { privateEndpoints: { add: [], remove: [] } };
export const OURS = { ...CONTESTED, origin: 'Adopted', state: 'Present' };

/** An organization that one process has been shown. */
export function organization(spec: object): HandRecord {
  const record = new HandRecord(SMALL_WORLD, product);
  record.creates('organizations', OBJECT.namespace, OBJECT.name, { ...SPEC, ...spec });
  record.begins('one-1', KEY);
  return record;
}

/** The settings of a pipe that one process has been shown. */
export function pipe(threads: number): HandRecord {
  const record = new HandRecord(SMALL_WORLD, product);
  record.creates('pipesettings', OBJECT.namespace, 'p1', { ...PIPE_SPEC, settings: { [THREADS]: threads } });
  record.begins('one-1', PIPE);
  return record;
}

/** What a reply shows of an organization. */
export function shown(name: string, ...privateEndpoints: readonly object[]) {
  return { result: { id: ORGANIZATION, name, privateEndpoints } };
}

/** A status in this state. */
export function ready(reason: string, observedGeneration: number) {
  const status = reason === 'Applied' ? 'True' : 'False';
  return {
    observedGeneration,
    conditions: [{ type: 'Ready', status, reason, message: reason, observedGeneration }],
  };
}

/** The status after a call without an answer. */
export function unknown(record: HandRecord, generation: number) {
  const lastRequest = { operation: 'Update', outcome: 'Unknown', time: record.time() };
  return { ...ready('OutcomeUnknown', generation), lastRequest };
}

/** The status after a reply of 200. */
export function applied(record: HandRecord, generation: number, requestId: string) {
  const time = record.time();
  return {
    ...ready('Applied', generation),
    lastRequest: { operation: 'Update', requestId, httpStatus: 200, outcome: 'Succeeded', time },
    applied: { time, generation, requestId, requestHash: 'sha256:', keys: [] },
  };
}
