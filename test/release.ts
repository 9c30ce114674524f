import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installManifest } from '../deploy/install-manifest.ts';
import { findProgram } from './controlplane/programs.ts';
import { succeed } from './controlplane/run.ts';

/**
 * `node test/release.ts [FOLDER]`: makes what a release has beside the image: chart, install.yaml,
 * plugin, and their checksums. The plugin is the one that stands in dist.
 */
const [folder = 'dist/release'] = process.argv.slice(2);

await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
const helm = await findProgram('helm');
await succeed(helm, ['package', 'deploy/helm/pipewright', '--destination', folder]);
await succeed('npm', ['pack', './dist', '--ignore-scripts', '--pack-destination', folder]);
await writeFile(join(folder, 'install.yaml'), await installManifest());

const names = (await readdir(folder)).toSorted();
const sums = await Promise.all(names.map(sumOf));
await writeFile(join(folder, 'SHA256SUMS'), sums.join(''));
for (const name of [...names, 'SHA256SUMS']) console.log(join(folder, name));

/** A line as `sha256sum --check` reads it. */
async function sumOf(name: string): Promise<string> {
  const hash = createHash('sha256').update(await readFile(join(folder, name)));
  return `${hash.digest('hex')}  ${name}\n`;
}
