import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, glob, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cacheFolder } from '../controlplane/binaries.ts';
import { type Say, step } from '../controlplane/progress.ts';
import { npm } from './npm.ts';

const WANTED = join(import.meta.dirname, 'oldest-node');

/**
 * The path of the oldest Node that the plugin runs on, in the version that the lock file of the
 * folder `oldest-node` has for this platform: from the cache, else from the registry.
 */
export async function oldestNode(say: Say): Promise<string> {
  const lock = await readFile(join(WANTED, 'package-lock.json'));
  const hash = createHash('sha256').update(lock).digest('hex').slice(0, 8);
  const folder = join(cacheFolder(process.env), 'programs', `oldest-node-${hash}`);
  if (!existsSync(folder)) await step(say, 'Fetching the oldest Node', () => fetchInto(folder));
  for await (const path of glob('node_modules/*/bin/node', { cwd: folder }))
    return join(folder, path);
  throw new Error(
    `there is no package with the oldest Node for ${process.platform} on ${process.arch}; name one in ${WANTED}`,
  );
}

async function fetchInto(folder: string): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  const fresh = await mkdtemp(`${folder}-`);
  try {
    await cp(WANTED, fresh, { recursive: true });
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    const { code, stderr } = await npm(args, { cwd: fresh });
    if (code !== 0) throw new Error(`npm ci of the oldest Node ended with ${code}: ${stderr}`);
    await rename(fresh, folder);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}
