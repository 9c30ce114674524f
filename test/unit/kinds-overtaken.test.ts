import { describe, expect, test } from 'vitest';
import type { PipeSettings, PipeSettingsStatus } from '../../src/kinds/pipe-settings/resource.ts';
import {
  anAnswer,
  anAppliedPipeSettings,
  aPipeSettings,
  attemptOf,
  edited,
  readyIn,
  SECOND,
  sideIn,
  T0,
  visit,
} from '../support/objects.ts';
import { expectLawful } from '../support/status-law.ts';

/** When the request was answered, and when there was somebody to tell it to. */
const ANSWERED = T0 + 20 * SECOND;
const TOLD = T0 + 60 * SECOND;

/** What another process recorded of this object while an older state of it was under way here. */
const newer = anAppliedPipeSettings({ generation: 3, spec: { settings: { engine_max_threads: 3 } } }, T0 + 5 * SECOND);

/** What a pass over the older state leaves behind for it. */
function leftBehind(attempt: Parameters<typeof attemptOf>[0], object: PipeSettings = newer) {
  const older = aPipeSettings({ generation: 2, spec: { settings: { engine_max_threads: 2 } } });
  const { report } = visit(older, { now: ANSWERED, attempt: attemptOf(attempt) });
  const status: PipeSettingsStatus | undefined = report.overtaken?.(object, TOLD);
  return status;
}

const accepted = anAnswer(200, { result: { engine_max_threads: 2 }, requestId: 'req-old' });

describe('a request that came to nothing here', () => {
  test.each([
    ['was accepted', accepted],
    ['ended in nobody knows what', anAnswer(502, { requestId: 'req-old' })],
  ])('and %s makes what was confirmed before uncertain: it is said, and sent again', (_, reply) => {
    const status = leftBehind(reply);
    expectLawful(status);
    expect(readyIn(status)).toMatchObject({ status: 'False', reason: 'OutcomeUnknown', observedGeneration: 3 });
    expect(readyIn(status).message).toMatch(/older state .* \(request req-old\)\. What is declared is sent again$/);
    expect(sideIn(status)).toBe('Reconciling');
    expect(Date.parse(readyIn(status).lastTransitionTime)).toBe(TOLD);
    expect(status?.lastRequest).toMatchObject({ requestId: 'req-old', outcome: 'Unknown' });
    expect(Date.parse(status?.lastRequest?.time ?? '')).toBe(ANSWERED);
    expect(status?.applied).toEqual(newer.status?.applied);
    const due = Date.parse(status?.nextAttemptTime ?? '');
    expect(due - TOLD).toBeLessThanOrEqual(3 * SECOND);
    const after = visit({ ...newer, ...(status && { status }) }, { now: due });
    expect(after.plan).toMatchObject({ do: 'put', request: { body: '{"engine_max_threads":3}' } });
    expect(readyIn(after.status).reason).toBe('Applied');
  });

  test.each([400, 401, 403, 404, 409, 429])('and had no effect (%i) is nothing to speak of', (httpStatus) => {
    expect(leftBehind(anAnswer(httpStatus, { error: 'no' }))).toBeUndefined();
  });

  test('for the very state that was confirmed is nothing to speak of: it does not matter which was last', () => {
    const { report } = visit(edited(newer, { mode: 'Apply' }), { attempt: attemptOf(accepted) });
    expect(report.overtaken).toBeDefined();
    expect(report.overtaken?.(newer, T0)).toBeUndefined();
  });

  test('never left is nothing to speak of', () => {
    expect(leftBehind({ answered: false, sent: false, cause: 'connection refused' })).toBeUndefined();
  });

  test('is left to an object that sends again anyway', () => {
    const failing = visit(edited(newer, { settings: { engine_max_threads: 4 } }), {
      attempt: attemptOf(anAnswer(400, { error: 'no' })),
    }).object;
    expect(leftBehind(accepted, failing)).toBeUndefined();
    expect(leftBehind(accepted, aPipeSettings())).toBeUndefined();
  });
});
