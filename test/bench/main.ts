import { availableParallelism, cpus, type as osType, release, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { ensureBundles } from '../bundles.ts';
import { findProgram } from '../controlplane/programs.ts';
import { progressLines } from '../controlplane/progress.ts';
import { measureEdits } from './edits.ts';
import { type Figures, type Round, tableOf } from './report.ts';
import { measureSettling } from './settle.ts';
import { exampleStatus, SIDES, type Side } from './sides.ts';
import { openStage, type Stage } from './stage.ts';

/** Edits until a status grows no more. */
const MOST_HISTORY = 10;

type Options = ReturnType<typeof readOptions>;

/** The README of this folder says what they are. */
function readOptions() {
  const { values } = parseArgs({
    options: {
      objects: { type: 'string', default: '1000' },
      rounds: { type: 'string', default: '3' },
      'without-go': { type: 'boolean', default: false },
    },
  });
  const [objects, rounds] = [values.objects, values.rounds].map((text) => {
    if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
    throw new Error(`"${text}" is no number of objects or rounds; README.md says what there is`);
  }) as [number, number];
  const sides = SIDES.filter((side) => side !== 'go' || !values['without-go']);
  return { objects, rounds, sides };
}

/** All sides by turns, each round beginning with another one. */
async function measure(stage: Stage, { objects, rounds, sides }: Options): Promise<Round[]> {
  const status = await exampleStatus(stage, 0);
  const edited = await exampleStatus(stage, MOST_HISTORY);
  const measured: Round[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const settlings = new Map<Side, Figures>();
    const first = round % sides.length;
    for (const side of [...sides.slice(first), ...sides.slice(0, first)]) {
      say(`round ${round} of ${rounds}: ${objects} objects, ${side}`);
      const start = { stage, namespace: `settle-${side}-${round}`, status };
      settlings.set(side, await measureSettling(side, start, objects));
    }
    say(`round ${round} of ${rounds}: edits`);
    const start = { stage, namespace: `edits-${round}`, status: edited };
    const edits = await measureEdits(sides, start);
    const both = sides.map((side) => [side, { ...settlings.get(side), ...edits[side] }]);
    measured.push(Object.fromEntries(both));
  }
  return measured;
}

/** What the figures were measured on, in one line; nothing in it names the machine. */
function describeMachine(): string {
  const model = cpus()[0]?.model.trim() || 'unknown processor';
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  return `${availableParallelism()} x ${model}, ${memory}, ${osType()} ${release()}, Node ${process.versions.node}`;
}

async function bench(options: Options): Promise<void> {
  await ensureBundles();
  // Nothing is measured while it is built, which takes minutes.
  if (options.sides.includes('go')) await findProgram('go-peer', say);
  const stage = await openStage(say);
  try {
    const rounds = await measure(stage, options);
    const command = ['npm run bench --', ...process.argv.slice(2)].join(' ');
    console.log(`\n${describeMachine()}\n${new Date().toISOString().slice(0, 10)}, ${command}`);
    console.log(`\n${tableOf(rounds, options.sides)}`);
  } finally {
    await stage.close();
  }
}

const say = progressLines();
await bench(readOptions());
