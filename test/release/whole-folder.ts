import { mkdir, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { inScratch } from './scratch.ts';

/** Writes files into a folder which is not there yet, and which is there once all of them are in it. */
export async function writeWhole(
  folder: string,
  files: ReadonlyMap<string, Uint8Array>,
): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  await inScratch(`${folder}-`, async (scratch) => {
    // One level down, as the scratch folder is for this user alone.
    const whole = join(scratch, basename(folder));
    await mkdir(whole);
    for (const [name, bytes] of files) await writeFile(join(whole, name), bytes);
    await rename(whole, folder);
  });
}
