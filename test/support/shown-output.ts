/**
 * The first line of what a page shows that the output lacks, in this order; undefined where it has
 * them all. `…` at the end of a line stands for its rest, and alone for lines left out. Times, ages
 * and the ids of requests are another run's.
 */
export function missingFrom(output: string, shown: string): string | undefined {
  const lines = evened(output).split('\n');
  let from = 0;
  for (const line of shown.split('\n').filter((one) => !['', '…'].includes(one.trim()))) {
    const wanted = evened(line);
    const fits = (one: string): boolean =>
      wanted.endsWith('…') ? one.startsWith(wanted.slice(0, -1).trimEnd()) : one === wanted;
    const at = lines.findIndex((one, index) => index >= from && fits(one));
    if (at < 0) return line;
    from = at + 1;
  }
  return undefined;
}

/** Without what another run has otherwise, and with one blank where a table has several. */
function evened(text: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, 'TIME')
    .replaceAll(/\b(?:\d+[smhd])+\b/g, 'AGE')
    .replaceAll(/(request|Request) +[0-9a-f]{8}(?:-[0-9a-f-]{27})?…?/g, '$1 ID')
    .replaceAll(/ {2,}/g, ' ')
    .replaceAll(/ +$/gm, '');
}
