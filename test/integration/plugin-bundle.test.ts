import { mkdir, mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { controlPlane, newNamespace, serviceAccountKubeconfig } from '../controlplane/client.ts';
import { run } from '../packaging/run.ts';
import { type BundleWorld, openBundleWorld } from '../support/bundle-world.ts';
import { leaks } from '../support/canary.ts';
import { allow } from '../support/cluster.ts';
import { temporaryFolder } from '../support/folder.ts';
import { type PluginRun, plugin } from '../support/plugin.ts';

const SNAPSHOTS = join(import.meta.dirname, 'plugin-bundle');

let world: BundleWorld;

interface Unpacked {
  readonly ran: PluginRun;
  readonly file: string;
  /** By path, as the system's tar unpacks them. */
  readonly texts: Readonly<Record<string, string>>;
}

async function bundle(args: readonly string[], kubeconfig?: string): Promise<Unpacked> {
  const folder = await mkdtemp(join(controlPlane.folder, 'case-'));
  const file = join(folder, 'case.tar.gz');
  const ran = await plugin(['bundle', '-n', world.namespace, '-f', file, ...args], {
    env: world.env,
    ...(kubeconfig !== undefined && { kubeconfig }),
  });
  const into = join(folder, 'into');
  await mkdir(into);
  const { code, stderr } = await run('tar', ['-xzf', file, '-C', into]);
  if (code !== 0) throw new Error(`${ran.stderr}\n${stderr}`);
  const paths = await readdir(into, { recursive: true, withFileTypes: true });
  const texts: Record<string, string> = {};
  for (const entry of paths.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name);
    texts[path.slice(into.length + 1)] = await readFile(path, 'utf8');
  }
  return { ran, file, texts };
}

/** What differs from run to run by a word for it. */
function steady(text: string): string {
  return text
    .replaceAll(world.namespace, 'TEAM')
    .replaceAll(world.system, 'SYSTEM')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UUID')
    .replaceAll(/nodeName: .*/g, 'nodeName: NODE')
    .replaceAll(/resourceVersion: "\d+"/g, 'resourceVersion: NUMBER')
    .replaceAll(/(?<=: )v?\d+\.\d+\.\d+( \w+\/\w+)?$/gm, 'VERSION')
    .replaceAll(/^ *\d+ {2}/gm, 'SIZE  ');
}

beforeAll(async () => {
  world = await openBundleWorld();
});
afterAll(() => world.close());

describe('with all rights', () => {
  let unpacked: Unpacked;
  beforeAll(async () => {
    unpacked = await bundle(['--operator-namespace', world.system]);
  });

  test('no secret and nothing of an Activity is in any file of it, nor in what is printed', async () => {
    const { ran, file, texts } = unpacked;
    expect(ran).toMatchObject({ code: 0 });
    const { stdout: tar } = await run('gzip', ['-dc', file]);
    const all = { ...texts, tar, stdout: ran.stdout, stderr: ran.stderr };
    expect(leaks(all, world.canaries)).toEqual([]);
    // They have been there: what stood around them is left.
    const textOf = (ending: string) =>
      Object.entries(texts).find(([path]) => path.endsWith(ending))?.[1] ?? '';
    expect(textOf('/orders.yaml').match(/\[redacted\]/g)).toHaveLength(7);
    expect(textOf('.log').match(/echoed/g)).toHaveLength(6);
    expect(textOf('/who.yaml')).toContain('activity: (not shown)');
    expect(textOf('/objects/events.yaml')).toContain('echoed [redacted]');
    expect(textOf('.metrics.txt')).toContain('pipewright_up{key="[redacted]"} 1');
  });

  test('what is printed is what is in it, file by file, and nothing is missing', async () => {
    const { ran, file, texts } = unpacked;
    const sizes = Object.entries(texts).map(
      ([path, text]) => `${Buffer.byteLength(text)}  ${path}`,
    );
    const printed = ran.stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.trim());
    expect(new Set(printed)).toEqual(new Set(sizes));
    expect(printed).toHaveLength(sizes.length);
    expect(texts['case/missing.txt']).toBe('Nothing is missing.\n');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await expect(steady(ran.stdout)).toMatchFileSnapshot(join(SNAPSHOTS, 'list.txt'));
    await expect(steady(ran.stderr.replaceAll(file, 'FILE'))).toMatchFileSnapshot(
      join(SNAPSHOTS, 'stderr.txt'),
    );
  });

  test.each([
    'about.yaml',
    'orders.yaml',
    'who.yaml',
    'deployment.yaml',
    'pods.yaml',
    'leases.yaml',
    'pipewright/events.yaml',
    'configmap-pipewright-flags.yaml',
  ])('%s reads like this', async (name) => {
    const { texts } = unpacked;
    const [, text = ''] = Object.entries(texts).find(([path]) => path.endsWith(`/${name}`)) ?? [];
    await expect(steady(text)).toMatchFileSnapshot(join(SNAPSHOTS, `${basename(name)}.txt`));
  });

  test('the log is that of a day and of 20,000 lines at most', async () => {
    const [now, previous] = world.logQueries().map((query) => Object.fromEntries(query));
    const bounds = { sinceSeconds: '86400', tailLines: '20000', limitBytes: '20000000' };
    expect(now).toEqual(bounds);
    expect(previous).toEqual({ ...bounds, previous: 'true' });
  });

  test('the operator is found without being told where it is', async () => {
    const { texts } = await bundle([]);
    expect(Object.keys(texts)).toContain(
      `case/operator/${world.system}/pipewright/deployment.yaml`,
    );
  });

  test('without a name it is called by the time, in the folder where it is made', async () => {
    const cwd = await temporaryFolder();
    const args = [
      'bundle',
      '-n',
      world.namespace,
      '-l',
      'no=such',
      '--operator-namespace',
      world.system,
    ];
    const { code } = await plugin(args, { cwd, env: world.env });
    expect(code).toBe(0);
    expect(await readdir(cwd)).toEqual([
      expect.stringMatching(/^pipewright-bundle-\d{8}T\d{6}Z\.tar\.gz$/),
    ]);
  });
});

