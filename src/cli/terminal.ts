import { styleText } from 'node:util';

/** What `styleText` takes, as far as it is used here. */
export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/**
 * Where a command writes: results to `print`, which goes to stdout; progress to `tell`, which goes
 * to stderr. Both end the line.
 */
export interface Terminal {
  print(text: string): void;
  tell(text: string): void;
  /** As it is where stdout is no terminal, or NO_COLOR is set. */
  styled(style: Style, text: string): string;
  /** stdout is a terminal that shows one screen. */
  readonly isScreen: boolean;
  /** Columns of that terminal; undefined where the output goes elsewhere. */
  readonly columns: number | undefined;
  /** Lines of it. */
  readonly rows?: number | undefined;
}

export function processTerminal(): Terminal {
  const { stdout, stderr } = process;
  return {
    print: (text) => void stdout.write(`${text}\n`),
    tell: (text) => void stderr.write(`${text}\n`),
    styled: (style, text) => styleText(style, text, { stream: stdout }),
    isScreen: stdout.isTTY,
    columns: stdout.isTTY ? stdout.columns : undefined,
    rows: stdout.isTTY ? stdout.rows : undefined,
  };
}
