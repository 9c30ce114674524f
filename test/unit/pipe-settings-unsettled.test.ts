import { expect, test } from 'vitest';
import type { Attempt } from '../../src/kinds/engine/api-call.ts';
import { settingsRequest } from '../../src/kinds/pipe-settings/remote.ts';
import type { PipeSettings, PipeSettingsSpec } from '../../src/kinds/pipe-settings/resource.ts';
import { Unsettled } from '../../src/kinds/target/unsettled.ts';
import {
  anAnswer,
  anAppliedPipeSettings,
  aPipeSettings,
  attemptOf,
  BASE_URL,
  confirmedWith,
  edited,
  readyIn,
  SECOND,
  sideIn,
  T0,
  type Visit,
  visit,
} from '../support/objects.ts';

const SETTLES_IN = 95 * SECOND;
const lost = attemptOf({ answered: false, sent: true, cause: 'no answer' });

const hashOf = ({ spec }: PipeSettings): string =>
  settingsRequest(BASE_URL, spec as PipeSettingsSpec).hash;

/** A process that visits one object, at seconds from T0. */
function aProcess() {
  let now = T0;
  const unsettled = new Unsettled({ monotonic: () => now, settlesInMs: SETTLES_IN });
  return (object: PipeSettings, seconds: number, attempt?: Attempt): Visit => {
    now = T0 + seconds * SECOND;
    const visited = visit(object, {
      now,
      facts: { atWork: unsettled.of(object) },
      ...(attempt && { attempt }),
    });
    const outcome = attempt?.got === 'failure' ? attempt.verdict.outcome : undefined;
    if (visited.plan.do === 'call' && outcome === 'Unknown')
      unsettled.add(object, hashOf(object), now);
    if (visited.report.status) unsettled.tells(object, visited.report.status);
    return visited;
  };
}

const settings = (threads: number): Partial<PipeSettingsSpec> => ({
  settings: { engine_max_threads: threads },
});
const applied = anAppliedPipeSettings();

function expectAccepted({ status, report }: Visit, seconds: number): void {
  expect(readyIn(status)).toMatchObject({ status: 'False', reason: 'OutcomeUnknown' });
  expect(readyIn(status).message).toMatch(
    /accepted the declared setting .*sent once more at status.nextAttemptTime/,
  );
  expect(sideIn(status)).toBe('Reconciling');
  expect(status?.lastRequest?.outcome).toBe('Succeeded');
  expect(Date.parse(status?.nextAttemptTime ?? '')).toBe(T0 + seconds * SECOND);
  expect(report.outcome).toEqual({ next: 'recheck', at: T0 + seconds * SECOND });
}

test('an edit after a lost answer is sent at once, and once more when what was lost can no longer take effect', () => {
  const visitAt = aProcess();
  const first = visitAt(edited(applied, settings(9)), 0, lost);
  const second = visitAt(edited(first.object, settings(10)), 5);
  expectAccepted(second, 95);
  expect(second.status?.applied).toEqual(applied.status?.applied);
  expect(visitAt(second.object, 90).plan).toEqual({ do: 'nothing', at: T0 + 95 * SECOND });
  const third = visitAt(second.object, 95);
  expect(third.plan.do).toBe('call');
  expect(readyIn(third.status)).toMatchObject({ status: 'True', reason: 'Applied' });
  expect(third.status?.history).toHaveLength((applied.status?.history?.length ?? 0) + 1);
  expect(visitAt(third.object, 1_000).plan).toEqual({ do: 'nothing' });
});

test('the same request simply sent again is applied at once, and an edit after that still waits', () => {
  const visitAt = aProcess();
  const first = visitAt(edited(applied, settings(9)), 0, lost);
  const again = visitAt(first.object, 2);
  expect(readyIn(again.status).reason).toBe('Applied');
  expectAccepted(visitAt(edited(again.object, settings(10)), 3), 95);
});

test.each([
  { last: 11, at: 105 },
  { last: 10, at: 115 },
])(
  'of several lost ones the last counts, but not that of the present state: $last',
  ({ last, at }) => {
    const visitAt = aProcess();
    const first = visitAt(edited(applied, settings(9)), 0, lost);
    const second = visitAt(edited(first.object, settings(10)), 10, lost);
    const third = visitAt(edited(second.object, settings(11)), 20, lost);
    expectAccepted(
      visitAt(last === 11 ? third.object : edited(third.object, settings(last)), 30),
      at,
    );
  },
);

