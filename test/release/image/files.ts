import type { Entry } from '../archive.ts';
import type { Architecture } from './base.ts';
import { compileCache } from './compile-cache.ts';
import { type Base, baseOf } from './root.ts';

/** All files of the image of one architecture. */
export interface ImageFiles {
  readonly base: Base;
  readonly app: readonly Entry[];
}

/**
 * The same wherever they are put together: what V8 compiled goes only with amd64, as that of arm64
 * can be made on arm64 alone.
 */
export async function filesOf(
  architecture: Architecture,
  downloads: string,
  app: readonly Entry[],
): Promise<ImageFiles> {
  const base = await baseOf(downloads, architecture);
  if (architecture !== 'amd64') return { base, app };
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error(
      `the image for amd64 is made on Linux on x86-64, where its Node can compile the bundles, not on ${process.platform} on ${process.arch}`,
    );
  return { base, app: [...app, ...(await compileCache([...base.entries, ...app]))] };
}
