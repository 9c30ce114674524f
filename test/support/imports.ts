import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Text by path from the root of the project, with `/`. */
export type Sources = ReadonlyMap<string, string>;

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
