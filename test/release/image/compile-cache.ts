import { chmod, chown, mkdir, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Entry, file } from '../archive.ts';
import { run } from '../run.ts';
import { inScratch } from '../scratch.ts';
import { USER } from './root.ts';
import { writeTree } from './tree.ts';

const CACHE = 'app/cache';
/** Names by which V8 tells what it has compiled would differ with every run without this. */
const NODE = ['/usr/local/bin/node', '--random-seed=1'];
/** The entrypoint writes nothing where it starts the operator, as its process becomes another one. */
const LOADING = [
  ['/app/pipewright.js', '--version'],
  ['/app/entrypoint.js', 'plugin', '--help'],
];
const BUNDLES = 3;

/**
 * What V8 makes of the bundles, as files of the image, so that no start compiles them again. It is
 * good for one version of Node, one user and one path, so it is made in the image's own files, as
 * its user: with chroot by root, else in a user namespace. Only of the processor that runs this.
 */
export async function compileCache(entries: readonly Entry[]): Promise<Entry[]> {
  return inScratch(join(tmpdir(), 'pipewright-root-'), async (root) => {
    await chmod(root, 0o755);
    await writeTree(root, entries);
    const cache = join(root, CACHE);
    await mkdir(cache);
    const isRoot = process.getuid?.() === 0;
    if (isRoot) await chown(cache, USER, USER);
    for (const command of LOADING) await enter(root, isRoot, [...NODE, ...command]);
    const made = await readdir(cache, { recursive: true, withFileTypes: true });
    const files = await Promise.all(
      made
        .filter((entry) => entry.isFile())
        .map(async ({ parentPath, name }) => {
          const path = join(parentPath, name);
          return file(path.slice(root.length + 1), await readFile(path));
        }),
    );
    if (files.length < BUNDLES)
      throw new Error(`of ${BUNDLES} bundles Node kept what it compiled in ${files.length} files`);
    return files;
  });
}

async function enter(root: string, isRoot: boolean, command: readonly string[]): Promise<void> {
  const entered = isRoot
    ? ['chroot', `--userspec=${USER}:${USER}`, root, ...command]
    : [
        'unshare',
        '--user',
        `--map-user=${USER}`,
        `--map-group=${USER}`,
        `--root=${root}`,
        ...command,
      ];
  const [program = '', ...args] = entered;
  const env = { PATH: process.env['PATH'], NODE_COMPILE_CACHE: `/${CACHE}` };
  const { code, stderr } = await run(program, args, { env });
  if (code === 0) return;
  const why = `${entered.join(' ')} ended with ${code}: ${stderr.trim()}`;
  throw new Error(
    isRoot
      ? why
      : `${why}\nWhat V8 compiles is made inside the image's files: run this as root, or where users may make user namespaces`,
  );
}
