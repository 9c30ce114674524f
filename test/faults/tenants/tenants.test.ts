import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { leaks, spellings } from '../../support/canary.ts';
import { asAdmin } from '../../support/cluster.ts';
import { median, p99 } from '../load/poison-latency.ts';
import { ATTACKS, type Attacker, HANGING, liesInWait } from './tenants-attacks.ts';
import { allApplied, spoilt, startWork, type Work } from './tenants-work.ts';
import { KINDS, openWorld, pathOf, type Tenant, type World } from './tenants-world.ts';

const SECONDS = Number(process.env.TENANT_SECONDS ?? 300);
const ALONE_STEPS = 40;
/**
 * An edit beside the attacks may take so much longer, at the median: the other's calls and writes
 * share workers, the API server and two processors with it. What this is about, an edit that waits
 * for calls that hang, or for a rate that somebody else has used up, takes seconds.
 */
const SLOWER = 3;
const NOISE_MS = 250;
/** Behind thirty calls that hang, an edit of who attacks takes 10 to 19 s. */
const SLOWEST_MS = 8_000;

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.end());

interface Phase {
  readonly breaches: readonly string[];
  readonly probes: readonly number[];
  /** Milliseconds of the edits of who did not attack. */
  readonly beside: readonly number[];
  /** Of who attacked. */
  readonly own: readonly number[];
}

async function stepsFor(work: Work, over: () => boolean): Promise<number[]> {
  const took: number[] = [];
  while (!over()) took.push(await work.step());
  return took;
}

/** Attacks in turn until it is over; resolves to what should have been refused. */
async function attack(attacker: Attacker, over: () => boolean): Promise<Set<string>> {
  const found = new Set<string>();
  for (let round = 0; !over(); round += 1)
    for (const one of ATTACKS)
      if (!over()) for (const breach of await one.run(attacker, round)) found.add(breach);
  return found;
}

/** Milliseconds of each probe; one that is not answered with 200 counts as for ever. */
async function probe(port: number, over: () => boolean): Promise<number[]> {
  const took: number[] = [];
  for (; !over(); await pause(200)) {
    const started = performance.now();
    const answer = await fetch(`http://127.0.0.1:${port}/livez`).catch(() => undefined);
    took.push(answer?.status === 200 ? performance.now() - started : Number.POSITIVE_INFINITY);
  }
  return took;
}

/** All that somebody may read who has no right to the Secrets of this tenant. */
async function readable(other: Tenant): Promise<Record<string, string>> {
  const { namespace } = other;
  const events = await asAdmin('GET', `/apis/events.k8s.io/v1/namespaces/${namespace}/events`);
  const objects = await Promise.all(
    KINDS.map((plural) => asAdmin('GET', pathOf(namespace, plural))),
  );
  return {
    'events of the other': JSON.stringify(events),
    'objects of the other': JSON.stringify(objects),
    log: world.operator.output(),
    metrics: await world.operator.page('metrics'),
  };
}

test(
  'Tenants: two who attack each other for five minutes each have what they would have alone',
  async () => {
    const { tenants, simulator, operator, port } = world;
    const [a, b] = tenants;
    await Promise.all([liesInWait({ self: a, victim: b }), liesInWait({ self: b, victim: a })]);
    const works = [await startWork(a), await startWork(b)];
    const alone: number[] = [];
    for (const work of works)
      for (let step = 0; step < ALONE_STEPS / 2; step += 1) alone.push(await work.step());

    const phases: Phase[] = [];
    for (const attackers of [[a], [b], [a, b]]) {
      const end = performance.now() + (SECONDS * 1000) / 3;
      const over = (): boolean => performance.now() > end;
      const [breaches, probes, ...took] = await Promise.all([
        Promise.all(
          attackers.map((self) => attack({ self, victim: self === a ? b : a, port }, over)),
        ),
        probe(port, over),
        ...works.map((work) => stepsFor(work, over)),
      ]);
      const found = breaches.flatMap((some) => [...some]);
      // Who attacks shares key and workers with the own attacks: its work is done, if not as fast.
      const beside = took.filter((_, nth) => !attackers.includes(tenants[nth] ?? a)).flat();
      const own = took.filter((_, nth) => attackers.includes(tenants[nth] ?? a)).flat();
      phases.push({ breaches: found, probes, beside, own });
      // Or who attacked would wait for its own calls that hang, while it is the other's turn.
      for (const self of attackers) await allApplied(self, HANGING);
    }
    // What is left over from the attacks stays where it is.
    for (const work of works) for (let step = 0; step < 10; step += 1) await work.step();

    expect(phases.flatMap(({ breaches }) => breaches)).toEqual([]);
    for (const [nth, tenant] of tenants.entries()) {
      const work = works[nth];
      expect(work && (await spoilt(tenant, work, simulator)), tenant.namespace).toEqual([]);
    }
    const beside = phases.flatMap((phase) => phase.beside);
    const probes = phases.flatMap((phase) => phase.probes);
    const figures = {
      edits: beside.length,
      alone: Math.round(median(alone)),
      beside: Math.round(median(beside)),
      slowest: Math.round(Math.max(...beside)),
      slowestOwn: Math.round(Math.max(...phases.flatMap(({ own }) => own))),
      probe: Math.round(median(probes)),
      slowestProbe: Math.round(p99(probes)),
      calls: simulator.log.length,
    };
    console.log(`two tenants, ${SECONDS} s: ${JSON.stringify(figures)}`);
    expect(figures.beside).toBeLessThanOrEqual(figures.alone * SLOWER + NOISE_MS);
    expect(figures.slowest).toBeLessThanOrEqual(SLOWEST_MS);
    expect(Math.max(...probes)).toBeLessThan(Number.POSITIVE_INFINITY);

    expect(operator.process.exitCode).toBeNull();
    for (const [nth, { key, slowKey, namespace }] of tenants.entries()) {
      const other = tenants[1 - nth];
      const texts = other ? await readable(other) : {};
      const forms = [key, slowKey].flatMap(({ id, secret }) => spellings(id, secret));
      expect(leaks(texts, forms)).toEqual([]);
      const { 'events of the other': events = '', 'objects of the other': objects = '' } = texts;
      expect([events.includes(namespace), saidOf(objects).includes(namespace)]).toEqual([
        false,
        false,
      ]);
    }
  },
  (SECONDS + 240) * 1000,
);

/** What the operator says in the statuses of these objects. */
function saidOf(lists: string): string {
  const parsed = JSON.parse(lists) as { readonly items: readonly { readonly status: unknown }[] }[];
  return JSON.stringify(parsed.flatMap(({ items }) => items.map(({ status }) => status)));
}
