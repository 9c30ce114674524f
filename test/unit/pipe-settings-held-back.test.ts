import { describe, expect, test } from 'vitest';
import type { Attempt } from '../../src/kinds/engine/api-call.ts';
import type { PipeSettingsStatus } from '../../src/kinds/pipe-settings/resource.ts';
import {
  anAnswer,
  anAppliedPipeSettings,
  aPipeSettings,
  asking,
  attemptOf,
  edited,
  HOUR,
  heldByAnother,
  MINUTE,
  readyIn,
  SECOND,
  sideIn,
  standingAmong,
  T0,
  type Visit,
  visit,
} from '../support/objects.ts';
import { expectLawful } from '../support/status-law.ts';

/** The same pass over what it left behind, at the same moment. */
function again(first: Visit, options: Parameters<typeof visit>[1]): PipeSettingsStatus | undefined {
  return visit(first.object, options).status;
}

describe('a conflict', () => {
  const facts = heldByAnother();
  const first = visit(aPipeSettings(), { facts });

  test('is Reconciling for five minutes and names the winner, without an event', () => {
    expectLawful(first.status);
    expect(readyIn(first.status)).toMatchObject({ status: 'False', reason: 'TargetConflict' });
    expect(readyIn(first.status).message).toContain('held by PipeSettings "other"');
    expect(sideIn(first.status)).toBe('Reconciling');
    expect(first.report).toMatchObject({
      notices: [],
      outcome: { next: 'recheck', at: T0 + 5 * MINUTE },
    });
    const soon = visit(first.object, { facts, now: T0 + 5 * MINUTE - SECOND });
    expect(soon.status).toStrictEqual(first.status);
  });

  test('is Stalled after them, with one event, and looked at about every hour', () => {
    let { object } = first;
    let now = T0 + 5 * MINUTE;
    const events = [];
    for (let turn = 0; turn < 3; turn += 1) {
      const visited = visit(object, { facts, now });
      expectLawful(visited.status);
      expect(sideIn(visited.status)).toBe('Stalled');
      expect(again(visited, { facts, now })).toStrictEqual(visited.status);
      const next = Date.parse(visited.status?.nextAttemptTime ?? '');
      expect(next - now).toBeGreaterThanOrEqual(0.8 * HOUR);
      expect(next - now).toBeLessThan(1.2 * HOUR + SECOND);
      events.push(...(visited.report.notices ?? []));
      object = visited.object;
      now = next;
    }
    expect(events).toEqual([
      { type: 'Warning', reason: 'TargetConflict', note: readyIn(object.status).message },
    ]);
  });

  test('does not begin its five minutes anew with an edit', () => {
    const stalled = visit(first.object, { facts, now: T0 + 5 * MINUTE }).object;
    expect(sideIn(visit(edited(stalled, {}), { facts, now: T0 + 6 * MINUTE }).status)).toBe(
      'Stalled',
    );
    const waiting = visit(edited(first.object, {}), { facts, now: T0 + MINUTE });
    expect(waiting.status?.nextAttemptTime).toBe(first.status?.nextAttemptTime);
    expect(sideIn(waiting.status)).toBe('Reconciling');
  });

  test('does not name a winner that is elsewhere, but says how it can be found', () => {
    const far = anAppliedPipeSettings({ name: 'secret-name', namespace: 'far', uid: 'uid-2' });
    const { status } = visit(aPipeSettings(), {
      facts: { standing: standingAmong(aPipeSettings(), [far]) },
    });
    const { message } = readyIn(status);
    expect(message).toContain('held by an object in another namespace');
    expect(message).toContain(
      'kubectl get pipesettings.pipewright.dev -A --field-selector spec.pipeId=pipe',
    );
    expect(message).not.toMatch(/secret-name|far/);
  });

  test('with a time too far off is looked at in five minutes', () => {
    const far = {
      ...first.object,
      status: { ...first.object.status, nextAttemptTime: '2027-01-01T00:00:00Z' },
    };
    expect(visit(far, { facts }).status?.nextAttemptTime).toBe(first.status?.nextAttemptTime);
  });
});

describe('behind the gate', () => {
  const attempt: Attempt = { got: 'circuit-open' };
  const gated = visit(aPipeSettings(), { attempt });

  test('an object shows Unauthorized with one write, no request and no time of its own', () => {
    expectLawful(gated.status);
    expect(readyIn(gated.status)).toMatchObject({ status: 'False', reason: 'Unauthorized' });
    expect(sideIn(gated.status)).toBe('Stalled');
    for (const none of ['lastRequest', 'nextAttemptTime', 'attempts'])
      expect(gated.status).not.toHaveProperty(none);
    expect(gated.report).toMatchObject({
      outcome: { next: 'await-change' },
      notices: [],
      did: 'circuit-open',
    });
    expect(visit(gated.object, { now: T0 + HOUR, attempt }).report.status).toBeUndefined();
  });

  test('one that was refused itself keeps its words, and comes back at its own time', () => {
    const own = visit(aPipeSettings(), { attempt: attemptOf(anAnswer(401)) });
    const facts = {
      secret: { state: 'present', resourceVersion: '2', type: undefined, changedAt: undefined },
    } as const;
    const { plan, report } = visit(own.object, { facts, now: T0 + SECOND, attempt });
    expect(plan).toMatchObject({ do: 'call', probe: false });
    expect(report.status).toBeUndefined();
    expect(report.outcome).toEqual({
      next: 'recheck',
      at: Date.parse(own.status?.nextAttemptTime ?? ''),
    });
  });

  test('what is Ready stays Ready, whether it is its interval or a user that asks', () => {
    const object = anAppliedPipeSettings({ spec: { reassertInterval: '10m' } });
    expect(visit(object, { now: T0 + 12 * MINUTE, attempt })).toMatchObject({
      plan: { do: 'call' },
      status: object.status,
    });
    expect(visit(asking(object, 'now'), { attempt }).report).toEqual({
      outcome: { next: 'await-change' },
      did: 'circuit-open',
    });
  });

  test('what is Ready for another API does not', () => {
    const { status } = visit(anAppliedPipeSettings(), {
      attempt,
      facts: { baseUrl: 'https://other.test' },
    });
    expect(readyIn(status)).toMatchObject({ status: 'False', reason: 'Unauthorized' });
  });
});

test('a pass without a slot, or called off, says nothing', () => {
  for (const got of ['no-slot', 'called-off'] as const) {
    expect(visit(aPipeSettings(), { attempt: { got } }).report).toMatchObject({ did: got });
    expect(visit(aPipeSettings(), { attempt: { got } }).status).toBeUndefined();
  }
});
