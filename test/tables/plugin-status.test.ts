import { describe, expect, test } from 'vitest';
import { ACME, endpoint, PIPE, stored } from './plugin/objects.ts';
import { pipewright } from './plugin/run.ts';

type Told = NonNullable<Parameters<typeof stored>[2]>;

const called = (name: string, told: Told) =>
  stored('PipeSettings', PIPE, { ...told, metadata: { ...told.metadata, name } });

/** What `status` prints of these objects, without the names of kubectl. */
const status = (items: readonly object[], flags: readonly string[] = [], columns?: number) =>
  pipewright(['status', ...flags], { get: { items } }, columns === undefined ? {} : { columns });
const storyOf = async (object: object): Promise<string> =>
  (await pipewright(['status', 'pset/one'], { get: object })).stdout;

/** `Who must act` and `Next` of a story, each a line. */
const answersIn = (story: string): string[] =>
  [...story.matchAll(/^(?:Who must act|Next):\n {2}(.*)$/gm)].map(([, line = '']) => line);

const PERSON = 'Nothing, until somebody mends it.';
const CHANGE = 'Nothing, until somebody changes something.';
const TURN = 'It is the operator’s turn. If nothing happens: kubectl pipewright check';

describe('the state of an object, who must act, and what is next', () => {
  const deleted = { deletionTimestamp: '2026-03-01T11:59:00Z', finalizers: ['theirs/one'] };
  const nextAttemptTime = '2026-03-01T12:04:00Z';
  test.each<[string, string, Told, string, string]>([
    ['Ready (Applied)', 'it is confirmed', {}, 'Nobody.', CHANGE],
    [
      'Stalled (Rejected)',
      'a person must act',
      { ready: 'False', reason: 'Rejected', beside: 'Stalled' },
      'The owner of the object. Correct the spec.',
      PERSON,
    ],
    [
      'Stalled (Unauthorized)',
      'it is tried again all the same',
      {
        ready: 'False',
        reason: 'Unauthorized',
        beside: 'Stalled',
        status: { nextAttemptTime },
      },
      'The owner of the API key. Correct the Secret; it is used at once.',
      `The operator acts by itself in 4m (${nextAttemptTime}).`,
    ],
    [
      'Not ready (NotFound)',
      'it goes on by itself before a person must act',
      { ready: 'False', reason: 'NotFound', beside: 'Reconciling' },
      'The operator, by itself; else the owner of the object. Check the ids, the organization of the key, --api-url, and that this type of pipe has settings.',
      TURN,
    ],
    [
      'Suspended (Suspended)',
      'its owner wants it so',
      { reason: 'Suspended' },
      'The owner of the object. Set spec.suspend to false to continue.',
      CHANGE,
    ],
    [
      'Planned (Planned)',
      'it is in Plan mode',
      { ready: 'False', reason: 'Planned' },
      'The owner of the object. Read status.plan, then set spec.mode to Apply.',
      CHANGE,
    ],
    [
      'Ready (Applied)',
      'a retry was asked for',
      { metadata: { annotations: { 'pipewright.dev/reconcile-requested-at': 'x' } } },
      'Nobody.',
      TURN,
    ],
    [
      'Waiting (Pending)',
      'its generation is new',
      { metadata: { generation: 3 } },
      'The operator, by itself; else the administrator of the operator. If it stays so, check that an operator is running and watches this namespace (--namespaces, --selector).',
      TURN,
    ],
    [
      'Deleting (Deleting)',
      'somebody has a finalizer on it',
      { metadata: { ...deleted, generation: 3 } },
      'The operator, by itself; else the administrator of the operator. If it stays so, check that an operator is running and watches this namespace (--namespaces, --selector).',
      TURN,
    ],
  ])('%s: %s', async (state, _, told, who, next) => {
    const story = await storyOf(stored('PipeSettings', PIPE, told));
    expect(story.split('\n')[0]).toBe(`PipeSettings ingest/one: ${state}.`);
    expect(answersIn(story)).toEqual([who, next]);
  });

  test.each<[string, Told, string]>([
    [
      'what was said of the generation before',
      { metadata: { generation: 3 } },
      'The operator has not acted on generation 3 yet. It said of generation 2: it says Applied',
    ],
    ['that nobody has tried', { status: { conditions: [], observedGeneration: -1 } }, 'Not tried'],
    [
      'which finalizer keeps it',
      { metadata: { ...deleted, generation: 3 } },
      'it is gone when no finalizer is on it: theirs/one',
    ],
  ])('the message says %s', async (_, told, says) => {
    const story = await storyOf(stored('PipeSettings', PIPE, told));
    expect(story.split('\n')[1]).toContain(says);
  });
});

