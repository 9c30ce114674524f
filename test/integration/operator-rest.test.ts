import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { definitions } from '../../src/kinds/definitions.ts';
import { audit, waitFor } from '../controlplane/client.ts';
import { allow, operatorRules } from '../support/cluster.ts';
import { type RunningOperator, startOperator } from '../support/operator.ts';
import { pathOf } from '../support/pipe-settings.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { metric, settled } from '../support/watching.ts';

const REST_MS = 60_000;
const LEASES = {
  apiGroups: ['coordination.k8s.io'],
  resources: ['leases'],
  verbs: ['get', 'create', 'update'],
};

/** Twenty objects: applied, refused with a long wait, and suspended. */
async function populate(scene: Scene): Promise<void> {
  const make = async (name: string, reason: string, spec = {}): Promise<void> => {
    await scene.psets.create(name, spec);
    await scene.psets.until(name, reason);
  };
  const numbers = [...Array(20).keys()];
  for (const number of numbers) {
    if (number % 10 === 8)
      scene.simulator.always(
        { status: 422, error: 'no' },
        { pathIncludes: pathOf(`at-${number}`) },
      );
  }
  await Promise.all(
    numbers.map((number) => {
      const name = `at-${number}`;
      if (number % 10 === 8) return make(name, 'Rejected');
      if (number % 10 === 9) return make(name, 'Suspended', { suspend: true });
      return make(name, 'Applied', number % 10 === 7 ? { reassertInterval: '24h' } : {});
    }),
  );
  await settled(scene);
}

interface Rest {
  readonly calls: number;
  readonly requests: string[];
}

/**
 * What the operator asked of the API server and of the management API while nobody did anything:
 * for a minute, and until its watches, one for each kind and one of the Secret, have ended and been
 * opened again.
 */
async function atRest(
  scene: Scene,
  operator: RunningOperator,
): Promise<Rest & { readonly ms: number }> {
  const watches = async (): Promise<number> =>
    metric(await operator.page('metrics'), 'rest_client_requests_total', { method: 'WATCH' });
  const [calls, opened, from] = [scene.simulator.callCount(), await watches(), Date.now()];
  await pause(REST_MS);
  await waitFor(watches, {
    what: 'all watches to be opened again',
    until: (count) => count >= opened + definitions.length + 1,
  });
  const entries = await audit({ user: scene.user });
  const since = entries.filter(({ received, verb }) => received >= from && verb !== 'watch');
  return {
    calls: scene.simulator.callCount() - calls,
    ms: Date.now() - from,
    requests: since.map(({ verb, resource, subresource }) => `${verb} ${resource}${subresource}`),
  };
}

test('a minute at rest as leader costs the renewals of the Lease and nothing else', {
  timeout: 180_000,
}, async () => {
  const scene = await openScene({ start: false });
  await allow(scene.namespace, 'operator', [...(await operatorRules()), LEASES]);
  const operator = await startOperator({
    kubeconfig: scene.kubeconfig,
    apiUrl: scene.simulator.url,
    flags: [
      '--namespaces',
      scene.namespace,
      '--api-rate',
      '0',
      '--leader-elect',
      '--leader-elect-namespace',
      scene.namespace,
    ],
  });
  try {
    await populate(scene);
    const { calls, requests, ms } = await atRest(scene, operator);
    expect(calls).toBe(0);
    // On a slow machine it asks for a Lease that it could not renew in time.
    expect(requests.filter((request) => !/^(update|get) leases$/.test(request))).toEqual([]);
    // Every 2 s; a slow machine may miss some, and the one that is under way at the beginning
    // arrives in this time.
    expect(requests.length).toBeGreaterThan(10);
    expect(requests.length).toBeLessThanOrEqual(ms / 2_000 + 2);
  } finally {
    await operator.kill();
    await scene.end();
  }
});
