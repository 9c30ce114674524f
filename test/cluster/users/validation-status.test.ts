import { beforeAll, describe, expect, test } from 'vitest';
import { kindSchema } from '../../../crds/manifest.ts';
import { definitions } from '../../../src/kinds/definitions.ts';
import { newNamespace } from '../../controlplane/client.ts';
import { ensureCrds } from '../../support/crd.ts';
import { GOOD, idsOf, KINDS, type Kind, manifestOf, NAMES } from '../../support/kinds.ts';
import { printedTable, succeed } from '../../support/kubectl.ts';
import { largest } from '../../support/largest.ts';
import { putStatus } from '../../support/object-requests.ts';

/** What the API server does with a status: its default, its columns, its bounds. */

const AT = '2026-01-01T00:00:00Z';
const REQUEST_ID = '6f1f2a34-0000-4000-8000-1234567890ab';

const ready = {
  type: 'Ready',
  status: 'True',
  reason: 'Applied',
  message: 'All is well',
  observedGeneration: 1,
  lastTransitionTime: AT,
};
const stalled = { ...ready, type: 'Stalled' };
const whole = {
  observedGeneration: 1,
  conditions: [ready],
  lastRequest: {
    operation: 'AnOperation',
    requestId: REQUEST_ID,
    httpStatus: 200,
    outcome: 'Succeeded',
    time: AT,
  },
  nextAttemptTime: '2999-01-01T00:00:00Z',
};
const requestHash = `sha256:${'0'.repeat(64)}`;
const applied = { time: AT, generation: 1, requestId: REQUEST_ID, requestHash, keys: ['name'] };
const entry = { id: 'a', cloudProvider: 'gcp', region: 'x', origin: 'Added', state: 'Present' };

let namespace: string;
beforeAll(async () => {
  await ensureCrds();
  namespace = await newNamespace();
});

async function create(kind: Kind, name: string, spec: object = GOOD[kind]): Promise<void> {
  const object = JSON.stringify(manifestOf(kind, name, spec));
  await succeed(['apply', '--server-side', '-n', namespace, '-f', '-'], object);
}

/** What came of a status write, and what is stored then. */
async function write(kind: Kind, name: string, status: unknown) {
  const { status: code, json } = await putStatus(namespace, kind, name, status);
  return { code, message: json.message as unknown, status: json.status as unknown };
}

function schemaOf(kind: Kind) {
  const definition = definitions.find(({ shortName }) => shortName === kind);
  if (!definition) throw new Error(`no kind has the short name ${kind}`);
  return kindSchema(definition);
}

describe.each(KINDS)('%s', (kind) => {
  test('is Pending before anyone has looked at it, and Unknown in its columns', async () => {
    await create(kind, 'fresh');
    const get = ['get', kind, 'fresh', '-n', namespace, '-o', 'jsonpath={.status}'];
    expect(JSON.parse(await succeed(get))).toEqual({
      observedGeneration: -1,
      conditions: [
        {
          type: 'Ready',
          status: 'Unknown',
          reason: 'Pending',
          message: expect.stringContaining('Not tried yet'),
          observedGeneration: -1,
          lastTransitionTime: '1970-01-01T00:00:00Z',
        },
      ],
    });
    expect(await printedTable([kind, 'fresh', '-n', namespace])).toMatchObject([
      { NAME: 'fresh', READY: 'Unknown', REASON: 'Pending', AGE: expect.stringMatching(/^\d+s$/) },
    ]);
  });

  test('takes a status at its largest', async () => {
    // The dearest characters would take an Organization past what etcd stores: its texts are cut.
    const status = largest(schemaOf(kind).status, ...(kind === 'porg' ? ['a'] : []));
    await create(kind, 'huge', kind === 'porg' ? { ...GOOD.porg, ...LONGEST_LIST } : GOOD[kind]);
    expect(await write(kind, 'huge', status)).toEqual({ code: 200, message: undefined, status });
  });

  test('is found by its ids and its Secret', async () => {
    const unlike = idsOf(kind)
      .filter((id) => id !== 'organizationId')
      .map((id) => [id, 'other']);
    const credentialsSecretRef = { name: 'rare' };
    const spec = { ...GOOD[kind], ...Object.fromEntries(unlike), credentialsSecretRef };
    await create(kind, 'unlike', spec);
    const found = (selector: string) =>
      succeed(['get', kind, '-n', namespace, '-o', 'name', '--field-selector', selector]);
    const only = expect.stringMatching(/^\S+\/unlike\n$/);
    expect(await found('spec.credentialsSecretRef.name=rare')).toEqual(only);
    for (const [id] of unlike) expect(await found(`spec.${id}=other`)).toEqual(only);
    const { organizationId } = GOOD[kind];
    expect(await found(`spec.organizationId=${organizationId}`)).toContain('/unlike\n');
    expect(await found('spec.organizationId=other')).toBe('');
  });
});

