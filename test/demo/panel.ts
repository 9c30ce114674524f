import type { Call } from '../simulator/types.ts';
import type { Shown } from './objects.ts';
import { clockTime, cut, duration, fit, type Ink } from './text.ts';

/** One object, as the columns show it. */
export interface Row {
  readonly name: string;
  readonly ready: string;
  readonly reason: string;
  /** Epoch ms. */
  readonly next: number | undefined;
  readonly message: string;
}

/** Everything the live part of the screen is made of. */
export interface Scenery {
  readonly rows: readonly Row[];
  /** Oldest first. */
  readonly calls: readonly Call[];
  readonly callsInAll: number;
  readonly step: string;
  readonly now: number;
}

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Rows of the terminal that stay for the story at least. */
const STORY_ROWS = 9;
const CALLS_SHOWN = { least: 2, most: 10 };
const KEY_COLUMNS = 12;

export function rowOf(name: string, { status }: Pick<Shown, 'status'>): Row {
  const ready = status.conditions.find(({ type }) => type === 'Ready');
  return {
    name,
    ready: ready?.status ?? '',
    reason: ready?.reason ?? '',
    next: status.nextAttemptTime === undefined ? undefined : Date.parse(status.nextAttemptTime),
    message: ready?.message ?? '',
  };
}

/** The live part as lines, none wider than the terminal: objects, calls, and how to end it. */
export function panel(scenery: Scenery, { columns, rows }: Size, ink: Ink): string[] {
  const objects = objectLines(scenery, columns, ink);
  const room = rows - STORY_ROWS - objects.length - 3;
  const count = Math.min(CALLS_SHOWN.most, Math.max(CALLS_SHOWN.least, room));
  const calls = scenery.calls.slice(-count).map((call) => callLine(call, columns, ink));
  return [
    ink.dim(rule(`Objects (${scenery.step})`, columns)),
    ...objects,
    ink.dim(rule(`Calls that the management API received: ${scenery.callsInAll}`, columns)),
    ...(calls.length > 0 ? calls : [ink.dim(cut('none yet', columns))]),
    // Leaves room for the ^C that the terminal will write after it: at the edge it would go to a
    // row of its own.
    ink.dim(rule('Ctrl-C ends the demo and removes everything it made', columns - 3)),
  ];
}

function rule(title: string, columns: number): string {
  return cut(`── ${title} ${'─'.repeat(Math.max(0, columns))}`, columns).replace(/…$/, '─');
}

function objectLines({ rows, now }: Scenery, columns: number, ink: Ink): string[] {
  const table = rows.map(({ next, ...row }) => ({
    ...row,
    next: next === undefined ? '' : untilText(next, now),
  }));
  const width = (head: string, texts: readonly string[]) =>
    Math.max(head.length, ...texts.map((text) => text.length));
  const widths = {
    name: Math.min(
      24,
      width(
        'NAME',
        table.map(({ name }) => name),
      ),
    ),
    ready: 7,
    reason: width(
      'REASON',
      table.map(({ reason }) => reason),
    ),
    next: 5,
  };
  const left = widths.name + widths.ready + widths.reason + widths.next + 8;
  const line = (
    name: string,
    ready: string,
    reason: string,
    next: string,
    message: string,
    paint: Ink['bold'],
  ) => {
    const known = `${fit(name, widths.name)}  ${paint(fit(ready, widths.ready))}  ${paint(fit(reason, widths.reason))}  ${fit(next, widths.next)}`;
    return columns < left
      ? cut(`${name} ${ready} ${reason}`, columns)
      : `${known}  ${cut(message, columns - left)}`;
  };
  const plain = (text: string) => text;
  return [
    ink.dim(line('NAME', 'READY', 'REASON', 'NEXT', 'MESSAGE', plain)),
    ...table.map(({ name, ready, reason, next, message }) =>
      line(name, ready, reason, next, message, paintOf(ready, reason, ink)),
    ),
  ];
}

function paintOf(ready: string, reason: string, ink: Ink): Ink['bold'] {
  if (ready === 'True') return ink.green;
  return ready === 'False' && reason !== 'Suspended' ? ink.red : ink.yellow;
}

function untilText(next: number, now: number): string {
  return next <= now ? 'now' : duration(next - now);
}

function callLine(call: Call, columns: number, ink: Ink): string {
  const outcome = outcomeOf(call);
  const rest = ` ${call.method} ${shortPath(call.path)} ${call.text}`;
  const head = `${clockTime(call.receivedAt)}  ${outcome}  ${fit(call.keyId ?? 'no key', KEY_COLUMNS)}`;
  const good = call.status !== undefined && call.status < 400;
  const paint = good ? ink.green : ink.red;
  return columns < head.length
    ? cut(head, columns)
    : `${head.replace(outcome, paint(outcome))}${cut(rest, columns - head.length)}`;
}

export function outcomeOf(call: Call): string {
  return call.status === undefined ? (call.fate ?? 'none') : String(call.status);
}

/**
 * What the call is for, without the rest of the path: /v1/organizations/…/pipes/9e44d1a3-…/settings
 * is pipes/9e44d1a3…
 */
export function shortPath(path: string): string {
  return path.replace(
    /^.*\/(pipes|activities|organizations)\/([^/]{8})[^/]*(\/settings)?$/,
    '$1/$2…',
  );
}
