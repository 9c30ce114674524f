import { WHO_ACTS } from '../src/cli/who-acts.ts';
import type { ReadyReason } from '../src/kinds/shared/common-status.ts';
import { isFailure } from '../src/kinds/shared/failures.ts';
import { FAILURES } from '../src/waits.ts';
import { EVENTS } from './event-reasons.ts';
import { LOG_MESSAGES } from './log-messages.ts';
import { code, table } from './markdown.ts';
import { REASONS, type ReasonRow } from './reasons.ts';

/** Every reason of `Ready`. */
export function reasonsTable(): string[] {
  const rows = Object.entries(REASONS) as [ReadyReason, ReasonRow][];
  return table(
    ['Reason', 'Ready', 'Beside it', 'What it means, and what to do', 'Who acts', 'Tried again'],
    rows.map(([reason, row]) => {
      const { acts, todo } = WHO_ACTS[reason];
      const says = todo === 'Nothing.' ? row.means : `${row.means} ${todo}`;
      const again = isFailure(reason) ? triedAgain(reason) : '–';
      return [code(reason), row.ready, besideOf(reason, row), says, acts.join('; else '), again];
    }),
  );
}

/** Every reason of an event that is not one of a failure. */
export function eventsTable(): string[] {
  return table(
    ['Event', 'Type', 'When'],
    Object.entries(EVENTS).map(([reason, { type, when }]) => [code(reason), type, when]),
  );
}

/** Every line of the log of level warn and above. */
export function logTable(): string[] {
  return table(
    ['Message', 'Level', 'Fields', 'Meaning'],
    Object.entries(LOG_MESSAGES).map(([message, { level, fields, means }]) => [
      message,
      level,
      fields.map(code).join(', '),
      means,
    ]),
  );
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
