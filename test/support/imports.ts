import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/**
 * One import of one file: a path from the root of the project, or the name of a package, whichever
 * file of it is meant.
 */
export interface Import {
  readonly from: string;
  readonly to: string;
  /** Erased before the program runs. */
  readonly typeOnly: boolean;
  /** By `import()`: runs when it is asked for. */
  readonly isLazy: boolean;
}

/** Text by path from the root of the project, with `/`. */
export type Sources = ReadonlyMap<string, string>;

const STATEMENT = /^(?:import|export)\s+(type\s)?(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm;
const DYNAMIC = /\bimport\(\s*'([^']+)'/g;

export function readSources(root: string, folder: string): Sources {
  const paths = readdirSync(join(root, folder), {
    recursive: true,
    encoding: 'utf8',
    withFileTypes: true,
  })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'));
  return new Map(paths.toSorted().map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}

export function importsOf(sources: Sources): Import[] {
  return [...sources].flatMap(([from, text]) => {
    const target = (written: string): string =>
      written.startsWith('.') ? join(dirname(from), written) : packageOf(written);
    const fixed = [...text.matchAll(STATEMENT)].map(([, type, to = '']) => ({
      from,
      to: target(to),
      typeOnly: type !== undefined,
      isLazy: false,
    }));
    const dynamic = [...text.matchAll(DYNAMIC)].map(([, to = '']) => ({
      from,
      to: target(to),
      typeOnly: false,
      isLazy: true,
    }));
    return [...fixed, ...dynamic];
  });
}

function packageOf(written: string): string {
  if (written.startsWith('node:')) return written;
  return written.split('/', written.startsWith('@') ? 2 : 1).join('/');
}

/**
 * The chain of imports by which `start` gets to something it must not run, or undefined; types do
 * not count.
 */
export function pathTo(
  start: string,
  imports: readonly Import[],
  forbidden: (to: string) => boolean,
): string[] | undefined {
  const chains = [[start]];
  const seen = new Set([start]);
  for (const chain of chains) {
    for (const { from, to, typeOnly } of imports) {
      if (typeOnly || from !== chain.at(-1) || seen.has(to)) continue;
      if (forbidden(to)) return [...chain, to];
      seen.add(to);
      chains.push([...chain, to]);
    }
  }
  return undefined;
}

/**
 * Every circle of imports between files of these places, as one chain from the file that comes
 * first; of several ways around, one. Types count: who reads one file has to read all of a circle.
 */
export function circlesIn(imports: readonly Import[], places: RegExp): string[] {
  const next = new Map<string, string[]>();
  for (const { from, to } of imports)
    if (places.test(from) && places.test(to)) next.set(from, [...(next.get(from) ?? []), to]);
  const found = new Set<string>();
  for (const start of [...next.keys()].sort()) {
    if ([...found].some((chain) => chain.split(' → ').includes(start))) continue;
    const circle = wayBack(start, next);
    if (circle) found.add(circle.join(' → '));
  }
  return [...found];
}

function wayBack(start: string, next: ReadonlyMap<string, readonly string[]>) {
  const chains = [[start]];
  const seen = new Set<string>();
  for (const chain of chains)
    for (const to of next.get(chain.at(-1) ?? '') ?? []) {
      if (to === start) return [...chain, to];
      if (!seen.has(to)) chains.push([...chain, to]);
      seen.add(to);
    }
  return undefined;
}
