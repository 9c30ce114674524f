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
 * What an operator cannot be without costs, by a bare loop that does one thing more at each step:
 * what it takes with all of them is what can be hoped for at best.
 */
export async function measureFloor(
  stage: Stage,
  { quick, rounds, objects, say }: PeersOptions,
): Promise<Figure[]> {
  const status = await exampleStatus(stage);
  const figures: Figure[] = [];
  for (const size of quick ? QUICK_OBJECTS : objects) {
    const found = SIDES.map((): Settling[] => []);
    for (let round = 1; round <= (quick ? 1 : rounds); round += 1) {
      for (const [index, { name, side, upTo }] of SIDES.entries()) {
        say(`floor: round ${round}, ${size} objects, ${name}`);
        const namespace = `floor-${index}-${size}-${round}`;
        const load = { namespace, objects: size, status, upTo };
        found[index]?.push(await measureSettling(stage, side, load));
      }
    }
    figures.push(...SIDES.map(({ name }, index) => figureOf(name, size, found[index] ?? [])));
  }
  return figures;
}

function figureOf(name: string, objects: number, settlings: readonly Settling[]): Figure {
  const all = (pick: (settling: Settling) => number, digits: number) =>
    medianOf(settlings.map(pick), digits);
  const cpu = all(({ cpuSeconds }) => cpuSeconds, 1);
  const controlPlane = all(({ controlPlaneCpuSeconds }) => controlPlaneCpuSeconds, 1);
  return {
    what: `${objects} objects, ${name}`,
    goal: '–',
    measured: `processor time ${cpu} s, control plane ${controlPlane} s; ${all(({ rate }) => rate, 0)} objects/s`,
  };
}
