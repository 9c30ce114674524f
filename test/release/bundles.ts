import { BUNDLES, type Made, make } from '../bundle/bundles.ts';
import { type Entry, file } from './archive.ts';

/** The programs of a release, each one file. `dist` is left alone: others may be reading it. */
export async function makeBundles(): Promise<Made[]> {
  const made: Made[] = [];
  for (const bundle of BUNDLES) made.push(await make(bundle));
  return made;
}

/** Where they are in the image, with the licences of what is in them. */
export function appEntries(
  programs: readonly Pick<Made, 'bundle' | 'code'>[],
  licences: string,
): Entry[] {
  return [
    ...programs.map(({ bundle, code }) =>
      file(`app/${bundle.file}`, code, bundle.isProgram ? 0o755 : 0o644),
    ),
    file('app/THIRD-PARTY-NOTICES', licences),
  ];
}
