import { spawn } from 'node:child_process';
import { copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { waitFor } from '../controlplane/client.ts';
import { type ControlPlane, startControlPlane } from '../controlplane/controlplane.ts';
import { downloadsFolder } from '../release/downloads.ts';
import { IMAGE, RUN } from '../release/image/config.ts';
import { startSimulator } from '../simulator/simulator.ts';
import { pageBlocks } from '../support/page.ts';
import type { Pset } from '../support/scene-objects.ts';
import { elvesIn } from './elf.ts';
import { BUILD_MS, helm } from './helm.ts';
import { type Published, publish } from './publish.ts';
import { type Registry, startRegistry } from './registry.ts';
import { type Ran, run, succeed } from './run.ts';
import { canEnter, imageIn, WARMED } from './staged-image.ts';

const { version } = packageJson;
/** What a release is built from, and what runs it. */
const SOURCES = [
  'package.json',
  'package-lock.json',
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'src',
  'deploy/helm/pipewright',
  'deploy/install.yaml',
  'test/bundle',
  'test/controlplane',
  'test/release',
  'test/setup.mjs',
];
const MOST_BYTES = 60e6;

let folder: string;
let copy: string;
/** Where the first of the two builds has put its files. */
let built: string;
/** The second build runs beside the tests of what the first has made, to end with them. */
let again: Promise<Ran>;

const path = (name: string): string => join(built, name);
/** What a reader of the page runs, in its order. */
const [check, build, verify, ...more] = pageBlocks('deploy/guides/releases.md').filter(
  ({ notRun }) => notRun === undefined,
);
if (!check || !build || !verify || more.length > 0) throw new Error('the page has other commands');

/** The project as a clone of it, in a folder of another name. */
async function copyTo(name: string): Promise<string> {
  const another = join(folder, name);
  for (const source of SOURCES) await cp(source, join(another, source), { recursive: true });
  await symlink(resolve('node_modules'), join(another, 'node_modules'));
  return another;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pipewright-release-'));
  copy = await copyTo('somewhere else');
  built = join(copy, 'dist/release');
  const env = { TZ: 'Asia/Kathmandu', LANG: 'tr_TR.UTF-8' };
  await succeed('sh', ['-e', '-c', `umask 077\n${build.script}`], { cwd: copy, env });
  const another = await copyTo('b');
  await copyFile(path('SHA256SUMS'), join(another, 'SHA256SUMS'));
  again = run('sh', ['-e', '-c', verify.script], { cwd: another });
}, BUILD_MS);
afterAll(async () => {
  await again;
  await rm(folder, { recursive: true });
}, BUILD_MS);

describe('a release', () => {
  test('has the sums of all its files, as sha256sum reads them', async () => {
    const said = await succeed('sh', ['-e', '-c', check.script], { cwd: built });
    const names = said
      .trim()
      .split('\n')
      .map((line) => line.replace(/: OK$/, ''));
    expect([...names, 'SHA256SUMS'].sort()).toEqual((await readdir(built)).sort());
  });

  test('has the chart and the plugin as helm and npm pack them', async () => {
    await succeed('npm', ['pack', '--ignore-scripts', '--pack-destination', folder]);
    const packed = await helm([
      'package',
      'deploy/helm/pipewright',
      '--destination',
      join(folder, 'helm'),
    ]);
    expect(packed.stderr).toBe('');
    const theirs = {
      [`kubectl-pipewright-${version}.tgz`]: join(folder, `pipewright-${version}.tgz`),
      [`pipewright-chart-${version}.tgz`]: join(folder, 'helm', `pipewright-${version}.tgz`),
    };
    for (const [ours, their] of Object.entries(theirs)) {
      const [one, other] = [join(folder, `our ${ours}`), join(folder, `their ${ours}`)];
      for (const [file, into] of [
        [path(ours), one],
        [their, other],
      ] as const) {
        await mkdir(into);
        await succeed('tar', ['-xzf', file, '-C', into]);
      }
      // helm writes Chart.yaml anew, in an order of its own.
      await succeed('diff', ['-r', '--exclude=Chart.yaml', one, other]);
      expect((await readdir(one, { recursive: true })).sort()).toEqual(
        (await readdir(other, { recursive: true })).sort(),
      );
    }
  });
});

