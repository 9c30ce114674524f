/**
 * The first line of what a page shows that the output lacks, or of the output that the page leaves
 * out without saying so; undefined where both agree. `…` at the end of a line stands for its rest,
 * and alone for lines left out. Empty lines do not count. Times, ages and the ids of requests are
 * another run's.
 */
export function missingFrom(output: string, shown: string): string | undefined {
  const lines = filled(evened(output));
  const wanted = filled(shown);
  if (wanted.length === 0) return undefined;
  let at = 0;
  let mayLeaveOut = false;
  for (const line of wanted) {
    if (line.trim() === '…') {
      mayLeaveOut = true;
      continue;
    }
    const fits = fitting(evened(line));
    const found = lines.findIndex((one, index) => index >= at && fits(one));
    if (found < 0) return line;
    if (found > at && !mayLeaveOut) return `${lines[at]} (left out)`;
    at = found + 1;
    mayLeaveOut = false;
  }
  return at < lines.length && !mayLeaveOut ? `${lines[at]} (left out)` : undefined;
}

function fitting(wanted: string): (line: string) => boolean {
  return wanted.endsWith('…')
    ? (line) => line.startsWith(wanted.slice(0, -1).trimEnd())
    : (line) => line === wanted;
}

function filled(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}

/**
 * Without what another run has otherwise, and with one blank where a table has several. Ids come
 * before ages: `-123d-` in an id is none.
 */
function evened(text: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, 'TIME')
    .replaceAll(/(request|Request) +[0-9a-f]{8}(?:-[0-9a-f-]{27})?…?/g, '$1 ID')
    .replaceAll(/\b(?:\d+[smhd])+\b/g, 'AGE')
    .replaceAll(/ {2,}/g, ' ')
    .replaceAll(/ +$/gm, '');
}
