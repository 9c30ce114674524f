import type { Scope } from '../cluster/objects.ts';
import type { Style, Terminal } from '../terminal.ts';
import { type Row, tableOf } from './rows.ts';

/** The table as a terminal shows it: a line for each row, in colour, as long as there is room. */
export function screenOf(
  rows: readonly Row[],
  options: { readonly terminal: Terminal; readonly scope: Scope; readonly now: number },
): string[] {
  const { terminal, scope, now } = options;
  const namespaces = scope.namespace === undefined;
  return tableOf(rows, { now, namespaces }).map((line, at) =>
    inColour(terminal, styleOf(rows[at - 1]), fitting(line, terminal.columns)),
  );
}

/** Without a row: the heading. */
function styleOf(row: Row | undefined): Style | undefined {
  if (!row) return 'bold';
  if (row.standing.stalled) return 'red';
  return row.standing.state === 'Not ready' ? 'yellow' : undefined;
}

function inColour(terminal: Terminal, style: Style | undefined, line: string): string {
  return style === undefined ? line : terminal.styled(style, line);
}

export function fitting(line: string, columns: number | undefined): string {
  if (columns === undefined) return line;
  const points = [...line];
  return points.length <= columns ? line : `${points.slice(0, columns - 1).join('')}…`;
}
