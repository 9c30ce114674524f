import type { Written } from './terminal.ts';

/** A recording in the format asciicast, version 2, of asciinema. */
export interface Cast {
  readonly columns: number;
  readonly rows: number;
  readonly title: string;
  readonly written: readonly Written[];
}

/** Longer pauses are cut to this one: nobody watches others wait. */
const LONGEST_PAUSE_MS = 4_500;

export function withShortPauses(written: readonly Written[]): Written[] {
  let before = 0;
  let ms = 0;
  return written.map((one) => {
    ms += Math.min(LONGEST_PAUSE_MS, one.ms - before);
    before = one.ms;
    return { ...one, ms };
  });
}

export function castText({ columns, rows, title, written }: Cast): string {
  const head = { version: 2, width: columns, height: rows, title };
  const events = written.map(({ ms, text }) => [ms / 1_000, 'o', text]);
  return [head, ...events].map((line) => `${JSON.stringify(line)}\n`).join('');
}

export function parseCast(text: string): Cast {
  const [head = '', ...lines] = text.trimEnd().split('\n');
  const { width, height, title } = JSON.parse(head) as {
    width: number;
    height: number;
    title: string;
  };
  const written = lines.map((line) => {
    const [seconds, , output] = JSON.parse(line) as [number, 'o', string];
    return { ms: Math.round(seconds * 1_000), text: output };
  });
  return { columns: width, rows: height, title, written };
}
