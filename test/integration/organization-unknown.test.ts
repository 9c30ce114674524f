import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Fault } from '../simulator/types.ts';
import { MovableClock } from '../support/movable-clock.ts';
import { type Case, type Lab, ledgerOf, openLab, told } from '../support/organization-behaviour-lab.ts';
import { endpoint, type Org } from '../support/organization-scene.ts';

const SECOND = 1_000;
/** Of --api-timeout: so long a call may be at work. An intent may be up to 5 s old when it leaves. */
const TIMEOUT = 4 * SECOND;

const INNER = ['--api-timeout', `${TIMEOUT / SECOND}s`];

let lab: Lab;
beforeAll(async () => {
  lab = await openLab({ inner: INNER });
});
afterAll(() => lab.end());

const AB = [endpoint('a'), endpoint('b')];

/** Whether the work was done although no answer came. */
const LOST: readonly { readonly name: string; readonly fault: Fault; readonly done: boolean }[] = [
  { name: 'reset after the work', fault: { transport: 'reset-after' }, done: true },
  { name: 'reset before the work', fault: { transport: 'reset-before' }, done: false },
  { name: 'no answer, done', fault: { transport: 'no-answer', applied: true }, done: true },
  { name: 'no answer, not done', fault: { transport: 'no-answer' }, done: false },
  { name: '504, done', fault: { status: 504, body: 'html', applied: true }, done: true },
  { name: '504, not done', fault: { status: 504, body: 'html' }, done: false },
  { name: '500, not done', fault: { status: 500 }, done: false },
  { name: '408, not done', fault: { status: 408 }, done: false },
  { name: '302, not done', fault: { status: 302 }, done: false },
  { name: '200 without a result, done', fault: { status: 200, body: 'no-result' }, done: true },
  { name: '200 cut off, done', fault: { transport: 'truncated' }, done: true },
];

function pendingTime({ status }: Org): number {
  return Date.parse(status.pendingChange?.time ?? '');
}

function countsOf(one: Case, id = 'a') {
  return lab.scene.simulator.endpointCounts(one.id)[`gcp/ap-northeast-1/${id}`] ?? { add: 0, remove: 0 };
}

/** Resolves when that call has arrived; where it gets no answer, it has waited for it by then. Gives when it arrived, by the operator's clock. */
async function sent(one: Case, count: number, fault: Fault): Promise<number> {
  await one.arrived(count);
  const arrivedAt = lab.operator().clock.now();
  if ('transport' in fault && fault.transport === 'no-answer') lab.advance(TIMEOUT);
  return arrivedAt;
}

/** Runs until the object is Applied, by its own times, and gives the verdicts on the way. */
async function through(one: Case, most = 6): Promise<string[]> {
  const seen: string[] = [];
  for (let turn = 0; turn < most; turn += 1) {
    const object = await one.untilIt('a verdict', ({ status }) => {
      const [ready] = status.conditions;
      return ready?.status === 'True' || (ready?.status === 'False' && status.nextAttemptTime !== undefined);
    });
    seen.push(told(object));
    if (told(object) === 'Applied') return seen;
    await one.retry();
  }
  throw new Error(`not Applied after ${most} attempts: ${seen.join(', ')}`);
}

describe.each(LOST)('a change that is answered so: $name', ({ fault, done }) => {
  test(`is ${done ? 'not sent again, the list proves it' : 'sent again, but not before it can no longer be at work'}`, async () => {
    const one = lab.open({ behaviour: { addExisting: 'duplicate' } });
    one.next({ play: {} });
    one.next(fault);
    await one.declare({ name: 'Acme', privateEndpoints: AB });
    const sentAt = await sent(one, 2, fault);
    const failed = await one.untilIt('the send to fail', ({ status }) => status.conditions[0]?.status === 'False');
    expect(told(failed)).toMatch(/^(OutcomeUnknown|UnexpectedResponse) (Reconciling|Stalled)$/);
    expect(failed.status.lastRequest).toMatchObject({ outcome: 'Unknown' });
    expect(failed.status.pendingChange).toMatchObject({ name: 'Acme', add: AB, remove: [] });
    expect(ledgerOf(failed)).toEqual({});
    const intended = pendingTime(failed);
    expect(sentAt - intended, 'the intent is fresh when it leaves').toBeLessThan(5 * SECOND);

    const verdicts = await through(one);
    expect(one.ids()).toEqual(['a', 'b']);
    const final = await one.get();
    expect(ledgerOf(final)).toEqual({ a: 'Added Present', b: 'Added Present' });
    expect(final.status.pendingChange).toBeUndefined();
    expect(countsOf(one)).toMatchObject({ add: done ? 1 : 2, added: 1 });
    expect(one.calls().length).toBeLessThanOrEqual(done ? 3 : 7);
    expect(verdicts.length).toBeGreaterThanOrEqual(done ? 1 : 2);
    await one.rests();
  });
});

