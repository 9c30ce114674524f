import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Lease } from '../../src/kube/lease.ts';
import { waitFor } from '../controlplane/client.ts';
import { allow, asAdmin, operatorRules } from '../support/cluster.ts';
import { metric } from '../support/exposition.ts';
import { type RunningOperator, startOperator } from '../support/operator.ts';
import { openScene, type Scene } from '../support/scene.ts';

const LEASES = {
  apiGroups: ['coordination.k8s.io'],
  resources: ['leases'],
  verbs: ['get', 'create', 'update'],
};

let scene: Scene;
const started: RunningOperator[] = [];
beforeAll(async () => {
  scene = await openScene({ start: false });
  await allow(scene.namespace, 'operator', [...(await operatorRules()), LEASES]);
});
afterAll(async () => {
  for (const { process, kill } of started)
    if (process.exitCode === null && process.signalCode === null) await kill();
  await scene.end();
});

async function start(until: string): Promise<RunningOperator> {
  const lease = ['--leader-elect', '--leader-elect-namespace', scene.namespace];
  const operator = await startOperator({
    kubeconfig: scene.kubeconfig,
    apiUrl: scene.simulator.url,
    flags: ['--namespaces', scene.namespace, '--api-rate', '0', ...lease],
    until,
  });
  started.push(operator);
  return operator;
}

const works = ({ lines }: RunningOperator): boolean => lines.some(({ msg }) => msg === 'working');

/**
 * Milliseconds until the standby works, by its own word: when that was read here is another matter.
 */
async function takeover(standby: RunningOperator, since: number): Promise<number> {
  const line = await standby.waitForLine(({ msg }) => msg === 'working', 'the standby took over');
  return Date.parse(String(line['time'])) - since;
}

test('of two processes one works; the other takes over within 20 s of its death, within 3 s of its end', async () => {
  const first = await start('working');
  const second = await start('started');
  await scene.psets.create('one');
  await scene.psets.until('one', 'Applied');
  expect(works(second)).toBe(false);
  const readyz = await waitFor(() => second.page('readyz'), {
    what: 'the standby to be ready',
    until: (page) => page.endsWith('ok\n'),
  });
  expect(readyz).toMatch(/ok\n$/);
  expect(metric(await second.page('metrics'), 'pipewright_leader')).toBe(0);
  expect(metric(await first.page('metrics'), 'pipewright_leader')).toBe(1);

  const killed = Date.now();
  await first.kill();
  await scene.psets.create('two');
  expect(await takeover(second, killed)).toBeLessThanOrEqual(20_000);
  await scene.psets.until('two', 'Applied');

  const third = await start('started');
  const ended = Date.now();
  expect(await second.stop()).toBe(0);
  expect(await takeover(third, ended)).toBeLessThanOrEqual(3_000);
  await scene.psets.create('three');
  await scene.psets.until('three', 'Applied');
  for (const name of ['one', 'two', 'three']) expect(scene.psets.puts(name)).toHaveLength(1);
  const { items } = await asAdmin<{ items: Lease[] }>(
    'GET',
    `/apis/coordination.k8s.io/v1/namespaces/${scene.namespace}/leases`,
  );
  expect(items).toHaveLength(1);
});
