import xterm from '@xterm/headless';
import type { Cast } from './cast.ts';

/** Text of one look, in one row. */
export interface Run {
  readonly column: number;
  readonly text: string;
  readonly bold: boolean;
  readonly dim: boolean;
  /** Of the palette of a terminal; -1 is that of all text. */
  readonly colour: number;
}

/** What the terminal shows from a moment on. */
export interface Screen {
  readonly ms: number;
  readonly rows: readonly (readonly Run[])[];
}

/** Moments that follow each other faster than that nobody can tell apart. */
const LEAST_MS = 120;

/** What a terminal shows while a recording is played to it, from one change to the next. */
export async function screensOf({ columns, rows, written }: Cast): Promise<Screen[]> {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
  const screens: Screen[] = [];
  for (const [index, { ms, text }] of written.entries()) {
    await new Promise<void>((shown) => terminal.write(text, shown));
    const next = written[index + 1];
    if (next && next.ms - ms < LEAST_MS) continue;
    const screen = { ms, rows: rowsOf(terminal) };
    if (JSON.stringify(screen.rows) !== JSON.stringify(screens.at(-1)?.rows)) screens.push(screen);
  }
  terminal.dispose();
  return screens;
}

function rowsOf(terminal: xterm.Terminal): Run[][] {
  const { active } = terminal.buffer;
  return Array.from({ length: terminal.rows }, (_, y) => {
    const line = active.getLine(active.viewportY + y);
    return line ? runsOf(line) : [];
  });
}

function runsOf(line: xterm.IBufferLine): Run[] {
  const runs: (Run & { text: string })[] = [];
  for (let column = 0; column < line.length; column += 1) {
    const cell = line.getCell(column);
    const character = cell?.getChars() ?? '';
    if (!cell || character === '') continue;
    const look = {
      bold: cell.isBold() !== 0,
      dim: cell.isDim() !== 0,
      colour: cell.isFgPalette() ? cell.getFgColor() : -1,
    };
    const last = runs.at(-1);
    const goesOn =
      last?.bold === look.bold &&
      last.dim === look.dim &&
      last.colour === look.colour &&
      last.column + [...last.text].length === column;
    if (last && goesOn) last.text += character;
    else runs.push({ column, text: character, ...look });
  }
  return runs
    .map((run) => ({ ...run, text: run.text.trimEnd() }))
    .filter(({ text }) => text !== '');
}
