import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type LeaderStage,
  openLeaderStage,
  type Replica,
  timesSaid,
  untilSaid,
} from '../faults/leader/leader-stage.ts';
import { installCrds } from '../support/crd.ts';
import { BEFORE, type Version } from './before.ts';
import { type Fleet, fleetOf } from './fleet.ts';
import { tooMuch, tooSoon } from './laws.ts';
import { createLosses, type Losses } from './losses.ts';

const API_TIMEOUT_MS = 5_000;
const FLAGS = ['--api-timeout', `${API_TIMEOUT_MS / 1000}s`];
/** A person who edits all the time, and does not edit for ever. */
const EDIT_EVERY_MS = 150;
const MOST_EDITS = 400;

const BUNDLES: Readonly<Record<Version, string | undefined>> = {
  before: BEFORE.bundle,
  now: undefined,
};

let stage: LeaderStage;
let losses: Losses;
let fleet: Fleet;
let leader: Replica;
let mark = 0;

beforeAll(async () => {
  stage = await openLeaderStage({ logLevel: 'info' });
  losses = createLosses();
  fleet = fleetOf(stage, losses);
  await installCrds(BEFORE.crds);
  leader = await replica('before', 0, 'working');
  await fleet.create();
}, 120_000);

afterAll(() => stage.end());

async function replica(version: Version, roll: number, until: string): Promise<Replica> {
  const one = await stage.replica(`${version}-${roll}`, {
    until,
    flags: FLAGS,
    bundle: BUNDLES[version],
  });
  one.onApi(losses.take);
  return one;
}

/** Edits while something happens. */
async function whileEdited(act: () => Promise<void>): Promise<void> {
  const over = new AbortController();
  const editing = async (): Promise<void> => {
    for (let edits = 0; edits < MOST_EDITS && !over.signal.aborted; edits += 1) {
      await fleet.edit();
      await pause(EDIT_EVERY_MS);
    }
  };
  await Promise.all([editing(), act().finally(() => over.abort())]);
}

/**
 * What a Deployment does: the new process stands by, the one that leads is asked to end, the new
 * one takes over.
 */
async function rollTo(
  version: Version,
  roll: number,
  { leavingOpen }: { readonly leavingOpen: boolean },
) {
  await whileEdited(async () => {
    const next = await replica(version, roll, 'standing by');
    if (leavingOpen) {
      await fleet.leaveOpen(roll);
      await fleet.leaveUnrecorded(roll, leader);
    }
    expect(await leader.operator.stop()).toBe(0);
    await untilSaid(next, 'became the leader');
    leader = next;
    losses.mend();
    await fleet.takenUp();
  });
  await fleet.addBesideRefused(roll);
  await fleet.asDeclared();
}

/** After something that proves the operator at work, nothing but that is called for. */
async function expectRest(roll: number): Promise<void> {
  const calls = stage.record.calls.length;
  const name = `marker-${roll}`;
  await stage.psets.create(name);
  await stage.psets.until(name, 'Applied');
  await pause(2_000);
  expect(stage.record.calls.slice(calls).map(({ path }) => path)).toEqual([
    expect.stringContaining(`/${name}/`),
  ]);
}

async function expectLawful(roll: number): Promise<void> {
  await expectRest(roll);
  expect(stage.record.breaches()).toEqual([]);
  expect(tooMuch(stage, fleet, mark)).toEqual([]);
  expect(tooSoon(stage, fleet, mark, API_TIMEOUT_MS)).toEqual([]);
  expect(fleet.twinCalls()).toBe(0);
  expect(timesSaid(leader, 'lost the leadership')).toBe(0);
}

/**
 * In this order, each from where the one before has left everything; bounds of the waits are
 * minutes.
 */
describe('rolled under load, with changes of unknown outcome', { timeout: 400_000 }, () => {
  test('forward: nothing is sent twice, nobody else is harmed, and the ledgers stay', async () => {
    mark = stage.record.calls.length;
    await installCrds();
    await rollTo('now', 1, { leavingOpen: true });
    await expectLawful(1);
  });

  test('back, with the new CRDs left in place', async () => {
    mark = stage.record.calls.length;
    await fleet.takeAway('recorded');
    await rollTo('before', 2, { leavingOpen: true });
    await expectLawful(2);
  });

  test('forward again', async () => {
    mark = stage.record.calls.length;
    await rollTo('now', 3, { leavingOpen: false });
    await expectLawful(3);
  });

  test('back, after the CRDs', async () => {
    mark = stage.record.calls.length;
    await installCrds(BEFORE.crds);
    // The older CRDs have no word for it, so their API server refuses the status that says it.
    await fleet.takeAway('seen');
    await rollTo('before', 4, { leavingOpen: true });
    await expectLawful(4);
  });
});
