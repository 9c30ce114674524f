import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Entry, withFolders } from '../archive.ts';

/** Writes entries into a folder, with their modes whatever the umask is. */
export async function writeTree(folder: string, entries: readonly Entry[]): Promise<void> {
  for (const { path, mode, bytes } of withFolders(entries)) {
    const place = join(folder, path);
    if (bytes) await writeFile(place, bytes);
    else await mkdir(place, { recursive: true });
    await chmod(place, mode);
  }
}
