/** Memory of the process at some moment, in the middle of whatever it does. */
export interface Memory {
  readonly atMs: number;
  readonly rssMb: number;
}

/** What it holds when it has come to rest. */
export interface Holdings {
  readonly atMs: number;
  /** Alive after a collection. */
  readonly heapMb: number;
  readonly sockets: number;
  readonly listeners: number;
  readonly timers: number;
  /** Node's own resources but for timers: sockets, streams, parsers and so on. */
  readonly handles: number;
}

export interface Row {
  readonly what: string;
  readonly median: number;
  /**
   * By how much it has grown from the end of the warm-up to the end: the median of all slopes
   * between two samples, times that time.
   */
  readonly growth: number;
  readonly most: number;
  readonly flat: boolean;
}

/** Of the median, and so many whole things more, that may be noise. */
const TOLERANCE = 0.05;
const FEW = 3;
/**
 * What is remembered of events and of keys out of use fills up to a bound, and V8 compiles code,
 * for longer than this lasts.
 */
const FILLING_MB = 1;

interface Series {
  readonly what: string;
  readonly points: readonly Point[];
  readonly more: number;
}

interface Point {
  readonly atMs: number;
  readonly value: number;
}

/**
 * Says of everything that could grow whether it was flat after the warm-up. What was looked at less
 * than three times is not.
 */
export function judge(options: {
  readonly memory: readonly Memory[];
  readonly holdings: readonly Holdings[];
  readonly warmUpMs: number;
}): Row[] {
  const { memory, holdings, warmUpMs } = options;
  const held = (what: string, of: (one: Holdings) => number, more: number): Series => ({
    what,
    points: holdings.map((one) => ({ atMs: one.atMs, value: of(one) })),
    more,
  });
  const resident = memory.map(({ atMs, rssMb }) => ({ atMs, value: rssMb }));
  const all = [
    { what: 'resident memory, MB', points: resident, more: 0 },
    held('heap after a collection, MB', ({ heapMb }) => heapMb, FILLING_MB),
    held('sockets', ({ sockets }) => sockets, FEW),
    held('timers', ({ timers }) => timers, FEW),
    held('listeners', ({ listeners }) => listeners, FEW),
    held('other handles', ({ handles }) => handles, FEW),
  ];
  return all.map((series) =>
    rowOf({ ...series, points: series.points.filter(({ atMs }) => atMs >= warmUpMs) }),
  );
}

function rowOf({ what, points, more }: Series): Row {
  const [first] = points;
  const last = points.at(-1);
  if (!first || !last || points.length < 3)
    return { what, median: 0, growth: 0, most: 0, flat: false };
  const middle = medianOf(points.map(({ value }) => value));
  const growth = slopeOf(points) * (last.atMs - first.atMs);
  const most = middle * TOLERANCE + more;
  return { what, median: middle, growth, most, flat: growth <= most };
}

/** Theil–Sen: one peak, or ten, do not move it. */
function slopeOf(points: readonly Point[]): number {
  const slopes = points.flatMap((a, index) =>
    points.slice(index + 1).map((b) => (b.value - a.value) / (b.atMs - a.atMs)),
  );
  return medianOf(slopes);
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export function tableOf(rows: readonly Row[]): string {
  const lines = rows.map(
    ({ what, median, growth, most, flat }) =>
      `| ${what} | ${median.toFixed(1)} | ${growth >= 0 ? '+' : ''}${growth.toFixed(1)} | ≤ +${most.toFixed(1)} | ${flat ? 'yes' : 'NO'} |`,
  );
  return ['| What | Median | Growth | Allowed | Flat |', '|---|---|---|---|---|', ...lines].join(
    '\n',
  );
}
