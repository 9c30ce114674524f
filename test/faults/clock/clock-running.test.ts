import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { waitFor } from '../../controlplane/client.ts';
import type { Fault } from '../../simulator/types.ts';
import { endpoint } from '../../support/organizations.ts';
import { pathOf } from '../../support/pipe-settings.ts';
import { ORGANIZATION } from '../../support/scene-objects.ts';
import { openStage, type Stage } from '../stage.ts';
import { HOUR_MS, jumpTo, movableWallClock } from './clock-move.ts';

/** Failures whose waits are of seconds, so that they can be watched running out. */
const FAULTS: Readonly<Record<string, Fault>> = {
  down: { status: 500 },
  busy: { status: 409 },
  cut: { transport: 'reset-after' },
  limited: { status: 429, headers: { 'retry-after': '3' } },
};
const NAMES = Object.keys(FAULTS);
const WATCHED_MS = 8_000;
/** After two attempts: two more at 2 to 8 s, and one to spare. A storm is another matter. */
const MOST_CALLS = 4;
/** An own back-off of 10 s is the least pause after a 429, less a fifth. */
const SHORTEST_PAUSE_MS = 8_000;

async function onStage(
  flags: readonly string[],
  run: (stage: Stage) => Promise<void>,
): Promise<void> {
  const stage = await openStage({ flags, logLevel: 'info' });
  try {
    await run(stage);
  } finally {
    await stage.end();
  }
}

const timesOf = ({ simulator }: Stage, name: string): number[] =>
  simulator.calls({ pathIncludes: pathOf(name) }).map(({ receivedAt }) => receivedAt);

describe.concurrent.each([
  ['forward', HOUR_MS],
  ['back', -HOUR_MS],
])('R16: an hour %s', (_, aheadMs) => {
  test('during waits of seconds: each comes to its end, none is passed over, and all are served when the API is', () =>
    onStage([], async (stage) => {
      const operator = await stage.start({ preload: [movableWallClock()] });
      for (const [name, fault] of Object.entries(FAULTS)) {
        stage.simulator.always(fault, { pathIncludes: pathOf(name) });
        await stage.newKey(`key-${name}`);
        await stage.psets.create(name, { credentialsSecretRef: { name: `key-${name}` } });
      }
      const hasFailed = (name: string): boolean =>
        timesOf(stage, name).length >= (name === 'limited' ? 1 : 2);
      await waitFor(() => NAMES.every(hasFailed), { what: 'all to wait', timeoutMs: 60_000 });
      const before = new Map(NAMES.map((name) => [name, timesOf(stage, name).length]));
      await jumpTo(aheadMs, operator);
      await pause(WATCHED_MS);
      for (const name of NAMES) {
        const made = timesOf(stage, name).length - (before.get(name) ?? 0);
        expect([name, made <= MOST_CALLS]).toEqual([name, true]);
      }
      stage.simulator.clear();
      for (const name of NAMES) await stage.psets.until(name, 'Applied', 90_000);
      const paused = timesOf(stage, 'limited');
      for (const [index, at] of paused.slice(1).entries()) {
        expect(at - (paused[index] ?? 0)).toBeGreaterThanOrEqual(SHORTEST_PAUSE_MS);
      }
    }));

  test('after an add whose outcome nobody knows: it is settled in the time it takes without a jump', () =>
    onStage(['--api-timeout', '5s'], async (stage) => {
      const orgs = stage.orgs;
      const operator = await stage.start({ preload: [movableWallClock()] });
      stage.simulator.next({ status: 504, applied: false }, { match: { bodyIncludes: 'psc-1' } });
      await orgs.create('org', { privateEndpoints: [endpoint('psc-1')] });
      await orgs.until('org', 'OutcomeUnknown');
      await jumpTo(aheadMs, operator);
      // Ten seconds and a back-off of some more are what it takes; an hour would be a wait for the
      // clock.
      await orgs.until('org', 'Applied', 90_000);
      expect(stage.simulator.endpointCounts(ORGANIZATION)).toEqual({
        'gcp/ap-northeast-1/psc-1': { add: 2, added: 1, remove: 0, removed: 0 },
      });
    }));
});
