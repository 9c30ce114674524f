import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { audit } from '../controlplane/client.ts';
import type { Call } from '../simulator/types.ts';
import { recordIntents } from '../support/organization-behaviour-intents.ts';
import { type Lab, openLab, told } from '../support/organization-behaviour-lab.ts';
import { endpoint } from '../support/organization-scene.ts';
import { putsOf } from '../support/watching.ts';

const SECOND = 1_000;

let lab: Lab | undefined;
afterEach(() => lab?.end());

async function paced(rate: string, perMs: number, calls: number): Promise<Lab> {
  lab = await openLab({ process: true, flags: ['--api-rate', rate], simulator: { rate: { calls, perMs } } });
  return lab;
}

/** Most calls that arrived in any stretch of this length. */
function mostWithin(calls: readonly Call[], perMs: number): number {
  const times = calls.map(({ receivedAt }) => receivedAt);
  return Math.max(...times.map((from) => times.filter((time) => time >= from && time < from + perMs).length));
}

describe('a slow pace', () => {
  test('holds for organizations and pipes of one key together, and no call is in vain', async () => {
    // The simulator refuses what comes faster.
    const { scene, open } = await paced('2/4s', 3_900, 2);
    const orgs = [1, 2, 3].map(() => open());
    const pipes = ['pipe-1', 'pipe-2'];
    await Promise.all([
      ...orgs.map((one) => one.declare({ name: 'Acme', privateEndpoints: [endpoint('a'), endpoint('b')] })),
      ...pipes.map((pipe) => scene.pset(pipe)),
    ]);
    const applied = await Promise.all(orgs.map((one) => one.until('Applied')));
    await Promise.all(pipes.map((pipe) => scene.until(pipe, 'Applied')));
    for (const one of orgs) expect(one.said()).toEqual(['name', 'name+a+b']);
    for (const pipe of pipes) expect(putsOf(scene, pipe)).toHaveLength(1);
    expect(scene.simulator.log.filter(({ status }) => status !== 200)).toEqual([]);
    expect(mostWithin(scene.simulator.log, 3_900)).toBe(2);
    expect(applied.map(({ status }) => status.attempts)).toEqual([undefined, undefined, undefined]);
  });

  test('lets no intent grow old: each leaves within 5 s of its time, however long the queue', async () => {
    const { scene, orgs, open } = await paced('2/6s', 5_900, 2);
    const intents = await recordIntents(scene.namespace);
    const cases = [1, 2, 3, 4].map(() => open());
    await Promise.all(cases.map((one) => one.declare({ privateEndpoints: [endpoint('a')] })));
    const objects = await Promise.all(cases.map((one) => one.until('Applied')));
    const times = await Promise.all(objects.map((object) => intents.timesOf(object)));
    for (const [index, one] of cases.entries()) {
      const sends = one.calls().filter(({ text }) => text.includes('"add":[{'));
      expect(sends).toHaveLength(1);
      const age = (sends[0]?.receivedAt ?? 0) - Math.max(...(times[index] ?? []));
      expect(age).toBeLessThan(5 * SECOND);
      // What the read came to, the intent anew where its slot came late, and the result.
      expect((await orgs.writes(one.name)).length).toBeLessThanOrEqual(3);
    }
    expect(
      Math.max(...times.map(({ length }) => length)),
      'some had to wait for so long that it was written anew',
    ).toBe(2);
    expect(mostWithin(scene.simulator.log, 5_900)).toBe(2);
    await intents.end();
  });
});

