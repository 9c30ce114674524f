import { styleText } from 'node:util';
import type { Call } from '../simulator/types.ts';

/** One object, as the table shows it. */
export interface Row {
  readonly name: string;
  readonly ready: string;
  readonly reason: string;
}

export interface View {
  /** Lines of the story. */
  say(text: string, format?: Format): void;
  objects(rows: readonly Row[]): void;
  call(call: Call): void;
}

type Format = 'bold' | 'dim' | 'green' | 'red' | 'yellow' | 'cyan' | 'none';
/** Where a view that is redrawn goes, told what there is above the table and the table. */
export type Draw = (story: readonly string[], table: readonly string[]) => void;

const COLOURS: Readonly<Record<string, Format>> = { True: 'green', False: 'red' };
const CALLS_SHOWN = 5;
const COLUMNS = 110;
/** Broken at spaces where there are any. */
const PARTS = new RegExp(`.{1,${COLUMNS}}(?: |$)|.{${COLUMNS}}`, 'g');

/** Without a terminal: a line for each thing that happens. */
export function createLines(write: (line: string) => void): View {
  let shown = new Set<string>();
  return {
    say: (text) => write(text),
    objects(rows) {
      const lines = rows.map(({ name, ready, reason }) => `    ${name}: Ready ${ready}, ${reason}`);
      for (const line of lines) if (!shown.has(line)) write(line);
      shown = new Set(lines);
    },
    call: (call) => write(`    the API got: ${callText(call)}`),
  };
}

/** The story, and below it the objects and what the API got, drawn again at each change. */
export function createTable(draw: Draw): View {
  const story: string[] = [];
  const calls: string[] = [];
  let rows: readonly Row[] = [];
  const redraw = (): void => draw(story, tableOf(rows, calls));
  return {
    say(text, format = 'none') {
      for (const line of text.split('\n'))
        for (const part of line.match(PARTS) ?? ['']) story.push(styled(format, part));
      redraw();
    },
    objects(now) {
      if (JSON.stringify(now) === JSON.stringify(rows)) return;
      rows = now;
      redraw();
    },
    call(call) {
      const good = call.status !== undefined && call.status < 400;
      calls.push(styled(good ? 'green' : 'red', cut(callText(call))));
      redraw();
    },
  };
}

/** Writes over what it wrote before, as far as that is no story. */
export function drawOn(terminal: NodeJS.WriteStream): Draw {
  let told = 0;
  let height = 0;
  return (story, table) => {
    const back = height > 0 ? `\r\u001B[${height}A\u001B[J` : '';
    terminal.write([`${back}${[...story.slice(told), ...table].join('\n')}`, ''].join('\n'));
    told = story.length;
    height = table.length;
  };
}

function tableOf(rows: readonly Row[], calls: readonly string[]): string[] {
  const line = (name: string, ready: string, reason: string) =>
    `${name.padEnd(24)}${ready.padEnd(9)}${reason}`;
  return [
    styled('dim', '─'.repeat(COLUMNS)),
    styled('dim', line('NAME', 'READY', 'REASON')),
    ...rows.map(({ name, ready, reason }) =>
      styled(COLOURS[ready] ?? 'yellow', line(name, ready, reason)),
    ),
    styled('dim', `WHAT THE API GOT: ${calls.length} ${calls.length === 1 ? 'call' : 'calls'}`),
    ...calls.slice(-CALLS_SHOWN),
  ];
}

function callText({ status, fate, method, path, text }: Call): string {
  const target = path.replace(/^.*\/(pipes|activities|organizations)\/(.{8}).*$/, '$1/$2…');
  return `${status ?? fate ?? 'no answer'} ${method} ${target} ${text}`.trimEnd();
}

function styled(format: Format, text: string): string {
  return format === 'none' ? text : styleText(format, text, { validateStream: false });
}

function cut(text: string): string {
  return text.length > COLUMNS ? `${text.slice(0, COLUMNS - 1)}…` : text;
}