const LONGEST_LIST = {
  privateEndpoints: Array.from({ length: 100 }, (_, index) => ({
    id: `${index}-`.padEnd(512, 'i'),
    cloudProvider: 'p'.repeat(64),
    region: 'r'.repeat(64),
    description: '\u0001'.repeat(512),
  })),
};

describe('kubectl', () => {
  test('finds every kind by its names and by the category', async () => {
    for (const short of KINDS) {
      await create(short, 'named');
      const { kind, plural } = NAMES[short];
      for (const name of [short, kind.toLowerCase(), plural])
        expect(await succeed(['get', name, '-n', namespace, '-o', 'name'])).toContain('/named\n');
    }
    const inCategory = await succeed(['get', 'pipewright', '-n', namespace, '-o', 'name']);
    expect(inCategory.match(/\/named$/gm)).toHaveLength(KINDS.length);
  });

  const wide = {
    NAME: 'shown',
    READY: 'True',
    REASON: 'Applied',
    STALLED: '',
    AGE: expect.stringMatching(/^\d+s$/),
    'REQUEST ID': REQUEST_ID,
    'NEXT ATTEMPT': '2999-01-01T00:00:00Z',
    MESSAGE: 'All is well',
  };
  const since = { 'LAST APPLIED': expect.stringMatching(/^\d+[dy]/) };
  const record = { type: 'create_pipe', actorId: 'user-1', createdAt: 'yesterday' };
  test.each([
    ['pset', { applied }, { ...since, SERVICE: 'service', PIPE: 'pipe' }],
    ['porg', { applied, conditions: [ready, stalled] }, { ...since, STALLED: 'True' }],
    [
      'pact',
      { activity: record },
      { TYPE: 'create_pipe', ACTOR: 'user-1', CREATED: 'yesterday', ACTIVITY: 'record' },
    ],
  ] as const)('shows of a %s with -o wide what helps', async (kind, status, own) => {
    await create(kind, 'shown');
    expect((await write(kind, 'shown', { ...whole, ...status })).code).toBe(200);
    const rows = await printedTable([kind, 'shown', '-n', namespace, '-o', 'wide']);
    const { organizationId: ORGANIZATION } = GOOD[kind];
    expect(rows).toEqual([{ ...wide, ...own, ORGANIZATION }]);
  });
});

describe('a status is refused whole with', () => {
  const tooMany = Array.from({ length: 221 }, () => entry);
  const different = (reported: unknown) => ({ differences: [{ field: 'x', reported }] });
  test.each<[string, Kind, object, string]>([
    ['a time that is none', 'pset', { nextAttemptTime: 'soon' }, 'nextAttemptTime'],
    ['a condition twice', 'pset', { conditions: [ready, ready] }, 'conditions[1]: Duplicate'],
    ['a list as a value', 'pset', different([1]), 'status.differences'],
    ['too long a text', 'pset', different('x'.repeat(65)), 'status.differences'],
    ['an inexact number', 'pset', { settings: { engine_max_threads: 2 ** 53 } }, 'max_threads'],
    ['no region', 'porg', { privateEndpoints: [{ ...entry, region: undefined }] }, '[0].region'],
    ['221 endpoints', 'porg', { privateEndpoints: tooMany }, 'Too many: 221'],
  ])('%s', async (what, kind, part, says) => {
    const name = what.toLowerCase().replaceAll(' ', '-');
    await create(kind, name);
    const { code, message } = await write(kind, name, { ...whole, ...part });
    expect({ code, message }).toEqual({ code: 422, message: expect.stringContaining(says) });
  });
});
