import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { EVENTS } from '../src/kinds/status/event-reasons.ts';
import { isFailure } from '../src/kinds/status/failures.ts';
import { REASONS, type ReadyReason, type ReasonRow } from '../src/kinds/status/reasons.ts';
import { CONFLICT_GRACE_MS, FAILURES } from '../src/waits.ts';
import { LOG_MESSAGES } from './log-messages.ts';
import { code, table } from './markdown.ts';

const STATES = fileURLToPath(
  new URL('../deploy/argocd/resource_customizations/pipewright.dev', import.meta.url),
);
const reasons = Object.entries(REASONS) as [ReadyReason, ReasonRow][];

/**
 * The page on what the operator says: reasons of `Ready`, events and log lines, from the tables of
 * the code. The examples are those that a test has brought about and stored for Argo CD.
 */
export function messagesPage(kinds: readonly string[]): string {
  const examples = kinds.flatMap(examplesOf);
  const lines = [
    '# Messages',
    '',
    'What the operator says, and who acts on it. Made by `npm run generate` from the tables in `src/kinds/status`, `src/waits.ts` and `crds/log-messages.ts`.',
    'The examples are messages of objects that a test has brought into that state; request ids and addresses are made up.',
    '',
    '## Reasons of Ready',
    '',
    '`Reconciling=True`: the operator continues by itself. `Stalled=True`: a person must act. Every failure has a next attempt, in `status.nextAttemptTime`, but three that wait: `SpecInvalid` for an edit, `RemovalBlocked` too where the API can be looked at only by sending the name, and `Unauthorized` of an object until its key has worked for another one. The waits double from the first to the longest, and the API can ask for longer ones.',
    ...reasons.flatMap(([reason, row]) => reasonSection(reason, row, examples)),
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
  const rows = reasons.map(
    ([reason, row]) =>
      `| ${code(reason)} | ${row.ready} | ${besideOf(reason, row)} | ${row.means}${row.todo === 'Nothing.' ? '' : ` ${row.todo}`} |`,
  );
  return [
    '| Reason | Ready | Beside it | What it means, and what to do |',
    '|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function reasonSection(
  reason: ReadyReason,
  row: ReasonRow,
  examples: readonly Example[],
): string[] {
  const own = examples.filter((example) => example.reason === reason);
  return [
    '',
    `### ${reason}`,
    '',
    row.means,
    '',
    `- Ready: ${row.ready}; beside it: ${besideOf(reason, row)}`,
    ...(isFailure(reason) ? [`- Tried again: ${triedAgain(reason)}`] : []),
    `- Who acts: ${row.acts.join('; else ')}`,
    `- What to do: ${row.todo}`,
    ...(own.length === 0
      ? []
      : ['', '```text', ...own.map(({ kind, message }) => `${kind}: ${message}`), '```']),
  ];
}

function besideOf(reason: ReadyReason, { beside }: ReasonRow): string {
  return beside ?? (isFailure(reason) ? FAILURES[reason].side : '–');
}

function triedAgain(reason: keyof typeof FAILURES): string {
  const { firstMs, capMs } = FAILURES[reason];
  if (reason === 'SpecInvalid') return 'when the spec is edited';
  if (reason === 'TargetConflict')
    return `when the other object is gone; looked at after ${inWords(CONFLICT_GRACE_MS)}, then every ${inWords(capMs)}`;
  return firstMs === capMs
    ? `every ${inWords(firstMs)}`
    : `after ${inWords(firstMs)}, at the longest every ${inWords(capMs)}`;
}

function inWords(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds} s`;
  return seconds < 3600 ? `${seconds / 60} min` : `${seconds / 3600} h`;
}

interface Example {
  readonly kind: string;
  readonly reason: string;
  readonly message: string;
}

/**
 * What the tests of Argo CD hold as the message of each state, each once. None of a new kind: its
 * objects can be brought into their states only after its CRD has been generated.
 */
function examplesOf(kind: string): Example[] {
  const file = `${STATES}/${kind}/health_test.yaml`;
  if (!existsSync(file)) return [];
  const { tests } = parse(readFileSync(file, 'utf8')) as {
    readonly tests: readonly { readonly healthStatus: { readonly message: string } }[];
  };
  const messages = new Set(tests.map(({ healthStatus }) => healthStatus.message));
  return [...messages].flatMap((text) => {
    const [, reason, message] = /^([A-Z][A-Za-z]+): (.+)$/s.exec(text) ?? [];
    return reason === undefined || message === undefined ? [] : [{ kind, reason, message }];
  });
}
