import { join } from 'node:path';
import { cacheFolder } from '../controlplane/binaries.ts';

/** Where what goes into the image and is not ours is kept once it has been fetched. */
export function downloadsFolder(): string {
  return join(cacheFolder(process.env), 'release');
}
