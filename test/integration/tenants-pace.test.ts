import { afterAll, beforeAll, expect, test } from 'vitest';
import { newNamespace } from '../controlplane/client.ts';
import { allow, createOrReplace, operatorRules } from '../support/cluster.ts';
import { type RunningOperator, startOperator } from '../support/operator.ts';
import { type Psets, psetsOf } from '../support/pipe-settings.ts';
import { openScene, type Scene } from '../support/scene.ts';

const CALLS = 5;
const WINDOW_MS = 2_000;
const BOGUS_NAMESPACES = 10;
const BOGUS_IN_EACH = 5;
const FLIPS = 200;
/** By the API's clock and the operator's. */
const CLOCKS_MS = 20;

let scene: Scene;
let operator: RunningOperator;
let flipping: string;
let others: readonly string[];
beforeAll(async () => {
  scene = await openScene({ start: false });
  [flipping = '', ...others] = await Promise.all(
    Array.from({ length: 1 + BOGUS_NAMESPACES }, () => newNamespace()),
  );
  const rules = await operatorRules();
  await Promise.all(
    [flipping, ...others].map((one) => allow(one, 'operator', rules, { from: scene.namespace })),
  );
}, 60_000);
afterAll(async () => {
  await operator.kill();
  await scene.end();
});

function psetsIn(namespace: string): Psets {
  return psetsOf({ ...scene, namespace });
}

async function putSecret(namespace: string, name: string, keyId: string): Promise<void> {
  const secret = { metadata: { name }, stringData: { keyId, keySecret: 'of-no-key-at-all' } };
  await createOrReplace(`/api/v1/namespaces/${namespace}/secrets`, secret);
}

/** The most calls answered with 401 that the API received in any window. */
function mostRefused(): number {
  const times = scene.simulator
    .calls({})
    .filter(({ status }) => status === 401)
    .map(({ receivedAt }) => receivedAt);
  const after = (from: number): number =>
    times.filter((at) => at >= from && at < from + WINDOW_MS - CLOCKS_MS).length;
  return Math.max(0, ...times.map(after));
}

test('a Secret that flips and 50 bogus ones get one rate together, and a good key of another tenant its turn', async () => {
  await Promise.all(
    others.flatMap((namespace) =>
      Array.from({ length: BOGUS_IN_EACH }, async (_, index) => {
        const name = `bogus-${namespace}-${index}`;
        await putSecret(namespace, name, name);
        await psetsIn(namespace).create(name, { credentialsSecretRef: { name } });
      }),
    ),
  );
  await putSecret(flipping, 'flips', 'flip');
  await psetsIn(flipping).create('flips', { credentialsSecretRef: { name: 'flips' } });
  operator = await startOperator({
    kubeconfig: scene.kubeconfig,
    apiUrl: scene.simulator.url,
    flags: [
      '--namespaces',
      [scene.namespace, flipping, ...others].join(','),
      '--leader-elect=false',
      '--api-rate',
      `${CALLS}/${WINDOW_MS / 1_000}s`,
    ],
  });
  await scene.simulator.waitForCalls(2 * CALLS, {});

  const flips = async (): Promise<void> => {
    for (let flip = 0; flip < FLIPS; flip += 1) await putSecret(flipping, 'flips', `flip-${flip}`);
  };
  const begun = performance.now();
  const good = async (): Promise<number> => {
    await scene.psets.create('good');
    await scene.psets.until('good', 'Applied');
    return performance.now() - begun;
  };
  const [waited] = await Promise.all([good(), flips()]);

  // One call of each tenant before its own, five times as many if they were users' and it was not.
  const tenants = 2 + BOGUS_NAMESPACES;
  const windows = Math.ceil((5 * tenants) / CALLS) + 1;
  expect(waited).toBeLessThan(windows * (WINDOW_MS + 500));
  const refused = scene.simulator.calls({}).filter(({ status }) => status === 401);
  expect(refused.length).toBeGreaterThanOrEqual(2 * CALLS);
  expect(mostRefused()).toBeLessThanOrEqual(CALLS);
}, 120_000);
