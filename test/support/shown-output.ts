/**
 * Whether a command has printed what a page shows. `…` at the end of a line stands for its rest,
 * and alone for lines left out. Empty lines do not count. Times, ages and the ids of requests are
 * another run's.
 */
export function isShown(output: string, shown: string): boolean {
  const lines = evened(shown).map((line) =>
    line.trim() === '…'
      ? '(?:.*\n)*'
      : `${line.replaceAll(/[^\w\s…]/g, '\\$&').replace(/ ?…$/, '.*')}\n`,
  );
  const printed = evened(output).map((line) => `${line}\n`);
  return lines.length === 0 || new RegExp(`^${lines.join('')}$`).test(printed.join(''));
}

/**
 * The lines without what another run has otherwise, and with one blank where a table has several.
 * Ids come before ages: `-123d-` in an id is none.
 */
function evened(text: string): string[] {
  return text
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, 'TIME')
    .replaceAll(/(request|Request) +[0-9a-f]{8}(?:-[0-9a-f-]{27})?…?/g, '$1 ID')
    .replaceAll(/\b(?:\d+[smhd])+\b/g, 'AGE')
    .replaceAll(/ {2,}/g, ' ')
    .replaceAll(/ +$/gm, '')
    .split('\n')
    .filter((line) => line !== '');
}
