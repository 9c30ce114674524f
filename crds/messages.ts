import { WHO_ACTS } from '../src/cli/who-acts.ts';
import type { ReadyReason } from '../src/kinds/shared/common-status.ts';
import { isFailure } from '../src/kinds/shared/failures.ts';
import { FAILURES } from '../src/waits.ts';
import { EVENTS } from './event-reasons.ts';
import { LOG_MESSAGES } from './log-messages.ts';
import { code, table } from './markdown.ts';
import { REASONS, type ReasonRow } from './reasons.ts';

const reasons = Object.entries(REASONS) as [ReadyReason, ReasonRow][];

/**
 * The page on what the operator says: reasons of `Ready`, events and log lines, from the tables of
 * the code.
 */
export function messagesPage(): string {
  const lines = [
    '# Messages',
    '',
    'What the operator says, and who acts on it. Made by `npm run generate` from the tables in `crds/`, `src/waits.ts` and `src/cli/who-acts.ts`.',
    '',
    '## Reasons of Ready',
    '',
    '`Reconciling=True`: the operator continues by itself. `Stalled=True`: a person must act. Every failure has a next attempt, in `status.nextAttemptTime`, but three that wait: `SpecInvalid` for an edit, `RemovalBlocked` too where the API can be looked at only by sending the name, and `Unauthorized` of an object until its key has worked for another one. The waits double from the first to the longest, and the API can ask for longer ones.',
    ...reasons.flatMap(([reason, row]) => reasonSection(reason, row)),
    '',
    '## Events',
    '',
    'A failure is told once as an event of type Warning with its reason and message, when it is new or when a person must act from now on. The other reasons:',
    '',
    ...table(
      ['Reason', 'Type', 'When'],
      Object.entries(EVENTS).map(([reason, { type, when }]) => [code(reason), type, when]),
    ),
    '',
    '## Log lines',
    '',
    'JSON, one line each. The message (`msg`) is constant and what varies is in fields. Each has `level` and `time`; an error adds `error`, `errorName` and, where there are any, `errorCode`, `errorStatus` and `errorCauses`. Those of level warn and above:',
    '',
    ...table(
      ['Message', 'Level', 'Fields', 'Meaning'],
      Object.entries(LOG_MESSAGES).map(([message, { level, fields, means }]) => [
        message,
        level,
        fields.map(code).join(', '),
        means,
      ]),
    ),
  ];
  return `${lines.join('\n')}\n`;
}

/** The table of the guide on conditions. */
export function conditionsTable(): string {
  const rows = reasons.map(([reason, row]) => {
    const { todo } = WHO_ACTS[reason];
    const says = todo === 'Nothing.' ? row.means : `${row.means} ${todo}`;
    return `| ${code(reason)} | ${row.ready} | ${besideOf(reason, row)} | ${says} |`;
  });
  return [
    '| Reason | Ready | Beside it | What it means, and what to do |',
    '|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function reasonSection(reason: ReadyReason, row: ReasonRow): string[] {
  const { acts, todo } = WHO_ACTS[reason];
  return [
    '',
    `### ${reason}`,
    '',
    row.means,
    '',
    `- Ready: ${row.ready}; beside it: ${besideOf(reason, row)}`,
    ...(isFailure(reason) ? [`- Tried again: ${triedAgain(reason)}`] : []),
    `- Who acts: ${acts.join('; else ')}`,
    `- What to do: ${todo}`,
  ];
}

function besideOf(reason: ReadyReason, { beside }: ReasonRow): string {
  return beside ?? (isFailure(reason) ? FAILURES[reason].side : '–');
}

function triedAgain(reason: keyof typeof FAILURES): string {
  const { firstMs, capMs } = FAILURES[reason];
  if (reason === 'SpecInvalid') return 'when the spec is edited';
  if (reason === 'TargetConflict') return 'when the owner is gone or another object is the owner';
  return firstMs === capMs
    ? `every ${inWords(firstMs)}`
    : `after ${inWords(firstMs)}, at the longest every ${inWords(capMs)}`;
}

function inWords(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds} s`;
  return seconds < 3600 ? `${seconds / 60} min` : `${seconds / 3600} h`;
}
