import { expect, test } from 'vitest';
import { pathOf } from '../../support/pipe-settings.ts';
import { openSceneOfTest } from '../../support/scene.ts';

test('objects that fail for ever, each in its own way, do not slow others', async () => {
  const scene = await openSceneOfTest({ flags: ['--log-level=info', '--api-timeout', '5s'] });
  const faults = {
    refused: { status: 400 },
    failing: { status: 500 },
    limited: { status: 429, headers: { 'retry-after': '1' } },
    silent: { transport: 'no-answer' },
    secretless: undefined,
  } as const;
  for (const [name, fault] of Object.entries(faults)) {
    if (fault) await scene.newKey(name);
    if (fault) scene.simulator.always(fault, { pathIncludes: pathOf(name) });
    await scene.psets.create(name, { credentialsSecretRef: { name } });
  }
  const good = Array.from({ length: 10 }, (_, nth) => `good-${nth}`);
  await Promise.all(good.map((name) => scene.psets.create(name)));
  const took: number[] = [];
  for (let nth = 0; nth < 60; nth += 1) {
    const name = good[nth % good.length] ?? '';
    // Users ask for attempts of what fails all the time.
    if (nth % 3 === 0)
      await Promise.all(Object.keys(faults).map((one) => scene.psets.request(one)));
    const since = performance.now();
    await scene.psets.create(name, { settings: { engine_max_threads: 9 + (nth % 50) } });
    await scene.psets.until(name, 'Applied');
    took.push(performance.now() - since);
  }
  const sorted = took.toSorted((a, b) => a - b);
  expect(sorted[30], 'the median').toBeLessThan(1_000);
  expect(sorted.at(-1), 'the slowest').toBeLessThan(5_000);
  const tried = Object.keys(faults).filter((name) => scene.psets.puts(name).length > 0);
  expect(tried).toEqual(['refused', 'failing', 'limited', 'silent']);
});
