import { setTimeout as pause } from 'node:timers/promises';
import { memoryOf, until } from './process.ts';
import type { Figures } from './report.ts';
import { type Side, type Start, startSide } from './sides.ts';
import { empty, fill, type Stage } from './stage.ts';

/** After filling a namespace, until the control plane is done with it. */
const FILLED_MS = 3_000;
const REST_MS = 30_000;
const POLL_MS = 200;

/** How one side brings all objects of a namespace to rest, each figure by its name. */
export async function measureSettling(side: Side, start: Start, objects: number): Promise<Figures> {
  const { stage, namespace } = start;
  const { arrivals } = stage;
  const names = await fill(stage, namespace, objects);
  await pause(FILLED_MS);
  const before = arrivals.length;
  const since = performance.now();
  const program = await startSide(side, start);
  await until('the last PUT', () => arrivals[before + objects - 1], POLL_MS);
  const lastStatus = await until(
    'the last write of a status',
    () => lastWrite(stage, namespace, objects),
    POLL_MS,
  );
  await pause(REST_MS);
  const { now: settledMb, peak: peakMb } = await memoryOf(program);
  await program.stop();
  // A loop that begins anew would send everything again.
  const restarted = side === 'bare' ? {} : await restart(side, start);
  await empty(stage, names, namespace);
  const calls = arrivals.length - before;
  if (calls !== objects) throw new Error(`${side} made ${calls} calls for ${objects} objects`);
  const firstPut = arrivals[before]?.at ?? Number.NaN;
  return {
    'settled, objects/s': objects / ((lastStatus - firstPut) / 1000),
    'start to first PUT, ms': firstPut - since,
    'memory after settling, MB': settledMb,
    'memory, peak, MB': peakMb,
    ...restarted,
  };
}

async function restart(side: Side, start: Start): Promise<Figures> {
  const program = await startSide(side, start);
  await pause(REST_MS);
  const { now: atRestMb } = await memoryOf(program);
  await program.stop();
  return { 'memory at rest after a restart, MB': atRestMb };
}

/**
 * When the API server answered the last of so many writes of a status, on `performance.now()`. From
 * its audit log, so that nobody watches while it is measured.
 */
async function lastWrite(stage: Stage, namespace: string, objects: number) {
  const writes = (await stage.controlPlane.audit()).filter(
    (one) => one.namespace === namespace && one.subresource === 'status' && one.code === 200,
  );
  if (writes.length > objects)
    throw new Error(`${writes.length} status writes for ${objects} objects in ${namespace}`);
  if (writes.length < objects) return undefined;
  const last = writes.reduce((latest, { completed }) => Math.max(latest, completed), 0);
  return last - performance.timeOrigin;
}
