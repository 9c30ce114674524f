import { expect, test } from 'vitest';
import { startDeadline } from '../../src/kube/client/deadline.ts';
import { FakeClock } from '../support/fake-clock.ts';

const never = new Promise<never>(() => undefined);

function aDeadline() {
  const clock = new FakeClock('2026-03-01T12:00:00.000Z');
  const caller = new AbortController();
  return { clock, caller, deadline: startDeadline(clock, 1_000, caller.signal) };
}

test('a promise that does not settle ends with the deadline, and so does each that follows', async () => {
  const { clock, deadline } = aDeadline();
  const raced = deadline.race(never).catch(String);
  await clock.advance(1_000);
  await expect(deadline.race(never)).rejects.toThrow('aborted');
  expect(await raced).toContain('aborted');
  expect(deadline.cause).toBe('timeout');
});

test('what has settled goes before a deadline that is over', async () => {
  const { caller, deadline } = aDeadline();
  caller.abort();
  await expect(deadline.race(Promise.resolve('answer'))).resolves.toBe('answer');
  const refusal = new Error('refused');
  await expect(deadline.race(Promise.reject(refusal))).rejects.toBe(refusal);
  await expect(deadline.race(never)).rejects.toThrow('aborted');
  expect(deadline.cause).toBe('caller');
});

test('whoever asks last is told when it is over, and at once where it is', async () => {
  const { clock, deadline } = aDeadline();
  const told: string[] = [];
  deadline.onOver(() => told.push('first'));
  deadline.onOver(() => told.push('second'));
  await clock.advance(1_000);
  deadline.onOver((reason) => told.push(reason.message));
  expect(told).toEqual(['second', 'aborted by the deadline']);
});
