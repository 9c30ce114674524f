import { beforeAll, expect, test } from 'vitest';
import { kindSchema } from '../../crds/manifest.ts';
import { definition } from '../../src/kinds/organization/definition.ts';
import { LIMITS } from '../../src/kinds/organization/endpoints.ts';
import {
  type OrganizationStatus,
  organizationType,
} from '../../src/kinds/organization/resource.ts';
import { newNamespace, waitFor } from '../controlplane/client.ts';
import { printedTable } from '../support/columns.ts';
import {
  goodOrganization as good,
  installCrds,
  manifest,
  putStatus,
  succeed,
} from '../support/crd.ts';
import { largest } from '../support/largest.ts';

const REQUEST_ID = '6f1f2a34-0000-4000-8000-1234567890ab';
const AT = '2026-01-01T00:00:00Z';
const tuple = { id: 'psc-1', cloudProvider: 'gcp', region: 'ap-northeast-1' };

const readyStatus = {
  observedGeneration: 1,
  conditions: [
    {
      type: 'Ready',
      status: 'True',
      reason: 'Applied',
      message: 'The name and 1 private endpoint are confirmed',
      observedGeneration: 1,
      lastTransitionTime: AT,
    },
  ],
  lastRequest: {
    operation: 'PatchOrganization',
    requestId: REQUEST_ID,
    httpStatus: 200,
    outcome: 'Succeeded',
    time: AT,
  },
  nextAttemptTime: '2999-01-01T00:00:00Z',
  applied: {
    time: AT,
    generation: 1,
    requestId: REQUEST_ID,
    requestHash: `sha256:${'0'.repeat(64)}`,
    keys: ['name', 'privateEndpoints'],
  },
  privateEndpoints: [{ ...tuple, origin: 'Added', state: 'Present' }],
} satisfies OrganizationStatus;

let namespace: string;

beforeAll(async () => {
  await installCrds();
  namespace = await newNamespace();
});

const create = (name: string, spec: unknown = good) =>
  succeed(
    ['apply', '--server-side', '-n', namespace, '-f', '-'],
    JSON.stringify(manifest(organizationType, name, spec)),
  );
const table = (...args: readonly string[]) => printedTable(['porg', '-n', namespace, ...args]);

/** What came of a status write, and what is stored then. */
async function write(name: string, status: unknown) {
  const { status: code, json } = await putStatus(namespace, name, status, organizationType);
  return { code, message: json.message as unknown, status: json.status as unknown };
}

test('a new object says Pending before anyone has visited it', async () => {
  await create('fresh');
  const stored = JSON.parse(
    await succeed(['get', 'organization', 'fresh', '-n', namespace, '-o', 'json']),
  );
  expect(stored.status).toEqual({
    observedGeneration: -1,
    conditions: [expect.objectContaining({ type: 'Ready', status: 'Unknown', reason: 'Pending' })],
  });
  expect(await table('fresh')).toEqual([
    {
      NAME: 'fresh',
      READY: 'Unknown',
      REASON: 'Pending',
      STALLED: '',
      'LAST APPLIED': '',
      AGE: expect.stringMatching(/^\d+s$/),
    },
  ]);
});

test('kubectl get shows what matters, and with -o wide what helps', async () => {
  await create('shown');
  expect(await write('shown', readyStatus)).toMatchObject({ code: 200 });
  const narrow = {
    NAME: 'shown',
    READY: 'True',
    REASON: 'Applied',
    STALLED: '',
    'LAST APPLIED': expect.stringMatching(/^\d+[dy]/),
    AGE: expect.stringMatching(/^\d+s$/),
  };
  expect(await table('shown')).toEqual([narrow]);
  expect(await table('shown', '-o', 'wide')).toEqual([
    {
      ...narrow,
      ORGANIZATION: good.organizationId,
      'REQUEST ID': REQUEST_ID,
      'NEXT ATTEMPT': '2999-01-01T00:00:00Z',
      MESSAGE: 'The name and 1 private endpoint are confirmed',
    },
  ]);
});

test('every name of the kind, and the category, finds it', async () => {
  await create('found');
  for (const name of ['organizations', 'organization', 'porg', 'pipewright'])
    expect(await succeed(['get', name, '-n', namespace, '-o', 'name'])).toContain(
      'organization.pipewright.dev/found',
    );
});

