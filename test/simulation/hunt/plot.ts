import { Draw } from '../engine/draw.ts';
import type { LifeOptions } from '../life/life.ts';
import { FATES, type FateName } from '../sweep/fates.ts';
import { WORKLOADS, type Workload } from '../sweep/workloads.ts';

/** Which life to live: one of a seed, or a workload in which one thing goes wrong. */
export type Plot =
  | { readonly type: 'seed'; readonly seed: number }
  | {
      readonly type: 'sweep';
      readonly workload: string;
      /** Which of the calls and writes of the workload, counted from 1. */
      readonly point: number;
      readonly fate: FateName;
    };

export type Story = Pick<LifeOptions, 'world' | 'script'>;

/** `62`, or `new-pipe/7/edited`. */
export function nameOf(plot: Plot): string {
  if (plot.type === 'seed') return String(plot.seed);
  return `${plot.workload}/${plot.point}/${plot.fate.replaceAll(' ', '-')}`;
}

/** The plot of such a name of the sweeps; throws where there is none. */
export function sweepPlot(name: string): Plot {
  const [workload = '', point = '', fate] = name.split('/');
  const found = FATES.find((one) => one.replaceAll(' ', '-') === fate);
  if (!WORKLOADS.some((one) => one.name === workload) || !/^\d+$/.test(point) || !found)
    throw new Error(`there is no ${name}: say workload/number/fate, as new-pipe/3/crash-after`);
  return { type: 'sweep', workload, point: Number(point), fate: found };
}

export function workloadOf(name: string): Workload {
  const found = WORKLOADS.find((one) => one.name === name);
  if (!found) throw new Error(`there is no workload ${name}`);
  return found;
}

export function drawOf(seed: number): Draw {
  return new Draw(`life ${seed}`);
}