test('a file that is there is left as it is, and nothing is beside it', async () => {
  const cwd = await temporaryFolder();
  const file = join(cwd, 'case.tar.gz');
  await writeFile(file, 'mine');
  const { code, stdout, stderr } = await plugin(['bundle', '-n', world.namespace, '-f', file]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toBe(
    `error: "${file}" is there already and was left as it is; give another name with --file, or remove it\n`,
  );
  expect([await readdir(cwd), await readFile(file, 'utf8')]).toEqual([['case.tar.gz'], 'mine']);
});

test.each(['.tar.gz', '...tar.gz'])('unpacked, a bundle %s stays where it is', async (name) => {
  const cwd = await temporaryFolder();
  const args = ['-n', world.namespace, '--operator-namespace', world.system, '-l', 'no=such'];
  const { stdout } = await plugin(['bundle', ...args, '-f', name], { cwd, env: world.env });
  const paths = stdout.trimEnd().replaceAll(/^ *\d+ {2}/gm, '');
  expect(paths).toContain('about.yaml');
  expect(paths).not.toMatch(/^(\.\.)?\//m);
});

test.each([
  ['', 'ENOENT'],
  ['x'.repeat(300), 'ENAMETOOLONG'],
])('a name that no file can have (%j) is refused before anything is read', async (name, why) => {
  const { code, stdout, stderr } = await plugin(['bundle', '-n', world.namespace, '-f', name]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(new RegExp(`^error: "${name}" cannot be written: ${why}.*\n$`));
});

test('a folder that is not there is named before anything is read', async () => {
  const file = join(await temporaryFolder(), 'none', 'case.tar.gz');
  const { code, stderr } = await plugin(['bundle', '-f', file]);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^error: ".*case\.tar\.gz" cannot be written: ENOENT: .*\n$/);
});

describe('with less', () => {
  test('who may not read Secrets, Pods and the rest is told so for each, in the file too', async () => {
    await allow(world.namespace, 'some', [
      {
        apiGroups: ['pipewright.dev'],
        resources: ['pipesettings', 'organizations'],
        verbs: ['get', 'list'],
      },
    ]);
    const kubeconfig = await serviceAccountKubeconfig(world.namespace, 'some');
    const { ran, texts } = await bundle(['--operator-namespace', world.system], kubeconfig);
    expect(ran.code).toBe(2);
    const inside = (texts['case/missing.txt'] ?? '').trimEnd().split('\n');
    const said = ran.stderr.split('\n').filter((line) => line.startsWith('missing: '));
    expect(said).toEqual(inside.map((line) => `missing: ${line}`));
    await expect(steady(texts['case/missing.txt'] ?? '')).toMatchFileSnapshot(
      join(SNAPSHOTS, 'missing.txt'),
    );
    expect(Object.keys(texts)).toContain(
      `case/objects/${world.namespace}/pipesettings/orders.yaml`,
    );
  });

  test.each<[string, () => Promise<string>, RegExp]>([
    [
      'who may read nothing',
      async () => serviceAccountKubeconfig(await newNamespace(), 'nobody'),
      /^error: nothing could be read, so nothing was written: the objects of kind Activity in namespace .*: User ".*" cannot list resource "activities"/m,
    ],
    ['where nobody answers', () => world.deadKubeconfig(), /^error: .*refused/m],
  ])('%s gets one message and no file', async (_, kubeconfigOf, message) => {
    const cwd = await temporaryFolder();
    const { code, stdout, stderr } = await plugin(['bundle', '-n', world.namespace], {
      cwd,
      kubeconfig: await kubeconfigOf(),
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr.match(/^error:/gm)).toHaveLength(1);
    expect(await readdir(cwd)).toEqual([]);
  });
});
