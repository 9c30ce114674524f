import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { operatorRules } from './cluster.ts';
import { type CrashScene, openCrashScene } from './crash-scene.ts';
import type { Point } from './crash-tap.ts';
import type { Workload } from './crash-workloads.ts';
import { endpoint, type Org, type Patch } from './organization-scene.ts';
import { ORGANIZATION, openScene } from './scene.ts';

const FINALIZER = 'pipewright.dev/remove-private-endpoints';

type Pending = NonNullable<Org['status']['pendingChange']>;

/** What is left of a run once it has come to rest, without what differs from run to run: times, request ids, addresses. */
interface Outcome {
  readonly ids: readonly string[];
  /** How often each endpoint really went in and out. */
  readonly moved: Readonly<Record<string, { readonly added: number; readonly removed: number }>>;
  /** Absent where the object is gone. */
  readonly object?: unknown;
}

export interface Run {
  readonly apiTimeoutMs: number;
  readonly outcome: Outcome;
  /** Since the user's act. */
  readonly calls: CrashScene['tap']['taken'];
  /** What was on record when each process died. */
  readonly deaths: readonly (Pending | undefined)[];
}

/** Long enough for a call that should not come. */
const QUIET_MS = 200;

export interface CrashRuns {
  /** One run of its own; any number may be under way at once. */
  runOf(workload: Workload, points: readonly Point[]): Promise<Run>;
  end(): Promise<void>;
}

/** Installs what all runs share. The API of each takes nothing twice: a repeated add doubles an endpoint, a repeated removal is refused. */
export async function openCrashRuns({ apiTimeoutMs }: { readonly apiTimeoutMs: number }): Promise<CrashRuns> {
  const [common, rules] = await Promise.all([openScene({ start: false }), operatorRules()]);
  const organization = { addExisting: 'duplicate', removeAbsent: 'bad-request' } as const;
  return {
    async runOf(workload, points) {
      const scene = await openCrashScene(common, rules, { apiTimeoutMs, organization });
      try {
        return await run(scene, workload, points);
      } finally {
        await scene.end();
      }
    },
    end: () => common.end(),
  };
}

/** Has the user act and the operator die at each of the points in turn, each counted from its start or the act, and waits for the end. */
async function run(scene: CrashScene, workload: Workload, points: readonly Point[]): Promise<Run> {
  const { simulator, orgs, tap, apiTimeoutMs } = scene;
  simulator.setOrganization(ORGANIZATION, { add: [{ ...endpoint('theirs') }] });
  await scene.start();
  await workload.prepare(scene);
  const before = tap.taken.length;
  const deaths: (Pending | undefined)[] = [];
  for (const [index, point] of points.entries()) {
    const object = await scene.crash(point, index === 0 ? () => workload.act(scene) : () => scene.start());
    deaths.push(object?.status.pendingChange);
  }
  await (points.length === 0 ? workload.act(scene) : scene.start());
  await workload.finished(scene);
  await tap.settled();
  await scene.caughtUp();
  await pause(QUIET_MS);
  const counts = Object.entries(simulator.endpointCounts(ORGANIZATION));
  const object = await scene.present();
  return {
    apiTimeoutMs,
    outcome: {
      ids: orgs.ids(),
      moved: Object.fromEntries(counts.map(([key, { added, removed }]) => [key, { added, removed }])),
      ...(object && { object: masked(object) }),
    },
    calls: tap.taken.slice(before),
    deaths,
  };
}

/** Fails where anything differs from a clean run but the number of calls, or where a call came that should not have. */
export function expectLikeClean(run: Run, clean: Run, points: readonly Point[]): void {
  const { outcome, calls, deaths } = run;
  expect(outcome).toEqual(clean.outcome);
  const changes = calls.filter(({ label }) => label === 'change');
  for (const { body, onRecord } of changes) {
    const { add = [], remove = [] } = (body as Patch).privateEndpoints ?? {};
    expect(onRecord?.status.pendingChange, 'on record before it leaves').toMatchObject({ add, remove });
    const isHeld = onRecord?.spec['deletionPolicy'] !== undefined;
    expect(onRecord?.metadata.finalizers ?? [], 'held before it leaves').toEqual(isHeld ? [FINALIZER] : []);
  }
  const untold = points.filter(
    (point, index) => point.moment === 'lost' && lastOf(calls, index + 1)?.label === 'change',
  );
  expect(changes, 'sent again only where nobody could tell').toHaveLength(1 + untold.length);
  for (const [index, pending] of deaths.entries()) if (pending) expectWaited(run, index + 1, pending);
}

/** What was on record at a death is repeated only after a read, and that when the API can no longer be at work on it. */
function expectWaited({ calls, apiTimeoutMs }: Run, life: number, pending: Pending): void {
  const after = calls.filter((call) => call.life > life);
  const again = after.findIndex(({ label, body }) => label === 'change' && shares(body as Patch, pending));
  if (again < 0) return;
  const settledAt = Date.parse(pending.time) + apiTimeoutMs;
  const reads = after.slice(0, again).filter(({ label, arrivedAt }) => label === 'read' && arrivedAt >= settledAt);
  expect(reads, 'a read, once absence counts, before anything is sent again').not.toEqual([]);
}

function shares({ privateEndpoints = {} }: Patch, { add, remove }: Pending): boolean {
  const [ids, others] = [privateEndpoints, { add, remove }].map((lists) => [
    ...(lists.add ?? []).map(({ id }) => `+${id}`),
    ...(lists.remove ?? []).map(({ id }) => `-${id}`),
  ]);
  return (ids ?? []).some((id) => others?.includes(id));
}

function lastOf(calls: Run['calls'], life: number) {
  return calls.findLast((call) => call.life === life);
}

function masked({ metadata, spec, status }: Org): unknown {
  const { finalizers, generation } = metadata;
  const text = JSON.stringify({ finalizers, generation, spec, status }, (key, value: unknown) => {
    if (typeof value !== 'string') return value;
    if (VARYING.has(key)) return `<${key}>`;
    return value
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/, '<time>')
      .replace(/\(request [^)]+\)/, '(request <requestId>)');
  });
  return JSON.parse(text);
}

const VARYING = new Set(['requestId', 'requestHash', 'responseHash', 'secretResourceVersion']);
