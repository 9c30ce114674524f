import { succeed } from './crd.ts';

/** What `kubectl get pset -o wide` prints, by object, then by column; an empty cell is an empty text. */
export async function wideColumns(namespace: string): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>> {
  const printed = await succeed(['get', 'pset', '-n', namespace, '-o', 'wide']);
  const [header = '', ...lines] = printed.trimEnd().split('\n');
  const titles = [...header.matchAll(/\S+(?: \S+)*/g)].map(({ 0: title, index }) => ({ title, index }));
  return new Map(
    lines.map((line) => {
      const cells = titles.map(({ title, index }, at) => [title, line.slice(index, titles[at + 1]?.index).trim()]);
      const row = Object.fromEntries(cells) as Record<string, string>;
      return [row['NAME'] ?? '', row];
    }),
  );
}