describe('the table', () => {
  const applied = { time: '2026-03-01T09:00:00Z' };
  const all = [
    called('a-ready', { status: { applied } }),
    called('b-waits', {
      ready: 'False',
      reason: 'RateLimited',
      status: { nextAttemptTime: '2026-03-01T12:04:00Z' },
    }),
    called('c-stalled', { ready: 'False', reason: 'Rejected', beside: 'Stalled' }),
    called('d-planned', { ready: 'False', reason: 'Planned' }),
  ];

  test('has what needs a person first, then what goes on by itself, then what is ready', async () => {
    const { code, stdout } = await status(all);
    const lines = stdout.trimEnd().split('\n');
    expect(code).toBe(0);
    expect(lines.map((line) => line.split(/ {3,}/))).toEqual([
      ['OBJECT', 'STATE', 'REASON', 'CONFIRMED', 'NEXT', 'MESSAGE'],
      ['pset/c-stalled', 'Stalled', 'Rejected', '-', 'person', 'it says Rejected'],
      ['pset/b-waits', 'Not ready', 'RateLimited', '-', 'in 4m', 'it says RateLimited'],
      ['pset/d-planned', 'Planned', 'Planned', '-', '-', 'it says Planned'],
      ['pset/a-ready', 'Ready', 'Applied', '3h ago', '-'],
      ['4 objects: 1 Stalled, 1 Not ready, 1 Planned, 1 Ready'],
    ]);
  });

  test('fits a terminal, and names namespaces where there are several', async () => {
    const { stdout, asked } = await status(all, ['-A', '-l', 'team=data'], 40);
    const lines = stdout.trimEnd().split('\n');
    expect(lines[1]).toBe('ingest      pset/c-stalled   Stalled    …'.slice(0, 39).concat('…'));
    expect(lines.slice(0, -1).every((line) => line.length <= 40)).toBe(true);
    expect(asked).toEqual([
      'get pipesettings.pipewright.dev,organizations.pipewright.dev,activities.pipewright.dev -A -l team=data -o json',
    ]);
  });

  test('says where to look for what is not there', async () => {
    expect((await status([])).stdout).toContain('in this namespace; -A looks in all');
  });

  test.each<[string, Told, number]>([
    ['what is Ready', {}, 0],
    ['what is not Ready', { ready: 'False', reason: 'Conflict', beside: 'Reconciling' }, 2],
    ['what is Ready and Stalled', { beside: 'Stalled' }, 2],
  ])('--check ends for %s with %o: %i', async (_, told, code) => {
    expect((await status([called('one', told)], ['--check'])).code).toBe(code);
  });
});

describe('the story', () => {
  const time = '2026-03-01T09:00:00Z';

  test('says what is declared, confirmed, different, tried, and who must act', async () => {
    const keys = ['engine_max_threads'];
    const change = { field: 'engine_max_threads', from: 2, to: 4 };
    const told = {
      attempts: 4,
      applied: { time, generation: 1, requestId: 'req-1', keys },
      notReported: ['engine_max_insert_threads'],
      differences: [{ field: 'engine_max_threads', declared: 8, reported: 4 }],
      lastRequest: {
        operation: 'UpdatePipeSettings',
        time: '2026-03-01T11:55:00Z',
        outcome: 'Unknown',
        httpStatus: 503,
        requestId: 'req-2',
        message: 'later\u001b[31m',
      },
      history: [{ time, generation: 1, changes: [change] }],
      drift: [{ field: 'engine_max_insert_threads', from: 1, time: '2026-02-28T12:00:00Z' }],
    };
    const object = stored('PipeSettings', PIPE, {
      ready: 'False',
      reason: 'NotConfirmed',
      beside: 'Stalled',
      status: told,
    });
    expect(await storyOf(object)).toBe(`PipeSettings ingest/one: Stalled (NotConfirmed).
  it says NotConfirmed
Declared:
  Generation 2, with the key in the Secret "api".
  organizationId: "o"
  serviceId: "s"
  pipeId: "p"
  engine_max_threads: 8
Confirmed:
  The API confirmed generation 1, an earlier one, 3h ago (2026-03-01T09:00:00Z), request req-1: engine_max_threads.
  The response omitted engine_max_insert_threads.
Differs:
  engine_max_threads is declared as 8, but the API reports 4.
Tried last:
  UpdatePipeSettings 5m ago (2026-03-01T11:55:00Z): Unknown (it is not known whether the call took effect), HTTP 503, request req-2.
  It was told: later [31m
  It has failed 4 times in a row.
Who must act:
  The owner of the object. If it stays so, declare what the API reports.
Next:
  Nothing, until somebody mends it.
History, newest first:
  3h ago, generation 1:
    engine_max_threads: 2 → 4
Drift, newest first:
  24h ago: engine_max_insert_threads: 1 → ?
`);
  });

  test('of an organization has its inventory and what is in flight', async () => {
    const lastError = { httpStatus: 422, requestId: 'req-3', message: 'no such region' };
    const refused = { ...endpoint('psc-1'), origin: 'Added', state: 'Refused', lastError };
    const object = stored('Organization', ACME, {
      metadata: { annotations: { 'pipewright.dev/reconcile-requested-at': 'now' } },
      status: {
        organization: { privateEndpointsTotal: 3 },
        privateEndpoints: [refused],
        pendingChange: { time, add: [endpoint('psc-2')], remove: [] },
      },
    });
    const story = await storyOf(object);
    expect(story).toContain(`
  A retry was asked for (now), and is not answered yet.
Private endpoints:
  The API last listed 3 private endpoints.
  psc-1 (gcp/r1) Refused: the API refused it; Added: added by this object.
    refused with HTTP 422, request req-3: no such region
  In flight since 2026-03-01T09:00:00Z: add psc-2; the next response shows what came of it.
`);
  });

  test('of a plan says what was not sent', async () => {
    const requests = [{ method: 'PUT', path: '/v1/x', body: '{}' }];
    const plan = { time, requests, changes: [{ field: 'privateEndpoints[a]', to: 'gcp/r1' }] };
    const object = stored('Organization', ACME, { reason: 'Planned', status: { plan } });
    expect(await storyOf(object)).toContain(
      'Planned:\n  Made 3h ago; nothing of it was sent.\n  add privateEndpoints[a] "gcp/r1"\n  PUT /v1/x {}\n',
    );
  });
});