describe('while nobody can tell what became of a change', () => {
  /** The send has failed without a trace, at a time that is known. */
  async function lost(spec: Readonly<Record<string, unknown>> = { privateEndpoints: AB }): Promise<Case> {
    const one = lab.open({ behaviour: { addExisting: 'duplicate', removeAbsent: 'not-found' } });
    one.next({ play: {} });
    one.next({ transport: 'reset-before' });
    await one.declare(spec);
    await one.until('OutcomeUnknown');
    return one;
  }

  /** Turns the clock until `at`, in small steps, so that whatever would come too early comes. */
  async function creep(one: Case, at: number): Promise<void> {
    const { clock } = lab.operator();
    for (let left = at - clock.now(); left > 0; left = at - clock.now()) {
      lab.advance(Math.min(left, 1_500));
      await lab.settle();
    }
    expect(countsOf(one).add).toBe(1);
  }

  test('it is read as often as it may, and nothing is sent before the API can no longer be at work', async () => {
    const one = await lost();
    const intended = pendingTime(await one.get());
    await creep(one, intended + TIMEOUT - SECOND);
    expect(new Set(one.said().slice(2))).toEqual(new Set(['list']));
    expect(ledgerOf(await one.get())).toEqual({ a: 'Added Unconfirmed', b: 'Added Unconfirmed' });
    for (let turn = 0; turn < 12 && countsOf(one).add < 2; turn += 1) {
      lab.advance(SECOND);
      await lab.settle();
    }
    expect(countsOf(one).add).toBe(2);
    const second = one.calls().at(-1);
    const waited = lab.operator().clock.now() - intended;
    expect(second?.text).toContain('"add"');
    expect(waited).toBeGreaterThan(TIMEOUT);
    expect(waited).toBeLessThan(TIMEOUT + 14 * SECOND);
    await one.until('Applied');
    expect(one.ids()).toEqual(['a', 'b']);
    await one.rests();
  });

  test('one that turns up in a list is ours at once, and only the other waits and is sent again', async () => {
    const one = await lost();
    lab.scene.simulator.setOrganization(one.id, { add: [endpoint('a')] });
    lab.advance(3 * SECOND);
    const object = await one.untilIt('a to be seen', (seen) => ledgerOf(seen)['a'] === 'Added Present');
    expect(ledgerOf(object)).toEqual({ a: 'Added Present', b: 'Added Unconfirmed' });
    await through(one);
    expect(countsOf(one, 'a').add).toBe(1);
    expect(countsOf(one, 'b').add).toBe(2);
    expect(one.ids().toSorted()).toEqual(['a', 'b']);
  });

  test('a process that comes anew waits likewise', async () => {
    const one = await lost();
    const intended = pendingTime(await one.get());
    await lab.restart();
    await creep(one, intended + TIMEOUT - SECOND);
    await through(one);
    expect(countsOf(one)).toMatchObject({ add: 2, added: 1 });
    expect(lab.operator().clock.now() - intended).toBeGreaterThan(TIMEOUT);
    await one.rests();
  });

  test('an edit does not make it forget: what may be at work is not sent again', async () => {
    const one = await lost();
    const intended = pendingTime(await one.get());
    await one.declare({ privateEndpoints: [...AB, endpoint('c')] });
    await one.untilIt(
      'the edit to be seen',
      ({ status, metadata }) => status.observedGeneration === metadata.generation,
    );
    await creep(one, intended + TIMEOUT - SECOND);
    await through(one);
    expect(countsOf(one, 'a')).toMatchObject({ add: 2, added: 1 });
    expect(countsOf(one, 'c')).toMatchObject({ added: 1 });
    expect(one.ids().toSorted()).toEqual(['a', 'b', 'c']);
  });

  test('one that is listed no longer, and turns up later, is removed: it counted as ours', async () => {
    const one = await lost();
    await one.declare({ privateEndpoints: [] });
    lab.scene.simulator.setOrganization(one.id, { add: [endpoint('a')] });
    await through(one);
    expect(one.ids()).toEqual([]);
    expect(ledgerOf(await one.get())).toEqual({});
    await one.rests();
  });

  test('the annotation asks again, and sends nothing too early', async () => {
    const one = await lost();
    await lab.orgs.request(one.name);
    await one.arrived(3);
    await lab.settle();
    expect(
      one
        .said()
        .slice(2)
        .every((said) => said === 'list'),
    ).toBe(true);
    await through(one);
    expect(countsOf(one)).toMatchObject({ add: 2, added: 1 });
  });
});

