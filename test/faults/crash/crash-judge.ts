import { expect } from 'vitest';
import type { Org, Patch } from '../../support/organizations.ts';
import { isAside, type Label } from './crash-calls.ts';
import type { Moment, Point } from './crash-points.ts';
import type { Run } from './crash-runs.ts';
import type { Taken } from './crash-tap.ts';

const FINALIZER = 'pipewright.dev/remove-private-endpoints';
/**
 * A recovery looks at once and then with waits that double from a second on, until nothing can be at
 * work any more: 8 in 65 s; then after 10 s, 1 min and 5 min, and when the add is sent again.
 */
const MOST_LOOKS = 14;

/** What went wrong in a run, and whether the process lived on. */
interface What {
  readonly points: readonly Point[];
  readonly fate: 'killed' | 'broken';
}

/** So much longer than `--api-timeout` the API may be at work. */
const AT_WORK_MS = 60_000;

type Pending = NonNullable<Org['status']['pendingChange']>;

/**
 * The calls of a run in the order that the operator chose, and no others. A Secret may be read once
 * more on a slow machine: a value is used for five seconds.
 */
export function labelsOf({ calls }: Pick<Run, 'calls'>): Label[] {
  const labels = calls.map(({ label }) => label).filter((label) => !isAside(label));
  return labels.filter((label, index) => label !== 'secret' || labels[index - 1] !== 'secret');
}

/**
 * Fails where anything differs from a clean run but the number of calls, or where a call came that
 * should not have.
 */
export function expectLikeClean(run: Run, clean: Run, what: What): void {
  const { points, fate } = what;
  expect(run.outcome).toEqual(clean.outcome);
  expectSameBodies(run, clean);
  expectChanges(run, clean, what);
  for (const label of ['put', 'get'] as const) expectRepeats(label, run, clean, what);
  expectNames(run, clean, what);
  expect(countOf(run, 'look') - countOf(clean, 'look')).toBeLessThanOrEqual(
    MOST_LOOKS * points.length,
  );
  // A process that lives on may say more, of what went wrong; one that was killed never says the
  // same again.
  if (fate === 'killed')
    for (const reason of new Set(clean.events)) expectNoMore(reason, run, clean);
}

function countOf({ calls }: Run, label: Label): number {
  return calls.filter((call) => call.label === label).length;
}

/**
 * What is sent again is the same to the letter, and everything comes in the order of the clean run.
 */
function expectSameBodies(run: Run, clean: Run): void {
  for (const label of ['put', 'name'] as const) {
    const [bodies, expected] = [run, clean].map(({ calls }) =>
      calls.filter((call) => call.label === label).map(({ body }) => JSON.stringify(body)),
    );
    expect([...new Set(bodies)], `bodies of each ${label}`).toEqual(expected);
  }
}

/** Every add and removal that was sent; what was lost together need not be sent together again. */
function itemsOf({ calls }: Pick<Run, 'calls'>): string[] {
  const changes = calls.filter(({ label }) => label === 'change');
  return changes.flatMap(({ body }) => {
    const { add = [], remove = [] } = (body as Patch).privateEndpoints ?? {};
    return [
      ...add.map((one) => `+${JSON.stringify(one)}`),
      ...remove.map((one) => `-${JSON.stringify(one)}`),
    ];
  });
}

/** The change of endpoints that went wrong there, which nobody carried out. */
function lostIn({ calls }: Run, points: readonly Point[]): Taken[] {
  return points.flatMap(({ label, nth, moment }, index) => {
    const own = calls.filter((call) => call.life === index + 1 && call.label === 'change');
    return label === 'change' && moment === 'lost' ? own.slice(nth - 1, nth) : [];
  });
}

/**
 * A PUT, or the GET of a record, comes once more where its answer, or the record of it, was lost
 * with the process; nowhere else.
 */
