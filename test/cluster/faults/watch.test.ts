import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { waitFor } from '../../controlplane/client.ts';
import { metric } from '../../support/exposition.ts';
import { list } from '../../support/organizations.ts';
import type { Handlers, Watch } from '../../support/proxy.ts';
import { openScene, type Scene } from '../../support/scene.ts';

let scene: Scene;
/** The paths of all lists of PipeSettings. */
const lists: string[] = [];
const counting: Handlers = {
  async take(call) {
    if (/\/pipesettings\?/.test(call.path)) lists.push(call.path);
    await call.forward();
    await call.reply();
  },
};

beforeAll(async () => {
  scene = await openScene({ kube: counting });
});
beforeEach(() => {
  scene.kube().handle(counting);
  lists.length = 0;
});
afterAll(() => scene.end());

const watchOf = (plural: string): Promise<Watch> =>
  waitFor(() => [...scene.kube().watches].find(({ path }) => path.includes(`/${plural}?`)), {
    what: `a watch of ${plural}`,
  }) as Promise<Watch>;

/** How many PipeSettings the operator knows of. */
const known = async (): Promise<number> =>
  metric(await scene.operator().page('metrics'), 'pipewright_resources', { kind: 'PipeSettings' });

const error = (code: number, reason: string): string =>
  JSON.stringify({ type: 'ERROR', object: { kind: 'Status', code, reason, message: 'no' } });

describe('what a watch did not tell is in the list that comes after', () => {
  test.each([
    ['the version is too old', (watch: Watch) => watch.send(error(410, 'Expired'))],
    ['the server fails in it', (watch: Watch) => watch.send(error(500, 'InternalError'))],
    ['it brings no object', (watch: Watch) => watch.send('{"type":"MODIFIED","object":{}}')],
    ['its connection is reset', (watch: Watch) => watch.sever()],
  ])('%s', async (what, breakIt) => {
    const [edited, removed, created] = ['edited', 'removed', 'created'].map(
      (name) => `${name}-${what.replaceAll(' ', '-')}`,
    ) as [string, string, string];
    await scene.psets.create(edited);
    await scene.psets.create(removed);
    await scene.psets.until(edited, 'Applied');
    await scene.psets.until(removed, 'Applied');
    const lost: string[] = [];
    scene.kube().handle({ ...counting, line: (line) => (lost.push(line), []) });
    await scene.psets.create(edited, { settings: { engine_max_threads: 9 } });
    await scene.psets.remove(removed);
    await scene.psets.create(created);
    await waitFor(() => lost.length, { what: 'three events', until: (count) => count >= 3 });
    scene.kube().handle(counting);
    const before = lists.length;
    breakIt(await watchOf('pipesettings'));
    await scene.psets.until(edited, 'Applied');
    await scene.psets.until(created, 'Applied');
    expect(scene.psets.puts(edited)).toHaveLength(2);
    expect(lists.length - before).toBe(1);
    const present = (await scene.psets.list()).length;
    expect(await known()).toBe(present);
  });
});

test('a watch that the server ends in its time goes on where it was, without a list', async () => {
  const watch = await watchOf('pipesettings');
  watch.end();
  await waitFor(() => scene.kube().watches.has(watch), { what: 'its end', until: (is) => !is });
  await scene.psets.create('after-the-end');
  await scene.psets.until('after-the-end', 'Applied');
  expect(lists).toEqual([]);
});

describe('an edit costs one call and one write of the status', () => {
  test.each<[string, Handlers['line']]>([
    ['where the watch is 2 s behind', (line) => pause(2_000, [line])],
    ['where everything is told twice', (line) => [line, line]],
  ])('%s', async (what, line) => {
    const name = what.replaceAll(' ', '-');
    scene.kube().handle({ ...counting, ...(line && { line }) });
    await scene.psets.create(name);
    await scene.psets.until(name, 'Applied');
    await scene.psets.create(name, { settings: { engine_max_threads: 9 } });
    await scene.psets.until(name, 'Applied');
    await scene.orgs.create(name, { organizationId: randomUUID(), ...list('a') });
    await scene.orgs.until(name, 'Applied');
    // Whatever it would do about its own writes it does before this, which it hears of later.
    await scene.psets.create(`${name}-last`);
    await scene.psets.until(`${name}-last`, 'Applied');
    expect(scene.psets.puts(name)).toHaveLength(2);
    expect(await scene.psets.writes(name)).toHaveLength(2);
    // One of the pending change, one of the result.
    expect(await scene.orgs.writes(name)).toHaveLength(2);
  });
});

test('watches that are cut off without a word are back within 95 s', async () => {
  for (const watch of scene.kube().watches) watch.freeze();
  const since = performance.now();
  await scene.psets.create('unheard');
  await scene.psets.until('unheard', 'Applied', 95_000);
  expect(performance.now() - since).toBeLessThan(95_000);
});

test('a list comes in pages, and one whose pages have expired is begun anew', async () => {
  await scene.operator().kill();
  const all = (await scene.psets.list()).map(({ metadata }) => metadata.name);
  expect(all.length).toBeGreaterThan(4);
  let expired = false;
  scene.kube().handle({
    async take(call) {
      if (!/\/pipesettings\?/.test(call.path)) return counting.take?.(call);
      lists.push(call.path);
      const { text } = await call.forward(call.path.replace('limit=500', 'limit=2'));
      const isSecond = call.path.includes('continue=') && !expired;
      expired ||= isSecond;
      await call.reply(isSecond ? { status: 410, text } : undefined);
    },
  });
  await scene.start();
  const pages = Math.ceil(all.length / 2);
  expect(lists.map((path) => path.includes('continue='))).toEqual([
    false,
    true,
    ...Array.from({ length: pages }, (_, page) => page > 0),
  ]);
  expect(await known()).toBe(all.length);
});

test('no call begins before the first list of every kind is there', async () => {
  await scene.operator().kill();
  await scene.psets.create('waiting');
  const all = Promise.withResolvers<void>();
  scene.kube().handle({
    async take(call) {
      if (/\/organizations\?/.test(call.path)) await all.promise;
      await counting.take?.(call);
    },
  });
  const before = scene.simulator.callCount();
  await scene.start({ until: 'started' });
  const { length } = await scene.psets.list();
  await waitFor(known, { what: 'the other lists', until: (count) => count === length });
  // Far longer than a call takes to begin.
  await pause(1_000);
  expect(scene.simulator.callCount()).toBe(before);
  all.resolve();
  await scene.psets.until('waiting', 'Applied');
});
