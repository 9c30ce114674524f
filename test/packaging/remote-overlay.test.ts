import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { controlPlane } from '../controlplane/client.ts';
import { findProgram } from '../controlplane/programs.ts';
import { BUILD_MS } from './helm.ts';
import { overlay } from './kustomize.ts';
import { list, only, parseManifests } from './manifests.ts';
import { succeed } from './run.ts';

const PROJECT = 'https://github.com/pipewright/pipewright';
let folder: string;

beforeAll(async () => {
  await findProgram('kustomize');
  folder = await mkdtemp(join(tmpdir(), 'pipewright-remote-'));
}, BUILD_MS);
afterAll(() => rm(folder, { recursive: true }));

test('the example overlay makes everything from a repository at a release, and patches it', async () => {
  const repository = join(folder, 'pipewright');
  await cp('deploy/kustomize', join(repository, 'deploy/kustomize'), { recursive: true });
  const git = (...args: string[]): Promise<string> =>
    succeed('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.com', ...args], {
      cwd: repository,
    });
  await git('init', '--quiet');
  await git('add', '.');
  await git('commit', '--quiet', '--message', 'A release');
  await git('tag', 'v0.1.0');
  await symlink(repository, `${repository}.git`);

  const mine = join(folder, 'mine');
  await cp('deploy/examples/kustomize', mine, { recursive: true });
  const built = await succeed(await findProgram('kustomize'), ['build', mine], {
    env: {
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: `url.file://${repository}.insteadOf`,
      GIT_CONFIG_VALUE_0: PROJECT,
    },
  });
  const manifests = await parseManifests(built, controlPlane.kubectlProgram);
  const names = (one: typeof manifests): string[] =>
    list(one).map((name) => name.replace(/-flags-[a-z0-9]{10}$/, '-flags'));
  expect(names(manifests)).toEqual(names(await overlay('cluster-wide')));
  const deployment = JSON.stringify(only(manifests, 'Deployment'));
  expect(deployment).toContain('"priorityClassName":"system-cluster-critical"');
  expect(deployment).toContain(`"name":"${only(manifests, 'ConfigMap').metadata.name}"`);
}, 60_000);
