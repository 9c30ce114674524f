/** Takes the time of each part of a command. */
export class Timetable {
  readonly #command: string;
  readonly #since = performance.now();
  readonly #rows: { readonly name: string; readonly ms: number }[] = [];

  constructor(command: string) {
    this.#command = command;
  }

  /** Runs a part, which may go on beside others; gives what it gives. */
  async part<T>(name: string, run: () => Promise<T>): Promise<T> {
    const since = performance.now();
    try {
      return await run();
    } finally {
      this.#rows.push({ name, ms: performance.now() - since });
    }
  }

  /** A line for each part in the order in which they ended, and one for the whole. */
  lines(): string[] {
    const width = Math.max(...this.#rows.map(({ name }) => name.length));
    const rows = this.#rows.map(
      ({ name, ms }) => `  ${name.padEnd(width)}  ${duration(ms).padStart(12)}`,
    );
    return [...rows, `${this.#command} took ${duration(performance.now() - this.#since)}`];
  }
}

/** `4 min 10 s`; below a minute `1.3 s`. */
function duration(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
