import { beforeAll, expect, test } from 'vitest';
import { kindSchema } from '../../crds/manifest.ts';
import { definition } from '../../src/kinds/pipe-settings/definition.ts';
import type { PipeSettingsStatus } from '../../src/kinds/pipe-settings/resource.ts';
import { newNamespace, waitFor } from '../controlplane/client.ts';
import { printedTable } from '../support/columns.ts';
import { goodSpec, installCrds, pipeSettings, putStatus, succeed } from '../support/crd.ts';
import { largest } from '../support/largest.ts';

const KIB = 1024;
const REQUEST_ID = '6f1f2a34-0000-4000-8000-1234567890ab';

const readyStatus = {
  observedGeneration: 1,
  conditions: [
    {
      type: 'Ready',
      status: 'True',
      reason: 'Applied',
      message: 'All settings are confirmed',
      observedGeneration: 1,
      lastTransitionTime: '2026-01-01T00:00:00Z',
    },
  ],
  lastRequest: {
    operation: 'PutSettings',
    requestId: REQUEST_ID,
    httpStatus: 200,
    outcome: 'Succeeded',
    time: '2026-01-01T00:00:00Z',
  },
  nextAttemptTime: '2999-01-01T00:00:00Z',
  applied: {
    time: '2026-01-01T00:00:00Z',
    generation: 1,
    requestId: REQUEST_ID,
    requestHash: `sha256:${'0'.repeat(64)}`,
    keys: ['engine_max_threads'],
  },
} satisfies PipeSettingsStatus;

let namespace: string;

beforeAll(async () => {
  await installCrds();
  namespace = await newNamespace();
});

async function create(name: string, spec: unknown = goodSpec): Promise<void> {
  await succeed(['create', '-n', namespace, '-f', '-'], JSON.stringify(pipeSettings(name, spec)));
}

const table = (args: readonly string[]) => printedTable(['pset', '-n', namespace, ...args]);

test('a new object says Pending before anyone has visited it', async () => {
  await create('fresh');
  const stored = JSON.parse(await succeed(['get', 'pset', 'fresh', '-n', namespace, '-o', 'json']));
  expect(stored.status).toEqual({
    observedGeneration: -1,
    conditions: [expect.objectContaining({ type: 'Ready', status: 'Unknown', reason: 'Pending' })],
  });
  expect(await table(['fresh'])).toEqual([
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

test.for([
  ['spec.pipeId', { pipeId: 'p-1' }, 'p-1'],
  ['spec.credentialsSecretRef.name', { credentialsSecretRef: { name: 'k-1' } }, 'k-1'],
] as const)('a field selector by %s finds only those', async ([path, part, value]) => {
  const name = `by-${path.toLowerCase().replaceAll('.', '-')}`;
  await create(name, { ...goodSpec, ...part });
  const selector = `--field-selector=${path}=${value}`;
  const found = await succeed(['get', 'pset', '-n', namespace, '-o', 'name', selector]);
  expect(found.trim()).toBe(`pipesettings.pipewright.dev/${name}`);
});

test('kubectl explain tells ranges and units', async () => {
  // The API server publishes its documentation a moment after it serves the kind.
  const explain = (path: string): Promise<string> =>
    waitFor(() => succeed(['explain', path]), { what: `kubectl explain ${path}` });
  const explained = await explain('pipesettings.spec.settings');
  expect(explained.replaceAll(/\s+/g, ' ')).toContain(
    '10485760 to 53687091200 bytes (10 MiB to 50 GiB).',
  );
  expect(await explain('pset.spec.reassertInterval')).toContain('10m to 8760h');
  expect(await explain('pset.status.lastRequest.outcome')).toContain('it is not known');
});

test('a status as large as the schema allows is taken, and is under 288 KiB', async () => {
  await create('huge');
  const status = largest(kindSchema(definition).status);
  const answer = await putStatus(namespace, 'huge', status);
  expect({ code: answer.status, message: answer.json.message }).toEqual({
    code: 200,
    message: undefined,
  });
  expect(answer.json.status).toEqual(status);
  const stored = JSON.stringify(answer.json.status);
  expect(Buffer.byteLength(stored)).toBeLessThan(288 * KIB);
});

test.for<[string, unknown, string]>([
  [
    'a message too long',
    { lastRequest: { ...readyStatus.lastRequest, message: 'x'.repeat(1025) } },
    'status.lastRequest.message',
  ],
  ['a time that is none', { nextAttemptTime: 'soon' }, 'status.nextAttemptTime'],
  [
    'one drift too many',
    { drift: Array.from({ length: 13 }, () => ({ field: 'x', time: '2026-01-01T00:00:00Z' })) },
    'status.drift',
  ],
  [
    'one condition twice',
    { conditions: [...readyStatus.conditions, ...readyStatus.conditions] },
    'status.conditions',
  ],
  [
    'a list where a scalar belongs',
    { differences: [{ field: 'x', declared: 1, reported: [1] }] },
    'status.differences',
  ],
  [
    'an object where a scalar belongs',
    { differences: [{ field: 'x', declared: 1, reported: { a: 1 } }] },
    'status.differences',
  ],
  [
    'text too long for a scalar',
    { differences: [{ field: 'x', declared: 1, reported: 'x'.repeat(65) }] },
    'status.differences',
  ],
  [
    'a whole number beyond what is exact',
    { settings: { engine_max_threads: 2 ** 53 } },
    'status.settings.engine_max_threads',
  ],
])('a status with %s is refused whole', async ([, wrong, field], { task }) => {
  const name = task.id.toLowerCase().replaceAll(/[^a-z0-9]+/g, 'x');
  await create(name);
  const answer = await putStatus(namespace, name, { ...readyStatus, ...(wrong as object) });
  expect({ code: answer.status, message: answer.json.message }).toEqual({
    code: 422,
    message: expect.stringContaining(field),
  });
});

test('what a reply may hold breaks nothing: settings out of range, text of any kind, numbers and booleans as they are', async () => {
  await create('odd');
  const odd = {
    ...readyStatus,
    settings: { engine_max_threads: -5, object_storage_concurrency: 9_007_199_254_740_991 },
    otherSettings: [{ field: '__proto__', value: '{"a":"\u0000\u2028<&>🙂"}' }],
    differences: [
      { field: 'engine_max_threads', declared: 8, reported: 4.5 },
      { field: 'engine_parallel_view_processing', declared: true, reported: '🙂'.repeat(64) },
    ],
    lastRequest: { ...readyStatus.lastRequest, requestId: '\u0001 not a uuid', httpStatus: 999 },
    unconfirmedWrite: { time: '2026-01-01T00:00:00Z', requestHash: 'sha256:0' },
  } satisfies PipeSettingsStatus;
  const answer = await putStatus(namespace, 'odd', odd);
  expect({ code: answer.status, message: answer.json.message }).toEqual({
    code: 200,
    message: undefined,
  });
  expect(answer.json.status).toEqual(odd);
});