describe('a removal of which nobody can tell', () => {
  test.each(LOST)('$name: absence proves it at once, presence counts only in time', async ({ fault, done }) => {
    const one = lab.open({ behaviour: { removeAbsent: 'not-found' }, others: [endpoint('theirs')] });
    await one.declare({ privateEndpoints: AB });
    await one.until('Applied');
    one.next(fault);
    await one.declare({ privateEndpoints: [endpoint('b')] });
    await sent(one, 3, fault);
    const failed = await one.untilIt('the send to fail', ({ status }) => status.conditions[0]?.status === 'False');
    expect(failed.status.pendingChange?.remove).toEqual([endpoint('a')]);
    expect(ledgerOf(failed)['a']).toMatch(/^Added/);
    const intended = pendingTime(failed);
    await through(one);
    expect(one.ids()).toEqual(['theirs', 'b']);
    expect(countsOf(one)).toMatchObject({ remove: done ? 1 : 2, removed: 1 });
    expect(lab.operator().clock.now() - intended).toBeGreaterThan(done ? 0 : TIMEOUT);
    expect(ledgerOf(await one.get())).toEqual({ b: 'Added Present' });
    await one.rests();
  });
});

describe('work that is done only after we gave up waiting', () => {
  // In real time: the API does it on its own clock.
  let timely: Lab;
  beforeAll(async () => {
    timely = await openLab({ inner: INNER, clock: new MovableClock() });
  });
  afterAll(() => timely.end());

  test.each([1, 3])('%s s later, while it is looked for: it is never done twice', async (seconds) => {
    const one = timely.open({ behaviour: { addExisting: 'duplicate' } });
    one.next({ play: {} });
    one.next({ status: 504, body: 'html', appliesAfterMs: seconds * SECOND });
    await one.declare({ privateEndpoints: AB });
    await one.until('OutcomeUnknown');
    await one.untilIt('Applied in time', (object) => told(object) === 'Applied');
    expect(one.ids()).toEqual(['a', 'b']);
    const counts = timely.scene.simulator.endpointCounts(one.id);
    expect(counts['gcp/ap-northeast-1/a']).toMatchObject({ add: 1, added: 1 });
    expect(ledgerOf(await one.get())).toEqual({ a: 'Added Present', b: 'Added Present' });
  });
});

describe('a read that fails', () => {
  test.each([
    { name: 'of the name', spec: { name: 'Acme', privateEndpoints: AB }, reason: 'OutcomeUnknown' },
    { name: 'of the list', spec: { privateEndpoints: AB }, reason: 'Unavailable' },
  ])('$name is $reason: there is nothing on record, and it is asked again', async ({ spec, reason }) => {
    const one = lab.open();
    one.next({ status: 503 });
    await one.declare(spec);
    const object = await one.until(reason);
    expect(told(object)).toBe(`${reason} Reconciling`);
    expect(object.status.pendingChange).toBeUndefined();
    expect(await through(one)).toEqual([`${reason} Reconciling`, 'Applied']);
    expect(one.calls()).toHaveLength(3);
  });
});
