import { findProgram } from '../controlplane/programs.ts';
import type { Figure } from './figures.ts';
import { figuresOf, type Rounds } from './peer-figures.ts';
import { measureOperator, measureSettling } from './peer-round.ts';
import { SIDES } from './peer-sides.ts';
import type { Stage } from './stage.ts';
import { exampleStatus } from './statuses.ts';

const QUICK_OBJECTS = [20, 40];

export interface PeersOptions {
  readonly quick: boolean;
  readonly rounds: number;
  /** How many objects there are; one measurement each. */
  readonly objects: readonly number[];
  readonly say: (line: string) => void;
}

/**
 * A bare loop, a Go operator and ours by turns in one run: how fast new objects become Ready, and
 * what each takes for it.
 */
export async function measurePeers(
  stage: Stage,
  { quick, rounds, objects, say }: PeersOptions,
): Promise<Figure[]> {
  const sizes = quick ? QUICK_OBJECTS : objects;
  const all: Rounds[] = sizes.map((size) => ({ objects: size, bare: [], go: [], operator: [] }));
  // Nothing is measured while it is built, which takes minutes.
  await findProgram('go-peer', { say });
  const status = await exampleStatus(stage);
  for (let round = 1; round <= (quick ? 1 : rounds); round += 1) {
    for (const measured of all)
      await measureRound(stage, { round, measured, status, restMs: quick ? 500 : 30_000, say });
  }
  return all.flatMap(figuresOf);
}

/** Each round begins with another side. */
async function measureRound(
  stage: Stage,
  {
    round,
    measured,
    say,
    ...load
  }: {
    readonly round: number;
    readonly measured: Rounds;
    readonly status: object;
    readonly restMs: number;
    readonly say: (line: string) => void;
  },
): Promise<void> {
  const { objects } = measured;
  const first = round % SIDES.length;
  for (const side of [...SIDES.slice(first), ...SIDES.slice(0, first)]) {
    const here = { ...load, objects, namespace: `peers-${side}-${objects}-${round}` };
    say(`peers: round ${round}, ${objects} objects, ${side}`);
    if (side === 'bare') measured.bare.push(await measureSettling(stage, side, here));
    else measured[side].push(await measureOperator(stage, side, here));
    // A long run that is ended early has shown something.
    say(`peers: ${JSON.stringify(measured[side].at(-1))}`);
  }
}