function expectRepeats(label: Label, run: Run, clean: Run, { points, fate }: What): void {
  if (countOf(clean, label) === 0) return;
  let [least, most] = [0, 0];
  for (const point of points) {
    const isUnrecorded = fate === 'killed' && point.label === 'result';
    const isUnknown = point.label === label || (isUnrecorded && point.moment === 'lost');
    if (isUnknown) least += 1;
    // A renewal comes at any time, also while the answer is awaited; a late record, before or after
    // the next process looks.
    const isChance = point.label === 'lease' || (isUnrecorded && point.moment === 'late');
    if (isUnknown || isChance) most += 1;
  }
  const more = countOf(run, label) - countOf(clean, label);
  expect(more, `calls ${label} more than in the clean run`).toBeGreaterThanOrEqual(least);
  expect(more, `calls ${label} more than in the clean run`).toBeLessThanOrEqual(most);
}

/** A name is looked at before it is sent: it is sent again only where it was not there yet. */
function expectNames(run: Run, clean: Run, { points }: What): void {
  const of = (...moments: readonly Moment[]): number =>
    points.filter(({ label, moment }) => label === 'name' && moments.includes(moment)).length;
  const more = countOf(run, 'name') - countOf(clean, 'name');
  expect(more, 'calls name more than in the clean run').toBeGreaterThanOrEqual(of('lost'));
  expect(more, 'calls name more than in the clean run').toBeLessThanOrEqual(of('lost', 'late'));
}

/**
 * Each change is on record before it leaves, and sent again only where it was lost; and not before
 * that is certain.
 */
function expectChanges(run: Run, clean: Run, { points, fate }: What): void {
  const changes = run.calls.filter(({ label }) => label === 'change');
  for (const { body, onRecord } of changes) {
    const { add = [], remove = [] } = (body as Patch).privateEndpoints ?? {};
    const { status, spec, metadata } = onRecord as Org;
    expect(status.pendingChange, 'on record before it leaves').toMatchObject({ add, remove });
    const isHeld = spec['deletionPolicy'] === 'RemovePrivateEndpoints';
    expect(metadata.finalizers ?? [], 'held before it leaves').toEqual(isHeld ? [FINALIZER] : []);
  }
  const lost = itemsOf({ calls: lostIn(run, points) });
  expect(itemsOf(run).toSorted(), 'sent again only where it was lost').toEqual(
    [...itemsOf(clean), ...lost].toSorted(),
  );
  for (const { after, pending } of run.breaks) {
    // Who lives on knows what never left. An intent that lands after a death has never left either.
    const mayHaveLeft =
      fate === 'killed' || run.calls.slice(0, after).some(({ label }) => label === 'change');
    if (pending && mayHaveLeft) expectWaited(run, after, pending as Pending);
  }
}

/**
 * What was on record when something went wrong is repeated only after a look, and that when the API
 * can no longer be at work on it.
 */
function expectWaited({ calls, apiTimeoutMs }: Run, from: number, pending: Pending): void {
  const after = calls.slice(from);
  const again = after.findIndex(
    ({ label, body }) => label === 'change' && shares(body as Patch, pending),
  );
  if (again < 0) return;
  const settledAt = Date.parse(pending.time) + apiTimeoutMs + AT_WORK_MS;
  const looks = after
    .slice(0, again)
    .filter(({ label, arrivedAt }) => label === 'look' && arrivedAt >= settledAt);
  expect(looks, 'a look, once absence counts, before anything is sent again').not.toEqual([]);
}

function shares({ privateEndpoints = {} }: Patch, { add, remove }: Pending): boolean {
  const [ids, others] = [privateEndpoints, { add, remove }].map((lists) => [
    ...(lists.add ?? []).map(({ id }) => `+${id}`),
    ...(lists.remove ?? []).map(({ id }) => `-${id}`),
  ]);
  return (ids ?? []).some((id) => others?.includes(id));
}

function expectNoMore(reason: string, run: Run, clean: Run): void {
  const [count = 0, most = 0] = [run, clean].map(
    ({ events }) => events.filter((one) => one === reason).length,
  );
  // Of a lost change, what came is seen at once, and what went a minute later.
  const isInTwo = run.breaks.some(({ pending, coming }) => {
    const { add = [], remove = [] } = (pending ?? coming ?? {}) as Partial<Pending>;
    return add.length > 0 && remove.length > 0;
  });
  expect(count, `events ${reason}`).toBeLessThanOrEqual(most + (isInTwo ? 1 : 0));
}
