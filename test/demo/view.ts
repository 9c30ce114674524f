import { stripVTControlCharacters } from 'node:util';
import type { Call } from '../simulator/types.ts';
import { outcomeOf, panel, type Row, type Scenery, shortPath } from './panel.ts';
import { clockTime, createInk, duration, type Ink, wrap } from './text.ts';

/** Kinds of lines of the story. */
export type Tone = 'title' | 'text' | 'command' | 'good' | 'bad' | 'plain';

/** Where the demo shows what happens. */
export interface View {
  say(tone: Tone, text: string): void;
  /** An object is new or has changed. */
  object(row: Row): void;
  gone(name: string): void;
  call(call: Call): void;
  /** Shown above the objects from now on. */
  step(text: string): void;
  /** No live part from now on; the story may go on. */
  close(): void;
}

/** What is needed of a terminal, or of a stream that is none. */
export interface Out {
  readonly isTTY?: boolean;
  readonly columns: number;
  readonly rows: number;
  write(text: string): unknown;
  on(event: 'resize', listener: () => void): unknown;
  off(event: 'resize', listener: () => void): unknown;
}

/** Most redraws are one in this time. */
const FRAME_MS = 250;
const STORY_COLUMNS = 100;
const CALLS_KEPT = 10;

/** Redraws a part of a terminal in place; anywhere else prints every change as a line. */
export function createView(out: Out, env: NodeJS.ProcessEnv): View {
  const live = out.isTTY === true && env['TERM'] !== 'dumb';
  const ink = createInk(live && (env['NO_COLOR'] ?? '') === '');
  return live ? terminalView(out, ink) : lineView(out, ink);
}

function storyLines(tone: Tone, text: string, columns: number, ink: Ink): string[] {
  const width = Math.max(20, Math.min(columns, STORY_COLUMNS) - 4);
  switch (tone) {
    case 'title':
      return ['', ink.bold(ink.cyan(text))];
    case 'plain':
      return [text];
    case 'command':
      return [`  ${ink.bold(`$ ${text}`)}`];
    case 'good':
      return marked(ink.green('✓'), text, width);
    case 'bad':
      return marked(ink.red('✗'), text, width);
    case 'text':
      return wrap(text, width).map((line) => `  ${line}`);
  }
}

function marked(mark: string, text: string, width: number): string[] {
  return wrap(text, width - 2).map((line, index) => `  ${index === 0 ? mark : ' '} ${line}`);
}

function lineView(out: Out, ink: Ink): View {
  const print = (lines: readonly string[]) => out.write(`${lines.join('\n')}\n`);
  const shown = new Map<string, string>();
  return {
    say: (tone, text) => print(storyLines(tone, text, STORY_COLUMNS, ink)),
    object: (row) => {
      const { name, ready, reason, next, message } = row;
      if (shown.get(name) === JSON.stringify(row)) return;
      shown.set(name, JSON.stringify(row));
      const when = next === undefined ? '' : `, next attempt in ${duration(next - Date.now())}`;
      print([
        `    object ${name}: Ready=${ready} ${reason}${when}${message === '' ? '' : `: ${message}`}`,
      ]);
    },
    gone: (name) => {
      shown.delete(name);
      print([`    object ${name}: deleted`]);
    },
    call: (call) =>
      print([
        `    call ${clockTime(call.receivedAt)} ${outcomeOf(call)} with ${call.keyId ?? 'no key'}: ${call.method} ${shortPath(call.path)} ${call.text}`,
      ]),
    step: () => undefined,
    close: () => undefined,
  };
}

/**
 * The story runs through the terminal as any output does; below it the live part is drawn over and
 * over.
 */
function terminalView(out: Out, ink: Ink): View {
  const rows = new Map<string, Row>();
  const calls: Call[] = [];
  let callsInAll = 0;
  let step = 'none yet';
  let told: string[] = [];
  let drawn: readonly string[] = [];
  let drawnAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let open = true;

  const scenery = (): Scenery => ({
    rows: [...rows.values()],
    calls,
    callsInAll,
    step,
    now: Date.now(),
  });
  const draw = () => {
    timer = undefined;
    const { columns, rows: height } = out;
    const next = panel(scenery(), { columns, rows: height }, ink);
    if (told.length === 0 && next.join('\n') === drawn.join('\n')) return;
    out.write(frame(drawn, told, next, columns));
    told = [];
    drawn = next;
    drawnAt = performance.now();
  };
  const soon = () => {
    if (open) timer ??= setTimeout(draw, Math.max(0, drawnAt + FRAME_MS - performance.now()));
  };
  const everySecond = setInterval(soon, 1_000);
  const resized = () => soon();
  out.on('resize', resized);
  const showCursor = () => out.write(CURSOR_ON);
  process.once('exit', showCursor);
  out.write(CURSOR_OFF);

  return {
    say: (tone, text) => {
      const lines = storyLines(tone, text, out.columns, ink);
      if (!open) return void out.write(`${lines.join('\n')}\n`);
      told.push(...lines);
      soon();
    },
    object: (row) => {
      rows.set(row.name, row);
      soon();
    },
    gone: (name) => {
      rows.delete(name);
      soon();
    },
    call: (call) => {
      callsInAll += 1;
      calls.push(call);
      if (calls.length > CALLS_KEPT) calls.shift();
      soon();
    },
    step: (text) => {
      step = text;
      soon();
    },
    close: () => {
      if (!open) return;
      open = false;
      clearTimeout(timer);
      clearInterval(everySecond);
      out.off('resize', resized);
      process.off('exit', showCursor);
      out.write(`${frame(drawn, told, [], out.columns)}${CURSOR_ON}`);
    },
  };
}

const ESC = '\u001B[';
const CURSOR_OFF = `${ESC}?25l`;
const CURSOR_ON = `${ESC}?25h`;
const [HOLD, RELEASE] = [`${ESC}?2026h`, `${ESC}?2026l`];
const [WRAP_OFF, WRAP_ON] = [`${ESC}?7l`, `${ESC}?7h`];
const TO_LINE_END = `${ESC}K`;
const TO_SCREEN_END = `${ESC}J`;

/**
 * One write: back to the top of what was drawn, the story over it, the live part below; nothing is
 * blanked first.
 */
function frame(
  drawn: readonly string[],
  told: readonly string[],
  next: readonly string[],
  columns: number,
): string {
  const up = heightOf(drawn, columns) - 1;
  const back = up > 0 ? `\r${ESC}${up}A` : '\r';
  const story = told.map((line) => `${line}${TO_LINE_END}\r\n`).join('');
  const live = next.map((line) => `${line}${TO_LINE_END}`).join('\r\n');
  return `${HOLD}${back}${story}${WRAP_OFF}${live}${TO_SCREEN_END}${WRAP_ON}${RELEASE}`;
}

/** In a terminal that has become narrower since, a line takes more than one row. */
function heightOf(lines: readonly string[], columns: number): number {
  const widths = lines.map((line) => [...stripVTControlCharacters(line)].length);
  return widths.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0);
}
