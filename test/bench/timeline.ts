import type { AuditEntry } from '../controlplane/audit.ts';
import { type Figure, medianOf } from './figures.ts';
import { fillNamespace } from './objects.ts';
import { startSide } from './peer-sides.ts';
import type { PeersOptions } from './peers.ts';
import type { Program } from './processes.ts';
import type { Stage } from './stage.ts';
import { exampleStatus } from './statuses.ts';

const STARTS = 7;
const QUICK_OBJECTS = [20];

/** In ms from spawning the process; infinite where no such call was made: Go lists by a watch. */
interface Start {
  readonly asked: number;
  readonly listed: number;
  readonly secret: number;
  readonly put: number;
}

interface Load {
  readonly namespace: string;
  readonly status: object;
  readonly [name: string]: unknown;
}

/** Started by turns, so that all find the same machine. */
const STARTED = {
  'the least that Node must do': (stage, load) => stage.startPeer('bare-start.mjs', load),
  'the Go operator': (stage, load) => startSide(stage, 'go', load),
  'the operator': (stage, load) => startSide(stage, 'operator', load),
} satisfies Record<string, (stage: Stage, load: Load) => Promise<Program>>;

type Started = keyof typeof STARTED;
const NAMES = Object.keys(STARTED) as Started[];

/**
 * What the time to the first PUT is made of, by the audit log of the API server. Each start is
 * ended at its first PUT, so that nearly all objects still wait for the next one.
 */
export async function measureTimeline(
  stage: Stage,
  { quick, objects, say }: Omit<PeersOptions, 'rounds'>,
): Promise<Figure[]> {
  const status = await exampleStatus(stage);
  const figures: Figure[] = [];
  for (const size of quick ? QUICK_OBJECTS : objects) {
    const namespace = `timeline-${size}`;
    await fillNamespace(stage, { namespace, objects: size });
    const starts = new Map<Started, Start[]>(NAMES.map((name) => [name, []]));
    for (let run = 1; run <= (quick ? 1 : STARTS); run += 1) {
      const first = run % NAMES.length;
      for (const name of [...NAMES.slice(first), ...NAMES.slice(0, first)]) {
        say(`floor: start ${run} with ${size} objects, ${name}`);
        starts.get(name)?.push(await oneStart(stage, name, { namespace, status }));
      }
    }
    for (const [name, those] of starts) figures.push(figureOf(name, size, those));
  }
  return figures;
}

function figureOf(name: Started, objects: number, starts: readonly Start[]): Figure {
  const steps: readonly [string, (start: Start) => number][] = [
    ['first list asked for', ({ asked }) => asked],
    ['last page answered', ({ listed }) => listed],
    ['Secret answered', ({ secret }) => secret],
    ['first PUT', ({ put }) => put],
  ];
  const shown = steps.filter(([, at]) => starts.every((start) => Number.isFinite(at(start))));
  return {
    what: `start of ${name} with ${objects} objects waiting, ms from spawning the process`,
    goal: '–',
    measured: shown.map(([step, at]) => `${step} ${medianOf(starts.map(at), 0)}`).join(', '),
  };
}

async function oneStart(stage: Stage, name: Started, load: Load): Promise<Start> {
  const { namespace } = load;
  const first = stage.arrivals.next(`/${namespace}-`);
  const program = await STARTED[name](stage, load);
  const put = (await program.outlives(first)) - program.since;
  await program.stop();
  const spawned = performance.timeOrigin + program.since;
  const calls = (await stage.controlPlane.audit()).filter(
    (call) => call.namespace === namespace && call.received > spawned,
  );
  const those = (verb: string, resource: string): AuditEntry[] =>
    calls.filter((call) => call.verb === verb && call.resource === resource);
  const lists = those('list', 'pipesettings');
  return {
    asked: Math.min(...lists.map(({ received }) => received)) - spawned,
    listed: Math.max(...lists.map(({ completed }) => completed)) - spawned,
    secret: Math.max(...those('get', 'secrets').map(({ completed }) => completed)) - spawned,
    put,
  };
}
