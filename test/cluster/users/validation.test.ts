import { beforeAll, describe, expect, test } from 'vitest';
import { newNamespace } from '../../controlplane/client.ts';
import { ensureCrds } from '../../support/crd.ts';
import { GOOD, idsOf, KINDS, type Kind, NAMES } from '../../support/kinds.ts';
import { tryCreate } from '../../support/object-requests.ts';

/** What the API server takes and refuses, and in which words. A row is a change of a good spec. */

type Taken = readonly [what: string, change: object];
type Refused = readonly [what: string, change: object, ...says: readonly string[]];

const endpoint = { id: 'psc-1', cloudProvider: 'gcp', region: 'ap-northeast-1' };
const list = (...changes: readonly object[]) => ({
  privateEndpoints: changes.map((change) => ({ ...endpoint, ...change })),
});
const many = (count: number, length = 8) =>
  list(...Array.from({ length: count }, (_, index) => ({ id: `${index}-`.padEnd(length, 'x') })));
const setting = (name: string, value: unknown) => ({ settings: { [name]: value } });
const additional = (settings: unknown) => ({ additionalSettings: settings });
const numbered = (count: number, length = 1) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`n${at}`.padEnd(length, '_'), at]));
const ref = (more: object) => ({ credentialsSecretRef: { name: 'api', ...more } });
const PLAIN = 'printable ASCII characters without spaces and " \\ < > &';

let namespace: string;
beforeAll(async () => {
  await ensureCrds();
  namespace = await newNamespace();
});

/** A field that the change sets to undefined is not there. */
function specOf(kind: Kind, change: object): unknown {
  return JSON.parse(JSON.stringify({ ...GOOD[kind], ...change }));
}

function takes(kind: Kind, rows: readonly Taken[]): void {
  test.each(rows)(`${kind} takes %s, and stores it as it is`, async (_, change) => {
    const { status, json } = await tryCreate(namespace, kind, specOf(kind, change));
    expect({ status, spec: json.spec as unknown }).toEqual({
      status: 201,
      spec: specOf(kind, change),
    });
  });
}

function refuses(kind: Kind, rows: readonly Refused[]): void {
  test.for(rows)(`${kind} refuses %s, in words`, async ([, change, ...says]) => {
    const { status, json } = await tryCreate(namespace, kind, specOf(kind, change));
    const { message } = json as { readonly message: string };
    expect({ status, message }).toEqual({ status: expect.toBeOneOf([400, 422]), message });
    for (const words of says) expect(message).toContain(words);
    expect(message).not.toMatch(/should match|\[(a-z|A-Z|0-9)|\][+*]/);
  });
}

describe.each(KINDS)('every kind, %s', (kind) => {
  takes(kind, [
    ['no more than what must be there', {}],
    ['suspend', { suspend: true }],
    ['other keys of the Secret', ref({ name: 'a.b-c', keyIdKey: 'ID', keySecretKey: 'my.key_1' })],
  ]);
  refuses(kind, [
    ['no Secret', { credentialsSecretRef: undefined }, 'spec.credentialsSecretRef: Required value'],
    ['a Secret without name', ref({ name: undefined }), 'credentialsSecretRef.name: Required'],
    ['a Secret in capitals', ref({ name: 'API' }), 'must be the name of a Secret: 1 to 253 lower'],
    ['a Secret elsewhere', ref({ namespace: 'b' }), 'unknown field', 'SecretRef.namespace'],
    ['a blank in a key', ref({ keyIdKey: 'a b' }), 'keyIdKey must be a key of a Secret: 1 to 253'],
    ['an empty key', ref({ keySecretKey: '' }), 'keySecretKey must be a key of a Secret'],
    ['suspend as text', { suspend: 'yes' }, 'spec.suspend', 'must be of type boolean'],
    ['a field that is none', { paused: true }, 'unknown field "spec.paused"'],
  ]);
});

