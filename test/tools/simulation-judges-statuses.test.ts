import { describe, expect, it } from 'vitest';
import {
  applied,
  KEY,
  organization,
  PIPE,
  pipe,
  ready,
  THREADS,
} from '../simulation/by-hand/objects.ts';
import type { StatusView } from '../simulation/record/objects.ts';

/** The rules that the status breaks which a process writes for a PipeSettings, and that only. */
function brokenBy(status: StatusView & object): string[] {
  const record = pipe(1);
  record.writes('one-1', PIPE, status);
  return record.rulesSoFar();
}

describe('the judge of statuses', () => {
  const failed = ready('SecretNotFound', 1);
  const [condition] = failed.conditions;
  const side = { type: 'Stalled', status: 'True', reason: 'SecretNotFound' };

  it('takes conditions that tell the same of the same generation, and no others', () => {
    const message = 'SecretNotFound';
    const told = { ...side, message, observedGeneration: 1 };
    const withSide = (more: object) => ({
      ...failed,
      conditions: [condition, { ...told, ...more }],
    });
    expect(brokenBy(withSide({}) as StatusView)).toEqual([]);
    for (const wrong of [{ message: 'another' }, { reason: 'Other' }, { observedGeneration: 2 }])
      expect(brokenBy(withSide(wrong) as StatusView), JSON.stringify(wrong)).toEqual([
        'said conditions',
      ]);
  });

  it('finds a message with a time, of two lines, or with what is no word', () => {
    const [plain] = ready('Rejected', 1).conditions;
    const says = (message: string) => ({
      ...ready('Rejected', 1),
      conditions: [{ ...plain, message }],
    });
    expect(brokenBy(says('HTTP 400: no (request 1.2). See status.plan') as StatusView)).toEqual([]);
    for (const message of ['of 2026-03-01T00:00:00Z', 'a\nb', 'undefined', 'at an end.', ' a'])
      expect(brokenBy(says(message) as StatusView), message).toEqual(['said unreadable']);
  });

  it('finds what a state has left behind in the next one', () => {
    const plan = {
      time: '2026-03-01T00:00:00Z',
      basis: 'Unknown',
      hash: 'h',
      requests: [],
      changes: [],
    };
    expect(brokenBy({ ...ready('Planned', 1), plan })).toEqual([]);
    expect(brokenBy({ ...failed, attempts: 1 })).toEqual([]);
    // Of what was sent, and may still be at work, the ledger goes on to tell.
    const pendingChange = { time: '2026-03-01T00:00:00Z', add: [], remove: [] };
    const waiting = organization({ name: 'Acme' });
    waiting.writes('one-1', KEY, { ...ready('TargetConflict', 1), pendingChange });
    expect(waiting.rulesSoFar()).toEqual([]);
    for (const left of [
      { ...failed, plan },
      { ...ready('Suspended', 1), attempts: 1 },
      { ...ready('Planned', 1), plan, nextAttemptTime: '2026-03-01T00:10:00Z' },
      { ...ready('Applied', 1), differences: [{ field: THREADS, declared: 1, reported: 2 }] },
    ])
      expect(brokenBy(left as StatusView), JSON.stringify(left)).toEqual(['said left-over']);
  });

  it('lets an Organization be Applied that has another description', () => {
    const record = organization({ name: 'Acme' });
    const requestId = record.calls('one-1', KEY, { name: 'Acme' }, { result: { name: 'Acme' } });
    const differences = [{ field: 'description', declared: 'a', reported: 'b' }];
    record.writes('one-1', KEY, { ...applied(record, 1, requestId), differences });
    expect(record.rulesSoFar()).toEqual([]);
  });
});
