import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Figure, medianOf } from './figures.ts';
import { FLOOR_STEPS, type FloorStep } from './floor-steps.ts';
import { measureSettling, type Settling } from './peer-round.ts';
import type { PeersOptions } from './peers.ts';
import type { Stage } from './stage.ts';
import { exampleStatus } from './statuses.ts';

const QUICK_OBJECTS = [20];

interface Side {
  readonly name: string;
  readonly side: 'bare' | 'operator';
  readonly upTo?: FloorStep;
}

const SIDES: readonly Side[] = [
  { name: 'the bare loop', side: 'bare' },
  ...FLOOR_STEPS.map((upTo) => ({ name: `and ${upTo}`, side: 'bare' as const, upTo })),
  { name: 'the operator', side: 'operator' },
];

/**
 * What it costs to do more than the bare loop, by one that does one thing more at each step, from
 * the first PUT on: what comes before is Node's start and the loading of modules, which are bundled
 * for the operator alone.
 */
export async function measureFloor(
  stage: Stage,
  { quick, rounds, objects, say }: PeersOptions,
): Promise<Figure[]> {
  const status = await exampleStatus(stage);
  const figures: Figure[] = [];
  for (const size of quick ? QUICK_OBJECTS : objects) {
    const found = new Map<Side, Settling[]>(SIDES.map((side) => [side, []]));
    const alone: number[] = [];
    for (let round = 1; round <= (quick ? 1 : rounds); round += 1) {
      const first = round % SIDES.length;
      for (const one of [...SIDES.slice(first), ...SIDES.slice(0, first)]) {
        const { name, side, upTo } = one;
        say(`floor: round ${round}, ${size} objects, ${name}`);
        const namespace = `floor-${SIDES.indexOf(one)}-${size}-${round}`;
        const load = { namespace, objects: size, status, upTo };
        found.get(one)?.push(await measureSettling(stage, side, load));
      }
      alone.push(await secondsAlone(size));
    }
    for (const [{ name }, settlings] of found) figures.push(figureOf(name, size, settlings));
    figures.push({
      what: `${size} objects, our own code of their reconciles alone, without a network`,
      goal: '–',
      measured: `processor time ${medianOf(alone, 2)} s`,
    });
  }
  return figures;
}

async function secondsAlone(objects: number): Promise<number> {
  const script = join(import.meta.dirname, 'reconciles-alone.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [script, String(objects)]);
  return Number(stdout);
}

function figureOf(name: string, objects: number, settlings: readonly Settling[]): Figure {
  const all = (pick: (settling: Settling) => number, digits: number) =>
    medianOf(settlings.map(pick), digits);
  const cpu = all(({ cpuSeconds, startCpuSeconds }) => cpuSeconds - startCpuSeconds, 2);
  const controlPlane = all(({ controlPlaneCpuSeconds }) => controlPlaneCpuSeconds, 1);
  return {
    what: `${objects} objects, ${name}`,
    goal: '–',
    measured: `processor time from the first PUT on ${cpu} s, control plane ${controlPlane} s; ${all(({ rate }) => rate, 0)} objects/s`,
  };
}
