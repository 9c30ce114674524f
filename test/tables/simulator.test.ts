import { afterEach, expect, it } from 'vitest';
import type { PrivateEndpoint } from '../simulator/organization-types.ts';
import { startSimulator } from '../simulator/simulator.ts';
import { basic, someoneElse } from '../simulator/someone-else.ts';
import type { CallBehaviour, Simulator } from '../simulator/types.ts';

const ORGANIZATION = '7f0e6f0c-0000-4000-8000-000000000001';
const PATH = `/v1/organizations/${ORGANIZATION}`;
const PUT = `PUT ${PATH}/services/s/pipes/p/settings`;
const PATCH = `PATCH ${PATH}`;
const THREADS = { engine_max_threads: 30 };
const CLUSTER = { object_storage_use_cluster_function: true };

type Manner = NonNullable<CallBehaviour['organization']>;
const endpoint = (id: string, region = 'eu') => ({ id, cloudProvider: 'gcp', region });
const lists = (add: readonly string[], remove: readonly string[] = []) => ({
  privateEndpoints: {
    add: add.map((id) => endpoint(id)),
    remove: remove.map((id) => endpoint(id)),
  },
});
const LOOK = lists([]);
const REFUSES: Manner = { refusedIds: ['b'], refusedText: 'generic' };
const PARTLY: Manner = { ...REFUSES, onError: 'partial' };
const MOVED = { privateEndpoints: { add: [endpoint('a', 'us')] } };

let simulator: Simulator;
afterEach(() => simulator.stop());

/** It has an organization with the endpoint `a`. */
async function start(options: CallBehaviour = {}): Promise<void> {
  simulator = await startSimulator({ keys: { key: 'secret' }, ...options });
  simulator.setOrganization(ORGANIZATION, { name: 'Name', add: [endpoint('a')] });
}

type Body = { error?: string; result?: { name?: string; privateEndpoints?: PrivateEndpoint[] } };

/** The status and the result, its list as `region/id`, or the error. */
async function send(call: string, body?: unknown, keyId = 'key'): Promise<string> {
  const [method = '', path = ''] = call.split(' ');
  const response = await fetch(`${simulator.url}${path}`, {
    method,
    headers: { authorization: basic(keyId, 'secret'), 'content-type': 'application/json' },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const { result = {}, error } = (await response.json()) as Body;
  const ids = result.privateEndpoints?.map(({ id, region }) => `${region}/${id}`).join();
  const shown =
    result.name === undefined ? JSON.stringify(result) : `${result.name}: [${ids ?? 'none'}]`;
  return `${response.status} ${error ?? shown}`;
}

it.each<[string, string, unknown, string]>([
  ['settings, stored and shown with the others', PUT, THREADS, '"engine_max_threads":30'],
  ['a value out of range', PUT, { engine_max_threads: 65 }, '400 BAD_REQUEST: request body.engi'],
  ['a setting that is none', PUT, { threads: 1 }, "400 BAD_REQUEST: unknown setting 'threads'"],
  ['no JSON', PUT, '{', '400 BAD_REQUEST: request body is not JSON'],
  ['another name', PATCH, { name: 'New' }, '200 New: [eu/a]'],
  ['adds behind removals', PATCH, lists(['a', 'b'], ['a']), '200 Name: [eu/a,eu/b]'],
  ['nothing', PATCH, {}, '400 BAD_REQUEST: no fields to update'],
  ['a record that nobody knows', `GET ${PATH}/activities/two`, undefined, '404 NOT_FOUND: two'],
])('answers as its document says to %s', async (_, call, body, says) => {
  await start();
  expect(await send(call, body)).toContain(says);
});

it.each<[CallBehaviour, readonly unknown[], string]>([
  [{ settings: { writes: 'replace', echo: 'only-set' } }, [CLUSTER, THREADS], '200 {"engi'],
  [{ settings: { echo: 'strings' } }, [THREADS], '"engine_max_threads":"30"'],
  [{ settings: { ranges: { engine_max_threads: [0, 9] } } }, [THREADS], '30 is not in 0..9'],
  [{ settings: { clamp: { engine_max_threads: [0, 9] } } }, [THREADS], 'threads":9'],
  [{ organization: { addExisting: 'conflict' } }, [lists(['a'])], '409 CONFLICT: private'],
  [{ organization: { addExisting: 'upsert' } }, [MOVED], '200 Name: [us/a]'],
  [{ organization: { addExisting: 'no-op' } }, [MOVED], '200 Name: [eu/a]'],
  [{ organization: { list: 'absent' } }, [LOOK], '200 Name: [none]'],
  [{ organization: { list: 'absent-when-empty' } }, [lists([], ['a'])], 'Name: [none]'],
  [{ organization: { echo: 'lagging' } }, [lists(['b']), LOOK], '200 Name: [eu/a]'],
  [{ organization: { echo: 'lagging' } }, [lists(['b']), LOOK, LOOK], '200 Name: [eu/a,eu/b]'],
  [{ organization: { tuples: 'upper-id' } }, [lists(['b'], ['A'])], '200 Name: [eu/B]'],
  [{ organization: { emptyLists: 'bad-request' } }, [LOOK], '400 BAD_REQUEST: no fields'],
  [{ organization: { refuseRemoves: ['a'] } }, [lists([], ['a'])], '"a" is attached'],
  [{ organization: REFUSES }, [lists(['c', 'b']), LOOK], 'Name: [eu/a]'],
  [{ organization: PARTLY }, [lists(['c', 'b', 'd']), LOOK], '[eu/a,eu/c]'],
  [{ organization: { mostItems: 1 } }, [lists(['b'], ['a'])], '400 BAD_REQUEST: 2 private'],
])('plays the manner %j', async (manner, bodies, says) => {
  await start(manner);
  const call = manner.settings ? PUT : PATCH;
  for (const body of bodies.slice(0, -1)) await send(call, body);
  expect(await send(call, bodies.at(-1))).toContain(says);
});

it('asks for keys, counts calls for each, and leaves its script to those that get through', async () => {
  await start();
  simulator.setKey('reads', 'secret', { readOnly: true });
  simulator.setKey('off', 'secret', { disabled: true });
  simulator.setKey('elsewhere', 'secret', { organizations: [] });
  simulator.play({ rate: { calls: 2, perMs: 60_000 } });
  simulator.next({ status: 200, result: {} });
  const says: string[] = [];
  for (const keyId of ['nobody', 'off', 'reads', 'elsewhere', 'key', 'key', 'key'])
    says.push((await send(PUT, THREADS, keyId)).slice(0, 6));
  expect(says).toEqual(['401 UN', '401 UN', '403 FO', '404 NO', '200 {}', '200 {"', '429 TO']);
  expect(await someoneElse(simulator, ORGANIZATION).add(endpoint('c'))).toBe(200);
  expect(simulator.callCount({ keyId: 'key', method: 'PUT' })).toBe(3);
});
