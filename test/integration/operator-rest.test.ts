import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { definitions } from '../../src/kinds/definitions.ts';
import { audit } from '../controlplane/client.ts';
import { allow, operatorRules } from '../support/cluster.ts';
import { startOperator } from '../support/operator.ts';
import { pathOf } from '../support/pipe-settings.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { settled } from '../support/watching.ts';

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
 * for a minute, in which the watch of each kind has ended and been opened again.
 */
async function atRest(scene: Scene): Promise<Rest & { readonly ms: number }> {
  const [calls, from] = [scene.simulator.callCount(), Date.now()];
  await pause(REST_MS);
  const since = (await audit({ user: scene.user })).filter(({ received }) => received >= from);
  const watched = since.filter(({ verb }) => verb === 'watch').map(({ resource }) => resource);
  for (const { type } of definitions) expect(watched).toContain(type.plural);
  const others = since.filter(({ verb }) => verb !== 'watch');
  return {
    calls: scene.simulator.callCount() - calls,
    ms: Date.now() - from,
    requests: others.map(({ verb, resource, subresource }) => `${verb} ${resource}${subresource}`),
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
    const { calls, requests, ms } = await atRest(scene);
    expect(calls).toBe(0);
    expect(requests.filter((request) => !/^(update|get) leases$/.test(request))).toEqual([]);
    // Every 2 s the Lease is read and renewed; a slow machine may miss some, and the ones that are
    // under way at the beginning arrive in this time.
    expect(requests.length).toBeGreaterThan(20);
    expect(requests.length).toBeLessThanOrEqual(2 * (ms / 2_000 + 2));
  } finally {
    await operator.kill();
    await scene.end();
  }
});