test('at rest nothing is called and nothing is written', async () => {
  lab = await openLab();
  const { scene, open, settle, orgs } = lab;
  const cases = Array.from({ length: 10 }, () => open({ others: [endpoint('theirs')] }));
  await Promise.all(
    cases.map((one) => one.declare({ name: 'Acme', privateEndpoints: [endpoint('a'), endpoint('theirs')] })),
  );
  await Promise.all(cases.map((one) => one.until('Applied')));
  await lab.operator().idle();
  for (const one of cases) {
    expect(one.said()).toEqual(['name', 'name+a']);
    expect(await orgs.writes(one.name)).toHaveLength(2);
  }
  const before = new Map(await Promise.all(cases.map(async (one) => [one.name, (await one.get()).metadata] as const)));
  lab.advance(30 * 24 * 60 * 60 * SECOND);
  await settle();
  await lab.restart();
  await settle();
  for (const one of cases) {
    expect((await one.get()).metadata.resourceVersion).toBe(before.get(one.name)?.resourceVersion);
    expect(one.calls()).toHaveLength(2);
  }
  const writes = await audit({ user: scene.user, resource: 'organizations', subresource: 'status' });
  expect(writes.filter(({ name }) => name.startsWith('org-'))).toHaveLength(20);
});

describe('429', () => {
  test('pauses organizations and pipes of the key, and then all goes on from where it was', async () => {
    lab = await openLab();
    const { scene, open } = lab;
    const one = open();
    const other = open();
    one.next({ play: {} });
    one.next({ status: 429, headers: { 'retry-after': '30' } });
    await one.declare({ privateEndpoints: [endpoint('a'), endpoint('b')] });
    const limited = await one.until('RateLimited');
    expect(told(limited)).toBe('RateLimited Reconciling');
    expect(limited.status.pendingChange).toMatchObject({ add: [endpoint('a'), endpoint('b')] });
    await Promise.all([other.declare({ name: 'Acme' }), scene.pset('pipe')]);
    const free = await scene.newKey('free');
    await scene.pset('free', { credentialsSecretRef: { name: 'free' } });
    await scene.until('free', 'Applied');
    lab.advance(20 * SECOND);
    await scene.pset('free', { credentialsSecretRef: { name: 'free' }, settings: { engine_max_threads: 2 } });
    await scene.until('free', 'Applied');
    expect(scene.simulator.callCount({ keyId: scene.key.id }), 'during the pause').toBe(2);
    expect(scene.simulator.callCount({ keyId: free.id })).toBe(2);
    lab.advance(12 * SECOND);
    await Promise.all([one.until('Applied'), other.until('Applied'), scene.until('pipe', 'Applied')]);
    expect(one.ids()).toEqual(['a', 'b']);
    // Refused for its pace, so it had no effect: nothing has to be waited for before it is sent again.
    expect(one.said()).toEqual(['list', '+a+b', 'list', '+a+b']);
  });
});

describe('401', () => {
  test('closes the gate for organizations and pipes of the key: one write each, and no call but a probe', async () => {
    lab = await openLab();
    const { scene, open, orgs } = lab;
    const ready = open();
    await ready.declare({ name: 'Acme' });
    await ready.until('Applied');
    scene.simulator.setKey(scene.key.id, scene.key.secret, { disabled: true });
    const first = open();
    await first.declare({ name: 'Acme', privateEndpoints: [endpoint('a')] });
    expect(told(await first.until('Unauthorized'))).toBe('Unauthorized Stalled');
    const cases = Array.from({ length: 5 }, () => open());
    await Promise.all([...cases.map((one) => one.declare({ privateEndpoints: [endpoint('a')] })), scene.pset('pipe')]);
    await Promise.all([...cases.map((one) => one.until('Unauthorized')), scene.until('pipe', 'Unauthorized')]);
    await lab.operator().idle();
    expect(scene.simulator.callCount({ keyId: scene.key.id })).toBe(2);
    for (const one of cases) expect(await orgs.writes(one.name)).toHaveLength(1);
    expect(told(await ready.get()), 'what is Ready stays so').toBe('Applied');
    expect(await orgs.writes(ready.name)).toHaveLength(1);

    const corrected = { id: `key-${randomUUID().slice(0, 8)}`, secret: `secret-${randomUUID()}` };
    scene.simulator.setKey(corrected.id, corrected.secret);
    await scene.secret('management-api', { keyId: corrected.id, keySecret: corrected.secret });
    await Promise.all([first, ...cases].map((one) => one.until('Applied')));
    await scene.until('pipe', 'Applied');
    for (const one of [first, ...cases]) expect(one.ids()).toEqual(['a']);
    expect(scene.simulator.callCount({ keyId: corrected.id })).toBe(13);
  });
});
