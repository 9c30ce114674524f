import { describe, expect, test } from 'vitest';
import type { Found } from '../../src/cli/objects.ts';
import { stateOf } from '../../src/cli/state.ts';
import { rows } from '../../src/cli/status/rows.ts';
import { story } from '../../src/cli/status/story.ts';
import { definition as organization } from '../../src/kinds/organization/definition.ts';
import { definition as pipeSettings } from '../../src/kinds/pipe-settings/definition.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');

interface Wanted {
  readonly ready?: string;
  readonly side?: 'Stalled' | 'Reconciling';
  readonly status?: object;
  readonly metadata?: object;
  readonly spec?: object;
}

/** Of generation 2, on which the operator has acted. */
function anObject(name: string, reason: string, wanted: Wanted = {}): Found {
  const {
    ready = 'False',
    side,
    status,
    metadata,
    spec = { credentialsSecretRef: { name: 'api' } },
  } = wanted;
  const condition = (type: string, value: string) => ({
    type,
    status: value,
    reason,
    message: `it says ${reason}`,
    observedGeneration: 2,
    lastTransitionTime: '2026-03-01T11:00:00Z',
  });
  const object = {
    metadata: {
      name,
      namespace: 'ingest',
      uid: name,
      resourceVersion: '1',
      generation: 2,
      creationTimestamp: '2026-03-01T10:00:00Z',
      ...metadata,
    },
    spec,
    status: {
      observedGeneration: 2,
      conditions: [condition('Ready', ready), ...(side ? [condition(side, 'True')] : [])],
      ...status,
    },
  };
  return { definition: pipeSettings, object };
}

describe('the state of an object', () => {
  test.each([
    ['Applied', { ready: 'True' }, 'Ready', 'change', 'nobody'],
    ['Rejected', { side: 'Stalled' }, 'Stalled', 'person', 'the owner of the object'],
    [
      'Unauthorized',
      {},
      'Not ready',
      'operator',
      'the operator, by itself; else the owner of the API key',
    ],
    ['RateLimited', { side: 'Reconciling' }, 'Not ready', 'operator', 'the operator, by itself'],
    ['Suspended', { ready: 'True' }, 'Suspended', 'change', 'the owner of the object'],
    ['Planned', {}, 'Planned', 'change', 'the owner of the object'],
  ] satisfies [string, Wanted, string, string, string][])(
    '%s',
    (reason, wanted, state, next, who) => {
      expect(stateOf(anObject('one', reason, wanted).object)).toMatchObject({ state, next, who });
    },
  );

  test('is that of nobody until the operator has acted on its generation', () => {
    const edited = anObject('one', 'Applied', { ready: 'True', metadata: { generation: 3 } });
    expect(stateOf(edited.object)).toMatchObject({
      state: 'Waiting',
      ready: false,
      next: 'operator',
      message:
        'The operator has not acted on generation 3 yet. It said of generation 2: it says Applied',
    });
    const { pendingStatus } = pipeSettings;
    expect(stateOf({ ...edited.object, status: pendingStatus })).toMatchObject({
      state: 'Waiting',
      message: expect.stringMatching(/^Not tried yet/),
    });
  });

  test('is Deleting, with what still keeps it', () => {
    const metadata = {
      deletionTimestamp: '2026-03-01T11:59:00Z',
      finalizers: ['foreign/one'],
      generation: 3,
    };
    const deleted = stateOf(anObject('one', 'Applied', { ready: 'True', metadata }).object);
    expect(deleted).toMatchObject({ state: 'Deleting', ready: false });
    expect(deleted.message).toContain('foreign/one');
  });
});

