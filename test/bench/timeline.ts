import type { AuditEntry } from '../controlplane/audit.ts';
import { type Figure, medianOf } from './figures.ts';
import { fillNamespace } from './objects.ts';
import { startSide } from './peer-sides.ts';
import type { PeersOptions } from './peers.ts';
import type { Stage } from './stage.ts';

const STARTS = 7;
const QUICK_OBJECTS = [20];

/** In ms from spawning the process. */
interface Start {
  readonly asked: number;
  readonly listed: number;
  readonly secret: number;
  readonly put: number;
}

/**
 * What the time to the first PUT is made of, by the audit log of the API server. Each start is
 * ended at its first PUT, so that nearly all objects still wait for the next one.
 */
export async function measureTimeline(
  stage: Stage,
  { quick, objects, say }: Omit<PeersOptions, 'rounds'>,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const size of quick ? QUICK_OBJECTS : objects) {
    const namespace = `timeline-${size}`;
    await fillNamespace(stage, { namespace, objects: size });
    const starts: Start[] = [];
    for (let run = 1; run <= (quick ? 1 : STARTS); run += 1) {
      say(`floor: start ${run} with ${size} objects`);
      starts.push(await oneStart(stage, namespace));
    }
    const at = (pick: (start: Start) => number) => medianOf(starts.map(pick), 0);
    figures.push({
      what: `start with ${size} objects waiting, ms from spawning the process`,
      goal: '–',
      measured: `first list asked for ${at(({ asked }) => asked)}, last page answered ${at(({ listed }) => listed)}, Secret answered ${at(({ secret }) => secret)}, first PUT ${at(({ put }) => put)}`,
    });
  }
  return figures;
}

async function oneStart(stage: Stage, namespace: string): Promise<Start> {
  const first = stage.arrivals.next(`/${namespace}-`);
  const program = await startSide(stage, 'operator', { namespace, status: {} });
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
