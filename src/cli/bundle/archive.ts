import { access, constants, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { packTar } from 'modern-tar';
import { UserError } from '../user-error.ts';

/** One file of the archive, ready to be written. */
export interface Entry {
  readonly path: string;
  readonly bytes: Buffer;
}

/** Only for the one who made it. */
const MODE = 0o600;

/** Throws UserError where nothing can be written there, before anything is read for it. */
export async function requireNewFile(file: string): Promise<void> {
  const why = await access(file).then(
    () => undefined,
    (error: unknown) => error as NodeJS.ErrnoException,
  );
  if (!why) throw existing(file);
  if (file === '' || why.code !== 'ENOENT') throw unwritable(file, why);
  try {
    await access(dirname(file), constants.W_OK);
  } catch (error) {
    throw unwritable(file, error as Error);
  }
}

/** All of it or nothing; a file that is there stays as it is. Throws UserError. */
export async function writeArchive(
  file: string,
  entries: readonly Entry[],
  made: Date,
): Promise<void> {
  const tar = await packTar(
    entries.map(({ path, bytes }) => ({
      header: { name: path, size: bytes.length, mode: MODE, mtime: made },
      body: bytes,
    })),
  );
  const bytes = await promisify(gzip)(tar);
  const unfinished = `${file}.unfinished`;
  const reserved: string[] = [];
  try {
    // The name is taken first: a rename alone would replace what came there meanwhile.
    for (const one of [file, unfinished]) {
      await (await open(one, 'wx', MODE)).close();
      reserved.push(one);
    }
    const handle = await open(unfinished, 'w', MODE);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(unfinished, file);
  } catch (error) {
    for (const one of reserved) await rm(one, { force: true });
    const { code, path } = error as NodeJS.ErrnoException;
    throw code === 'EEXIST' ? existing(path ?? file) : unwritable(file, error as Error);
  }
}

function existing(file: string): UserError {
  return new UserError(
    `${JSON.stringify(file)} is there already and was left as it is; give another name with --file, or remove it`,
  );
}

function unwritable(file: string, { message }: Error): UserError {
  return new UserError(
    `${JSON.stringify(file)} cannot be written: ${message}; give another one with --file`,
  );
}
