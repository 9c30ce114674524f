import { afterAll, beforeAll, expect, test } from 'vitest';
import { audit, waitFor } from '../controlplane/client.ts';
import { writesOf } from '../support/cluster.ts';
import { createMany } from '../support/many.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { metric } from '../support/watching.ts';

const OBJECTS = 1000;
/** So many take long where the machine is busy. */
const PATIENCE = { timeout: 300_000 };

let scene: Scene;
beforeAll(async () => {
  scene = await openScene({
    start: false,
    logLevel: 'info',
    flags: ['--api-rate', '0', '--api-in-flight', '20', '--concurrency', '20'],
  });
  await createMany(scene, OBJECTS);
  await scene.start();
});
afterAll(() => scene.end());

/** Waits for a figure of the operator's own; asking it costs the API server nothing. */
function figure(what: string, until: (page: string) => boolean): Promise<string> {
  return waitFor(() => scene.operator().page('metrics'), { what, until, timeoutMs: 120_000 });
}

const applied = (page: string): number =>
  metric(page, 'pipewright_resource_ready', { reason: 'Applied' });
const idle = (page: string): boolean =>
  metric(page, 'workqueue_depth') + metric(page, 'workqueue_unfinished_work_seconds') === 0;

const secretReads = () => audit({ user: scene.user, verb: 'get', resource: 'secrets' });

test(
  `a restart with ${OBJECTS} unchanged objects sends nothing, writes nothing and lists once, in pages`,
  PATIENCE,
  async () => {
    await figure(`${OBJECTS} applied objects`, (page) => applied(page) === OBJECTS && idle(page));
    expect(scene.simulator.callCount()).toBe(OBJECTS);
    // Once, or once more where the first was asked before the watch stood.
    expect((await secretReads()).length).toBeLessThanOrEqual(2);
    expect(await scene.operator().stop()).toBe(0);
    const writes = (await writesOf(scene.user)).length;
    const before = (await audit({ user: scene.user })).length;

    await scene.start();
    await figure(
      'a visit of each object',
      (page) => metric(page, 'pipewright_reconcile_total') >= OBJECTS && idle(page),
    );

    expect(scene.simulator.callCount()).toBe(OBJECTS);
    const since = (await audit({ user: scene.user })).slice(before);
    expect((await writesOf(scene.user)).length).toBe(writes);
    const lists = since.filter(
      ({ verb, resource }) => verb === 'list' && resource === 'pipesettings',
    );
    const pages = lists.map(({ requestURI }) => new URL(requestURI, 'http://server').searchParams);
    expect(pages.filter((page) => !page.has('continue'))).toHaveLength(1);
    for (const page of pages) expect(Number(page.get('limit'))).toBeLessThanOrEqual(500);
    expect(pages.length).toBeGreaterThanOrEqual(2);
    // No value of a Secret is needed where nothing is sent.
    expect(since.filter(({ verb }) => verb === 'get')).toEqual([]);
  },
);

test(
  `a Secret rotated under ${OBJECTS} objects sends nothing, and is read once for all calls to come`,
  PATIENCE,
  async () => {
    const before = (await audit({ user: scene.user })).length;
    const reads = (await secretReads()).length;
    const { id } = await scene.newKey('management-api');
    let threads = 10;
    await waitFor(
      async () => {
        threads += 1;
        await edit('many-7', threads);
        return scene.psets.puts('many-7').at(-1)?.keyId;
      },
      { what: 'a call with the new key', until: (keyId) => keyId === id },
    );
    await figure('rest', idle);
    expect(scene.simulator.callCount() - scene.psets.puts('many-7').length).toBe(OBJECTS - 1);

    const others = Array.from({ length: 20 }, (_, number) => `many-${100 + number}`);
    await Promise.all(others.map((name) => edit(name, 3)));
    for (const name of others)
      expect(scene.psets.puts(name).map(({ keyId }) => keyId)).toEqual([scene.key.id, id]);
    expect((await secretReads()).length - reads).toBe(1);
    const since = (await audit({ user: scene.user })).slice(before);
    expect(since.filter(({ verb }) => verb === 'list')).toEqual([]);
  },
);

async function edit(name: string, threads: number): Promise<void> {
  await scene.psets.create(name, { settings: { engine_max_threads: threads } });
  await scene.psets.until(name, 'Applied');
}
