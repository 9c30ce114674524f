import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitFor } from '../controlplane/client.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { ready } from '../support/watching.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openScene({ start: false });
});
afterAll(() => scene.end());

const NAMES = Array.from({ length: 4 }, (_, index) => `full-${index}`);

/** The reasons that stand in the namespace, each once. */
async function reasons(): Promise<string[]> {
  return [...new Set((await scene.psets.list()).map((object) => ready(object).reason))];
}

test('with --plan-only a namespace full of objects is looked at without a call, and each says why', async () => {
  await Promise.all(NAMES.map((name) => scene.psets.create(name, { reassertInterval: '10m' })));
  const planning = await scene.start({ flags: ['--plan-only'] });
  await waitFor(reasons, {
    what: 'every object to be planned',
    until: (all) => all.join() === 'Planned',
  });
  await scene.psets.create('full-0', { settings: { engine_max_threads: 9 } });
  const value = await scene.psets.request('full-1');
  await scene.psets.untilIt(
    'full-1',
    'the request to be acknowledged',
    ({ status }) => status.lastHandledReconcileAt === value,
  );
  const edited = await waitFor(() => scene.psets.get('full-0'), {
    what: 'the edit to be planned',
    until: ({ metadata, status }) => status['observedGeneration'] === metadata.generation,
  });
  expect(edited.status['plan']).toMatchObject({ requests: [{ body: '{"engine_max_threads":9}' }] });
  for (const object of await scene.psets.list())
    expect(ready(object).message).toContain('--plan-only');
  expect(scene.simulator.calls()).toEqual([]);
  await planning.stop();

  await scene.start();
  await waitFor(reasons, {
    what: 'every object to be applied',
    until: (all) => all.join() === 'Applied',
  });
  for (const name of NAMES) expect(scene.psets.puts(name)).toHaveLength(1);
});