describe.each(KINDS.filter((kind) => !NAMES[kind].onlyReads))('what writes, %s', (kind) => {
  takes(kind, [
    ['Plan', { mode: 'Plan' }],
    ['10m', { reassertInterval: '10m' }],
    ['8760h', { reassertInterval: '8760h' }],
  ]);
  refuses(kind, [
    ['another mode', { mode: 'plan' }, 'supported values: "Apply", "Plan"'],
    ['less than 10m', { reassertInterval: '9m59s' }, 'must be between 10m and 8760h'],
    ['more than 8760h', { reassertInterval: '8760h1s' }, 'must be between 10m and 8760h'],
    [
      'days',
      { reassertInterval: '1d' },
      'reassertInterval must be a duration in h, m or s, such as 90m or 24h; write 1d as 24h',
    ],
    ['an interval that is a number', { reassertInterval: 600 }, 'must be of type string'],
  ]);
});

describe.each(KINDS.filter((kind) => kind !== 'porg'))('ids in a path, %s', (kind) => {
  const ids = idsOf(kind);
  const all = (value: unknown) => Object.fromEntries(ids.map((id) => [id, value]));
  const say = (words: string) => ids.map((id) => `spec.${id}: ${words}`);
  const must = ids.map((id) => `${id} must be 1 to 128 letters, digits, '.', '_', '~'`);
  takes(kind, [
    ['all characters', all('A.b_c~d-e')],
    ['128 of them', all('a'.repeat(128))],
  ]);
  refuses(kind, [
    ['none', all(undefined), ...say('Required value')],
    ['empty ones', all(''), ...must],
    ['129 characters', all('a'.repeat(129)), ...say('Too long: may not be more than 128')],
    ['blanks', all('a b'), ...must],
    ['a slash', all('a/b'), ...must],
    ['the place above', all('..'), ...ids.map((id) => `${id} must not be '.'`)],
  ]);
});

describe('the settings', () => {
  test.each([
    ['streaming_max_insert_wait_ms', 500, 60_000],
    ['object_storage_concurrency', 1, 35],
    ['object_storage_polling_interval_ms', 100, 3_600_000],
    ['object_storage_max_insert_bytes', 10_485_760, 53_687_091_200],
    ['object_storage_max_file_count', 1, 10_000],
    ['engine_max_threads', 0, 64],
    ['engine_max_insert_threads', 0, 16],
    ['engine_min_insert_block_size_bytes', 0, 1_073_741_824],
    ['engine_max_download_threads', 0, 32],
    ['engine_parallel_distributed_insert_select', 0, 2],
  ])('%s is a whole number from %i to %i', async (name, least, most) => {
    const values = [least, most, least - 1, most + 1, `${least}`, least + 0.5, [least]];
    const answers = values.map((value) =>
      tryCreate(namespace, 'pset', specOf('pset', setting(name, value))),
    );
    const said = (await Promise.all(answers)).map(({ status, text }) => [
      status,
      text.includes(`spec.settings.${name}`),
    ]);
    expect(said.map(([status]) => status)).toEqual([201, 201, 422, 422, 422, 422, 422]);
    expect(said.slice(2).every(([, isNamed]) => isNamed)).toBe(true);
  });

  const flags = ['object_storage_use_cluster_function', 'engine_parallel_view_processing'] as const;
  takes(
    'pset',
    flags.flatMap((name) => [
      [`${name}: true`, setting(name, true)],
      [`${name}: false`, setting(name, false)],
    ]),
  );
  refuses('pset', [
    ...flags.map((name): Refused => [`${name} as text`, setting(name, 'true'), name]),
    ['no settings', { settings: undefined }, 'spec.settings: Required value'],
    ['an empty set', { settings: {} }, 'spec.settings', 'should have at least 1 properties'],
    ['one that is misspelt', setting('engine_max_thread', 1), 'unknown field "spec.settings.engi'],
  ]);
});

