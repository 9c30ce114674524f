import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { controlPlane, kubectl } from '../controlplane/client.ts';
import { run, succeed } from '../controlplane/run.ts';
import { helm } from './chart/helm.ts';

const { version } = packageJson;
const CHART = `pipewright-${version}.tgz`;
const PLUGIN = `kubectl-pipewright-${version}.tgz`;

let folder: string;
let release: string;

beforeAll(async () => {
  folder = await mkdtemp(join(controlPlane.folder, 'release-'));
  release = join(folder, 'release');
  await succeed(process.execPath, ['test/release.ts', release]);
});

test('it has chart, manifests and plugin, and their checksums hold', async () => {
  const files = [CHART, PLUGIN, 'install.yaml'];
  expect((await readdir(release)).sort()).toEqual([...files, 'SHA256SUMS'].sort());
  const check = ['--check', '--strict', 'SHA256SUMS'];
  const checked = await succeed('sha256sum', check, { cwd: release });
  const chart = ['template', 'pipewright', join(release, CHART), '--set=api.url=https://a.test'];
  expect((await helm(chart)).stdout).toContain(`pipewright/pipewright:${version}`);
  expect(checked.trim().split('\n').sort()).toEqual(files.map((name) => `${name}: OK`).sort());
});

test('an API server takes install.yaml', async () => {
  // The namespace of the others is there only once the first has really been made.
  const text = await readFile(join(release, 'install.yaml'), 'utf8');
  const manifest = text.replaceAll(/namespace: pipewright$/gm, 'namespace: default');
  const args = ['apply', '--server-side', '--dry-run=server', '-f', '-'];
  const { stdout, stderr } = await kubectl(args, manifest);
  expect(stdout, stderr).toContain('deployment.apps/pipewright serverside-applied');
  expect(stderr).toBe('');
});

test('installed without a registry, kubectl runs the plugin', async () => {
  const prefix = join(folder, 'prefix');
  // Nobody listens there: whatever would be fetched fails.
  const env = { npm_config_registry: 'http://127.0.0.1:9/', npm_config_fetch_retries: '0' };
  const install = ['install', '--global', '--prefix', prefix, join(release, PLUGIN)];
  await succeed('npm', install, { cwd: folder, env });
  const path = [join(prefix, 'bin'), dirname(process.execPath), process.env['PATH']];
  const plugin = (...args: readonly string[]) =>
    run(controlPlane.kubectlProgram, ['pipewright', ...args], {
      env: { PATH: path.join(delimiter) },
    });
  expect(await plugin('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  const { stdout } = await plugin('--help');
  expect(stdout).toContain('Usage: kubectl pipewright [options] [command]');
});

test('our workflows name each action by a commit', async () => {
  for (const name of await readdir('.github/workflows')) {
    const uses = (await readFile(`.github/workflows/${name}`, 'utf8')).match(/uses: .*/g) ?? [];
    expect(uses.length, name).toBeGreaterThan(0);
    for (const one of uses)
      expect(one).toMatch(/^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  }
});
