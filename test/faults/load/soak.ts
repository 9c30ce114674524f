import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { requestToken, writeTokenKubeconfig } from '../../controlplane/identity.ts';
import { progressLines } from '../../controlplane/progress.ts';
import { BUILD, runQuietly } from '../../steps.ts';
import { describeMachine } from '../../support/machine.ts';
import { layWire, type Wire } from '../wire.ts';
import { type Churn, startChurn } from './soak-churn.ts';
import { startWatched, type Watched } from './soak-operator.ts';
import { openStage, type Stage } from './soak-stage.ts';
import { troublesOf } from './soak-troubles.ts';
import { type Holdings, judge, type Memory, tableOf } from './soak-verdict.ts';

const usage = `Usage: node test/faults/load/soak.ts [--minutes N]
  --minutes N   how long it is churned, in rounds of two minutes; 30 when absent, of which the first five (a third at most) are warm-up`;

const NAMESPACE = 'soak';
const STEP_MS = 150;
const ROUND_MS = 120_000;
/**
 * For so long at the end of a round nothing is done but to count, again and again, what the process
 * holds.
 */
const CALM_MS = 20_000;
const LOOKS = 5;
const SAMPLE_MS = 10_000;
const WARM_UP_MS = 5 * 60_000;

type Troubles = ReturnType<typeof troublesOf>;

interface Running {
  readonly stage: Stage;
  readonly wire: Wire;
  readonly operator: Watched;
}

/** What has been started and is to be ended, the last first. */
const open: (() => Promise<unknown>)[] = [];

async function start(say: (line: string) => void): Promise<Running> {
  const stage = await openStage({ latencyMs: 5, say });
  open.push(stage.close);
  stage.simulator.play({ activity: { anyActivity: true } });
  const { server, ca, admin, folder } = stage.controlPlane;
  const wire = await layWire(Number(new URL(server).port));
  open.push(wire.close);
  const token = await requestToken(admin, { namespace: 'pipewright', name: 'pipewright' });
  const way = { server: `https://127.0.0.1:${wire.port}`, caPem: ca, token, namespace: NAMESPACE };
  const kubeconfig = await writeTokenKubeconfig(join(folder, 'users', 'soak'), way);
  await stage.ask('POST', '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  const flags = `--namespaces ${NAMESPACE} --leader-elect --leader-elect-namespace pipewright --api-rate 0 --api-timeout 5s --cleanup-deadline 1m`;
  const operator = await startWatched({
    kubeconfig,
    apiUrl: stage.simulator.url,
    flags: flags.split(' '),
  });
  open.push(operator.stop);
  return { stage, wire, operator };
}

/** Does one thing after another to objects and servers. */
async function playRound(churn: Churn, troubles: Troubles, round: number): Promise<void> {
  const began = performance.now();
  const due = troubles.round(round);
  for (let now = 0; now < ROUND_MS - CALM_MS; now = performance.now() - began) {
    while ((due[0]?.at ?? Number.POSITIVE_INFINITY) <= now) await due.shift()?.act();
    await churn.step();
    await pause(STEP_MS);
  }
  await troubles.lift();
}

/** Memory as it comes and goes, until the signal. */
async function watchMemory(operator: Watched, signal: AbortSignal): Promise<Memory[]> {
  const began = performance.now();
  const seen: Memory[] = [];
  while (!signal.aborted) {
    // Aborted in its sleep: the answer is in the condition above.
    await pause(SAMPLE_MS, undefined, { signal }).catch(() => undefined);
    operator.mustRun();
    seen.push({ atMs: performance.now() - began, rssMb: (await operator.outside()).rssMb });
  }
  return seen;
}

/**
 * The least of several looks: what is under way at one of them comes to an end, and what leaks is
 * there at all.
 */
async function countHoldings(operator: Watched, began: number): Promise<Holdings> {
  const looks: Holdings[] = [];
  while (looks.length < LOOKS) {
    await pause(CALM_MS / LOOKS);
    const { sockets } = await operator.outside();
    const { heapBytes, listeners, timers, handles } = await operator.inside();
    const sum = Object.values(handles).reduce((total, count) => total + count, 0);
    looks.push({
      atMs: performance.now() - began,
      sockets,
      heapMb: heapBytes / 2 ** 20,
      listeners,
      timers,
      handles: sum,
    });
  }
  const least = (field: keyof Holdings): number => Math.min(...looks.map((look) => look[field]));
  return {
    atMs: least('atMs'),
    heapMb: least('heapMb'),
    sockets: least('sockets'),
    listeners: least('listeners'),
    timers: least('timers'),
    handles: least('handles'),
  };
}

/** Whether a new object is still applied at once. */
async function stillWorks(stage: Stage, churn: Churn): Promise<boolean> {
  const path = await churn.fresh();
  for (let tries = 0; tries < 600; tries += 1) {
    const { status } = await stage.ask<{ status: { conditions: readonly { reason: string }[] } }>(
      'GET',
      path,
    );
    if (status.conditions.some(({ reason }) => reason === 'Applied' || reason === 'Planned'))
      return true;
    await pause(200);
  }
  return false;
}

async function soak(
  { stage, wire, operator }: Running,
  minutes: number,
  say: (line: string) => void,
) {
  const churn = await startChurn(stage, NAMESPACE);
  const troubles = troublesOf(stage, wire);
  const over = new AbortController();
  const watching = watchMemory(operator, over.signal);
  const holdings: Holdings[] = [];
  const began = performance.now();
  for (let round = 1; round <= (minutes * 60_000) / ROUND_MS; round += 1) {
    await playRound(churn, troubles, round);
    const held = await countHoldings(operator, began);
    holdings.push(held);
    say(`round ${round}: ${JSON.stringify(held)}`);
  }
  over.abort();
  const memory = await watching;
  const works = await stillWorks(stage, churn);
  const rows = judge({ memory, holdings, warmUpMs: Math.min(WARM_UP_MS, (minutes * 60_000) / 3) });
  const done = Object.entries({
    ...churn.done,
    ...troubles.done,
    'calls to the management API': stage.simulator.callCount(),
  });
  console.log(`\n${describeMachine()}; ${minutes} minutes\n`);
  console.log(
    `${done.map(([what, times]) => `${times} × ${what}`).join(', ')}\n\n${tableOf(rows)}\n`,
  );
  console.log(
    works
      ? 'A new object was still applied afterwards.'
      : 'A new object was NOT applied afterwards.',
  );
  return works && rows.every(({ flat }) => flat);
}

async function end(): Promise<void> {
  for (let close = open.pop(); close; close = open.pop()) await close();
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => void end().finally(() => process.exit(130)));
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { minutes: { type: 'string', default: '30' }, help: { type: 'boolean' } },
  });
  const minutes = Number(values.minutes);
  if (values.help || !(minutes >= 6)) {
    console.error(
      values.help
        ? usage
        : `--minutes ${values.minutes} is not a number of 6 or more, three rounds.\n${usage}`,
    );
    return values.help ? 0 : 2;
  }
  if (!(await runQuietly(BUILD))) return 1;
  const say = progressLines();
  return (await soak(await start(say), minutes, say)) ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  await end();
}
