import { readFile } from 'node:fs/promises';
import packageJson from '../../package.json' with { type: 'json' };
import type { Made } from '../bundle/bundles.ts';
import { notices } from '../bundle/texts.ts';
import { type Say, step } from '../controlplane/progress.ts';
import { appEntries, makeBundles } from './bundles.ts';
import { sectionOf } from './changelog.ts';
import { chartArchive } from './chart.ts';
import { ARCHITECTURES } from './image/base.ts';
import { IMAGE } from './image/config.ts';
import { fetchDebian } from './image/debian.ts';
import { filesOf, type ImageFiles } from './image/files.ts';
import { fetchNode } from './image/node-package.ts';
import { type Image, ociImage } from './image/oci.ts';
import { pluginArchive } from './plugin.ts';
import { bills } from './sbom/bills.ts';
import { SUMS, sumsOf } from './sums.ts';

/** Everything that is published of one version, by name. */
export interface Release {
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly image: Image;
}

const { version } = packageJson;
const IMAGE_LINE = `image: ${IMAGE}:${version}`;

/** The same files give the same release to the bit, wherever and whenever it is built. */
export async function buildRelease({
  downloads,
  say,
}: {
  /** Keeps what has been fetched. */
  readonly downloads: string;
  readonly say: Say;
}): Promise<Release> {
  const section = sectionOf(await readFile('CHANGELOG.md', 'utf8'), version);
  const manifest = await installManifest();
  const chart = await chartArchive(say);
  const made = await step(say, 'Bundling operator and plugin', makeBundles);
  await step(say, 'Fetching Node for both architectures', () => fetchNode(downloads));
  await step(say, 'Fetching its libraries from Debian', () => fetchDebian(downloads));
  const images = await step(say, 'Putting the files of the images together', async () => {
    const app = appEntries(made, notices(made));
    return Promise.all(ARCHITECTURES.map((architecture) => filesOf(architecture, downloads, app)));
  });
  const image = await step(say, 'Packing the images', () => ociImage(images));
  const files = new Map<string, Uint8Array | string>([
    [`pipewright-image-${version}.tar`, image.archive],
    ['image-digest.txt', `${IMAGE}:${version}@${image.digest}\n`],
    [`pipewright-chart-${version}.tgz`, chart],
    [`kubectl-pipewright-${version}.tgz`, await pluginArchive(made)],
    ['install.yaml', manifest.replace(IMAGE_LINE, `${IMAGE_LINE}@${image.digest}`)],
    ['THIRD-PARTY-NOTICES', allNotices(made, images)],
    ['CHANGES.md', `${section.text}\n`],
    ...bills(made, section.date),
  ]);
  const asBytes = new Map([...files].map(([name, content]) => [name, Buffer.from(content)]));
  return { files: asBytes.set(SUMS, Buffer.from(sumsOf(asBytes))), image };
}

/** Its image gets a digest, so that whoever installs from it gets the image of this release and no other. */
async function installManifest(): Promise<string> {
  const manifest = await readFile('deploy/install.yaml', 'utf8');
  const lines = manifest.split('\n').map((line) => line.trim());
  if (lines.filter((line) => line === IMAGE_LINE).length !== 1)
    throw new Error(
      `deploy/install.yaml does not have the line "${IMAGE_LINE}" once, with the version of package.json; name that version in deploy/kustomize/base/deployment.yaml, run "npm run generate" and commit what it writes`,
    );
  return manifest;
}

function allNotices(made: readonly Made[], images: readonly ImageFiles[]): string {
  const licences = new Map(images.flatMap(({ licences }) => [...licences]));
  const parts = [...licences].map(([what, text]) => `${what}, in the image\n\n${text.trim()}\n`);
  return [notices(made), ...parts].join(`\n${'-'.repeat(80)}\n\n`);
}
