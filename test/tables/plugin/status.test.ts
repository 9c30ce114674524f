import { describe, expect, test } from 'vitest';
import { ACME, endpoint, failed, pipe, stored, type Told } from './objects.ts';
import { pipewright } from './run.ts';

const storyOf = async (object: object): Promise<string> =>
  (await pipewright(['status', 'pset/one'], { get: object })).stdout;

const time = '2026-03-01T09:00:00Z';
const PERSON = 'Nothing, until a person corrects the cause.';
const CHANGE = 'Nothing, until the object is changed.';
const TURN = 'It is the operator’s turn. If nothing happens: kubectl pipewright check';
const IN_4_MIN = 'The operator acts by itself in 4m (2026-03-01T12:04:00Z).';
const EARLY = 'The operator, by itself; else the owner of the object. Check the ids';
const UNHEARD = 'The operator, by itself; else the administrator of the operator. If it';
const EDITED = 'The operator has not acted on generation 3 yet. It said of generation 2: it says';
const LEFT = `deleted since ${time}; waits for the finalizers: theirs/one`;
const OWNER = 'The owner of the object.';
const KEY_OWNER = 'The owner of the API key';

describe('the state of an object, who must act, what is next, and what --check says', () => {
  const at = { status: { nextAttemptTime: '2026-03-01T12:04:00Z' } };
  const unheard = { observedGeneration: -1, conditions: [] };
  const asking = (value: string) => ({
    annotations: { 'pipewright.dev/reconcile-requested-at': value },
  });
  const deleted = { deletionTimestamp: time, finalizers: ['theirs/one'], generation: 3 };
  test.each<[string, Told, string, string, (0 | 2)?]>([
    ['Ready (Applied).\n  it says Applied', {}, 'Nobody.', CHANGE, 0],
    ['Ready (Applied).', { metadata: asking('x') }, 'Nobody.', TURN, 0],
    ['Ready (Applied).', { metadata: asking('') }, 'Nobody.', CHANGE, 0],
    ['Stalled (Rejected).', failed('Rejected', 'Stalled'), OWNER, PERSON],
    ['Stalled (Forbidden).', { ...failed('Forbidden', 'Stalled'), ...at }, KEY_OWNER, IN_4_MIN],
    ['Not ready (NotFound).', failed('NotFound', 'Reconciling'), EARLY, TURN],
    ['Suspended (Suspended).', { reason: 'Suspended' }, OWNER, CHANGE, 0],
    ['Planned (Planned).', failed('Planned'), OWNER, CHANGE],
    ['Waiting (Pending).\n  Not', { status: unheard }, UNHEARD, TURN],
    [`Waiting (Pending).\n  ${EDITED}`, { metadata: { generation: 3 } }, UNHEARD, TURN],
    [`Deleting (Deleting).\n  Being ${LEFT}`, { metadata: deleted }, UNHEARD, TURN],
  ])('%s', async (state, told, who, next, check = 2) => {
    const args = ['status', 'pset/one', '--check'];
    const { code, stdout: story } = await pipewright(args, { get: pipe(told) });
    expect(code).toBe(check);
    expect(story).toContain(`PipeSettings ingest/one: ${state}`);
    expect(story).toContain(`\nWho must act:\n  ${who}`);
    expect(story).toContain(`\nNext:\n  ${next}\n`);
  });
});

test('the story says what is declared, confirmed, different, tried, and who must act', async () => {
  const status = {
    attempts: 4,
    applied: { time, generation: 1, requestId: 'req-1', keys: ['engine_max_threads'] },
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
    history: [{ time, generation: 1, changes: [{ field: 'engine_max_threads', from: 2, to: 4 }] }],
    drift: [{ field: 'engine_max_insert_threads', from: 1, time: '2026-02-28T12:00:00Z' }],
  };
  const story = await storyOf(pipe({ ...failed('NotConfirmed', 'Stalled'), status }));
  expect(story).toBe(`PipeSettings ingest/one: Stalled (NotConfirmed).
  it says NotConfirmed
Declared:
  Generation 2, with the key in the Secret "api".
  organizationId: "org"
  serviceId: "service"
  pipeId: "pipe"
  engine_max_threads: 8
Confirmed:
  The API confirmed generation 1, an earlier one, 3h ago (2026-03-01T09:00:00Z), request req-1: engine_max_threads.
  The response omitted engine_max_insert_threads.
Differs:
  engine_max_threads is declared as 8, but the API reports 4.
Tried last:
  UpdatePipeSettings 5m ago (2026-03-01T11:55:00Z): Unknown (it is not known whether the call took effect), HTTP 503, request req-2.
  Reported: later [31m
  It has failed 4 times in a row.
Who must act:
  The owner of the object. If it stays so, declare what the API reports.
Next:
  Nothing, until a person corrects the cause.
History, newest first:
  3h ago, generation 1:
    engine_max_threads: 2 → 4
Drift, newest first:
  24h ago: engine_max_insert_threads: 1 → unknown
`);
});

test('the story of an organization has its inventory and what is in flight', async () => {
  const lastError = { httpStatus: 422, requestId: 'req-3', message: 'no such region' };
  const refused = { ...endpoint('psc-1'), origin: 'Added', state: 'Refused', lastError };
  const status = {
    organization: { privateEndpointsTotal: 3 },
    privateEndpoints: [refused],
    pendingChange: { time, add: [endpoint('psc-2')], remove: [] },
  };
  expect(await storyOf(stored('Organization', ACME, { status }))).toContain(`
Private endpoints:
  The API last listed 3 private endpoints, see status.organization.
  psc-1 (gcp/r1) Refused: the API refused it; Added: added by this object.
    refused with HTTP 422, request req-3: no such region
  In flight since 2026-03-01T09:00:00Z: add psc-2; the next response shows what came of it.
`);
});
