import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitFor } from '../controlplane/client.ts';
import { pageBlocks } from '../support/page.ts';
import { follow } from './follow.ts';
import { type GuideWorld, openGuideWorld } from './guide-world.ts';
import { BUILD_MS } from './helm.ts';

const KEY = { id: 'YOUR-KEY-ID', secret: 'YOUR-KEY-SECRET' };

let world: GuideWorld;
beforeAll(async () => {
  world = await openGuideWorld({
    programs: { helm: 'helm' },
    simulator: { keys: { [KEY.id]: KEY.secret } },
  });
}, BUILD_MS);
afterAll(() => world.end());

follow(pageBlocks('README.md'), () => world, {
  sync: () => world.node.sync(),
  before: {
    'The first object >> kubectl apply -f orders.yaml': () =>
      world.simulator.setKey(KEY.id, KEY.secret, { disabled: true }),
    'The first object >> kubectl pipewright status': () =>
      waitFor(() => world.succeed('kubectl get pset/orders -n ingest'), {
        what: 'the operator to hear that the key is disabled',
        until: (line) => line.includes('Unauthorized'),
      }),
  },
  endsWith: { 'The first object >> kubectl pipewright plan': 2 },
});

test('what was run is all that the README promises: an applied object, by an installed operator', () => {
  const [first, ...rest] = world.simulator.calls();
  expect(first).toMatchObject({ method: 'PUT', status: 200, keyId: KEY.id });
  expect(rest.map(({ status }) => status)).toEqual([401]);
});
