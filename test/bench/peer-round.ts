import { setTimeout as pause } from 'node:timers/promises';
import type { FloorStep } from './floor-steps.ts';
import { fillNamespace, psetPath } from './objects.ts';
import { type PeerSide, startSide, WORD } from './peer-sides.ts';
import { childrenNamed, cpuSecondsOf, type Resident, residentOf } from './proc.ts';
import type { Program } from './processes.ts';
import type { Stage } from './stage.ts';
import { lastStatus } from './statuses.ts';

/** After filling a namespace, until the control plane is done with it. */
const FILLED_MS = 3000;
/** For 10,000 objects on a busy machine. */
const PATIENCE_MS = 600_000;
const POLL_MS = 200;

export interface Load {
  readonly namespace: string;
  readonly objects: number;
  readonly status: object;
  /** For the bare loop. */
  readonly upTo?: FloorStep | undefined;
}

interface RestingLoad extends Load {
  /** Before memory is read. */
  readonly restMs: number;
}

/** How one program brought all objects of a namespace to rest. */
export interface Settling {
  /** From spawning the process to its first PUT. */
  readonly startMs: number;
  /** Objects a second, from the first PUT to the answer to the last write of a status. */
  readonly rate: number;
  readonly cpuSeconds: number;
  /** How much of it before the first PUT. */
  readonly startCpuSeconds: number;
  /** What kube-apiserver and etcd took meanwhile. */
  readonly controlPlaneCpuSeconds: number;
}

/** The same for an operator, which stays. */
export interface OperatorRound extends Settling {
  readonly settled: Resident;
  /** After a restart that has nothing to send. */
  readonly restarted: Resident;
}

export async function measureSettling(stage: Stage, side: PeerSide, load: Load): Promise<Settling> {
  const { settling, program } = await settle(stage, side, load);
  await program.stop();
  await removeObjects(stage, load.namespace);
  return settling;
}

export async function measureOperator(
  stage: Stage,
  side: 'go' | 'operator',
  load: RestingLoad,
): Promise<OperatorRound> {
  const { settling, program } = await settle(stage, side, load);
  await pause(load.restMs);
  const settled = await residentOf(program.pid);
  await program.stop();
  const restarted = await restart(stage, side, load);
  await removeObjects(stage, load.namespace);
  return { ...settling, settled, restarted };
}

async function settle(
  stage: Stage,
  side: PeerSide,
  load: Load,
): Promise<{ settling: Settling; program: Program }> {
  const { namespace, objects } = load;
  await fillNamespace(stage, load);
  await pause(FILLED_MS);
  const controlPlane = await childrenNamed(['kube-apiserver', 'etcd']);
  const callsBefore = stage.simulator.callCount();
  const cpuBefore = await cpuSecondsOfAll(controlPlane);
  const first = stage.arrivals.next(`/${namespace}-`);
  const program = await startSide(stage, side, load);
  const firstPut = await program.outlives(first);
  const startCpuSeconds = await cpuSecondsOf(program.pid);
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    await pause(POLL_MS);
    program.mustRun();
    const calls = stage.simulator.callCount() - callsBefore;
    if (calls > objects) throw new Error(`${side}: ${calls} calls for ${objects} objects`);
    if (performance.now() > deadline)
      throw new Error(`${side}: ${calls} calls for ${objects} objects in ${PATIENCE_MS / 1000} s`);
    // Reading the audit log takes a processor: not while anything is measured.
    if (calls < objects) continue;
    await pause(POLL_MS);
    const cpuSeconds = await cpuSecondsOf(program.pid);
    const controlPlaneCpuSeconds = (await cpuSecondsOfAll(controlPlane)) - cpuBefore;
    const last = await lastStatus(stage, namespace, objects);
    if (last === undefined) continue;
    const rate = objects / ((last - performance.timeOrigin - firstPut) / 1000);
    const startMs = firstPut - program.since;
    const settling = { startMs, rate, startCpuSeconds, cpuSeconds, controlPlaneCpuSeconds };
    return { settling, program };
  }
}

async function restart(
  stage: Stage,
  side: 'go' | 'operator',
  load: RestingLoad,
): Promise<Resident> {
  const callsBefore = stage.simulator.callCount();
  const program = await startSide(stage, side, load);
  await program.says(WORD[side]);
  await pause(load.restMs);
  const resident = await residentOf(program.pid);
  await program.stop();
  const calls = stage.simulator.callCount() - callsBefore;
  if (calls > 0) throw new Error(`${side}: ${calls} calls after a restart with nothing to send`);
  return resident;
}

async function cpuSecondsOfAll(pids: readonly number[]): Promise<number> {
  const seconds = await Promise.all(pids.map(cpuSecondsOf));
  return seconds.reduce((sum, one) => sum + one, 0);
}

/** At once: the API server gives up on a request after a minute. */
const PAGE = 1000;

/** So that the next one finds the API server with as little to hold. */
async function removeObjects(stage: Stage, namespace: string): Promise<void> {
  const path = `${psetPath(namespace)}?limit=${PAGE}`;
  for (;;) {
    const { items } = await stage.ask<{ items: readonly unknown[] }>('DELETE', path);
    if (items.length < PAGE) return;
  }
}
