import { type Figure, median, medianOf } from './figures.ts';
import type { OperatorRound, Settling } from './peer-round.ts';
import { CONCURRENCY } from './peer-sides.ts';

const LEAST_SHARE = 0.9;

/** What we want to come to with so many objects; where a number is absent there is no goal. */
interface Goals {
  readonly cpuSeconds?: number;
  readonly startShare?: number;
  readonly settledMb?: number;
  readonly peakMb?: number;
  readonly restartedMb?: number;
}

const GOALS: Readonly<Record<number, Goals>> = {
  1000: { startShare: 0.6, settledMb: 100, peakMb: 115, restartedMb: 85 },
  10_000: { cpuSeconds: 15, startShare: 0.3, settledMb: 140, peakMb: 180, restartedMb: 120 },
};

/** All rounds with so many objects. */
export interface Rounds {
  readonly objects: number;
  readonly bare: Settling[];
  readonly go: OperatorRound[];
  readonly operator: OperatorRound[];
}

export function figuresOf(rounds: Rounds): Figure[] {
  return [settling(rounds), ...processorTime(rounds), start(rounds), ...memory(rounds)];
}

/** Each value by the one of the same round. */
export function sharesOf(values: readonly number[], of: readonly number[]): number[] {
  return values.map((value, index) => value / (of[index] ?? Number.NaN));
}

export function atMost(
  value: number,
  most: number | undefined,
  unit: string,
): Pick<Figure, 'goal' | 'met'> {
  return most === undefined ? { goal: '–' } : { goal: `≤ ${most} ${unit}`, met: value <= most };
}

function settling({ objects, bare, go, operator }: Rounds): Figure {
  const rates = (settlings: readonly Settling[]) => settlings.map(({ rate }) => rate);
  const shares = sharesOf(rates(operator), rates(bare));
  const goShares = sharesOf(rates(go), rates(bare));
  const perSecond = (settlings: readonly Settling[]) => medianOf(rates(settlings), 0);
  return {
    what: `${objects} new objects, ${CONCURRENCY} at once, API in 20 ms, against a bare loop`,
    goal: `≥ ${LEAST_SHARE} ×`,
    measured: `${medianOf(shares, 2)} ×, Go ${medianOf(goShares, 2)} ×; operator ${perSecond(operator)}, Go ${perSecond(go)}, bare ${perSecond(bare)} objects/s`,
    met: median(shares) >= LEAST_SHARE,
  };
}

function processorTime({ objects, bare, go, operator }: Rounds): Figure[] {
  const measured = (pick: (settling: Settling) => number) =>
    `operator ${medianOf(operator.map(pick), 1)}, Go ${medianOf(go.map(pick), 1)}, bare ${medianOf(bare.map(pick), 1)} s`;
  const ours = median(operator.map(({ cpuSeconds }) => cpuSeconds));
  return [
    {
      what: `processor time of the process until ${objects} are settled`,
      ...atMost(ours, GOALS[objects]?.cpuSeconds, 's'),
      measured: measured(({ cpuSeconds }) => cpuSeconds),
    },
    {
      what: `processor time of kube-apiserver and etcd meanwhile, ${objects} objects`,
      goal: '–',
      measured: measured(({ controlPlaneCpuSeconds }) => controlPlaneCpuSeconds),
    },
  ];
}

function start({ objects, go, operator }: Rounds): Figure {
  const seconds = (settlings: readonly Settling[]) =>
    settlings.map(({ startMs }) => startMs / 1000);
  const shares = sharesOf(seconds(operator), seconds(go));
  return {
    what: `process start to first PUT with ${objects} objects waiting, of Go's`,
    ...atMost(median(shares), GOALS[objects]?.startShare, '×'),
    measured: `${medianOf(shares, 2)} ×; operator ${medianOf(seconds(operator), 2)}, Go ${medianOf(seconds(go), 2)} s`,
  };
}

function memory({ objects, go, operator }: Rounds): Figure[] {
  const row = (
    what: string,
    most: number | undefined,
    pick: (round: OperatorRound) => number,
  ): Figure => ({
    what,
    ...atMost(median(operator.map(pick)), most, 'MB'),
    measured: `operator ${medianOf(operator.map(pick), 0)}, Go ${medianOf(go.map(pick), 0)} MB`,
  });
  const goals = GOALS[objects] ?? {};
  return [
    row(`memory after settling ${objects}`, goals.settledMb, ({ settled }) => settled.atRest),
    row(`memory while settling ${objects}, peak`, goals.peakMb, ({ settled }) => settled.peak),
    row(
      `memory after a restart with ${objects}, nothing to do`,
      goals.restartedMb,
      ({ restarted }) => restarted.atRest,
    ),
  ];
}
