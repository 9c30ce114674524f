/** The lines of a table, head first. */
export function table(head: readonly string[], body: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...body.map(line)];
}

export function code(text: string): string {
  return `\`${text}\``;
}
