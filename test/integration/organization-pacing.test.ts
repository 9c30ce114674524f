import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import type { Call } from '../simulator/types.ts';
import type { InnerOperator } from '../support/inner-operator.ts';
import { slowClock } from '../support/movable-clock.ts';
import { endpoint, list, type Organizations, through } from '../support/organizations.ts';
import { openScene, type Scene, type SceneOptions } from '../support/scene.ts';
import { ready, settled } from '../support/watching.ts';

const SECOND = 1_000;

let scene: Scene;
let orgs: Organizations;
let operator: InnerOperator | undefined;
afterEach(async () => {
  await operator?.stop();
  operator = undefined;
  await scene.end();
});

async function open(options: SceneOptions): Promise<void> {
  scene = await openScene(options);
  orgs = scene.orgs;
}

async function inner(): Promise<InnerOperator> {
  await open({ start: false });
  operator = await scene.startInner({ clock: slowClock() });
  return operator;
}

/** Objects with an organization each: their names, which are the ids too. */
function newNames(count: number): string[] {
  return Array.from({ length: count }, () => randomUUID());
}

function create(name: string, spec: Readonly<Record<string, unknown>>): Promise<void> {
  return orgs.create(name, { organizationId: name, ...spec });
}

/** Most calls that arrived in any stretch of this length. */
function mostWithin(calls: readonly Call[], perMs: number): number {
  const times = calls.map(({ receivedAt }) => receivedAt);
  return Math.max(
    ...times.map((from) => times.filter((time) => time >= from && time < from + perMs).length),
  );
}

describe('a slow pace', () => {
  test('holds for organizations and pipes of one key together, no call is in vain, and each intent leaves while it is fresh', async () => {
    // The simulator refuses what comes faster.
    await open({ flags: ['--api-rate', '2/3s'], simulator: { rate: { calls: 2, perMs: 2_900 } } });
    const names = newNames(3);
    await Promise.all([
      ...names.map((name) => create(name, { name: 'Acme', ...list('a', 'b') })),
      ...['pipe-1', 'pipe-2'].map((pipe) => scene.psets.create(pipe)),
    ]);
    await Promise.all([
      ...names.map((name) => orgs.until(name, 'Applied')),
      scene.psets.until('pipe-1', 'Applied'),
    ]);
    await scene.psets.until('pipe-2', 'Applied');
    for (const name of names) expect(orgs.said(name)).toEqual(['look', 'name', '+a+b']);
    for (const pipe of ['pipe-1', 'pipe-2']) expect(scene.psets.puts(pipe)).toHaveLength(1);
    expect(scene.simulator.log.filter(({ status }) => status !== 200)).toEqual([]);
    expect(mostWithin(scene.simulator.log, 2_900)).toBe(2);
    for (const name of names) {
      const [intent, result, ...more] = await orgs.writes(name);
      const sent = orgs.calls(name).at(-1)?.receivedAt ?? 0;
      expect(sent - (intent?.completed ?? 0)).toBeLessThan(5 * SECOND);
      expect(sent).toBeLessThanOrEqual(result?.received ?? 0);
      expect(more).toEqual([]);
    }
  });
});

test('at rest nothing is called and nothing is written', async () => {
  const { idle, clock } = await inner();
  const names = newNames(6);
  for (const name of names) scene.simulator.setOrganization(name, { add: [endpoint('theirs')] });
  await Promise.all(names.map((name) => create(name, { name: 'Acme', ...list('a', 'theirs') })));
  await Promise.all(names.map((name) => orgs.until(name, 'Applied')));
  await idle();
  for (const name of names) expect(await orgs.writes(name)).toHaveLength(2);
  clock.advance(30 * 24 * 3_600 * SECOND);
  await settled(scene, operator);
  await operator?.stop();
  operator = await scene.startInner({ clock });
  await settled(scene, operator);
  for (const name of names) {
    expect(orgs.said(name)).toEqual(['look', 'name', '+a']);
    expect(await orgs.writes(name)).toHaveLength(2);
  }
});

test('429 pauses organizations and pipes of the key; nothing of it is taken for done, and nothing is left on record', async () => {
  const running = await inner();
  const [one, other] = newNames(2) as [string, string];
  const headers = { 'retry-after': '30' };
  scene.simulator.next({ status: 429, headers }, { match: { bodyIncludes: '"add":[{' } });
  await create(one, list('a', 'b'));
  const limited = await orgs.until(one, 'RateLimited');
  expect(limited.status.pendingChange).toBeUndefined();
  await Promise.all([create(other, { name: 'Acme' }), scene.psets.create('pipe')]);
  await scene.newKey('free');
  await scene.psets.create('free', { credentialsSecretRef: { name: 'free' } });
  await scene.psets.until('free', 'Applied');
  running.clock.advance(20 * SECOND);
  await running.idle();
  expect(scene.simulator.callCount({ keyId: scene.key.id }), 'during the pause').toBe(2);
  running.clock.advance(12 * SECOND);
  await through(orgs, running, one, (object) => ready(object).reason === 'Applied');
  await Promise.all([orgs.until(other, 'Applied'), scene.psets.until('pipe', 'Applied')]);
  expect(orgs.said(one)).toEqual(['look', '+a+b', 'look', '+a+b']);
});

test('401 closes the gate for all of the key: one write each, and no call but a probe, until there is another', async () => {
  const running = await inner();
  const [calm, first, ...cases] = newNames(5) as [string, string, ...string[]];
  await create(calm, { name: 'Acme' });
  await orgs.until(calm, 'Applied');
  scene.simulator.setKey(scene.key.id, scene.key.secret, { disabled: true });
  await create(first, { name: 'Acme', ...list('a') });
  await orgs.until(first, 'Unauthorized');
  await Promise.all([...cases.map((name) => create(name, list('a'))), scene.psets.create('pipe')]);
  await Promise.all([
    ...cases.map((name) => orgs.until(name, 'Unauthorized')),
    scene.psets.until('pipe', 'Unauthorized'),
  ]);
  await running.idle();
  expect(scene.simulator.callCount({ keyId: scene.key.id })).toBe(3);
  for (const name of cases) expect(await orgs.writes(name)).toHaveLength(1);
  expect(ready(await orgs.get(calm)).reason, 'what is Ready stays so').toBe('Applied');
  const corrected = { id: `key-${randomUUID().slice(0, 8)}`, secret: `secret-${randomUUID()}` };
  scene.simulator.setKey(corrected.id, corrected.secret);
  await scene.secret('management-api', { keyId: corrected.id, keySecret: corrected.secret });
  await Promise.all([first, ...cases].map((name) => orgs.until(name, 'Applied')));
  await scene.psets.until('pipe', 'Applied');
  for (const name of [first, ...cases]) expect(orgs.ids(name)).toEqual(['a']);
});
