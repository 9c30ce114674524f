import { describe, expect, test } from 'vitest';
import type { PipeSettings } from '../../src/kinds/pipe-settings/resource.ts';
import {
  anAnswer,
  anAppliedPipeSettings,
  aPipeSettings,
  asking,
  attemptOf,
  confirmedWith,
  edited,
  MINUTE,
  readyIn,
  sideIn,
  standingAmong,
  T0,
  visit,
} from '../support/objects.ts';
import { expectLawful } from '../support/status-law.ts';

const refused = attemptOf(anAnswer(400, { error: 'no' }));

describe('suspended', () => {
  test.for<[string, PipeSettings, 'True' | 'False']>([
    ['what was never applied is not Ready', aPipeSettings(), 'False'],
    ['what is confirmed is Ready', anAppliedPipeSettings(), 'True'],
    [
      'another declaration than the confirmed one is not Ready',
      edited(anAppliedPipeSettings(), { settings: { engine_max_threads: 9 } }),
      'False',
    ],
    [
      'what came back different is not Ready',
      visit(aPipeSettings(), { attempt: confirmedWith({ engine_max_threads: 1 }) }).object,
      'False',
    ],
    [
      'what was confirmed and then came back different is not Ready',
      visit(asking(anAppliedPipeSettings(), 'now'), {
        attempt: confirmedWith({ engine_max_threads: 1 }),
      }).object,
      'False',
    ],
    [
      'what failed since is not Ready',
      visit(edited(anAppliedPipeSettings(), {}), { attempt: refused }).object,
      'False',
    ],
  ])('%s', ([, object, ready]) => {
    const { status, report } = visit(edited(object, { suspend: true }));
    expectLawful(status);
    expect(readyIn(status)).toMatchObject({ status: ready, reason: 'Suspended' });
    expect(sideIn(status)).toBeUndefined();
    expect(status).not.toHaveProperty('nextAttemptTime');
    expect(report).toMatchObject({ outcome: { next: 'await-change' } });
    expect(report.notices ?? []).toEqual([]);
  });

  test('keeps what is known of the server', () => {
    const before = anAppliedPipeSettings();
    const { applied, settings, history, lastRequest } = before.status ?? {};
    expect(visit(edited(before, { suspend: true })).status).toMatchObject({
      applied,
      settings,
      history,
      lastRequest,
    });
  });
});

const other = {
  name: 'holder',
  uid: 'uid-0',
  created: '2026-03-01T10:00:00Z',
  spec: { settings: { engine_max_threads: 2 } },
};

/**
 * Applied at T0 and suspended, beside one that holds the pipe and was applied so many minutes
 * later.
 */
function suspendedBeside(minutes: number) {
  const object = edited(anAppliedPipeSettings(), { suspend: true });
  const standing = standingAmong(object, [anAppliedPipeSettings(other, T0 + minutes * MINUTE)]);
  return visit(object, { now: T0 + 10 * MINUTE, facts: { standing } }).status;
}

test('what is suspended is Ready while what it declares is what the API was last sent', () => {
  expect(readyIn(suspendedBeside(-5))).toMatchObject({ reason: 'Suspended', status: 'True' });
});

test('what is suspended is not Ready where the holder of the pipe has been applied since', () => {
  expect(readyIn(suspendedBeside(5))).toMatchObject({ reason: 'Suspended', status: 'False' });
});