describe('additional settings', () => {
  takes('pset', [
    ['all types', additional({ a: '', b: 'x'.repeat(256), c: 0, d: -5, e: true })],
    ['twenty with the longest names', additional(numbered(20, 64))],
    ['none', additional({})],
  ]);
  refuses('pset', [
    ['twenty-one', additional(numbered(21)), 'additionalSettings: Too many: 21'],
    ['a fraction', additional({ a: 1.5 }), 'spec.additionalSettings.a'],
    ['a number that is not exact', additional({ a: 2 ** 53 }), 'spec.additionalSettings.a'],
    ['257 characters', additional({ a: 'x'.repeat(257) }), 'spec.additionalSettings.a: Too long'],
    ['a list as value', additional({ a: [1] }), 'spec.additionalSettings.a'],
  ]);
});

describe('an Organization', () => {
  const id = GOOD.porg.organizationId;
  const must = 'organizationId must be a UUID in lower case with hyphens, 36 characters';
  takes('porg', [
    ['a list alone', { name: undefined, ...list({}) }],
    ['an empty list alone', { name: undefined, ...list() }],
    ['any text as name', { name: ' "Acme" <&> \u2028🙂 ' }],
    ['a name of 256', { name: '🙂'.repeat(256) }],
    ['the id of an AWS endpoint', list({ id: 'vpce-0a1b2c3d4e5f67890' })],
    ['the id of an Azure endpoint', list({ id: '/subscriptions/7c1d/rg_(a).b/pe-1' })],
    ['odd characters of ids', list({ id: "b64+/=_~!@#$%^*,;?|[]{}'`" })],
    ['a description of 512', list({ description: '🙂'.repeat(512) })],
    ['100 endpoints with ids of 512', many(100, 512)],
    ['all that may be left out', { adoptPrivateEndpoints: true, maxPrivateEndpointRemovals: 0 }],
    ['deletionPolicy RemovePrivateEndpoints', { deletionPolicy: 'RemovePrivateEndpoints' }],
  ]);
  refuses('porg', [
    ['neither name nor list', { name: undefined }, 'must have name, privateEndpoints or both;'],
    ['an id in capitals', { organizationId: id.toUpperCase() }, must],
    ['an empty name', { name: '' }, 'name must be text of 1 to 256 characters'],
    ['a name of 257', { name: 'x'.repeat(257) }, 'spec.name: Too long'],
    ['an id twice', list({}, { region: 'us-east1' }), 'must list each id only once'],
    ['an id twice in another case', list({}, { id: 'PSC-1' }), 'must list each id only once'],
    ['101 endpoints', many(101), 'privateEndpoints: Too many: 101: must have at most 100 items'],
    ['no region', list({ region: undefined }), 'privateEndpoints[0].region: Required value'],
    ['an id that YAML took for a number', list({ id: 102_600 }), 'Endpoints[0].id: Invalid value'],
    ['a field of endpoints that is none', list({ zone: 'a' }), 'Endpoints[0].zone'],
    ['an id with a blank', list({ id: 'a b' }), `id must be 1 to 512 ${PLAIN}`],
    ['a quoted provider', list({ cloudProvider: '"a"' }), `cloudProvider must be 1 to 64 ${PLAIN}`],
    ['an empty region', list({ region: '' }), `region must be 1 to 64 ${PLAIN}`],
    ['a cap of 101', { maxPrivateEndpointRemovals: 101 }, 'spec.maxPrivateEndpointRemovals', '100'],
    ['another policy', { deletionPolicy: 'Delete' }, '"Retain", "RemovePrivateEndpoints"'],
    ['adopting that is no flag', { adoptPrivateEndpoints: 'yes' }, 'spec.adoptPrivateEndpoints'],
  ]);
});

describe.each(KINDS.filter((kind) => NAMES[kind].onlyReads))('what only reads, %s', (kind) => {
  refuses(kind, [
    ['a mode', { mode: 'Plan' }, 'unknown field "spec.mode"'],
    ['an interval', { reassertInterval: '1h' }, 'unknown field "spec.reassertInterval"'],
  ]);
});
