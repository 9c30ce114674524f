import { FATES, type FateName } from '../sweep/fates.ts';
import type { Workload } from '../sweep/workload.ts';
import { WORKLOADS } from '../sweep/workloads.ts';

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

/** `62`, or `new-pipe/7/edited`. */
export function nameOf(plot: Plot): string {
  if (plot.type === 'seed') return String(plot.seed);
  return `${plot.workload}/${plot.point}/${plot.fate.replaceAll(' ', '-')}`;
}

/** Every workload, every call and write of it, every fate, whose name begins with one of these. */
export async function sweepPlots(
  names: readonly string[],
  pointsOf: (workload: Workload) => Promise<number>,
): Promise<Plot[]> {
  const plots: Plot[] = [];
  for (const workload of WORKLOADS) {
    const points = await pointsOf(workload);
    for (let point = 1; point <= points; point += 1)
      for (const fate of FATES)
        if (!workload.not?.includes(fate))
          plots.push({ type: 'sweep', workload: workload.name, point, fate });
  }
  const isNamed = (plot: Plot): boolean => names.some((name) => nameOf(plot).startsWith(name));
  return names.length === 0 ? plots : plots.filter(isNamed);
}

export function workloadOf(name: string): Workload {
  const found = WORKLOADS.find((one) => one.name === name);
  if (!found) throw new Error(`there is no workload ${name}`);
  return found;
}
