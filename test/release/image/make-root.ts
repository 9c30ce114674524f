import { notices } from '../../bundle/texts.ts';
import { appEntries, makeBundles } from '../bundles.ts';
import { ARCHITECTURES, type Architecture } from './base.ts';
import { fetchDebian } from './debian.ts';
import { filesOf } from './files.ts';
import { fetchNode } from './node-package.ts';
import { writeTree } from './tree.ts';

/** `node test/release/image/make-root.ts amd64|arm64 FOLDER`: for the Dockerfile, all files of the image. */
const [architecture = '', folder, ...more] = process.argv.slice(2);
if (
  !ARCHITECTURES.includes(architecture as Architecture) ||
  folder === undefined ||
  more.length > 0
) {
  console.error(
    `${JSON.stringify(process.argv.slice(2).join(' '))} is not understood: make-root.ts ${ARCHITECTURES.join('|')} FOLDER`,
  );
  process.exit(2);
}
const downloads = `${folder}.downloads`;
await fetchNode(downloads);
await fetchDebian(downloads);
const made = await makeBundles();
const app = appEntries(made, notices(made));
const { parts } = await filesOf(architecture as Architecture, downloads, app);
await writeTree(
  folder,
  parts.flatMap(({ entries }) => entries),
);
