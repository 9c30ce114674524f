import { expect, onTestFinished, test } from 'vitest';
import { waitFor } from '../../controlplane/client.ts';
import type { Call } from '../../simulator/types.ts';
import { pathOf } from '../../support/pipe-settings.ts';
import { openScene, type Scene, type SceneOptions } from '../../support/scene.ts';
import { SECRET } from '../../support/scene-objects.ts';

async function open(options: SceneOptions): Promise<Scene> {
  const scene = await openScene({
    ...options,
    flags: ['--log-level=info', ...(options.flags ?? [])],
  });
  onTestFinished(() => scene.end());
  return scene;
}

const names = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, nth) => `${prefix}-${nth}`);

/** The most calls that arrived in any stretch of `perMs`. */
function busiest(calls: readonly Call[], perMs: number): number {
  const times = calls.map(({ receivedAt }) => receivedAt).toSorted((a, b) => a - b);
  return Math.max(
    ...times.map((from, first) => {
      const next = times.findIndex((time) => time >= from + perMs);
      return (next === -1 ? times.length : next) - first;
    }),
  );
}

test('each of two keys keeps to --api-rate, and neither waits for the other', async () => {
  const scene = await open({ start: false });
  const other = await scene.newKey('other');
  const lines = { [SECRET]: names('mine', 40), other: names('others', 20) };
  for (const [name, line] of Object.entries(lines))
    await Promise.all(
      line.map((one) => scene.psets.create(one, { credentialsSecretRef: { name } })),
    );
  // At another address everything is to be sent anew, and nobody has asked for it.
  await scene.start({ apiUrl: scene.simulator.url.replace('127.0.0.1', 'localhost') });
  const all = [...lines.other, ...lines[SECRET]];
  await Promise.all(all.map((one) => scene.psets.until(one, 'Applied')));
  await scene.operator().kill();
  const before = scene.simulator.callCount();
  await scene.start({ flags: ['--api-rate', '5/2s'] });
  const first = (await scene.simulator.waitForCalls(before + 8))[before];
  const sentSince = (keyId: string): Call[] =>
    scene.simulator.calls({ keyId }).filter(({ seq }) => seq >= (first?.seq ?? 0));
  await waitFor(() => scene.simulator.callCount(), {
    what: 'a call for each',
    until: (count) => count === before + all.length,
    timeoutMs: 60_000,
  });
  const calls = sentSince(scene.key.id);
  expect(calls).toHaveLength(40);
  expect(busiest(calls, 2_000)).toBe(5);
  const others = sentSince(other.id);
  expect(others).toHaveLength(20);
  expect(busiest(others, 2_000)).toBe(5);
  // Twenty at this pace take 6 s, sixty would take 22.
  const tookMs = Math.max(...others.map(({ receivedAt }) => receivedAt)) - (first?.receivedAt ?? 0);
  expect(tookMs).toBeLessThan(12_000);
});

test('objects that fail for ever, each in its own way, do not slow others', async () => {
  const scene = await open({ flags: ['--api-timeout', '5s'] });
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
  const good = names('good', 10);
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