test('what an undeclared setting is in between is no drift: the late request may have declared it', () => {
  const visitAt = aProcess();
  const first = visitAt(
    edited(applied, { settings: { engine_max_threads: 8, engine_max_insert_threads: 3 } }),
    0,
    lost,
  );
  const second = visitAt(
    edited(first.object, settings(10)),
    5,
    confirmedWith({ engine_max_threads: 10, engine_max_insert_threads: 1 }),
  );
  const third = visitAt(
    second.object,
    95,
    confirmedWith({ engine_max_threads: 10, engine_max_insert_threads: 3 }),
  );
  expect(readyIn(third.status).reason).toBe('Applied');
  expect(third.status).not.toHaveProperty('drift');
});

test('another process counts from when it first saw the object', () => {
  const second = edited(edited(applied, settings(9)), settings(10));
  const lostBefore = aProcess()(second, 0, lost).object;
  expectAccepted(aProcess()(lostBefore, 40), 135);
  const visitAt = aProcess();
  const accepted = aProcess()(lostBefore, 40).object;
  expect(visitAt(accepted, 60).plan).toEqual({ do: 'nothing', at: T0 + 135 * SECOND });
  expect(visitAt(accepted, 135).plan).toEqual({ do: 'reschedule', at: T0 + 155 * SECOND });
  expect(readyIn(visitAt(accepted, 155).status).reason).toBe('Applied');
});

test('another process goes by what was applied last, whatever was answered after what was lost', () => {
  const visitAt = aProcess();
  const first = visitAt(edited(applied, settings(9)), 0, lost);
  const differing = visitAt(
    edited(first.object, settings(10)),
    5,
    confirmedWith({ engine_max_threads: 9 }),
  );
  expect(readyIn(differing.status).reason).toBe('NotConfirmed');
  expectAccepted(aProcess()(edited(differing.object, settings(11)), 10), 105);
  const busy = visitAt(edited(first.object, settings(10)), 5, attemptOf(anAnswer(429)));
  expectAccepted(aProcess()(busy.object, 20), 115);
  expect(readyIn(aProcess()(edited(applied, settings(9)), 20).status).reason).toBe('Applied');
  const refused = visitAt(edited(applied, settings(9)), 5, attemptOf(anAnswer(401)));
  expect(readyIn(aProcess()(edited(refused.object, settings(10)), 20).status).reason).toBe(
    'Applied',
  );
});

test('another process knows of one generation, or one that was confirmed, that all its requests are alike', () => {
  const created = visit(aPipeSettings(), { attempt: lost }).object;
  expect(readyIn(aProcess()(created, 3).status).reason).toBe('Applied');
  const reasserted = visit(edited(applied, {}), { now: T0 }).object;
  const lostLater = {
    ...reasserted,
    status: { ...visit(asked(reasserted), { attempt: lost }).status },
  };
  expect(readyIn(aProcess()(lostLater, 3).status).reason).toBe('Applied');
});

test('a state that differs from the declared one is no matter of waiting', () => {
  const visitAt = aProcess();
  const first = visitAt(edited(applied, settings(9)), 0, lost);
  const second = visitAt(
    edited(first.object, settings(10)),
    5,
    confirmedWith({ engine_max_threads: 9 }),
  );
  expect(readyIn(second.status).reason).toBe('NotConfirmed');
  expect(
    visitAt(edited(first.object, settings(10)), 5, attemptOf(anAnswer(400))).status?.lastRequest
      ?.outcome,
  ).toBe('Rejected');
});

function asked(object: PipeSettings): PipeSettings {
  return {
    ...object,
    metadata: {
      ...object.metadata,
      annotations: { 'pipewright.dev/reconcile-requested-at': 'now' },
    },
  };
}

test('what is suspended before that is over is not said to be confirmed, also where it was applied before', () => {
  const visitAt = aProcess();
  const lostEdit = visitAt(edited(applied, settings(9)), 10, lost);
  const back = visitAt(edited(lostEdit.object, applied.spec as PipeSettingsSpec), 15);
  expectAccepted(back, 105);
  const suspended = visitAt(edited(back.object, { suspend: true }), 20);
  expect(readyIn(suspended.status)).toMatchObject({ status: 'False', reason: 'Suspended' });
});
