import { printable } from '../../text.ts';
import { changeText, counted } from '../words.ts';
import {
  basisOf,
  FATES,
  fateOf,
  headline,
  inOrder,
  type Planned,
  type PlannedObject,
  problemsIn,
  requestsHeading,
  titleOf,
} from './planned.ts';

/** GitHub takes comments of 65,536 characters, and GitLab more. */
const LONGEST = 60_000;
const LONGEST_CELL = 200;
/** So many rows stand in the table, and so many changes in one. */
const MOST_ROWS = 50;
const MOST_CHANGES = 2;

/** The plan as a comment on a pull request: the sum, what needs a look first, details folded. */
export function markdown(planned: Planned): readonly string[] {
  const problems = problemsIn(planned).map(
    ({ file, line, message }) => `- ${code(`${file}:${line}`)} ${escaped(short(message))}`,
  );
  const shown = inOrder(planned).filter((object) => fateOf(object) !== 'nothing');
  const rows = shown.map(
    (object) =>
      `| ${code(short(titleOf(object)))} | ${FATES[fateOf(object)][0]} | ${escaped(summaryOf(object))} |`,
  );
  const head = [
    '### Pipewright plan',
    '',
    `${escaped(headline(planned))}.`,
    ...(planned.isOffline
      ? ['', 'Planned without the cluster: the present values are not known.']
      : []),
    ...(problems.length > 0 ? ['', '**Not valid**', '', ...upTo(MOST_ROWS, problems)] : []),
    ...(rows.length > 0 ? ['', '| Object | Plan | What |', '|---|---|---|'] : []),
    ...upTo(MOST_ROWS, rows),
  ];
  return withDetails(
    head,
    shown.filter(({ preview }) => preview).map((object) => detailsOf(object)),
  );
}

function upTo(most: number, lines: readonly string[]): readonly string[] {
  const rest = lines.length - most;
  return rest > 0 ? [...lines.slice(0, most), '', `and ${rest} more.`] : lines;
}

/** What changes, where it is sent; else why not. */
function summaryOf({ preview, problems }: PlannedObject): string {
  if (!preview) return short(problems[0]?.message ?? '');
  const { does, says, changes } = preview;
  if (does !== 'send' || changes.length === 0) return short(says);
  const more = changes.length - MOST_CHANGES;
  const shown = changes.slice(0, MOST_CHANGES).map(changeText);
  return short([...shown, ...(more > 0 ? [`${more} more`] : [])].join(', '));
}

function detailsOf(object: PlannedObject): string {
  const { preview, isNew } = object;
  if (!preview) return '';
  const changes = preview.changes.map(changeText);
  const requests = preview.requests.flatMap(({ method, path, body }) => [
    `${method} ${path}`,
    ...(body === undefined ? [] : [body]),
  ]);
  return [
    '',
    `<details><summary>${escaped(short(titleOf(object)))}${isNew ? ' (new)' : ''}</summary>`,
    '',
    `${escaped(preview.says)}.`,
    ...(changes.length > 0
      ? ['', `Changes, ${escaped(basisOf(object))}:`, '', fenced(changes)]
      : []),
    ...(requests.length > 0 ? ['', `${requestsHeading(preview)}:`, '', fenced(requests)] : []),
    '',
    '</details>',
  ].join('\n');
}

/** Details are left out whole, the last ones first. */
function withDetails(head: readonly string[], details: readonly string[]): readonly string[] {
  const kept: string[] = [];
  let length = head.join('\n').length;
  for (const part of details) {
    length += part.length + 1;
    if (length > LONGEST) break;
    kept.push(part);
  }
  const left = details.length - kept.length;
  const note = `${counted(left, 'object')} left out of the details, as a comment cannot be longer. The whole plan: kubectl pipewright plan -o text`;
  return [...head, ...kept, ...(left > 0 ? ['', note] : [])].join('\n').split('\n');
}

/** A text of others may be long, and a row is one of many. */
function short(text: string): string {
  return text.length > LONGEST_CELL ? `${text.slice(0, LONGEST_CELL - 1)}…` : text;
}

/** A text of others can end no fence, and begin no markup. */
function fenced(lines: readonly string[]): string {
  const runs = lines.flatMap((line) => line.match(/`+/g) ?? []).map((run) => run.length);
  const fence = '`'.repeat(Math.max(2, ...runs) + 1);
  return [fence, ...lines.map(printable), fence].join('\n');
}

function code(text: string): string {
  const plain = printable(text);
  return /[`|<>@\\]/.test(plain) ? escaped(plain) : `\`${plain}\``;
}

/** As plain words, in a table too: no markup, no HTML, nobody is mentioned. */
function escaped(text: string): string {
  return printable(text)
    .replace(/[\\`*_[\]|~#]/g, (sign) => `\\${sign}`)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('@', '&#64;');
}
