import { printable } from '../../api/reply/text.ts';
import type { Forecast, PlannedRequest } from '../../kinds/engine/forecast.ts';
import { counted } from '../words.ts';
import { fateOf, type Planned, type PlannedObject, titleOf, withFate } from './planned.ts';
import { basisOf, changesHeading, changeText, headline, timeText } from './wording.ts';

/** By this a job finds the comment that it wrote before. */
const COMMENT_MARK = '<!-- kubectl pipewright plan -->';
/** GitHub takes comments of 65,536 characters, and GitLab more. */
const LONGEST = 60_000;
/** So many rows or lines stand unfolded. */
const MOST_SHOWN = 12;

/** The plan as a comment on a pull request: the sum first, what needs a look, details folded. */
export function markdown(planned: Planned): string {
  const { strays } = planned;
  const invalid = withFate(planned, 'invalid');
  const problems = [...strays, ...invalid.flatMap((object) => object.problems)].map(
    ({ place, message }) =>
      `- ${code(`${shortText(place.file)}:${place.line}`)} ${escaped(shortText(message))}`,
  );
  const rows = rowsOf(planned);
  const head = [
    COMMENT_MARK,
    '### Pipewright plan',
    '',
    `${escaped(headline(planned))}.`,
    ...(planned.isOffline
      ? ['', 'Planned without a cluster: the present values are not known.']
      : []),
    ...(problems.length > 0 ? ['', '**Not valid**', '', ...problems.slice(0, MOST_SHOWN)] : []),
    ...(rows.length > 0 ? ['', ...TABLE, ...rows.slice(0, MOST_SHOWN)] : []),
  ];
  const more = [
    ...foldedRest('not valid', [], problems),
    ...foldedRest('in the table', TABLE, rows),
  ];
  return withDetails(`${head.join('\n')}\n`, [...more, ...detailsOf(planned)]);
}

const TABLE = ['| Object | Namespace | Plan | What |', '|---|---|---|---|'] as const;

function foldedRest(
  what: string,
  heading: readonly string[],
  lines: readonly string[],
): readonly string[] {
  const rest = lines.slice(MOST_SHOWN);
  return rest.length === 0 ? [] : [folded(`${rest.length} more ${what}`, [...heading, ...rest])];
}

function rowsOf(planned: Planned): readonly string[] {
  const shown = [...withFate(planned, 'stopped'), ...withFate(planned, 'sends')];
  return [
    ...shown.map((object) =>
      row(object, fateOf(object) === 'stopped' ? '**stopped**' : 'sends', object.forecast),
    ),
    ...planned.absent.map((one) => row(one, '**deleted**', one.forecast)),
  ];
}

function row(
  object: Pick<PlannedObject, 'definition' | 'name' | 'namespace'>,
  word: string,
  forecast: Forecast | undefined,
): string {
  const what = forecast ? summary(forecast) : '';
  return `| ${code(shortText(titleOf(object)))} | ${code(shortText(object.namespace))} | ${word} | ${escaped(what)} |`;
}

const LONGEST_CELL = 200;

/** So many changes stand in a row of the table. */
const MOST_CHANGES = 2;

/** What changes, where it is sent; else why not. */
function summary({ does, says, changes }: Forecast): string {
  const shown = changes.slice(0, MOST_CHANGES).map(changeText);
  const more = changes.length - shown.length;
  const text =
    does === 'send' && changes.length > 0
      ? [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ')
      : says;
  return shortText(text);
}

/** A text of others may be long, and a row is one of many. */
function shortText(text: string): string {
  return text.length > LONGEST_CELL ? `${text.slice(0, LONGEST_CELL - 1)}…` : text;
}

/** One folded part for each object that sends, would send, or is stopped. */
function detailsOf(planned: Planned): readonly string[] {
  const { now } = planned;
  const shown = [...withFate(planned, 'stopped'), ...withFate(planned, 'sends')];
  const unchanged = withFate(planned, 'unchanged');
  return [
    ...shown.map((object) =>
      folded(
        `${shortText(titleOf(object))} in ${shortText(object.namespace)}${object.isNew ? ' (new)' : ''}`,
        forecastLines(object, now),
      ),
    ),
    ...planned.absent.map((one) =>
      folded(
        `${shortText(titleOf(one))} in ${shortText(one.namespace)} (deleted)`,
        linesOf(one.forecast, now),
      ),
    ),
    ...(unchanged.length > 0
      ? [
          folded(
            `${counted(unchanged.length, 'object')} as confirmed`,
            unchanged.map((object) => `- ${code(titleOf(object))} in ${code(object.namespace)}`),
          ),
        ]
      : []),
  ];
}

function folded(title: string, lines: readonly string[]): string {
  return `\n<details><summary>${escaped(title)}</summary>\n\n${lines.join('\n')}\n\n</details>\n`;
}

function forecastLines({ forecast, remarks }: PlannedObject, now: number): readonly string[] {
  const notes = remarks.map((remark) => `- Note: ${escaped(remark)}.`);
  return forecast ? [...linesOf(forecast, now), ...notes] : notes;
}

function linesOf(forecast: Forecast, now: number): readonly string[] {
  const { says, changes, requests, withheld = [] } = forecast;
  const changed = changes.map(changeText);
  return [
    `${escaped(says)}.`,
    ...timeText(forecast).map((line) => `${escaped(line)}.`),
    ...(changed.length > 0
      ? [
          '',
          `${changesHeading(forecast)}, ${escaped(basisOf(forecast, now))}:`,
          '',
          fenced(changed),
        ]
      : []),
    ...requestLines('Would send', requests),
    ...requestLines('Would send with `mode: Apply`', withheld),
  ];
}

function requestLines(word: string, requests: readonly PlannedRequest[]): readonly string[] {
  if (requests.length === 0) return [];
  const lines = requests.flatMap(({ method, path, body }) => [
    `${method} ${path}`,
    ...(body === undefined ? [] : [body]),
  ]);
  return ['', `${word}:`, '', fenced(lines)];
}

/** Details are left out whole, the last ones first. */
function withDetails(head: string, details: readonly string[]): string {
  let all = head;
  for (const [index, part] of details.entries()) {
    if (all.length + part.length > LONGEST) {
      const left = details.length - index;
      return `${all}\n${counted(left, 'part')} of the details left out, as a comment cannot be longer. The whole plan: kubectl pipewright plan -o text\n`;
    }
    all += part;
  }
  return all;
}

/** A text of others can end no fence, and begin no markup. */
function fenced(lines: readonly string[]): string {
  const longest = Math.max(
    2,
    ...lines.flatMap((line) => (line.match(/`+/g) ?? []).map((run) => run.length)),
  );
  const fence = '`'.repeat(longest + 1);
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
