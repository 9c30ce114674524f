import { constants, openSync } from 'node:fs';
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { extname, join } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { stoppedByUser, UserError } from '../user-error.ts';

/** A file as it was read; `path` as the user named it, or found below what the user named. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/**
 * What `-f` takes: files, folders with all that is below them, and `-` for stdin. Throws Stopped
 * once `stop` is aborted, whoever still writes what is read.
 */
export async function readSources(
  names: readonly string[],
  { stdin, stop }: { readonly stdin: Readable; readonly stop: AbortSignal },
): Promise<readonly SourceFile[]> {
  const sources: SourceFile[] = [];
  try {
    for (const name of names) {
      if (name === '-')
        sources.push({ path: '(stdin)', text: await received('(stdin)', stdin, stop) });
      else sources.push(...(await readNamed(name, stop)));
    }
  } catch (error) {
    if (!stop.aborted) throw error;
  }
  if (stop.aborted) throw stoppedByUser(stop);
  return sources;
}

const EXTENSIONS = new Set(['.yaml', '.yml', '.json']);
/** A file of manifests is never so large; a wrong one, such as a disk image, may be. */
const LARGEST_BYTES = 64 * 1024 * 1024;

async function readNamed(name: string, stop: AbortSignal): Promise<readonly SourceFile[]> {
  const kind = await kindOf(name);
  if (kind === 'pipe') return [await readPipe(name, stop)];
  if (kind !== 'folder') return [await readSource(name, stop)];
  const found = await below(name, []);
  if (found.length === 0)
    throw new UserError(
      `${name}: there is no file that ends in .yaml, .yml or .json in this folder or below it; name a file or another folder with -f`,
    );
  const sources: SourceFile[] = [];
  for (const path of found) sources.push(await readSource(path, stop));
  return sources;
}

/** `within`: the real paths of the folders that this one is in. */
async function below(folder: string, within: readonly string[]): Promise<string[]> {
  const real = await tried(folder, () => realpath(folder));
  if (within.includes(real))
    throw new UserError(
      `${folder}: this folder leads back to ${real} by a symbolic link, so it has no end; remove the link, or name the files themselves with -f`,
    );
  const entries = await tried(folder, () => readdir(folder));
  const paths: string[] = [];
  for (const entry of entries.toSorted()) {
    if (entry.startsWith('.') || entry === 'node_modules') continue;
    const path = join(folder, entry);
    const isManifest = EXTENSIONS.has(extname(entry));
    // A link that leads nowhere is none of ours where its name is none.
    const kind = isManifest ? await kindOf(path) : await kindOf(path).catch(() => 'other' as const);
    if (kind === 'folder') paths.push(...(await below(path, [...within, real])));
    else if (isManifest) {
      if (kind !== 'file')
        throw new UserError(
          `${path}: this is no file, so nothing can be read to its end; remove it, or name the files themselves with -f`,
        );
      paths.push(path);
    }
  }
  return paths;
}

async function kindOf(path: string): Promise<'folder' | 'file' | 'pipe' | 'other'> {
  const found = await tried(path, () => stat(path));
  if (found.isDirectory()) return 'folder';
  if (found.isFIFO()) return 'pipe';
  return found.isFile() ? 'file' : 'other';
}

/**
 * A thread that waits for a writer, in `open` or in `read`, would keep the process from ending by
 * any signal.
 */
async function readPipe(path: string, stop: AbortSignal): Promise<SourceFile> {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK;
  const fd = await tried(path, async () => openSync(path, flags));
  const pipe = new Socket({ fd, writable: false });
  return { path, text: await received(path, pipe, stop) };
}

async function received(path: string, stream: Readable, stop: AbortSignal): Promise<string> {
  return decoded(path, await tried(path, () => buffer(addAbortSignal(stop, stream))));
}

async function readSource(path: string, signal: AbortSignal): Promise<SourceFile> {
  const { size } = await tried(path, () => stat(path));
  if (size > LARGEST_BYTES)
    throw new UserError(
      `${path}: the file has ${size} bytes, more than the ${LARGEST_BYTES} that manifests may have; name other files with -f`,
    );
  return { path, text: decoded(path, await tried(path, () => readFile(path, { signal }))) };
}

/** As kubectl: UTF-8, or UTF-16 with the mark with which PowerShell writes it. */
function decoded(path: string, bytes: Buffer): string {
  const [first, second] = bytes;
  const encoding =
    first === 0xff && second === 0xfe
      ? 'utf-16le'
      : first === 0xfe && second === 0xff
        ? 'utf-16be'
        : 'utf-8';
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return text;
  } catch {
    // It is told below, as what has a NUL in it is.
  }
  throw new UserError(`${path}: this is no text in UTF-8 or UTF-16; name other files with -f`);
}

const REMEDIES: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder; check the path',
  EACCES: 'it may not be read; check its permissions',
  EPERM: 'it may not be read; check its permissions',
  ELOOP:
    'its symbolic links lead in a circle; remove the link, or name the files themselves with -f',
};

async function tried<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const { code = 'unknown', message } = error as NodeJS.ErrnoException;
    throw new UserError(`${path}: ${REMEDIES[code] ?? `it could not be read: ${message}`}`);
  }
}
