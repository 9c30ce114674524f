import { randomUUID } from 'node:crypto';
import { styleText } from 'node:util';
import { printable, withEscapes } from '../api/reply/text.ts';

/** What `styleText` takes, as far as it is used here. */
export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/**
 * Where a command writes: results to stdout, progress to `tell`, which goes to stderr. Whatever
 * stands in a text, it neither begins a line nor steers the terminal.
 */
export interface Terminal {
  /** One line. */
  print(line: string): void;
  /** Lines that are a document: JSON, YAML with every text in quotes, Markdown. */
  document(text: string): void;
  /** These lines alone, on a wiped screen. */
  screen(lines: readonly string[]): void;
  /** One line. */
  tell(line: string): void;
  /** For `print` and `screen`. As it is where stdout is no terminal, or NO_COLOR is set. */
  styled(style: Style, text: string): string;
  /** stdout is a terminal that shows one screen. */
  readonly isScreen: boolean;
  /** Columns of that terminal; undefined where the output goes elsewhere. */
  readonly columns: number | undefined;
  /** Lines of it. */
  readonly rows?: number | undefined;
  /** Aborted when nobody reads what is printed any more. */
  readonly unread: AbortSignal;
}

/** Everything wiped away, and on from the first column of the first line. */
const WIPED = '\u001b[H\u001b[2J';
const ESCAPE = '\u001b';
/** Stands for ESCAPE until a line is written: no text of others can hold it. */
const OUR_ESCAPE = randomUUID();

const unread = new AbortController();

export function processTerminal(): Terminal {
  const { stdout, stderr } = process;
  const shown = (line: string): string => printable(line).replaceAll(OUR_ESCAPE, ESCAPE);
  return {
    print: (line) => void stdout.write(`${shown(line)}\n`),
    document: (text) => void stdout.write(`${withEscapes(text)}\n`),
    screen: (lines) => void stdout.write(`${WIPED}${lines.map(shown).join('\n')}\n`),
    tell: (line) => void stderr.write(`${shown(line)}\n`),
    styled: (style, text) =>
      styleText(style, printable(text), { stream: stdout }).replaceAll(ESCAPE, OUR_ESCAPE),
    isScreen: stdout.isTTY,
    columns: stdout.isTTY ? stdout.columns : undefined,
    rows: stdout.isTTY ? stdout.rows : undefined,
    unread: unread.signal,
  };
}

/**
 * A reader that has seen enough, such as head, is no error: what is printed for it goes nowhere,
 * and the command ends as it would. What cannot be written for another reason is one.
 */
export function watchReaders(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return unread.abort();
    process.stderr.write(`error: stdout cannot be written: ${error.message}\n`);
    process.exit(1);
  });
  // Nobody is left whom that could be told.
  process.stderr.on('error', () => undefined);
}
