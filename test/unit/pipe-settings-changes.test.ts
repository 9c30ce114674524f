import { describe, expect, test } from 'vitest';
import * as changes from '../../src/kinds/pipe-settings/changes.ts';
import { LIMITS } from '../../src/kinds/pipe-settings/settings.ts';
import {
  anAnswer,
  anAppliedPipeSettings,
  aPipeSettings,
  asking,
  attemptOf,
  BASE_URL,
  confirmedWith,
  edited,
  HOUR,
  MINUTE,
  readyIn,
  T0,
  visit,
} from '../support/objects.ts';
import { expectLawful } from '../support/status-law.ts';

describe('planned changes', () => {
  test('are the declared values that differ from the last reply, from nothing where it is not known', () => {
    const declared = {
      engine_max_threads: 8,
      engine_max_insert_threads: 2,
      engine_parallel_view_processing: false,
    };
    expect(
      changes.plannedChanges(declared, { engine_max_threads: 8, engine_max_insert_threads: 1 }),
    ).toEqual([
      { field: 'engine_max_insert_threads', from: 1, to: 2 },
      { field: 'engine_parallel_view_processing', to: false },
    ]);
    expect(changes.plannedChanges({ engine_max_threads: 0 }, undefined)).toEqual([
      { field: 'engine_max_threads', to: 0 },
    ]);
  });
});

describe('confirmed changes', () => {
  const declared = { engine_max_threads: 8 };
  test.for<[string, Parameters<typeof changes.confirmedChanges>[0], readonly changes.Change[]]>([
    [
      'another value',
      {
        declared,
        before: { engine_max_threads: 4 },
        after: { engine_max_threads: 8 },
        sameRequest: false,
      },
      [{ field: 'engine_max_threads', from: 4, to: 8 }],
    ],
    [
      'the same value',
      {
        declared,
        before: { engine_max_threads: 8 },
        after: { engine_max_threads: 8 },
        sameRequest: false,
      },
      [],
    ],
    [
      'a first value',
      { declared, before: undefined, after: { engine_max_threads: 8 }, sameRequest: false },
      [{ field: 'engine_max_threads', to: 8 }],
    ],
    [
      'silence about a new request',
      { declared, before: { engine_max_threads: 4 }, after: {}, sameRequest: false },
      [{ field: 'engine_max_threads', from: 4, to: 8 }],
    ],
    [
      'silence about the same request',
      { declared, before: undefined, after: {}, sameRequest: true },
      [],
    ],
    [
      'an undeclared value',
      {
        declared: {},
        before: { engine_max_threads: 4 },
        after: { engine_max_threads: 8 },
        sameRequest: false,
      },
      [],
    ],
    [
      'a value put right by a re-assert',
      {
        declared,
        before: { engine_max_threads: 4 },
        after: { engine_max_threads: 8 },
        sameRequest: true,
      },
      [{ field: 'engine_max_threads', from: 4, to: 8 }],
    ],
  ])('of %s', ([, options, expected]) => {
    expect(changes.confirmedChanges(options)).toEqual(expected);
  });
});

test('changes and differences are told in one line', () => {
  const told = [
    { field: 'a', from: 1, to: 2 },
    { field: 'b', to: true },
  ];
  expect(changes.describeChanges(told)).toBe('a 1 → 2, b → true');
  expect(changes.describeDifferences([{ field: 'a', declared: 8, reported: 'x\ny' }])).toBe(
    'a is x y, not 8',
  );
});

const reply = (settings: Readonly<Record<string, unknown>>) => confirmedWith(settings, 'req-2');
const again = (object: ReturnType<typeof aPipeSettings>) => asking(object, 'now');

