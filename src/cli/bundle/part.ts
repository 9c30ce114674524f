import { createHash } from 'node:crypto';

/** One file of the bundle: a text, or what becomes YAML, of several documents for a list. */
export interface Part {
  readonly path: string;
  readonly content: string | object | readonly object[];
}

/** Most systems take no longer name. */
const LONGEST_NAME = 255;

/**
 * A path inside the bundle. The names come from the cluster: none of them leads out of the folder
 * into which the bundle is unpacked.
 */
export function pathOf(folders: readonly string[], name: string, ending: string): string {
  return [
    ...folders.map(segment),
    `${cut(segment(name), LONGEST_NAME - ending.length)}${ending}`,
  ].join('/');
}

/** Two that begin alike stay two. */
function cut(name: string, most: number): string {
  if (name.length <= most) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${name.slice(0, most - hash.length - 1)}-${hash}`;
}

export function segment(name: string): string {
  return name.replace(/[^A-Za-z0-9._-]/g, '_').replace(/^\.*$/, '_');
}
