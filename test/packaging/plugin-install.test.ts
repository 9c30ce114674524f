import { lstat, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { controlPlane, newNamespace } from '../controlplane/client.ts';
import { progressLines } from '../controlplane/progress.ts';
import { installCrds } from '../support/crd.ts';
import { npm } from './npm.ts';
import { oldestNode } from './oldest-node.ts';
import { type Ran, run, succeed } from './run.ts';

const ROOT = join(import.meta.dirname, '..', '..');
/** Nobody listens there: whatever would be fetched fails. */
const NO_REGISTRY = 'http://127.0.0.1:9/';

let folder = '';
let file = '';
let prefix = '';
let home = '';
let path = '';

const kubectl = (args: readonly string[]): Promise<Ran> => {
  const env = { PATH: path, HOME: home, KUBECONFIG: controlPlane.adminKubeconfig, KUBERC: 'off' };
  const set = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return run('env', ['-i', ...set, join(prefix, 'kubectl/kubectl'), 'pipewright', ...args]);
};

describe('installed as a user does it, with the oldest Node, an empty home and no registry', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pipewright-install-'));
    [prefix, home] = [join(folder, 'prefix'), join(folder, 'home')];
    for (const one of [home, join(prefix, 'kubectl'), join(prefix, 'node')])
      await mkdir(one, { recursive: true });
    const node = await oldestNode(progressLines());
    await symlink(node, join(prefix, 'node/node'));
    await symlink(controlPlane.kubectlProgram, join(prefix, 'kubectl/kubectl'));
    path = ['bin', 'kubectl', 'node'].map((one) => join(prefix, one)).join(':');

    // What `prepack` would build again is there, and other tests are reading it.
    const packed = await npm(['pack', '--ignore-scripts', '--json', '--pack-destination', folder], {
      cwd: ROOT,
    });
    if (packed.code !== 0) throw new Error(packed.stderr);
    file = join(folder, `pipewright-${packageJson.version}.tgz`);
    const installed = await npm(['install', '--global', '--prefix', prefix, file], {
      cwd: home,
      node,
      env: {
        HOME: home,
        npm_config_cache: join(home, '.npm'),
        npm_config_registry: NO_REGISTRY,
        npm_config_fetch_retries: '0',
      },
    });
    if (installed.code !== 0) throw new Error(installed.stderr);
  });
  afterAll(() => rm(folder, { recursive: true }));

  test('the file holds the plugin, the licences and the README, and asks for nothing else', async () => {
    const files = (await succeed('tar', ['-tzf', file])).trim().split('\n');
    expect(files.sort()).toEqual([
      'package/LICENSE',
      'package/README.md',
      'package/dist/THIRD-PARTY-NOTICES',
      'package/dist/kubectl-pipewright.js',
      'package/package.json',
    ]);
    const about = JSON.parse(
      await succeed('tar', ['-xzOf', file, 'package/package.json']),
    ) as object;
    const asks = Object.keys(about).filter((field) =>
      /^(bundled?|optional|peer|)dependencies/i.test(field),
    );
    expect(asks).toEqual([]);
    const notices = await succeed('tar', ['-xzOf', file, 'package/dist/THIRD-PARTY-NOTICES']);
    for (const name of ['commander', 'modern-tar', 'yaml'])
      expect(notices).toMatch(new RegExp(`\\n${name} \\d[\\d.]+ \\((MIT|ISC)\\)\\n`));
  });

  test('before it is packed it is built', () => {
    expect(packageJson.scripts.prepack).toBe(packageJson.scripts.build);
  });

  test('nothing but it is installed, under the name by which kubectl finds it', async () => {
    const modules = join(prefix, 'lib/node_modules');
    expect(await readdir(modules)).toEqual(['pipewright']);
    expect((await readdir(join(modules, 'pipewright'))).sort()).toEqual([
      'LICENSE',
      'README.md',
      'dist',
      'package.json',
    ]);
    const program = join(prefix, 'bin/kubectl-pipewright');
    expect((await lstat(await realpath(program))).mode & 0o111).toBe(0o111);
    expect((await readFile(program, 'utf8')).split('\n', 1)).toEqual(['#!/usr/bin/env node']);
  });

  test('kubectl runs it, and it says nothing that was not asked for', async () => {
    const version = { code: 0, stdout: `${packageJson.version}\n`, stderr: '' };
    expect(await kubectl(['--version'])).toEqual(version);
    const help = await kubectl(['--help']);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toContain('Usage: kubectl pipewright [options] [command]');
  });

  test('each command has its help', async () => {
    const { stdout } = await kubectl(['--help']);
    const commands = [...(stdout.split('Commands:')[1] ?? '').matchAll(/^ {2}([a-z]+)/gm)];
    expect(commands.length).toBeGreaterThan(1);
    for (const [, command = ''] of commands) {
      const help = await kubectl([command, '--help']);
      expect(help).toMatchObject({ code: 0, stderr: '' });
      expect(help.stdout).toMatch(/^Usage: kubectl pipewright /);
    }
  });

  test('with the oldest Node it plans without a cluster, and prints the CRDs', async () => {
    const planned = await kubectl(['plan', '--offline', '-f', join(ROOT, 'deploy/examples')]);
    expect(planned).toMatchObject({ code: 2, stderr: '' });
    expect(planned.stdout).toContain('Would send: PUT /v1/organizations/');
    const crds = await kubectl(['crds']);
    expect(crds.stdout.match(/^kind: CustomResourceDefinition$/gm)).toHaveLength(3);
  });

  test('with the oldest Node it does what needs a cluster', async () => {
    await installCrds();
    const namespace = await newNamespace();
    const bundle = join(home, 'case.tar.gz');
    const ran = await kubectl(['bundle', '-n', namespace, '-f', bundle]);
    expect(ran.stderr).toContain(`wrote ${bundle}, `);
    expect(await succeed('tar', ['-xzOf', bundle, 'case/about.yaml'])).toMatch(/^node: v22\./m);
  });
});
