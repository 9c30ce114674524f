import type { Forecast, PlannedRequest } from '../../kinds/engine/forecast.ts';
import { timestamp } from '../../kinds/status/canonical.ts';
import type { Terminal } from '../terminal.ts';
import {
  type Absence,
  fateOf,
  type Planned,
  type PlannedObject,
  titleOf,
  withFate,
} from './planned.ts';
import { basisOf, changesHeading, changeText, headline, timeText } from './wording.ts';

/** The plan for somebody at a terminal: what needs a look first, the sum last. */
export function printText(planned: Planned, terminal: Terminal): void {
  const { strays, absent, now } = planned;
  for (const { place, message } of strays) {
    terminal.print(
      `${terminal.styled('red', 'not valid')}  ${place.file}:${place.line}:${place.column}: ${message}`,
    );
    terminal.print('');
  }
  for (const fate of ['invalid', 'stopped', 'sends'] as const)
    for (const object of withFate(planned, fate)) printObject(object, { terminal, now });
  for (const one of absent) printAbsence(one, { terminal, now });
  for (const object of withFate(planned, 'unchanged'))
    terminal.print(`${terminal.styled('dim', 'unchanged')}  ${place(object)}${moment(object)}`);
  if (withFate(planned, 'unchanged').length > 0) terminal.print('');
  terminal.print(terminal.styled('bold', `Plan: ${headline(planned)}`));
}

interface On {
  readonly terminal: Terminal;
  readonly now: number;
}

const MARKS = {
  invalid: ['red', 'not valid'],
  stopped: ['yellow', 'stopped'],
  sends: ['green', 'sends'],
  unchanged: ['dim', 'unchanged'],
} as const;

function printObject(object: PlannedObject, { terminal, now }: On): void {
  const [style, word] = MARKS[fateOf(object)];
  const { problems, forecast, remarks, isNew } = object;
  terminal.print(
    `${terminal.styled(style, word)}  ${terminal.styled('bold', place(object))}${isNew ? '  (new)' : ''}`,
  );
  for (const { place: at, message } of problems)
    terminal.print(`  ${at.file}:${at.line}:${at.column}: ${message}`);
  if (problems.length === 0 && forecast) printForecast(forecast, { terminal, now });
  for (const remark of remarks) terminal.print(`  Note: ${remark}.`);
  terminal.print('');
}

function printAbsence({ definition, namespace, name, forecast }: Absence, on: On): void {
  const { terminal } = on;
  const what = `${titleOf({ definition, name })}  (namespace ${namespace}, in the cluster and not in these manifests)`;
  terminal.print(`${terminal.styled('yellow', 'deleted')}  ${terminal.styled('bold', what)}`);
  printForecast(forecast, on);
  terminal.print('');
}

function printForecast(forecast: Forecast, { terminal, now }: On): void {
  const { says, requests, withheld = [], changes } = forecast;
  terminal.print(`  ${says}.`);
  for (const line of timeText(forecast)) terminal.print(`  ${line}.`);
  printRequests('Would send', requests, terminal);
  printRequests('Would send with mode Apply', withheld, terminal);
  if (changes.length === 0) return;
  terminal.print(`  ${changesHeading(forecast)}, ${basisOf(forecast, now)}:`);
  for (const change of changes) terminal.print(`    ${changeText(change)}`);
}

function printRequests(
  word: string,
  requests: readonly PlannedRequest[],
  terminal: Terminal,
): void {
  for (const { method, path, body } of requests) {
    terminal.print(`  ${word}: ${method} ${path}`);
    if (body !== undefined) terminal.print(`    ${body}`);
  }
}

function place(object: PlannedObject): string {
  const { namespace, place: at } = object;
  return `${titleOf(object)}  (namespace ${namespace}, ${at.file}:${at.line})`;
}

function moment({ forecast }: PlannedObject): string {
  return forecast?.at === undefined ? '' : `  ${forecast.says}: ${timestamp(forecast.at)}`;
}
