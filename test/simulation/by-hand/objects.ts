import { fileURLToPath } from 'node:url';
import type { OrganizationBehaviour } from '../../simulator/organization-types.ts';
import { loadProduct } from '../life/product.ts';
import type { World } from '../life/world.ts';
import { CONTESTED, OBJECT, ORGANIZATION } from '../scope/moves.ts';
import { SMALL_WORLD } from '../scope/world.ts';
import { HandRecord } from './record.ts';

const product = await loadProduct(fileURLToPath(new URL('../../../src', import.meta.url)));
const SPEC = { organizationId: ORGANIZATION, credentialsSecretRef: { name: 'api' } };
const NEIGHBOUR = { namespace: 'team-b', name: 'o2' };
const NEIGHBOURS_KEY = { id: 'key-of-team-b', secret: 'canary-of-team-b' };
/** The small world, and a neighbour with a key of its own. */
const WORLD: World = {
  ...SMALL_WORLD,
  namespaces: [OBJECT.namespace, NEIGHBOUR.namespace],
  keys: [...SMALL_WORLD.keys, { ...NEIGHBOURS_KEY, options: {} }],
  secrets: [
    ...SMALL_WORLD.secrets,
    {
      namespace: NEIGHBOUR.namespace,
      name: 'api',
      keyId: NEIGHBOURS_KEY.id,
      secret: NEIGHBOURS_KEY.secret,
      style: 'plain',
    },
  ],
};

export const KEY = `organizations/${OBJECT.namespace}/${OBJECT.name}`;
/** Of another object for the same organization, in another namespace. */
export const NEIGHBOURS = `organizations/${NEIGHBOUR.namespace}/${NEIGHBOUR.name}`;
export const PIPE = `pipesettings/${OBJECT.namespace}/p1`;
const PIPE_SPEC = { ...SPEC, serviceId: 'service', pipeId: 'pipe-1' };
/** The one setting that is written. */
export const THREADS = 'engine_max_threads';
export const LOOK = { privateEndpoints: { add: [], remove: [] } };
export const OURS = { ...CONTESTED, origin: 'Adopted', state: 'Present' };

/** An organization that one process has been shown; `behaviour`: wherein its API is odd. */
export function organization(
  spec: object,
  behaviour: Partial<OrganizationBehaviour> = {},
): HandRecord {
  const traits = [{ name: 'by hand', behaviour }];
  const organizations = WORLD.organizations.map((one) => ({ ...one, traits }));
  const record = new HandRecord({ ...WORLD, organizations }, product);
  record.creates('organizations', OBJECT.namespace, OBJECT.name, { ...SPEC, ...spec });
  record.begins('one-1', KEY);
  return record;
}

/** The same organization, by another object. */
export function neighbour(record: HandRecord, spec: object): void {
  record.creates('organizations', NEIGHBOUR.namespace, NEIGHBOUR.name, { ...SPEC, ...spec });
}

/** The settings of a pipe that one process has been shown. */
export function pipe(threads: number): HandRecord {
  const record = new HandRecord(WORLD, product);
  record.creates('pipesettings', OBJECT.namespace, 'p1', {
    ...PIPE_SPEC,
    settings: { [THREADS]: threads },
  });
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

/**
 * The process of a call that has left dies, and then its object goes. `isTold`: the next process,
 * one-2, knew of that object, and hears of its end. Nine seconds later it begins with the
 * neighbour.
 */
export async function goesWithItsProcess(
  record: HandRecord,
  { isTold }: { readonly isTold: boolean },
): Promise<void> {
  await record.until(11);
  record.process('one-1', 'died');
  if (isTold) record.begins('one-2', KEY);
  record.deletes(KEY);
  if (isTold) record.shows('one-2', KEY);
  await record.until(20);
  record.begins('one-2', NEIGHBOURS);
}
