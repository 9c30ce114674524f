/** Padded as the project's formatter wants it. */
export function table(head: readonly string[], body: readonly (readonly string[])[]): string[] {
  const rows = [head, ...body].map((cells) => cells.map((cell) => cell.replaceAll('|', '\\|')));
  const widths = head.map((_, column) =>
    Math.max(...rows.map((cells) => cells[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [top = '', ...others] = rows.map(line);
  return [top, line(widths.map((width) => '-'.repeat(width))), ...others];
}

export function code(text: string): string {
  return `\`${text}\``;
}
