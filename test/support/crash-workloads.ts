import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { API_TIMEOUT_MS, type CrashScene, NAME } from './crash-scene.ts';
import type { Label, Point } from './crash-tap.ts';
import { endpoint, type Org, type Patch } from './organization-scene.ts';
import { ORGANIZATION } from './scene.ts';

/** One thing a user does, and every call that it costs where nothing goes wrong. */
export interface Workload {
  readonly calls: readonly Label[];
  /** What was before; the operator runs. */
  prepare(scene: CrashScene): Promise<void>;
  act(scene: CrashScene): Promise<void>;
  finished(scene: CrashScene): Promise<void>;
  /** The ids that the API has at the end. */
  readonly ids: readonly string[];
}

const FINALIZER = 'pipewright.dev/remove-private-endpoints';
const NAMED = { name: 'Acme Data' };
const CLEANED = { deletionPolicy: 'RemovePrivateEndpoints' };
const list = (...ids: string[]) => ({ privateEndpoints: ids.map((id) => endpoint(id)) });

const declare = async ({ orgs }: CrashScene, spec: Readonly<Record<string, unknown>>): Promise<void> =>
  orgs.create(NAME, spec);
const applied = async ({ orgs }: CrashScene): Promise<void> => {
  await orgs.until(NAME, 'Applied');
};
const nothing = (): Promise<void> => Promise.resolve();

/** The three changes of which every point is tried. */
export const WORKLOADS = {
  'an edit that adds two endpoints and removes one': {
    calls: ['intent', 'change', 'result'],
    async prepare(scene) {
      await declare(scene, { ...NAMED, ...list('a', 'b') });
      await applied(scene);
    },
    act: (scene) => declare(scene, { ...NAMED, ...list('b', 'c', 'd') }),
    finished: applied,
    ids: ['theirs', 'b', 'c', 'd'],
  },
  'first contact with two endpoints and a finalizer': {
    calls: ['finalizer', 'read', 'intent', 'change', 'result'],
    prepare: nothing,
    act: (scene) => declare(scene, { ...CLEANED, ...list('a', 'b') }),
    finished: applied,
    ids: ['theirs', 'a', 'b'],
  },
  'deletion that takes two endpoints back': {
    calls: ['intent', 'change', 'result', 'finalizer'],
    async prepare(scene) {
      await declare(scene, { ...CLEANED, ...list('a', 'b') });
      await applied(scene);
    },
    act: ({ orgs }) => orgs.remove(NAME),
    finished: ({ orgs }) => orgs.untilGone(NAME),
    ids: ['theirs'],
  },
} satisfies Record<string, Workload>;

/** What is left of a run once it has come to rest, without what differs from run to run: times, request ids, addresses. */
export interface Outcome {
  readonly ids: readonly string[];
  /** How often each endpoint really went in and out. */
  readonly moved: Readonly<Record<string, { readonly added: number; readonly removed: number }>>;
  /** Absent where the object is gone. */
  readonly object?: unknown;
}

export interface Run {
  readonly outcome: Outcome;
  /** Since the user's act. */
  readonly calls: CrashScene['tap']['taken'];
  /** What was on record when each process died. */
  readonly deaths: readonly (Org['status']['pendingChange'] | undefined)[];
}

/** Long enough for a call that should not come. */
const QUIET_MS = 200;

/** Has the user act and the operator die at each of the points in turn, each counted from its start or the act, and waits for the end. */
export async function run(scene: CrashScene, workload: Workload, points: readonly Point[]): Promise<Run> {
  const { simulator, orgs, tap } = scene;
  simulator.setOrganization(ORGANIZATION, { add: [{ ...endpoint('theirs') }] });
  await scene.start();
  await workload.prepare(scene);
  const before = tap.taken.length;
  const deaths: (Org['status']['pendingChange'] | undefined)[] = [];
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
export function expectLikeClean({ outcome, calls, deaths }: Run, clean: Run, points: readonly Point[]): void {
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
  for (const [index, pending] of deaths.entries()) if (pending) expectWaited(calls, index + 2, pending);
}

/** The first thing a process repeats of what was on record waits until the API can no longer be at work on it, and is asked for then. */
function expectWaited(calls: Run['calls'], life: number, pending: NonNullable<Org['status']['pendingChange']>): void {
  const here = calls.filter((call) => call.life === life);
  const again = here.findIndex(({ label, body }) => label === 'change' && shares(body as Patch, pending));
  if (again < 0) return;
  const settledAt = Date.parse(pending.time) + API_TIMEOUT_MS;
  const reads = here.slice(0, again).filter(({ label, arrivedAt }) => label === 'read' && arrivedAt >= settledAt);
  expect(reads, 'a read, once absence counts, before anything is sent again').not.toEqual([]);
}

function shares(
  { privateEndpoints = {} }: Patch,
  { add, remove }: NonNullable<Org['status']['pendingChange']>,
): boolean {
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
