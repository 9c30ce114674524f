import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { controlPlane } from '../controlplane/client.ts';
import { run, succeed } from '../controlplane/run.ts';
import { BUILD_MS, helm } from './helm.ts';

const { version } = packageJson;
const CHART = `pipewright-${version}.tgz`;
const PLUGIN = `kubectl-pipewright-${version}.tgz`;
/** Nobody listens there: whatever would be fetched fails. */
const NO_REGISTRY = 'http://127.0.0.1:9/';

let folder: string;
let release: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pipewright-release-'));
  release = join(folder, 'release');
  await succeed(process.execPath, ['test/release.ts', release]);
}, BUILD_MS);
afterAll(() => rm(folder, { recursive: true }));

test('it has chart, manifests and plugin, and their checksums hold', async () => {
  const files = [CHART, PLUGIN, 'install.yaml'];
  expect((await readdir(release)).sort()).toEqual([...files, 'SHA256SUMS'].sort());
  const checked = await succeed('sha256sum', ['--check', '--strict', 'SHA256SUMS'], {
    cwd: release,
  });
  expect(checked.trim().split('\n').sort()).toEqual(files.map((name) => `${name}: OK`).sort());
});

test('the chart renders, with the image of its version', async () => {
  const args = ['template', 'pipewright', join(release, CHART)];
  const { code, stdout, stderr } = await helm([...args, '--set=api.url=https://api.example.com']);
  expect(code, stderr).toBe(0);
  expect(stdout).toContain(`pipewright/pipewright:${version}`);
});

test('an API server takes install.yaml', async () => {
  // The namespace of the others is there only once the first has really been made.
  const manifest = (await readFile(join(release, 'install.yaml'), 'utf8')).replaceAll(
    /namespace: pipewright$/gm,
    'namespace: default',
  );
  const args = ['apply', '--server-side', '--dry-run=server', '-f', '-'];
  const env = { KUBECONFIG: controlPlane.adminKubeconfig };
  const said = await succeed(controlPlane.kubectlProgram, args, { stdin: manifest, env });
  expect(said).toContain('deployment.apps/pipewright serverside-applied (server dry run)');
});

test('installed without a registry, kubectl runs the plugin', async () => {
  const prefix = join(folder, 'prefix');
  const env = { npm_config_registry: NO_REGISTRY, npm_config_fetch_retries: '0' };
  const install = ['install', '--global', '--prefix', prefix, join(release, PLUGIN)];
  await succeed('npm', install, { cwd: folder, env });
  const PATH = [join(prefix, 'bin'), dirname(process.execPath), process.env['PATH']];
  const kubectl = (...args: readonly string[]) =>
    run(controlPlane.kubectlProgram, ['pipewright', ...args], {
      env: { PATH: PATH.join(delimiter) },
    });
  const said = { code: 0, stdout: `${version}\n`, stderr: '' };
  expect(await kubectl('--version')).toEqual(said);
  const { stdout } = await kubectl('--help');
  expect(stdout).toContain('Usage: kubectl pipewright [options] [command]');
});
