import { readFile } from 'node:fs/promises';
import type { Made } from '../bundle/bundles.ts';
import { notices } from '../bundle/texts.ts';
import { file, gzipped, tarOf } from './archive.ts';

/** The plugin, as `npm pack` packs it but for the times. */
export async function pluginArchive(made: readonly Made[]): Promise<Uint8Array> {
  const plugin = made.find(({ bundle }) => bundle.isProgram);
  if (!plugin) throw new Error('there is no bundle of the plugin');
  const beside = ['package.json', 'README.md', 'LICENSE'];
  const entries = await Promise.all(
    beside.map(async (name) => file(`package/${name}`, await readFile(name))),
  );
  return gzipped(
    await tarOf([
      ...entries,
      file(`package/dist/${plugin.bundle.file}`, plugin.code, 0o755),
      file('package/dist/THIRD-PARTY-NOTICES', notices(made)),
    ]),
  );
}
