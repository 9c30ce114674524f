import { spawnSync } from 'node:child_process';
import { chmod, chown, copyFile, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { entrypoint, imagePath } from '../support/entrypoint.ts';
import { run, succeed } from './run.ts';

export const isRoot = process.getuid?.() === 0;
/** Without root: as the only user of a namespace, where the machine lets anybody make one. */
export const canEnter =
  isRoot || spawnSync('env', ['unshare', '--map-root-user', 'true']).status === 0;

const USER = 65_532;
/** Of `dist`; the Dockerfile takes all that the build makes. */
const FILES = ['pipewright.js', 'kubectl-pipewright.js', 'entrypoint.js', 'THIRD-PARTY-NOTICES'];
export const WARMED = { NODE_COMPILE_CACHE: '/app/cache' };

/**
 * What the steps of the Dockerfile leave in its last stage, made in an empty folder from the Node
 * that runs this. There is no container engine here; test/unit/deploy-image.test.ts reads the
 * Dockerfile.
 */
export interface StagedImage {
  readonly root: string;
  /** Arguments of `env` that run the entrypoint as the container's user. */
  entering(env: Readonly<Record<string, string>>): string[];
  /** The same with any arguments of Node in place of the entrypoint's. */
  bare(command: readonly string[]): string[];
  remove(): Promise<void>;
}

export async function stageImage(): Promise<StagedImage> {
  const root = await mkdtemp(join(tmpdir(), 'pipewright-image-'));
  await chmod(root, 0o755);
  const [node = '', ...flags] = entrypoint();
  const inRoot = (env: Readonly<Record<string, string>>, command: readonly string[]): string[] => {
    const enter = isRoot
      ? ['chroot', `--userspec=${USER}:${USER}`]
      : ['unshare', '--map-root-user', 'chroot'];
    const variables = Object.entries({ PATH: imagePath(), ...env }).map(
      ([name, value]) => `${name}=${value}`,
    );
    return ['-i', ...variables, ...enter, root, node, ...command];
  };
  await copyNode(root, node);
  const cache = join(root, 'app/cache');
  await mkdir(cache, { recursive: true });
  await mkdir(join(root, 'etc'));
  await writeFile(join(root, 'etc/passwd'), `pipewright:x:${USER}:${USER}::/:/\n`);
  for (const file of FILES) await copyFile(join('dist', file), join(root, 'app', file));
  if (isRoot) await chown(cache, USER, USER);
  await succeed('env', inRoot(WARMED, ['/app/pipewright.js', '--version']));
  await succeed('env', inRoot(WARMED, ['/app/entrypoint.js', 'plugin', '--help']));
  await run('chmod', ['-R', 'a+rX,a-w', join(root, 'app')]);
  if (isRoot) await run('chown', ['-R', '0:0', join(root, 'app')]);
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

async function copyNode(root: string, node: string): Promise<void> {
  const { stdout } = await run('ldd', [process.execPath]);
  const libraries = [...stdout.matchAll(/\/[^ )]*/g)].map(([path]) => [path, path] as const);
  for (const [from, to] of [...libraries, [process.execPath, node] as const]) {
    await mkdir(join(root, dirname(to)), { recursive: true });
    await cp(from, join(root, to), { dereference: true });
  }
}
