import { afterAll, describe, expect, test } from 'vitest';
import { audit, waitFor } from '../controlplane/client.ts';
import type { Call } from '../simulator/types.ts';
import { pathOf } from '../support/pipe-settings.ts';
import { openScene, type Scene, type SceneOptions } from '../support/scene.ts';
import { recordVersions, type Versions } from '../support/versions.ts';
import { secretListed } from '../support/watching.ts';

const ends: (() => Promise<void>)[] = [];

afterAll(async () => {
  await Promise.all(ends.map((end) => end()));
});

async function open(options: SceneOptions): Promise<{ scene: Scene; versions: Versions }> {
  const scene = await openScene(options);
  ends.push(() => scene.end());
  const versions = await recordVersions(scene.namespace);
  ends.push(() => versions.end());
  return { scene, versions };
}

function numbered(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
}

function using(secret: string): Readonly<Record<string, unknown>> {
  return { credentialsSecretRef: { name: secret } };
}

/**
 * The longer half of how an API asks to wait: beyond the own back-off of 10 s ± 20 %, which holds
 * without any header.
 */
const WAIT_MS = 14_000;
const OWN_WAIT_MS = 8_000;
const OWN_SPREAD_MS = 4_000;

interface HeaderStyle {
  readonly style: string;
  /** For the moment at which the wait is over. */
  readonly headers: (endsAt: number) => Record<string, string>;
  /** How long after the answer, or when, calls may go on at the earliest. */
  readonly free: (answeredAt: number, endsAt: number) => number;
  /** How much later that may be by chance. */
  readonly spread?: number;
}

const fromAnswer = (answeredAt: number): number => answeredAt + WAIT_MS;
const atTime = (_: number, endsAt: number): number => endsAt;

const STYLES: readonly HeaderStyle[] = [
  {
    style: 'reset-seconds',
    headers: () => ({ 'x-ratelimit-reset': String(WAIT_MS / 1000) }),
    free: fromAnswer,
  },
  {
    style: 'reset-fraction',
    headers: () => ({ 'x-ratelimit-reset': `${WAIT_MS / 1000 - 1}.75` }),
    free: (at) => at + WAIT_MS - 250,
  },
  {
    style: 'reset-epoch',
    headers: (at) => ({ 'x-ratelimit-reset': String(at / 1000) }),
    free: atTime,
  },
  { style: 'reset-epoch-ms', headers: (at) => ({ 'x-ratelimit-reset': String(at) }), free: atTime },
  {
    style: 'retry-after',
    headers: () => ({ 'retry-after': String(WAIT_MS / 1000) }),
    free: fromAnswer,
  },
  {
    style: 'retry-after-date',
    headers: (at) => ({ 'retry-after': new Date(at).toUTCString() }),
    free: atTime,
  },
  {
    style: 'both',
    headers: () => ({ 'retry-after': '1', 'x-ratelimit-reset': String(WAIT_MS / 1000) }),
    free: fromAnswer,
  },
  { style: 'none', headers: () => ({}), free: (at) => at + OWN_WAIT_MS, spread: OWN_SPREAD_MS },
  {
    style: 'nonsense',
    headers: () => ({ 'retry-after': 'soon', 'x-ratelimit-reset': '-5' }),
    free: (at) => at + OWN_WAIT_MS,
    spread: OWN_SPREAD_MS,
  },
];

