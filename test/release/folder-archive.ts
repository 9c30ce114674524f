import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Made } from '../bundle/bundles.ts';
import { notices } from '../bundle/texts.ts';
import { type Entry, file, gzipped, tarOf } from './archive.ts';

const CHART = 'deploy/helm/pipewright';

/** The chart, as `helm package` packs it but for the times. */
export async function chartArchive(): Promise<Uint8Array> {
  const ignored = await readFile(join(CHART, '.helmignore'), 'utf8');
  const endings = ignored
    .trim()
    .split('\n')
    .map((pattern) => pattern.replace('*', ''));
  const found = await readdir(CHART, { recursive: true, withFileTypes: true });
  const entries: Entry[] = [];
  for (const { parentPath, name, ...entry } of found.filter((one) => one.isFile())) {
    void entry;
    if (endings.some((ending) => name.endsWith(ending))) continue;
    const path = join(parentPath, name);
    entries.push(file(join('pipewright', path.slice(CHART.length + 1)), await readFile(path)));
  }
  return gzipped(await tarOf(entries));
}

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
