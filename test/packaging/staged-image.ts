import { spawnSync } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUNDLES } from '../bundle/bundles.ts';
import { appEntries } from '../release/bundles.ts';
import { downloadsFolder } from '../release/downloads.ts';
import { RUN } from '../release/image/config.ts';
import { fetchDebian } from '../release/image/debian.ts';
import { filesOf } from '../release/image/files.ts';
import { fetchNode } from '../release/image/node-package.ts';
import { USER } from '../release/image/root.ts';
import { writeTree } from '../release/image/tree.ts';
import { run } from './run.ts';

export const isRoot = process.getuid?.() === 0;
/** Without root: as the image's user in a namespace, where the machine lets anybody make one. */
const AS_USER = ['unshare', '--user', `--map-user=${USER}`, `--map-group=${USER}`];
export const canEnter = isRoot || spawnSync('env', [...AS_USER, 'true']).status === 0;

export const WARMED = { NODE_COMPILE_CACHE: '/app/cache' };

/** Whoever wants the cache says so. */
const isCache = (variable: string): boolean => variable.startsWith('NODE_COMPILE_CACHE=');

/** The files of the image in a folder: what a container engine would start it from. */
export interface StagedImage {
  readonly root: string;
  /** Arguments of `env` that run the entrypoint as the container's user. */
  entering(env: Readonly<Record<string, string>>): string[];
  /** The same with any arguments of Node in place of the entrypoint's. */
  bare(command: readonly string[]): string[];
  remove(): Promise<void>;
}

/** The image that a release has for amd64, with the bundles that `npm run build` has left in dist. */
export async function stageImage(): Promise<StagedImage> {
  const downloads = downloadsFolder();
  await fetchNode(downloads);
  await fetchDebian(downloads);
  const inDist = (name: string): Promise<string> => readFile(join('dist', name), 'utf8');
  const programs = BUNDLES.map(async (bundle) => ({ bundle, code: await inDist(bundle.file) }));
  const app = appEntries(await Promise.all(programs), await inDist('THIRD-PARTY-NOTICES'));
  const { parts } = await filesOf('amd64', downloads, app);
  return imageIn(async (root) =>
    writeTree(
      root,
      parts.flatMap(({ entries }) => entries),
    ),
  );
}

/** An image whose files the caller puts into the folder. */
export async function imageIn(fill: (root: string) => Promise<void>): Promise<StagedImage> {
  const root = await mkdtemp(join(tmpdir(), 'pipewright-image-'));
  await chmod(root, 0o755);
  await fill(root);
  const [node, ...flags] = RUN.Entrypoint;
  const inRoot = (env: Readonly<Record<string, string>>, command: readonly string[]): string[] => {
    const enter = isRoot
      ? ['chroot', `--userspec=${USER}:${USER}`, root]
      : [...AS_USER, `--root=${root}`];
    const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    // `env` finds what enters the root by this PATH, too.
    return [
      '-i',
      ...RUN.Env.filter((one) => !isCache(one)),
      ...variables,
      ...enter,
      node,
      ...command,
    ];
  };
  return {
    root,
    entering: (env) => inRoot(env, flags),
    bare: (command) => inRoot({}, command),
    async remove() {
      await run('chmod', ['-R', 'u+w', root]);
      await rm(root, { recursive: true });
    },
  };
}