// Each test starts an operator of its own, all at the same time.
describe.concurrent('limits', { timeout: 120_000 }, () => {
  test('429 pauses the whole key for as long as its header says, in every style, and no other key', async () => {
    const { scene, versions } = await open({});
    const { simulator } = scene;
    const keys = new Map<string, string>();
    for (const { style } of STYLES) keys.set(style, (await scene.newKey(style)).id);
    const namesOf = (style: string): string[] => numbered(style, 3);
    await Promise.all(
      STYLES.flatMap(({ style }) =>
        namesOf(style).map((name) => scene.psets.create(name, using(style))),
      ),
    );
    await scene.psets.create('free');
    const all = STYLES.flatMap(({ style }) => namesOf(style));
    await Promise.all([...all, 'free'].map((name) => scene.psets.until(name, 'Applied')));

    const before = simulator.log.length;
    const endsAt = Math.ceil(Date.now() / 1000) * 1000 + WAIT_MS;
    for (const { style, headers } of STYLES) {
      const keyId = keys.get(style) ?? '';
      simulator.next({ status: 429, headers: headers(endsAt) }, { match: { keyId } });
    }
    const edited = { settings: { engine_max_threads: 4 } };
    await Promise.all(
      STYLES.map(({ style }) => scene.psets.create(`${style}-0`, { ...using(style), ...edited })),
    );
    await Promise.all(STYLES.map(({ style }) => scene.psets.until(`${style}-0`, 'RateLimited')));
    expect(await scene.operator().page('metrics')).toMatch(
      new RegExp(`^pipewright_credential_paused{state="paused"} ${STYLES.length}$`, 'm'),
    );

    // What users want meanwhile waits, also when they ask for it at once; with another key it does
    // not.
    await Promise.all(
      STYLES.map(({ style }) => scene.psets.create(`${style}-1`, { ...using(style), ...edited })),
    );
    await Promise.all(STYLES.map(({ style }) => scene.psets.request(`${style}-2`)));
    const latencies: number[] = [];
    for (let threads = 10; Date.now() < endsAt - 3_000; threads += 1) {
      const started = performance.now();
      const match = { pathIncludes: pathOf('free') };
      const calls = simulator.callCount(match);
      await scene.psets.create('free', { settings: { engine_max_threads: threads % 16 } });
      await simulator.waitForCalls(calls + 1, { match });
      latencies.push(performance.now() - started);
    }
    expect(latencies.length).toBeGreaterThan(3);
    // One that a pause held back would have waited for the end of the longest.
    expect(Math.max(...latencies)).toBeLessThan(OWN_WAIT_MS);

    await Promise.all(all.map((name) => scene.psets.until(name, 'Applied')));
    for (const { style, free, spread = 0 } of STYLES) {
      const [refused, ...later] = simulator.log
        .slice(before)
        .filter(({ keyId }) => keyId === keys.get(style));
      const allowed = free(refused?.answeredAt ?? 0, endsAt);
      expect(refused?.status, style).toBe(429);
      expect(later.length, style).toBe(3);
      expect(Math.min(...later.map(({ receivedAt }) => receivedAt)), style).toBeGreaterThanOrEqual(
        allowed,
      );
      expect(Math.max(...later.map(({ receivedAt }) => receivedAt)), style).toBeLessThan(
        allowed + spread + 6_000,
      );
      expect(versions.reasons(`${style}-1`), style).not.toContain('RateLimited');
    }
  });

  test('--api-rate and --api-in-flight hold by the API’s own log, and what a user changes goes ahead of a backlog', async () => {
    const [calls, perMs, inFlight] = [5, 2_000, 2];
    const atVip = { pathIncludes: pathOf('vip') };
    const { scene } = await open({
      simulator: { latencyMs: 60 },
      flags: ['--api-rate', `${calls}/${perMs / 1000}s`, '--api-in-flight', String(inFlight)],
    });
    const { simulator, key } = scene;
    await scene.psets.create('vip');
    await scene.psets.until('vip', 'Applied');
    const backlog = numbered('backlog', 30);
    await Promise.all(backlog.map((name) => scene.psets.create(name, using('late'))));
    await Promise.all(backlog.map((name) => scene.psets.until(name, 'SecretNotFound')));
    // The same key in another Secret: all wait for the same slots.
    await scene.secret('late', { keyId: key.id, keySecret: key.secret });
    await simulator.waitForCalls(3, { match: { pathIncludes: '/backlog' } });
    await scene.psets.create('vip', { settings: { engine_max_threads: 4 } });
    const [, edited] = await simulator.waitForCalls(2, { match: atVip });
    const backlogLeft = backlog.length - simulator.callCount({ pathIncludes: '/backlog' });
    const visits = (did: string) =>
      scene.operator().lines.filter((line) => line['name'] === 'vip' && line['did'] === did);
    await waitFor(() => visits('put').length === 2, { what: 'the log of the edit' });
    // From when the operator knew of the edit and had no slot for it; where there is no such line,
    // it had one at once.
    const knownAt = Date.parse(String(visits('no-slot')[0]?.['time']));
    const ahead = simulator.log.filter(
      ({ seq, receivedAt }) => receivedAt > knownAt && seq < (edited?.seq ?? 0),
    );
    expect(ahead.length).toBeLessThanOrEqual(calls + inFlight);
    expect(backlogLeft).toBeGreaterThan(calls);
    await Promise.all(backlog.map((name) => scene.psets.until(name, 'Applied')));

    expect(mostWithin(simulator.log, perMs)).toBe(calls);
    expect(simulator.inFlight(key.id).highest).toBe(inFlight);
    expect(simulator.callCount()).toBe(backlog.length + 2);
  });

  test('in-flight calls reach their bound and never pass it', async () => {
    const { scene } = await open({
      simulator: { latencyMs: 100 },
      flags: ['--api-in-flight', '3'],
    });
    await scene.newKey('second');
    scene.simulator.always({ hold: true });
    const names = numbered('many', 30);
    await Promise.all(
      names.map((name, index) =>
        scene.psets.create(name, using(index % 2 === 0 ? 'management-api' : 'second')),
      ),
    );
    await scene.simulator.waitForCalls(6);
    scene.simulator.clear();
    scene.simulator.release();
    await Promise.all(names.map((name) => scene.psets.until(name, 'Applied')));
    expect(scene.simulator.inFlight(scene.key.id).highest).toBe(3);
    expect(scene.simulator.inFlight().highest).toBeGreaterThan(3);
    expect(scene.simulator.inFlight().highest).toBeLessThanOrEqual(6);
  });

  test('a key the API does not accept costs a handful of calls and one write per object, until its Secret changes', async () => {
    const { scene, versions } = await open({});
    const { simulator } = scene;
    const ready = numbered('ready', 2);
    const key = await scene.newKey('shared');
    await scene.psets.create('free');
    for (const name of ready) {
      await scene.psets.create(name, using('shared'));
      await scene.psets.until(name, 'Applied');
      await secretListed(scene, 'shared');
    }
    await scene.psets.until('free', 'Applied');
    simulator.setKey(key.id, key.secret, { disabled: true });

    const names = numbered('gated', 20);
    const callsBefore = simulator.callCount({ keyId: key.id });
    await Promise.all(names.map((name) => scene.psets.create(name, using('shared'))));
    await Promise.all(names.map((name) => scene.psets.until(name, 'Unauthorized')));
    const tried = simulator.callCount({ keyId: key.id }) - callsBefore;
    expect(tried).toBeGreaterThanOrEqual(1);
    expect(tried).toBeLessThanOrEqual(4);
    const stalled = (await Promise.all(names.map((name) => scene.psets.get(name)))).map(
      ({ status }) => status,
    );
    expect(stalled.filter(({ lastRequest }) => lastRequest !== undefined).length).toBe(tried);
    for (const { conditions } of stalled)
      expect(conditions.map(({ type }) => type)).toEqual(['Ready', 'Stalled']);

    await scene.psets.create('free', { settings: { engine_max_threads: 4 } });
    await simulator.waitForCalls(2, { match: { pathIncludes: pathOf('free') } });
    expect(await writesOf(scene, names, 1)).toEqual(new Map(names.map((name) => [name, 1])));
    expect(await writesOf(scene, ready, 1)).toEqual(new Map(ready.map((name) => [name, 1])));

    const nextAttempt = Math.min(
      ...stalled.map(({ nextAttemptTime = '2999-01-01' }) => Date.parse(nextAttemptTime)),
    );
    const right = await scene.newKey('shared');
    await Promise.all(names.map((name) => scene.psets.until(name, 'Applied')));
    const last = Math.max(
      ...simulator.calls({ keyId: right.id }).map(({ receivedAt }) => receivedAt),
    );
    expect(last).toBeLessThan(nextAttempt);
    expect(simulator.callCount({ keyId: right.id })).toBe(names.length);
    expect(simulator.callCount({ keyId: key.id }) - callsBefore).toBe(tried);
    expect(await writesOf(scene, names, 2)).toEqual(new Map(names.map((name) => [name, 2])));
    for (const name of ready)
      await waitFor(() => versions.reasons(name).join(), {
        what: `all that ${name} went through`,
        until: (all) => all === ['Pending', 'Applied'].join(),
      });
    const reads = await audit({
      user: scene.user,
      verb: 'get',
      resource: 'secrets',
      name: 'shared',
    });
    expect(reads.length).toBeLessThanOrEqual(2);
  });
});

/** Most calls that arrived in any stretch of this length. */
function mostWithin(log: readonly Call[], perMs: number): number {
  const times = log.map(({ receivedAt }) => receivedAt);
  return Math.max(
    ...times.map((from) => times.filter((time) => time >= from && time < from + perMs).length),
  );
}

/**
 * Status writes of the operator, by object: so many of each at least, because a write shows before
 * it is in the audit log.
 */
function writesOf(
  scene: Scene,
  names: readonly string[],
  atLeast: number,
): Promise<Map<string, number>> {
  const { user } = scene;
  const count = async (): Promise<Map<string, number>> => {
    const writes = await audit({ user, resource: 'pipesettings', subresource: 'status' });
    return new Map(
      names.map((name) => [name, writes.filter((write) => write.name === name).length]),
    );
  };
  return waitFor(count, {
    what: `${atLeast} writes to each object`,
    until: (counts) => [...counts.values()].every((writes) => writes >= atLeast),
  });
}