describe('the table', () => {
  const all = [
    anObject('a-ready', 'Applied', {
      ready: 'True',
      status: { applied: { time: '2026-03-01T09:00:00Z' } },
    }),
    anObject('b-waits', 'RateLimited', { status: { nextAttemptTime: '2026-03-01T12:04:00Z' } }),
    anObject('c-stalled', 'Rejected', { side: 'Stalled' }),
    anObject('d-planned', 'Planned'),
  ];

  test('has what needs a person first, then what goes on by itself, then what is ready', () => {
    const lines = rows(all, { now: NOW, columns: undefined });
    expect(lines.map((line) => line.split(/ {3,}/).slice(0, 5))).toEqual([
      ['OBJECT', 'STATE', 'REASON', 'CONFIRMED', 'NEXT'],
      ['pset/c-stalled', 'Stalled', 'Rejected', '-', 'person'],
      ['pset/b-waits', 'Not ready', 'RateLimited', '-', 'in 4m'],
      ['pset/d-planned', 'Planned', 'Planned', '-', '-'],
      ['pset/a-ready', 'Ready', 'Applied', '3h ago', '-'],
      ['4 objects: 1 Stalled, 1 Not ready, 1 Planned, 1 Ready'],
    ]);
  });

  test('fits a terminal, and names namespaces where there are several', () => {
    const lines = rows(all, { now: NOW, columns: 40, allNamespaces: true });
    expect(lines[1]).toBe('ingest      pset/c-stalled   Stalled    …'.slice(0, 39).concat('…'));
    expect(lines.slice(0, -1).every((line) => line.length <= 40)).toBe(true);
  });

  test('says where to look for what is not there', () => {
    expect(rows([], { now: NOW, columns: undefined })[0]).toContain('-A looks in all');
  });
});

describe('the story', () => {
  const told = (found: Found): string => story(found, NOW).join('\n');

  test('says what is declared, confirmed, different, tried, and who must act', () => {
    const page = told(
      anObject('orders', 'NotConfirmed', {
        side: 'Stalled',
        spec: {
          pipeId: 'p',
          credentialsSecretRef: { name: 'api' },
          settings: { engine_max_threads: 8 },
        },
        status: {
          attempts: 4,
          applied: {
            time: '2026-03-01T09:00:00Z',
            generation: 1,
            requestId: 'req-1',
            keys: ['engine_max_threads'],
          },
          notReported: ['engine_max_insert_threads'],
          differences: [{ field: 'engine_max_threads', declared: 8, reported: 4 }],
          lastRequest: {
            operation: 'UpdatePipeSettings',
            time: '2026-03-01T11:55:00Z',
            outcome: 'Unknown',
            httpStatus: 503,
            requestId: 'req-2',
            message: 'later',
          },
          history: [
            {
              time: '2026-03-01T09:00:00Z',
              generation: 1,
              changes: [{ field: 'engine_max_threads', from: 2, to: 4 }],
            },
          ],
          drift: [
            { field: 'engine_max_insert_threads', from: 1, to: 2, time: '2026-02-28T12:00:00Z' },
          ],
        },
      }),
    );
    expect(page).toBe(`PipeSettings ingest/orders: Stalled (NotConfirmed).
  it says NotConfirmed
Declared:
  Generation 2, with the key in the Secret "api".
  pipeId: "p"
  engine_max_threads: 8
Confirmed:
  The API confirmed generation 1, an earlier one, 3h ago (2026-03-01T09:00:00Z), request req-1: engine_max_threads.
  The response omitted engine_max_insert_threads.
Differs:
  engine_max_threads is declared as 8, but the API reports 4.
Tried last:
  UpdatePipeSettings 5m ago (2026-03-01T11:55:00Z): Unknown (it is not known whether the call took effect), HTTP 503, request req-2.
  It was told: later
  It has failed 4 times in a row.
Who must act:
  The owner of the object. If it stays so, declare what the API reports.
Next:
  Nothing, until somebody mends it.
History, newest first:
  3h ago, generation 1:
    engine_max_threads: 2 → 4
Drift, newest first:
  24h ago: engine_max_insert_threads: 1 → 2`);
  });

  test('of an organization has its inventory and what is in flight', () => {
    const tuple = { id: 'psc-1', cloudProvider: 'gcp', region: 'r1' };
    const found = anObject('acme', 'Rejected', {
      side: 'Stalled',
      metadata: { annotations: { 'pipewright.dev/reconcile-requested-at': 'now' } },
      status: {
        organization: { privateEndpointsTotal: 3 },
        privateEndpoints: [
          {
            ...tuple,
            origin: 'Added',
            state: 'Refused',
            lastError: { httpStatus: 422, requestId: 'req-3', message: 'no such region' },
          },
        ],
        pendingChange: { time: '2026-03-01T11:59:00Z', add: [tuple], remove: [] },
      },
    });
    const page = told({ ...found, definition: organization });
    expect(page).toContain('The API last listed 3 private endpoints.');
    expect(page).toContain(
      'psc-1 (gcp/r1) Refused: the API refused it; Added: added by this object.',
    );
    expect(page).toContain('refused with HTTP 422, request req-3: no such region');
    expect(page).toContain('In flight since 2026-03-01T11:59:00Z: add psc-1; ');
    expect(page).toContain('A retry was asked for (now), and is not answered yet.');
  });
});
