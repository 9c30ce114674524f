import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { unpackTar } from 'modern-tar';
import { run } from '../run.ts';
import { inScratch } from '../scratch.ts';
import { ARCHITECTURES, type Architecture, NODE, NODE_VERSION } from './base.ts';

export interface NodeFiles {
  readonly program: Uint8Array;
  readonly licence: string;
}

/** Has npm fetch the packages that are not in the folder yet. */
export async function fetchNode(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const there = new Set(await readdir(folder));
  for (const architecture of ARCHITECTURES) {
    if (!there.has(fileOf(architecture))) await withNpm(folder, architecture);
  }
}

/** Throws where the file in the folder is not the one of base.ts. */
export async function unpackNode(folder: string, architecture: Architecture): Promise<NodeFiles> {
  const file = join(folder, fileOf(architecture));
  const packed = await readFile(file);
  const { integrity } = NODE[architecture];
  const is = `sha512-${createHash('sha512').update(packed).digest('base64')}`;
  if (is !== integrity)
    throw new Error(
      `${file} has the integrity ${is}, and test/release/image/base.ts asks for ${integrity}; remove the file to have it fetched again`,
    );
  const wanted = ['bin/node', 'LICENSE'];
  const entries = await unpackTar(gunzipSync(packed), {
    strip: 1,
    filter: ({ name }) => wanted.some((path) => name === path || name.endsWith(`/${path}`)),
  });
  const [program, licence] = wanted.map(
    (path) => entries.find(({ header }) => header.name === path)?.data,
  );
  if (!program || !licence) throw new Error(`${file} lacks one of ${wanted.join(', ')}`);
  return { program, licence: new TextDecoder().decode(licence) };
}

function fileOf(architecture: Architecture): string {
  return `${NODE[architecture].package}-${NODE_VERSION}.tgz`;
}

async function withNpm(folder: string, architecture: Architecture): Promise<void> {
  const what = `${NODE[architecture].package}@${NODE_VERSION}`;
  await inScratch(join(folder, 'npm-'), async (own) => {
    const args = ['pack', what, '--pack-destination', own, '--loglevel=error'];
    const { npm_execpath: running } = process.env;
    const { code, stderr } = await (running === undefined
      ? run('npm', args, { cwd: own })
      : run(process.execPath, [running, ...args], { cwd: own }));
    if (code !== 0) throw new Error(`npm cannot fetch ${what}: ${stderr.trim()}`);
    await rename(join(own, fileOf(architecture)), join(folder, fileOf(architecture)));
  });
}
