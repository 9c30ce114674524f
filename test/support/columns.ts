import { succeed } from './crd.ts';

type Row = Readonly<Record<string, string>>;

/** The rows that `kubectl get …` prints, by column; an empty cell is an empty text. */
export async function printedTable(args: readonly string[]): Promise<Row[]> {
  const printed = await succeed(['get', ...args]);
  const [header = '', ...lines] = printed.trimEnd().split('\n');
  const titles = [...header.matchAll(/\S+(?: \S+)*/g)].map(({ 0: title, index }) => ({
    title,
    index,
  }));
  return lines.map((line) => {
    const cells = titles.map(({ title, index }, at) => [
      title,
      line.slice(index, titles[at + 1]?.index).trim(),
    ]);
    return Object.fromEntries(cells) as Row;
  });
}
