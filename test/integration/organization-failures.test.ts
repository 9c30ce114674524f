import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROWS, type Row } from '../support/failure-rows.ts';
import { kstatus } from '../support/kstatus.ts';
import { MovableClock } from '../support/movable-clock.ts';
import { type Case, type Lab, messageOf, openLab, told, waitOf } from '../support/organization-behaviour-lab.ts';
import { endpoint, type Org } from '../support/organization-scene.ts';

let lab: Lab;
beforeAll(async () => {
  // Slowly: the shortest wait is 0.8 s, and much is looked at before it ends.
  lab = await openLab({ clock: new MovableClock({ pace: 0.02 }) });
});
afterAll(() => lab.end());

const AB = [endpoint('a'), endpoint('b')];
/** What a change of endpoints is taken apart for; see organization-refused.test.ts. */
const TAKEN_APART = new Set([400, 404, 409, 410, 422]);

/** The calls an Organization makes, each failing once; what was there before succeeds. */
const CALLS = [
  { call: 'read of the name', spec: { name: 'Acme', privateEndpoints: AB }, before: 0, write: true },
  { call: 'read of the list', spec: { privateEndpoints: AB }, before: 0, write: false },
  { call: 'change', spec: { name: 'Acme', privateEndpoints: AB }, before: 1, write: true },
] as const;

/** What the user is to see: reading changes nothing, so that its failure leaves nothing unknown. */
function expectedOf({ reason, outcome }: Row, write: boolean): { reason: string; outcome: string | undefined } {
  if (write || outcome !== 'Unknown') return { reason, outcome };
  return { reason: reason === 'OutcomeUnknown' ? 'Unavailable' : reason, outcome: 'Unavailable' };
}

async function failing(one: Case, row: Row, before: number, spec: Readonly<Record<string, unknown>>): Promise<Org> {
  if (before > 0) one.next({ play: {} }, before);
  one.next(row.fault);
  await one.declare(spec);
  return one.untilIt(`the ${row.name} to show`, ({ status }) => status.conditions[0]?.status === 'False');
}

describe.each(CALLS)('the $call', ({ call, spec, before, write }) => {
  const rows = ROWS.filter(({ httpStatus = 0 }) =>
    call === 'change' ? !TAKEN_APART.has(httpStatus) : httpStatus !== 400 && httpStatus !== 422,
  );

  test.each(rows)('$name is said, waited out and got over', async (row) => {
    const { name, side, firstWait, exact, says } = row;
    // Each with a key of its own: 401 and 429 are the key's.
    const secret = `key-${before}-${write}-${name}`;
    const key = await lab.scene.newKey(secret);
    const one = lab.open({ secret });
    const failed = await failing(one, row, before, spec);
    const { reason, outcome } = expectedOf(row, write);
    expect(told(failed)).toBe(`${reason} ${side}`);
    expect(kstatus(failed)).toBe(side === 'Stalled' ? 'Failed' : 'InProgress');
    expect(messageOf(failed)).toMatch(says);
    expect(messageOf(failed)).not.toContain('\n');
    const answered = one.calls()[before];
    const requestId = (row.requestId ?? row.httpStatus !== undefined) ? answered?.requestId : undefined;
    expect(failed.status.lastRequest).toMatchObject({
      operation: 'UpdateOrganization',
      outcome,
      ...(row.httpStatus !== undefined && { httpStatus: row.httpStatus }),
    });
    expect(failed.status.lastRequest?.requestId).toBe(requestId);
    expect(failed.status.attempts).toBe(1);
    expect(waitOf(failed)).toBeGreaterThanOrEqual(exact ? firstWait : firstWait * 0.8);
    expect(waitOf(failed)).toBeLessThanOrEqual((exact ? firstWait : firstWait * 1.2) + 2);
    expect(failed.status.pendingChange === undefined, 'an intent stands until a list explains it').toBe(before === 0);

    await one.rests();
    const waiting = await one.get();
    const object = waiting.status.conditions[0]?.status === 'True' ? waiting : await one.retry();
    if (told(object) !== 'Applied') await one.retry();
    const applied = await one.until('Applied');
    expect(applied.status.attempts).toBeUndefined();
    expect(applied.status.pendingChange).toBeUndefined();
    expect(one.ids()).toEqual(['a', 'b']);
    const counts = lab.scene.simulator.endpointCounts(one.id, { keyId: key.id });
    expect(counts['gcp/ap-northeast-1/a']?.added).toBe(1);
    expect(one.calls().length).toBeLessThanOrEqual(before + 6);
    await one.remove();
  });
});

describe('waits double', () => {
  test.each([
    { status: 403, reason: 'Forbidden', first: 60, cap: 3_600 },
    { status: 424, reason: 'DependencyNotReady', first: 30, cap: 600 },
    { status: 503, reason: 'OutcomeUnknown', first: 1, cap: 300 },
  ])('up to their cap after $status', async ({ status, reason, first, cap }) => {
    const one = lab.open();
    one.next({ status }, 11);
    await one.declare({ name: 'Acme' });
    let object = await one.until(reason);
    for (let attempts = 1; attempts <= 10; attempts += 1) {
      const nominal = Math.min(first * 2 ** (attempts - 1), cap);
      expect(object.status.attempts).toBe(attempts);
      expect(waitOf(object), `wait ${attempts}`).toBeGreaterThanOrEqual(0.8 * nominal - 1);
      expect(waitOf(object), `wait ${attempts}`).toBeLessThanOrEqual(1.2 * nominal + 2);
      object = await one.retry();
    }
    expect(one.calls()).toHaveLength(11);
  });
});

test('an API that is down is Unavailable at the change too: what is on record is sent when it is back', async () => {
  const one = lab.open();
  one.next({ hold: true });
  await one.declare({ privateEndpoints: AB });
  await one.arrived(1);
  lab.scene.simulator.release();
  await one.until('Applied');
  await lab.scene.simulator.down();
  await one.declare({ privateEndpoints: [endpoint('b')] });
  const object = await one.until('Unavailable');
  expect(messageOf(object)).toMatch(/connection refused by 127\.0\.0\.1:\d+/);
  expect(one.ids()).toEqual(['a', 'b']);
  await lab.scene.simulator.up();
  await one.retry();
  await one.until('Applied');
  expect(one.ids()).toEqual(['b']);
  expect(lab.scene.simulator.endpointCounts(one.id)['gcp/ap-northeast-1/a']).toMatchObject({ remove: 1, removed: 1 });
});
