import type { Out } from '../view.ts';

/** What a terminal was told to show, and when. */
export interface Written {
  /** Since the first one. */
  readonly ms: number;
  readonly text: string;
}

/** A terminal that shows nothing and keeps what is written to it. */
export class RecordedTerminal implements Out {
  readonly isTTY = true;
  readonly columns: number;
  readonly rows: number;
  readonly written: Written[] = [];
  #since: number | undefined;

  constructor({ columns, rows }: { columns: number; rows: number }) {
    this.columns = columns;
    this.rows = rows;
  }

  write(text: string): void {
    this.#since ??= performance.now();
    this.written.push({ ms: Math.round(performance.now() - this.#since), text });
  }

  /** It never changes its size. */
  on(): void {}
  off(): void {}
}
