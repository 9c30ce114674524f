import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { UserError } from '../user-error.ts';

/** A file as it was read; `path` as the user named it, or found below what the user named. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

const EXTENSIONS = new Set(['.yaml', '.yml', '.json']);

/** What `-f` takes: files, folders with all that is below them, and `-` for stdin. */
export async function readSources(names: readonly string[]): Promise<readonly SourceFile[]> {
  const sources: SourceFile[] = [];
  for (const name of names) {
    if (name === '-') sources.push({ path: '(stdin)', text: await text(process.stdin) });
    else
      for (const path of await filesOf(name))
        sources.push({ path, text: await tried(path, () => readFile(path, 'utf8')) });
  }
  return sources;
}

async function filesOf(name: string): Promise<readonly string[]> {
  const found = await tried(name, () => stat(name));
  if (!found.isDirectory()) return [name];
  const below = await tried(name, () => readdir(name, { recursive: true }));
  const paths = below.filter((path) => EXTENSIONS.has(extname(path)) && !isHidden(path)).sort();
  if (paths.length > 0) return paths.map((path) => join(name, path));
  throw new UserError(
    `${name}: no file in this folder or below it ends in .yaml, .yml or .json; name another with -f`,
  );
}

function isHidden(path: string): boolean {
  return path.split('/').some((part) => part.startsWith('.') || part === 'node_modules');
}

async function tried<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new UserError(
      code === 'ENOENT'
        ? `${path}: there is no such file or folder; check the path that -f gives`
        : `${path}: it could not be read: ${message}`,
    );
  }
}
