import { readFile, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import packageJson from '../../package.json' with { type: 'json' };
import { progressLines } from '../controlplane/progress.ts';
import { requireTag, sectionOf } from './changelog.ts';
import { downloadsFolder } from './downloads.ts';
import { buildRelease } from './release.ts';
import { differences, parseSums, SUMS } from './sums.ts';
import { writeWhole } from './whole-folder.ts';

/**
 * `npm run release`: builds what a release is into dist/release. `-- --verify SHA256SUMS` compares
 * that with published sums; `-- --tag v1.2.3` refuses what must not be released under that tag.
 */
const FOLDER = 'dist/release';
const USAGE =
  'npm run release [-- [--verify FILE-OF-SHA256SUMS] [--tag TAG]]\nBuilds what a release is into dist/release, in place of what is there. --verify compares it with published sums, --tag refuses what must not be released under that tag.';

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const { verify, tag, help } = given();
  if (help) return console.log(USAGE);
  // Before anything is built, which takes a minute, or removed.
  const wanted = verify === undefined ? undefined : parseSums(await published(verify), verify);
  const { version } = packageJson;
  const section = sectionOf(await readFile('CHANGELOG.md', 'utf8'), version);
  if (tag !== undefined) requireTag(tag, version, section);
  // Nobody may take the release of before for the one that could not be built.
  await rm(FOLDER, { recursive: true, force: true });

  const say = progressLines();
  const { files, image } = await buildRelease({ downloads: downloadsFolder(), say });
  await writeWhole(FOLDER, files);
  for (const [name, { length }] of files) console.log(`${megabytes(length)}  ${FOLDER}/${name}`);
  for (const { architecture, name, compressed, uncompressed } of image.layers)
    console.log(
      `${megabytes(compressed)}  of it for ${architecture}: ${name}, ${megabytes(uncompressed).trim()} unpacked`,
    );
  if (!wanted) return;

  const found = differences(wanted, files);
  if (found.length > 0) throw new Error(`This is not what ${verify} says:\n${found.join('\n')}`);
  console.log(`All ${wanted.size} files are to the bit what ${verify} says.`);
}

function given(): { verify?: string; tag?: string; help?: boolean } {
  try {
    const options = {
      verify: { type: 'string' },
      tag: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    } as const;
    return parseArgs({ options }).values;
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${USAGE}`, { cause: error });
  }
}

/** npm runs this in the project's folder, whichever the user stands in. */
async function published(file: string): Promise<string> {
  try {
    return await readFile(resolve(process.env['INIT_CWD'] ?? '.', file), 'utf8');
  } catch (error) {
    throw new Error(
      `--verify ${JSON.stringify(file)} cannot be read: ${(error as Error).message}; name the file ${SUMS} of a release with it`,
      { cause: error },
    );
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(2).padStart(7)} MB`;
}
