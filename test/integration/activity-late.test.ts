import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitFor } from '../controlplane/client.ts';
import type { Act, Activities } from '../support/activities.ts';
import type { InnerOperator } from '../support/inner-operator.ts';
import { kstatus } from '../support/kstatus.ts';
import { slowClock } from '../support/movable-clock.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { ready, settled, side } from '../support/watching.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

let scene: Scene;
let acts: Activities;
let operator: InnerOperator;
beforeAll(async () => {
  scene = await openScene({ start: false });
  acts = scene.acts;
  operator = await scene.startInner({ clock: slowClock() });
});
afterAll(async () => {
  await scene.end();
});

function afterAttempt(name: string, attempts: number): Promise<Act> {
  return acts.untilIt(name, `attempt ${attempts}`, ({ status }) => status.attempts === attempts);
}

/** Turns the clock to the time of the next attempt, and gives that time. */
function advanceToNext({ status }: Act): number {
  const next = Date.parse(status.nextAttemptTime ?? '');
  operator.clock.advance(next - operator.clock.now() + 1);
  return next;
}

test('a record that is not there yet is waited for, and fetched when it is', async () => {
  const record = acts.record('late', { lateCalls: 2 });
  await acts.create('late');
  const missed = await afterAttempt('late', 1);
  expect(ready(missed)).toMatchObject({ status: 'False', reason: 'NotFound' });
  expect(ready(missed).message).toMatch(
    /HTTP 404.*late.*A record can appear minutes late.*Check organizationId/,
  );
  expect(side(missed)).toBe('Reconciling');
  expect(kstatus(missed)).toBe('InProgress');
  expect(missed.status.activity).toBeUndefined();
  const wait = advanceToNext(missed) - Date.parse(missed.status.lastRequest?.time ?? '');
  expect(wait).toBeGreaterThanOrEqual(4 * SECOND);
  expect(wait).toBeLessThanOrEqual(7 * SECOND);
  advanceToNext(await afterAttempt('late', 2));
  const fetched = await acts.until('late', 'Fetched');
  expect(fetched.status.activity).toEqual(record);
  expect(kstatus(fetched)).toBe('Current');
  expect(acts.calls('late')).toHaveLength(3);
  await settled(scene, operator);
  const events = await waitFor(() => scene.events('late'), {
    what: 'both events',
    until: ({ length }) => length > 1,
  });
  const told = events.map(({ type, reason }) => `${type} ${reason}`);
  expect(told.toSorted()).toEqual(['Normal Fetched', 'Warning NotFound']);
});

test('one that is not there after 10 minutes is Stalled from that moment on, asked for at most once an hour, and still found', async () => {
  acts.record('lost', { lateCalls: 12 });
  await acts.create('lost');
  let object = await afterAttempt('lost', 1);
  expect(side(object)).toBe('Reconciling');
  const stalledFrom = Date.parse(object.metadata.creationTimestamp) + 10 * MINUTE;
  for (let attempts = 2; side(object) === 'Reconciling'; attempts += 1) {
    expect(kstatus(object)).toBe('InProgress');
    expect(advanceToNext(object)).toBeLessThanOrEqual(stalledFrom);
    object = await afterAttempt('lost', attempts);
  }
  expect(side(object)).toBe('Stalled');
  expect(kstatus(object)).toBe('Failed');
  expect(operator.clock.now()).toBeGreaterThanOrEqual(stalledFrom);
  expect(operator.clock.now() - stalledFrom).toBeLessThan(30 * SECOND);
  expect(object.status.attempts).toBeLessThan(12);
  for (let attempts = (object.status.attempts ?? 0) + 1; attempts <= 12; attempts += 1) {
    const wait = Date.parse(object.status.nextAttemptTime ?? '') - operator.clock.now();
    expect(wait).toBeLessThanOrEqual(72 * MINUTE + SECOND);
    advanceToNext(object);
    object = await afterAttempt('lost', attempts);
    expect(side(object)).toBe('Stalled');
  }
  advanceToNext(object);
  expect(kstatus(await acts.until('lost', 'Fetched'))).toBe('Current');
  expect(acts.calls('lost')).toHaveLength(13);
});

test('a fetched one is left alone for years, and by a restart after them', async () => {
  acts.record('kept');
  await acts.create('kept');
  const { metadata } = await acts.until('kept', 'Fetched');
  operator.clock.advance(3 * 365 * 24 * 60 * MINUTE);
  await settled(scene);
  await operator.stop();
  operator = await scene.startInner({ clock: operator.clock });
  await settled(scene);
  expect((await acts.get('kept')).metadata.resourceVersion).toBe(metadata.resourceVersion);
  expect(acts.calls('kept')).toHaveLength(1);
});