describe('drift', () => {
  const before = visit(aPipeSettings(), {
    attempt: confirmedWith({
      engine_max_threads: 8,
      engine_max_insert_threads: 2,
      engine_max_download_threads: 5,
    }),
  }).object;
  const moved = {
    engine_max_threads: 8,
    engine_max_insert_threads: 3,
    engine_max_download_threads: 5,
  };
  const entry = {
    field: 'engine_max_insert_threads',
    from: 2,
    to: 3,
    time: '2026-03-01T13:00:00Z',
  };
  const now = T0 + HOUR;

  test('is an undeclared setting that changed between two replies, with one event', () => {
    const { status, report } = visit(again(before), { now, attempt: reply(moved) });
    expectLawful(status);
    expect(status?.drift).toEqual([entry]);
    expect(report.counts).toEqual({ drift: 1 });
    expect(report.notices).toEqual([
      expect.objectContaining({
        type: 'Warning',
        reason: 'DriftDetected',
        note: expect.stringContaining('engine_max_insert_threads 2 → 3'),
      }),
    ]);
  });

  test('is seen in a reply that does not confirm, too', () => {
    const { status } = visit(again(before), {
      now,
      attempt: reply({ ...moved, engine_max_threads: 4 }),
    });
    expect(status).toMatchObject({
      drift: [entry],
      differences: [{ field: 'engine_max_threads' }],
    });
  });

  test('is kept when the next reply shows none, newest last, at most twelve', () => {
    let object = before;
    for (let turn = 1; turn <= 15; turn += 1) {
      object = visit(asking(object, `${turn}`), {
        now: T0 + turn * MINUTE,
        attempt: reply({ ...moved, engine_max_insert_threads: turn + 2 }),
      }).object;
    }
    expect(object.status?.drift).toHaveLength(LIMITS.drift);
    expect(object.status?.drift?.at(-1)).toMatchObject({
      from: 16,
      to: 17,
      time: '2026-03-01T12:15:00Z',
    });
    const quiet = visit(edited(object, {}), { attempt: reply({ engine_max_threads: 8 }) });
    expect(quiet.status?.drift).toEqual(object.status?.drift);
    expectLawful(quiet.status);
  });

  test.for<[string, Record<string, unknown>]>([
    ['the declared value was overwritten', { ...moved, engine_max_insert_threads: 2 }],
    ['the reply is silent about it', { engine_max_threads: 8 }],
    [
      'it is told for the first time',
      { engine_max_threads: 8, engine_max_insert_threads: 2, object_storage_concurrency: 1 },
    ],
    ['it cannot be read', { engine_max_threads: 8, engine_max_insert_threads: 'many' }],
  ])('is none where %s', ([, result]) => {
    expect(visit(again(before), { now, attempt: reply(result) }).status).not.toHaveProperty(
      'drift',
    );
  });

  test('is none in a setting whose declaration came or went between the two requests', () => {
    const came = edited(before, {
      settings: { engine_max_threads: 8, engine_max_insert_threads: 3 },
    });
    const there = visit(came, { now, attempt: reply(moved) });
    expect(there.status).not.toHaveProperty('drift');
    const went = edited(there.object, { settings: { engine_max_threads: 8 } });
    const gone = visit(went, {
      now,
      attempt: reply({ ...moved, engine_max_insert_threads: 0, engine_max_download_threads: 6 }),
    });
    expect(gone.status?.drift?.map(({ field }) => field)).toEqual(['engine_max_download_threads']);
  });

  test('is not what a request of ours may have done whose answer was lost', () => {
    const added = edited(before, {
      settings: { engine_max_threads: 8, engine_max_insert_threads: 3 },
    });
    const lost = visit(added, {
      now,
      attempt: attemptOf({ answered: false, sent: true, cause: 'no answer within 35s' }),
    }).object;
    const back = edited(lost, { settings: { engine_max_threads: 8 } });
    expect(visit(back, { now, attempt: reply(moved) }).status).not.toHaveProperty('drift');
  });

  test('is seen across a suspension and across failures of the same declaration', () => {
    const suspended = visit(edited(before, { suspend: true }), { now }).object;
    const failed = visit(edited(suspended, { suspend: false }), {
      now,
      attempt: attemptOf(anAnswer(503)),
    }).object;
    const due = Date.parse(failed.status?.nextAttemptTime ?? '');
    expect(visit(failed, { now: due, attempt: reply(moved) }).status?.drift).toHaveLength(1);
  });

  test('is not the difference between two APIs', () => {
    const facts = { baseUrl: `${BASE_URL}/eu` };
    const { status } = visit(before, { now, facts, attempt: reply(moved) });
    expect(status).not.toHaveProperty('drift');
    expect(status?.history?.at(-1)?.changes).toEqual([{ field: 'engine_max_threads', to: 8 }]);
  });
});

describe('history', () => {
  test('has the first write, with what it changed, the generation and the request to quote', () => {
    const { status } = visit(aPipeSettings({ generation: 3 }), {
      attempt: reply({ engine_max_threads: 8 }),
    });
    expect(status?.history).toEqual([
      {
        time: '2026-03-01T12:00:00Z',
        generation: 3,
        requestId: 'req-2',
        changes: [{ field: 'engine_max_threads', to: 8 }],
      },
    ]);
  });

  test('does not grow by a re-assert that changed nothing, which moves the time of the last confirmed write', () => {
    const object = anAppliedPipeSettings({ spec: { reassertInterval: '10m' } });
    const due = Date.parse(object.status?.nextAttemptTime ?? '');
    const { status, report } = visit(object, { now: due });
    expect(status?.history).toEqual(object.status?.history);
    expect(Date.parse(status?.applied?.time ?? '')).toBe(due);
    expect(Date.parse(status?.nextAttemptTime ?? '')).toBeGreaterThanOrEqual(due + 10 * MINUTE);
    expect(report.notices).toEqual([]);
  });

  test('does not grow by a new generation that changed nothing, even where the API is silent', () => {
    const silent = visit(aPipeSettings(), { attempt: confirmedWith({}) }).object;
    expect(silent.status?.history).toHaveLength(1);
    const { status } = visit(edited(silent, { reassertInterval: '24h' }), {
      attempt: confirmedWith({}),
    });
    expect(status?.history).toEqual(silent.status?.history);
  });

  test('keeps the last ten, oldest first', () => {
    let object = anAppliedPipeSettings();
    for (let value = 9; value <= 20; value += 1) {
      object = visit(edited(object, { settings: { engine_max_threads: value } })).object;
    }
    expectLawful(object.status);
    expect(object.status?.history?.map(({ changes: [change] }) => change?.to)).toEqual([
      11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
    ]);
    expect(readyIn(object.status).reason).toBe('Applied');
  });
});
