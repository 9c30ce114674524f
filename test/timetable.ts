/** Minutes that a command may take on two cores. */
export interface Budget {
  /** Where all that it runs is built already. */
  readonly warm: number;
  /** On a new machine, where it has to be built. */
  readonly fresh: number;
}

interface Row {
  readonly name: string;
  readonly ms: number;
  readonly budget: Budget | undefined;
  readonly remark: string;
}

export interface TimetableOptions {
  readonly command: string;
  readonly budget: Budget;
  /** Something has to be built first: the budget of a new machine counts. */
  readonly isFresh: boolean;
  readonly now?: () => number;
}

export interface PartOptions {
  /** What this part may take of the whole. */
  readonly budget?: Budget;
  readonly remark?: string;
}

const OVER = 'OVER';
const MINUTE_MS = 60_000;

/** Takes the time of each part of a command, and holds them against its budget at its end. */
export class Timetable {
  readonly #options: TimetableOptions;
  readonly #now: () => number;
  readonly #since: number;
  readonly #rows: Row[] = [];

  constructor(options: TimetableOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#since = this.#now();
  }

  /** Runs a part, which may go on beside others; gives what it gives. */
  async part<T>(name: string, run: () => Promise<T>, options: PartOptions = {}): Promise<T> {
    const since = this.#now();
    try {
      return await run();
    } finally {
      const { budget, remark = '' } = options;
      this.#rows.push({ name, ms: this.#now() - since, budget, remark });
    }
  }

  /** A line for each part in the order in which they ended, and one for the whole. */
  lines(): string[] {
    const { command, budget } = this.#options;
    const ms = this.#now() - this.#since;
    const width = Math.max(...this.#rows.map(({ name }) => name.length));
    const rows = this.#rows.map((row) => {
      const columns = [row.name.padEnd(width), duration(row.ms).padStart(12), this.#beside(row)];
      return `  ${columns.join('  ')}`.trimEnd();
    });
    const over = this.#isOver(ms, budget)
      ? `: ${OVER}. That is no failure, as a shared machine may be slow; if it is no slower than before, test/README.md says what to do`
      : '';
    return [...rows, `${command} took ${duration(ms)}; budget ${this.#allowed(budget)}${over}`];
  }

  #beside({ ms, budget, remark }: Row): string {
    const parts = budget
      ? [`of ${this.#allowed(budget)}`, this.#isOver(ms, budget) ? OVER : '', remark]
      : [remark];
    return parts.filter((part) => part !== '').join(', ');
  }

  #allowed({ warm, fresh }: Budget): string {
    return this.#options.isFresh ? `${fresh} min on a new machine` : `${warm} min warm`;
  }

  #isOver(ms: number, { warm, fresh }: Budget): boolean {
    return ms > (this.#options.isFresh ? fresh : warm) * MINUTE_MS;
  }
}

/** `4 min 10 s`; below a minute `1.3 s`. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