test.for([
  ['spec.organizationId', 'lower case with hyphens, 36 characters. Quote it in YAML. Immutable.'],
] as const)('kubectl explain tells of %s', async ([path, words]) => {
  // The API server publishes its documentation a moment after it serves the kind.
  const what = `kubectl explain porg.${path}`;
  const explained = await waitFor(() => succeed(['explain', `porg.${path}`]), { what });
  expect(explained.replaceAll(/\s+/g, ' ')).toContain(words);
});

test('the largest status in plain characters is taken, beside the largest list', async () => {
  const privateEndpoints = Array.from({ length: 100 }, (_, index) => ({
    id: `${index}-`.padEnd(512, 'i'),
    cloudProvider: 'p'.repeat(64),
    region: 'r'.repeat(64),
    description: '\u0001'.repeat(512),
  }));
  await create('huge', { ...good, privateEndpoints });
  const status = largest(kindSchema(definition).status, 'a');
  expect(await write('huge', status)).toEqual({ code: 200, message: undefined, status });
});

test('what is never cut is taken at its largest in the dearest characters, beside the same list', async () => {
  const all = largest(kindSchema(definition).status) as OrganizationStatus;
  const { conditions, lastRequest, applied, pendingChange } = all;
  // `isStorable` lets only plain characters into an inventory.
  const plain = {
    id: 'a'.repeat(LIMITS.id),
    cloudProvider: 'a'.repeat(LIMITS.cloudProvider),
    region: 'a'.repeat(LIMITS.region),
  };
  const inventory = all.privateEndpoints?.map((one) => ({
    ...one,
    ...plain,
    description: '',
    lastError: { httpStatus: 400 },
  }));
  const status = {
    ...readyStatus,
    conditions,
    lastRequest,
    applied,
    pendingChange: {
      time: AT,
      add: pendingChange?.add.map(() => plain) ?? [],
      remove: pendingChange?.remove.map(() => plain) ?? [],
    },
    privateEndpoints: inventory,
  };
  expect(await write('huge', status)).toEqual({ code: 200, message: undefined, status });
});

test('what a reply may hold breaks nothing: odd text, none, too many, ids listed twice', async () => {
  await create('odd');
  const text = '\u0000\u2028<&>"\\🙂 \n';
  const odd = {
    ...readyStatus,
    organization: {
      id: 'not a uuid',
      name: '',
      createdAt: 'yesterday',
      privateEndpoints: [
        { id: text, description: text, cloudProvider: text, region: text },
        {},
        tuple,
        tuple,
      ],
      privateEndpointsTotal: 4711,
      byocConfig: [
        { id: text, state: text, accountName: text, regionId: text, cloudProvider: text },
        {},
      ],
    },
    privateEndpoints: [
      {
        ...tuple,
        description: text,
        origin: 'Found',
        state: 'Refused',
        since: AT,
        lastError: { httpStatus: 999, requestId: text, message: '🙂'.repeat(200) },
        attempts: 3,
        nextAttemptTime: AT,
      },
    ],
    differences: [
      {
        field: `privateEndpoints[${tuple.id}].description`,
        declared: '',
        reported: '🙂'.repeat(64),
      },
    ],
    drift: [{ field: 'name', from: text, to: 4.5, time: AT }],
  } satisfies OrganizationStatus;
  expect(await write('odd', odd)).toEqual({ code: 200, message: undefined, status: odd });
});

test('a list that was never reported, an empty one and an empty pending change are kept apart', async () => {
  await create('apart');
  for (const part of [
    { organization: {} },
    { organization: { privateEndpoints: [] } },
    { pendingChange: { time: AT, add: [], remove: [] } },
    {
      pendingChange: {
        time: AT,
        add: [tuple],
        remove: [{ ...tuple, region: 'us-east1' }],
      },
    },
    { listLeftOutSince: AT, verified: { time: AT, apiHash: 'sha256:0' } },
  ]) {
    const status = { ...readyStatus, ...part };
    expect(await write('apart', status)).toEqual({ code: 200, message: undefined, status });
  }
});

const entry = readyStatus.privateEndpoints[0];

test.for<[string, object, string]>([
  [
    'an endpoint without region',
    { privateEndpoints: [{ ...entry, region: undefined }] },
    'privateEndpoints[0].region',
  ],
  [
    '221 endpoints',
    { privateEndpoints: Array.from({ length: 221 }, () => entry) },
    'status.privateEndpoints: Too many',
  ],
])('a status with %s is refused whole', async ([name, wrong, field]) => {
  const object = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  await create(object);
  expect(await write(object, { ...readyStatus, ...wrong })).toMatchObject({
    code: 422,
    message: expect.stringContaining(field),
  });
});