describe.runIf(canEnter)('pushed to a registry, and taken from there', () => {
  let registry: Registry;
  let own: ControlPlane;
  let published: Published;
  let image: string;
  const exported = (architecture: string): string => join(folder, `${architecture}.tar`);
  const names = async (architecture: string): Promise<string[]> =>
    (await succeed('tar', ['-tf', exported(architecture)])).trim().split('\n').sort();

  beforeAll(async () => {
    [registry, own] = await Promise.all([startRegistry(), startControlPlane({ say: () => {} })]);
    image = `${registry.address}/pipewright/pipewright:${version}`;
    await symlink(built, join(folder, 'release'));
    published = await publish(folder, registry);
    for (const architecture of ['amd64', 'arm64']) {
      const platform = ['--platform', `linux/${architecture}`];
      await registry.crane('export', ...platform, image, exported(architecture));
    }
    const root = join(folder, 'arm64');
    await mkdir(root);
    await succeed('tar', ['-xf', exported('arm64'), '-C', root]);
  }, BUILD_MS);
  afterAll(async () => {
    await registry.stop();
    await own.stop();
  });

  test.each(['amd64', 'arm64'])(
    'the image for %s is valid, says how it runs, and has at most 60 MB',
    async (architecture) => {
      const platform = ['--platform', `linux/${architecture}`];
      await registry.crane('validate', ...platform, '--remote', image);
      const config = JSON.parse(await registry.crane('config', ...platform, image)) as object;
      expect(config).toMatchObject({ architecture, os: 'linux', config: RUN });
      const { layers } = JSON.parse(await registry.crane('manifest', ...platform, image)) as {
        layers: { size: number }[];
      };
      expect(layers.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(MOST_BYTES);
    },
  );

  test('what is signed is named by its digest: the image, the chart, and the sums of all files', async () => {
    const name = image.replace(/:[^:]*$/, '');
    const chart = name.replace(/[^/]*$/, 'charts/pipewright');
    const digests = [image, `${chart}:${version}`].map((one) => registry.crane('digest', one));
    const [ofImage = '', ofChart = ''] = (await Promise.all(digests)).map((text) => text.trim());
    expect(published).toEqual({
      signed: [
        `sign --yes --recursive ${name}@${ofImage}`,
        `sign --yes ${chart}@${ofChart}`,
        'sign-blob --yes --bundle release/SHA256SUMS.sigstore.json release/SHA256SUMS',
      ],
      outputs: `image=${ofImage}\nchart=${ofChart}\n`,
    });
  });

  test('install.yaml names the image by what the registry calls it', async () => {
    const digest = (await registry.crane('digest', image)).trim();
    const named = `${IMAGE}:${version}@${digest}`;
    expect(await readFile(path('image-digest.txt'), 'utf8')).toBe(`${named}\n`);
    const { code, stdout, stderr } = await own.kubectl([
      'create',
      '--dry-run=client',
      '--validate=false',
      '-o',
      'jsonpath={..image}',
      '-f',
      path('install.yaml'),
    ]);
    expect(code, stderr).toBe(0);
    expect(stdout.trim()).toBe(named);
  });

  test('the image for arm64, which nothing runs here, has the files of the one for amd64, for its processor, and each library that they need', async () => {
    const ofArm = (await names('arm64')).map((name) =>
      name
        .replace('aarch64-linux-gnu', 'x86_64-linux-gnu')
        .replace('lib/ld-linux-aarch64.so.1', 'lib64/ld-linux-x86-64.so.2'),
    );
    const ofAmd = await names('amd64');
    // What V8 compiles can be made on the processor that it is for alone.
    const shared = ofAmd.filter((name) => !/^(app\/cache(\/|$)|lib64$)/.test(name));
    expect(ofArm).toEqual(shared);
    const elves = await elvesIn(join(folder, 'arm64'));
    expect(elves.map(({ name }) => name)).toContain('node');
    expect(elves.filter(({ machine }) => machine !== AARCH64)).toEqual([]);
    const there = elves.map(({ name }) => name);
    const needed = new Set(elves.flatMap((elf) => elf.needed));
    expect([...needed].filter((name) => !there.includes(name))).toEqual([]);
    expect([...needed].sort()).toContain('libstdc++.so.6');
  });

  test('the Dockerfile puts the same files together', async () => {
    const root = join(folder, 'of the Dockerfile');
    await symlink(downloadsFolder(), `${root}.downloads`);
    const args = ['test/release/image/make-root.ts', 'arm64', root];
    await succeed(process.execPath, args, { cwd: copy });
    const differing = await run('diff', ['-r', '--no-dereference', root, join(folder, 'arm64')]);
    expect(differing).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test('the chart installs from there, and the operator of the image applies an object', async () => {
    const charts = `oci://${registry.address}/pipewright/charts`;
    const kubeconfig = { kubeconfig: own.adminKubeconfig };
    const install = `install pipewright ${charts}/pipewright --version ${version} --plain-http --namespace pipewright --create-namespace --set api.url=https://api.example.com`;
    const installed = await helm(install.split(' '), kubeconfig);
    expect(installed.code, installed.stderr).toBe(0);

    const simulator = await startSimulator({ keys: { 'key-1': 'secret-1' } });
    onTestFinished(() => simulator.stop());
    const kubectl = async (line: string): Promise<string> => {
      const { code, stdout, stderr } = await own.kubectl(line.split(' '));
      if (code !== 0) throw new Error(`kubectl ${line}: ${stderr}`);
      return stdout;
    };
    await kubectl('create namespace ingest');
    await kubectl(
      'create secret generic management-api -n ingest --from-literal=keyId=key-1 --from-literal=keySecret=secret-1',
    );
    await waitFor(() => kubectl('apply -f deploy/examples/pipesettings.yaml'), {
      what: 'the CRD to be served',
    });

    const staged = await imageIn(async (root) => {
      await succeed('tar', ['-xf', exported('amd64'), '-C', root]);
      const mount = join(root, 'etc/pipewright');
      await mkdir(mount);
      await copyFile(
        await own.serviceAccountKubeconfig('pipewright', 'pipewright'),
        join(mount, 'kubeconfig'),
      );
      await succeed('chmod', ['-R', 'a+rX', mount]);
    });
    onTestFinished(() => staged.remove());
    const flags = [
      '--kubeconfig=/etc/pipewright/kubeconfig',
      `--api-url=${simulator.url}`,
      '--listen=127.0.0.1:0',
      '--leader-elect',
      '--leader-elect-namespace=pipewright',
    ];
    const operator = spawn('env', [...staged.entering(WARMED), ...flags], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void operator.kill('SIGKILL'));
    operator.stdout.resume();
    const ended = new Promise((resolve) => operator.once('close', resolve));
    const object = async () =>
      JSON.parse(await kubectl('get pset orders -n ingest -o json')) as Pset;
    const { status } = await waitFor(object, {
      what: 'the object to be applied',
      until: ({ status }) =>
        status?.conditions.some(({ type, reason }) => type === 'Ready' && reason === 'Applied'),
    });
    expect(status.conditions.find(({ type }) => type === 'Ready')).toMatchObject({
      status: 'True',
    });
    operator.kill('SIGTERM');
    expect(await ended).toBe(0);
  });
});

/** As ELF numbers processors. */
const AARCH64 = 183;

test(
  'a release is the same to the bit, built again in another folder, with another umask, time zone and language',
  async () => {
    const { code, stdout, stderr } = await again;
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/All \d+ files are to the bit what SHA256SUMS says\.\n$/);
  },
  BUILD_MS,
);
