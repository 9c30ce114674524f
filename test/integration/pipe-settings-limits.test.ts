import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Call } from '../simulator/types.ts';
import { pathOf } from '../support/pipe-settings.ts';
import { openScene, type Scene } from '../support/scene.ts';

const [CALLS, PER_MS, IN_FLIGHT] = [5, 2_000, 2];
const BACKLOG = Array.from({ length: 20 }, (_, index) => `backlog-${index}`);

let scene: Scene;
beforeAll(async () => {
  scene = await openScene({
    simulator: { latencyMs: 60 },
    flags: ['--api-rate', `${CALLS}/${PER_MS / 1_000}s`, '--api-in-flight', String(IN_FLIGHT)],
  });
});
afterAll(() => scene.end());

/** Most calls that arrived in any stretch of this length. */
function mostWithin(log: readonly Call[], perMs: number): number {
  const times = log.map(({ receivedAt }) => receivedAt);
  return Math.max(
    ...times.map((from) => times.filter((time) => time >= from && time < from + perMs).length),
  );
}

test('--api-rate and --api-in-flight hold by the API’s own log, and what a user changes goes ahead of a backlog', async () => {
  const { simulator, key } = scene;
  const late = { credentialsSecretRef: { name: 'late' } };
  await scene.psets.create('vip');
  await scene.psets.until('vip', 'Applied');
  await Promise.all(BACKLOG.map((name) => scene.psets.create(name, late)));
  await Promise.all(BACKLOG.map((name) => scene.psets.until(name, 'SecretNotFound')));
  // The same key in another Secret: all wait for the same permits.
  await scene.secret('late', { keyId: key.id, keySecret: key.secret });
  await simulator.waitForCalls(3, { match: { pathIncludes: '/backlog' } });
  await scene.psets.create('vip', { settings: { engine_max_threads: 4 } });
  const editedAt = Date.now();
  const [, edited] = await simulator.waitForCalls(2, { match: { pathIncludes: pathOf('vip') } });
  const left = BACKLOG.length - simulator.callCount({ pathIncludes: '/backlog' });
  const ahead = simulator.log.filter(
    ({ seq, receivedAt }) => receivedAt > editedAt && seq < (edited?.seq ?? 0),
  );
  expect(ahead.length).toBeLessThanOrEqual(CALLS + IN_FLIGHT);
  expect(left).toBeGreaterThan(CALLS);
  await Promise.all(BACKLOG.map((name) => scene.psets.until(name, 'Applied')));
  expect(mostWithin(simulator.log, PER_MS)).toBe(CALLS);
  expect(simulator.inFlight(key.id).highest).toBe(IN_FLIGHT);
  expect(simulator.callCount()).toBe(BACKLOG.length + 2);
});
