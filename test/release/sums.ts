import { createHash } from 'node:crypto';
import { SUMS } from './release.ts';

/** Sums by name, as sha256sum writes them. */
export function parseSums(text: string, from: string): Map<string, string> {
  const lines = text.split('\n').filter((line) => line !== '');
  const sums = lines.map((line): [string, string] => {
    const [, sum, name] = /^([0-9a-f]{64}) [ *](\S.*)$/.exec(line) ?? [];
    if (sum === undefined || name === undefined)
      throw new Error(
        `${from} is not a file of sha256sum: ${JSON.stringify(line.slice(0, 100))} is no sum and name`,
      );
    return [name, sum];
  });
  if (sums.length === 0) throw new Error(`${from} is empty`);
  return new Map(sums);
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
    const is = createHash('sha256').update(bytes).digest('hex');
    if (should === undefined) return [`  ${name} was built here and has no sum there`];
    return is === should ? [] : [`  ${name} differs: ${should} there, ${is} built here`];
  });
}
