import { expect } from 'vitest';
import { waitFor } from '../../controlplane/client.ts';
import { change } from '../../support/cluster.ts';
import { pathOf } from '../../support/pipe-settings.ts';
import { isNow, ORGANIZATION, SERVICE } from '../../support/scene-objects.ts';
import { openStage, type Stage } from '../stage.ts';
import { FAILING, type FailingRow } from './clock-rows.ts';

export const RESTING = ['rest-0', 'rest-1', 'rest-2', 'rest-3', 'rest-4'];
/** Sends its state again every ten minutes. */
export const ASSERTING = 'again';
const ASSERT_MS = 600_000;
const MARKER = 'marker';

/** One worker: whoever is asked for before the marker has been visited when the marker is done. */
export async function openClockStage(): Promise<Stage> {
  const stage = await openStage({ logLevel: 'info' });
  for (const { name, fault } of FAILING) {
    if (fault) stage.simulator.always(fault, { pathIncludes: pathOf(name) });
  }
  return stage;
}

/** Objects in every state in which one waits for a time, and some that wait for none. */
export async function populate(stage: Stage): Promise<void> {
  await Promise.all(FAILING.map((row) => secretFor(stage, row)));
  for (const name of [MARKER, ...RESTING]) await stage.psets.create(name);
  await stage.psets.create(ASSERTING, { reassertInterval: '10m' });
  for (const { name } of FAILING)
    await stage.psets.create(name, { credentialsSecretRef: { name: keyOf(name) } });
  for (const name of [MARKER, ...RESTING, ASSERTING])
    await stage.psets.until(name, 'Applied', 60_000);
  for (const { name, reason } of FAILING) await stage.psets.until(name, reason, 60_000);
}

/** Everything that fails has what it needs from now on. */
export async function mend(stage: Stage): Promise<void> {
  stage.simulator.clear();
  for (const { name, secret } of FAILING) if (secret !== undefined) await stage.newKey(keyOf(name));
}

/** Has the operator look at every object; resolves when it has. */
export async function visitAll(stage: Stage): Promise<void> {
  const label = crypto.randomUUID();
  for (const name of [...RESTING, ASSERTING, ...FAILING.map((row) => row.name)]) {
    const path = `/apis/pipewright.dev/v1alpha1/namespaces/${stage.namespace}/pipesettings/${name}`;
    await change(path, (stored) => ({
      ...stored,
      metadata: { ...stored.metadata, labels: { looked: label } },
    }));
  }
  const before = stage.simulator.callCount({ pathIncludes: pathOf(MARKER) });
  await stage.psets.create(MARKER, { settings: { engine_max_threads: 8 + (before % 2) } });
  await stage.psets.until(MARKER, 'Applied', 60_000);
}

/** Calls per object so far. */
export function countsOf({ simulator }: Stage): ReadonlyMap<string, number> {
  const names = [...RESTING, ASSERTING, ...FAILING.map(({ name }) => name)];
  return new Map(names.map((name) => [name, simulator.callCount({ pathIncludes: pathOf(name) })]));
}

/**
 * No attempt is on record for a time that is further off than its class allows, by the operator's
 * clock.
 */
export async function expectWithinReach(stage: Stage, aheadMs: number): Promise<void> {
  const objects = new Map(
    (await stage.psets.list()).map((object) => [object.metadata.name, object]),
  );
  const waitOf = (name: string): number =>
    Date.parse(objects.get(name)?.status.nextAttemptTime ?? '') - (Date.now() + aheadMs);
  for (const { name, longestMs } of FAILING)
    expect([name, waitOf(name) <= longestMs]).toEqual([name, true]);
  // Spread over a tenth of the interval.
  expect(waitOf(ASSERTING)).toBeLessThanOrEqual(ASSERT_MS * 1.1 + 1_000);
}

export async function untilAllApplied(stage: Stage): Promise<void> {
  await waitFor(() => stage.psets.list(), {
    what: 'every object to be applied',
    until: (objects) => objects.every((one) => isNow(one, 'Applied')),
    timeoutMs: 90_000,
  });
  for (const { name } of FAILING) {
    expect(stage.simulator.settingsOf(`${ORGANIZATION}/${SERVICE}/${name}`)).toEqual({
      engine_max_threads: 8,
    });
  }
}

const keyOf = (name: string): string => `key-${name}`;

async function secretFor(stage: Stage, { name, secret }: FailingRow): Promise<void> {
  switch (secret) {
    case undefined:
      return void (await stage.newKey(keyOf(name)));
    case 'unusable':
      return stage.secret(keyOf(name), { nothing: 'of use' });
    case 'unknown-key':
      return stage.secret(keyOf(name), { keyId: 'nobody', keySecret: 'knows' });
    case 'none':
      return;
  }
}
