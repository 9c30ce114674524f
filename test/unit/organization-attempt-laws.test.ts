import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Result } from '../../src/controller/kind.ts';
import { isOurs } from '../../src/kinds/organization/decide.ts';
import { type Reported, sameKey, type Tuple } from '../../src/kinds/organization/endpoints.ts';
import type { InventoryEntry, Organization } from '../../src/kinds/organization/resource.ts';
import { readyOf } from '../../src/kinds/shared/common-status.ts';
import { HOUR, MINUTE, SECOND } from '../support/objects.ts';
import {
  type AttemptRig,
  type AttemptWish,
  attemptOn,
  type Mishap,
} from '../support/organization-attempt.ts';
import { appliedStatus, e, entry } from '../support/organization-entries.ts';

const IDS = ['a', 'b', 'c', 'd'] as const;
const some = fc.subarray([...IDS]);
const mishap = fc.constantFrom<Mishap | undefined>(
  ...Array.from({ length: 12 }, () => undefined),
  400,
  409,
  401,
  429,
  500,
  503,
  'lost',
  'not-sent',
  'no-list',
  'idle',
);

/** One life of an Organization: what it begins with, and what happens at each step. */
const life = fc.record({
  listed: some,
  /** Removed by others before the last attempt. */
  vanishing: some,
  owned: some,
  held: some,
  elsewhere: fc.subarray(['c', 'd']),
  adopt: fc.boolean(),
  most: fc.constantFrom(0, 2, 100),
  name: fc.constantFrom(undefined, 'Acme'),
  policy: fc.constantFrom('Retain' as const, 'RemovePrivateEndpoints' as const),
  mishaps: fc.array(mishap, { minLength: 30, maxLength: 30 }),
  failedSaves: fc.array(fc.nat(12), { maxLength: 1 }),
  /** Not wanted any more from this step on, in the last attempt. */
  stopsAt: fc.option(fc.nat(6), { nil: undefined }),
  waits: fc.array(fc.constantFrom(SECOND, 61 * SECOND, 100 * SECOND, 20 * MINUTE), {
    minLength: 3,
    maxLength: 3,
  }),
});
type Life = typeof life extends fc.Arbitrary<infer T> ? T : never;

/** Mishaps are drawn in the order of the requests, whatever these are. */
function inOrder(mishaps: readonly (Mishap | undefined)[]): NonNullable<AttemptWish['mishaps']> {
  let next = 0;
  const drawn = { get: () => mishaps[next++ % mishaps.length] };
  const each = new Proxy([], drawn) as readonly (Mishap | undefined)[];
  return new Proxy({}, { get: () => each });
}

type Law = (rig: AttemptRig, before: Organization, result: Result) => void;

async function live(given: Life, check: Law) {
  const inventory = given.owned.map((id): InventoryEntry => entry(id));
  const held: Reported[] = [
    ...given.held.map((id) => e(id)),
    ...given.elsewhere.map((id) => e(id, { region: 'r2' })),
  ];
  let lastLog = 0;
  let isLast = false;
  const spec = {
    adoptPrivateEndpoints: given.adopt,
    maxPrivateEndpointRemovals: given.most,
    deletionPolicy: given.policy,
    ...(given.name !== undefined && { name: given.name }),
  };
  const wish: AttemptWish = {
    ids: given.listed,
    spec,
    held,
    name: 'Old',
    status: appliedStatus(inventory),
    mishaps: inOrder(given.mishaps),
    saves: (nth) => !given.failedSaves.includes(nth),
    on: (_, rig) => {
      rig.now += SECOND;
      const isStop = isLast && rig.log.length - lastLog > (given.stopsAt ?? 99);
      if (isStop) rig.isWanted = false;
    },
  };
  const rig = attemptOn(wish);
  for (const [index, wait] of given.waits.entries()) {
    isLast = index === given.waits.length - 1;
    lastLog = rig.log.length;
    if (isLast) rig.held = rig.held.filter(({ id }) => given.vanishing.every((one) => one !== id));
    const before = rig.object;
    const { result } = await rig.run();
    check(rig, before, result);
    rig.now += wait;
  }
}

function always(law: Law): Promise<void> {
  return fc.assert(
    fc.asyncProperty(life, (given) => live(given, law)),
    { numRuns: 1_000, seed: 43 },
  );
}

const keys = (tuples: readonly Tuple[] = []) => new Set(tuples.map(sameKey));

test('Applied is what is declared and Present, where nothing else is ours and nothing is on its way', async () => {
  let applied = 0;
  let others = 0;
  await always(({ object: { status }, goal }) => {
    if (readyOf(status)?.reason !== 'Applied') {
      others += 1;
      return;
    }
    applied += 1;
    const { privateEndpoints = [], pendingChange } = status ?? {};
    const present = keys(privateEndpoints.filter(({ state }) => state === 'Present'));
    expect(pendingChange).toBeUndefined();
    expect([...goal.listed].filter((key) => !present.has(key))).toEqual([]);
    const ours = privateEndpoints.filter(isOurs);
    expect(ours.filter((one) => !goal.listed.has(sameKey(one)))).toEqual([]);
    expect(ours.filter(({ state }) => state !== 'Present')).toEqual([]);
  });
  expect(Math.min(applied, others)).toBeGreaterThan(250);
});

test('a change leaves right after it was saved, and a lost one is the last request', async () => {
  let sent = 0;
  await always(({ log }) => {
    for (const [index, step] of log.entries()) {
      if (!/^[+-]/.test(step)) continue;
      sent += 1;
      expect(log[index - 1]).toBe(`save ${step}`);
      expect(log[index - 2]).toBe('permit');
    }
  });
  expect(sent).toBeGreaterThan(1_000);
});

test('the status after an attempt has the change that may have been carried out, and no other', async () => {
  let open = 0;
  await always(({ object: { status }, log }) => {
    const { pendingChange } = status ?? {};
    if (!pendingChange) return;
    open += 1;
    const { add, remove } = pendingChange;
    const said = [...add.map(({ id }) => `+${id}`), ...remove.map(({ id }) => `-${id}`)];
    expect(log).toContain(said.join(' '));
  });
  expect(open).toBeGreaterThan(50);
});

test('what is removed was ours, and what is added was not in the list', async () => {
  await always(({ bodies, object }, before) => {
    const isFirst = before.status?.lastRequest === undefined;
    if (!isFirst) return;
    const ours = keys(before.status?.privateEndpoints?.filter(isOurs));
    const adopted = keys(object.status?.privateEndpoints?.filter(isOurs));
    for (const body of bodies) {
      const { privateEndpoints: { remove = [] } = {} } = JSON.parse(body) as Change;
      for (const key of keys(remove)) expect(ours.has(key) || adopted.has(key)).toBe(true);
    }
  });
});

interface Change {
  readonly privateEndpoints?: { readonly remove?: readonly Tuple[] };
}

test('the next attempt lies ahead', async () => {
  await always(({ object: { status }, now, isWanted }, _, { next }) => {
    if (!isWanted || next === 'on-change') return;
    expect(next.at).toBeGreaterThan(now);
    expect(next.at).toBeLessThan(now + 8 * HOUR);
    if (readyOf(status)?.reason === 'Applied') throw new Error('nothing is left to be tried');
  });
});
