import type { Entry } from '../archive.ts';
import type { Architecture } from './base.ts';
import { compileCache } from './compile-cache.ts';
import { type Base, baseOf } from './root.ts';

/** All files of the image of one architecture, what changes least first. */
export interface ImageFiles extends Base {
  readonly architecture: Architecture;
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
  const { parts, licences } = await baseOf(downloads, architecture);
  const withApp = [...parts, { name: 'bundles', entries: app }];
  if (architecture !== 'amd64') return { architecture, parts: withApp, licences };
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error(
      `the image for amd64 is made on Linux on x86-64, where its Node can compile the bundles, not on ${process.platform} on ${process.arch}`,
    );
  const compiled = await compileCache(withApp.flatMap(({ entries }) => entries));
  return {
    architecture,
    parts: [...withApp, { name: 'compiled bundles', entries: compiled }],
    licences,
  };
}
