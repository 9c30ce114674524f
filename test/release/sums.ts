import { createHash } from 'node:crypto';

/** The file of a release that holds the sums of all others. */
export const SUMS = 'SHA256SUMS';

/** In the format of sha256sum. */
export function sumsOf(files: ReadonlyMap<string, Uint8Array>): string {
  return [...files]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, bytes]) => `${sha256(bytes)}  ${name}\n`)
    .join('');
}

/** Sums by name, as sha256sum writes them. Names are printed, so only those that a release may have are taken. */
export function parseSums(text: string, from: string): Map<string, string> {
  const sums = new Map<string, string>();
  for (const line of text.split('\n').filter((line) => line !== '')) {
    const [, sum, name] = /^([0-9a-f]{64}) [ *]([\w.+-]+)$/.exec(line) ?? [];
    if (sum === undefined || name === undefined)
      throw new Error(
        `${from} is not a file of sums of a release: ${JSON.stringify(line.slice(0, 100))} is not a SHA256 and the name of a file`,
      );
    if (sums.has(name))
      throw new Error(`${from} has two lines for ${name}; a release has one for each file`);
    sums.set(name, sum);
  }
  if (sums.size === 0) throw new Error(`${from} is empty`);
  return sums;
}

/** One line for each file that is other than the sums say. */
export function differences(
  wanted: ReadonlyMap<string, string>,
  files: ReadonlyMap<string, Uint8Array>,
): string[] {
  const built = [...files.keys()].filter((name) => name !== SUMS);
  const names = [...new Set([...wanted.keys(), ...built])].sort();
  return names.flatMap((name) => {
    const [should, bytes] = [wanted.get(name), files.get(name)];
    if (!bytes) return [`  ${name} is not among the files built here`];
    const is = sha256(bytes);
    if (should === undefined) return [`  ${name} was built here and has no sum there`];
    return is === should ? [] : [`  ${name} differs: ${should} there, ${is} built here`];
  });
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
