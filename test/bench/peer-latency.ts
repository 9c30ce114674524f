import { openBareWatcher } from './bare-side.ts';
import { timeEdits } from './edits.ts';
import { type Figure, median, medianOf, percentile } from './figures.ts';
import { fillNamespace } from './objects.ts';
import { atMost, sharesOf } from './peer-figures.ts';
import { startSide, WORD } from './peer-sides.ts';
import type { PeersOptions } from './peers.ts';
import type { Stage } from './stage.ts';
import { exampleStatus, settled } from './statuses.ts';

const OBJECTS = 20;

interface Times {
  readonly go: number[];
  readonly operator: number[];
  readonly bare: number[];
}

/**
 * From an edit of a spec to its PUT, for the Go operator, ours, and a bare watcher, which is the
 * least that can be. All run at once.
 */
export async function measurePeerLatency(
  stage: Stage,
  { quick, rounds, say }: PeersOptions,
): Promise<Figure[]> {
  const edits = quick ? 20 : 400;
  const status = await exampleStatus(stage);
  const all: Times[] = [];
  for (let round = 1; round <= (quick ? 1 : rounds); round += 1) {
    say(`peers: edits, round ${round}, ${edits} each`);
    all.push(await measureRound(stage, { round, edits, status }));
  }
  return [row('p50', 0.5, 0.8, all), row('p99', 0.99, 0.9, all)];
}

function row(name: string, share: number, most: number, rounds: readonly Times[]): Figure {
  const operator = rounds.map((times) => percentile(times.operator, share));
  const go = rounds.map((times) => percentile(times.go, share));
  const bare = rounds.map((times) => percentile(times.bare, share));
  const shares = sharesOf(operator, go);
  return {
    what: `spec change to PUT, idle, ${name}, of Go's`,
    ...atMost(median(shares), most, '×'),
    measured: `${medianOf(shares, 2)} ×, bare watcher ${medianOf(sharesOf(bare, go), 2)} ×; operator ${medianOf(operator, 1)}, Go ${medianOf(go, 1)}, bare ${medianOf(bare, 1)} ms`,
  };
}

async function measureRound(
  stage: Stage,
  {
    round,
    edits,
    status,
  }: { readonly round: number; readonly edits: number; readonly status: object },
): Promise<Times> {
  const open = async (side: 'go' | 'operator') => {
    const namespace = `edits-${side}-${round}`;
    const names = await fillNamespace(stage, { namespace, objects: OBJECTS });
    const program = await startSide(stage, side, { namespace, status });
    await program.says(WORD[side]);
    for (const name of names) await settled(stage, { namespace, name, by: program });
    return { program, namespace, names, times: [] as number[] };
  };
  const [ours, theirs] = [await open('operator'), await open('go')];
  const bare = await openBareWatcher(stage, `edits-bare-${round}`, OBJECTS);
  const copyToBare = async (name: string, index: number): Promise<void> =>
    bare.copy((await settled(stage, { ...ours, name, by: ours.program })).status, index);
  for (const [index, name] of ours.names.entries()) await copyToBare(name, index);
  const finish = async (name: string): Promise<void> =>
    void (await settled(stage, { ...theirs, name, by: theirs.program }));
  await timeEdits(
    stage,
    [{ ...ours, finish: copyToBare }, { ...theirs, finish }, bare.side],
    edits,
  );
  await Promise.all([ours.program.stop(), theirs.program.stop(), bare.stop()]);
  return { operator: ours.times, go: theirs.times, bare: bare.side.times };
}
