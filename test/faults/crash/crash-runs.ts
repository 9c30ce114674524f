import { setTimeout as pause } from 'node:timers/promises';
import { endpoint } from '../../support/organizations.ts';
import { ORGANIZATION, SERVICE } from '../../support/scene-objects.ts';
import { masked } from '../masked.ts';
import { NAME } from './crash-calls.ts';
import { breakAt, killAt, type Point, type Silence } from './crash-points.ts';
import {
  type CrashScene,
  type CrashSceneOptions,
  inVain,
  openCrashScene,
  type Present,
} from './crash-scene.ts';
import type { Taken } from './crash-tap.ts';
import type { Workload } from './crash-workloads.ts';

/**
 * What is left of a run once it has come to rest, without what differs from run to run: times,
 * request ids, addresses.
 */
interface Outcome {
  /** What the API holds of the object's target. */
  readonly held: unknown;
  /** How often each endpoint really went in and out. */
  readonly moved: Readonly<Record<string, { readonly added: number; readonly removed: number }>>;
  /** Absent where the object is gone. */
  readonly object?: unknown;
}

export interface Run {
  readonly apiTimeoutMs: number;
  readonly outcome: Outcome;
  /** Since the user's act. */
  readonly calls: readonly Taken[];
  /** Why each event of the object was sent. */
  readonly events: readonly string[];
  /**
   * How many calls there were when something went wrong, the pending change on record then, and one
   * that got there later.
   */
  readonly breaks: readonly {
    readonly after: number;
    readonly pending: unknown;
    readonly coming?: unknown;
  }[];
}

export interface RunOptions extends Partial<Omit<CrashSceneOptions, 'plural'>> {
  /** Where the operator dies, one after another, each counted from its start or the act. */
  readonly kills?: readonly Point[];
  /** Where it loses an answer and lives on. */
  readonly broken?: Point & { readonly silence: Silence };
}

/** Long enough for a call that should not come. */
const QUIET_MS = 200;

/** One run of its own, from an empty namespace to the end; any number may be under way at once. */
export async function runOf(workload: Workload, options: RunOptions = {}): Promise<Run> {
  const { kills: _, broken: __, apiTimeoutMs = workload.apiTimeoutMs, ...more } = options;
  const scene = await openCrashScene({ plural: workload.plural, apiTimeoutMs, ...more });
  try {
    scene.simulator.setOrganization(ORGANIZATION, { add: [{ ...endpoint('theirs') }] });
    await scene.start();
    await workload.prepare(scene);
    const before = scene.tap.taken.length;
    const told = await reasonsOf(scene);
    const breaks = await goThrough(scene, workload, options);
    await workload.finished(scene);
    await scene.tap.settled();
    await scene.caughtUp();
    await pause(QUIET_MS);
    return {
      apiTimeoutMs,
      outcome: await outcomeOf(scene),
      calls: scene.tap.taken.slice(before),
      events: without(await reasonsOf(scene), told),
      breaks: breaks.map(({ after, ...more }) => ({ ...more, after: after - before })),
    };
  } finally {
    await scene.end();
  }
}

async function goThrough(
  scene: CrashScene,
  workload: Workload,
  { kills = [], broken }: RunOptions,
) {
  const { tap } = scene;
  if (broken) {
    const after = breakAt(tap, broken, broken.silence).then(() => tap.taken.length);
    await workload.act(scene);
    const breaking = {
      after: await Promise.race([
        after,
        inVain('The operator has not made the call that should break'),
      ]),
    };
    return [{ ...breaking, pending: (await scene.present())?.status['pendingChange'] }];
  }
  const breaks: Run['breaks'][number][] = [];
  for (const [index, point] of kills.entries()) {
    const act = index === 0 ? () => workload.act(scene) : () => scene.start();
    const object = await scene.crash(killAt(tap, point), act);
    const coming =
      point.moment === 'late' || point.moment === 'latest'
        ? intendedBy(tap.taken.at(-1))
        : undefined;
    breaks.push({ after: tap.taken.length, pending: object?.status['pendingChange'], coming });
  }
  await (kills.length === 0 ? workload.act(scene) : scene.start());
  return breaks;
}

function intendedBy(call: Taken | undefined): unknown {
  return call?.label === 'intent' ? (call.body as Present).status['pendingChange'] : undefined;
}

async function reasonsOf(scene: CrashScene): Promise<string[]> {
  return (await scene.events(NAME)).map(({ reason }) => reason);
}

/** In no order: events have names at random. */
function without(all: readonly string[], some: readonly string[]): string[] {
  const left = [...all];
  for (const one of some) left.splice(left.indexOf(one), 1);
  return left;
}

async function outcomeOf({ simulator, present }: CrashScene): Promise<Outcome> {
  const { pipes, organizations } = simulator.dump();
  const counts = Object.entries(simulator.endpointCounts(ORGANIZATION));
  const object = await present();
  return {
    held: {
      settings: pipes[`${ORGANIZATION}/${SERVICE}/${NAME}`],
      organization: organizations[ORGANIZATION],
    },
    moved: Object.fromEntries(counts.map(([key, { added, removed }]) => [key, { added, removed }])),
    ...(object && { object: masked({ ...object, status: withTold(object) }) }),
  };
}

interface Told {
  readonly history?: readonly { readonly changes: readonly Change[] }[];
  readonly drift?: readonly Change[];
}

interface Change {
  readonly field: string;
  readonly from?: string;
  readonly to?: string;
}

/**
 * History and drift as what they tell of, each once and in whatever order: a lost change is seen
 * bit by bit, and of what is gone for good nobody can tell who took it. Names are left out: of one
 * that is there after a death, nobody can tell who gave it.
 */
function withTold({ status }: Present): unknown {
  const { history = [], drift = [], ...rest } = status as Told;
  const changes = [...history.flatMap((entry) => entry.changes), ...drift].filter(
    ({ field }) => field !== 'name',
  );
  return {
    ...rest,
    told: changes.map(({ field, from, to }) => JSON.stringify({ field, from, to })).toSorted(),
  };
}
