import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, chown, copyFile, cp, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { newNamespace, serviceAccountKubeconfig, waitFor } from '../controlplane/client.ts';
import { allow, operatorRules } from '../support/cluster.ts';
import { installCrds } from '../support/crd.ts';
import { type Ran, run, succeed } from './run.ts';

/**
 * What the steps of the Dockerfile leave in its last stage, made in an empty folder from the Node
 * that runs this, and entered as the container's user (without root: as the only user of a
 * namespace, where the machine lets anybody make one). There is no container engine here;
 * test/unit/deploy-image.test.ts reads the Dockerfile.
 */
let root: string;
const USER = 65_532;
const isRoot = process.getuid?.() === 0;
const canEnter = isRoot || spawnSync('env', ['unshare', '--map-root-user', 'true']).status === 0;
const WARMED = { NODE_COMPILE_CACHE: '/app/cache' };
const BASE_PATH = '/usr/sbin:/usr/bin:/sbin:/bin';
/**
 * Seconds of processor until it serves; of the wall clock it is as much where nothing else runs.
 */
const START_CPU_S = 0.5;
const TICKS_PER_S = 100;

function entering(env: Readonly<Record<string, string>>): string[] {
  const enter = isRoot
    ? ['chroot', `--userspec=${USER}:${USER}`]
    : ['unshare', '--map-root-user', 'chroot'];
  const variables = Object.entries({ PATH: BASE_PATH, ...env }).map(
    ([name, value]) => `${name}=${value}`,
  );
  return ['-i', ...variables, ...enter, root, '/usr/local/bin/node', '/app/pipewright.js'];
}

const inside = (
  args: readonly string[],
  env: Readonly<Record<string, string>> = WARMED,
): Promise<Ran> => run('env', [...entering(env), ...args]);

describe.runIf(canEnter)('the image', () => {
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'pipewright-image-'));
    await chmod(root, 0o755);
    const { stdout } = await run('ldd', [process.execPath]);
    const libraries = [...stdout.matchAll(/\/[^ )]*/g)].map(([path]) => path);
    const copies = [
      ...libraries.map((path) => [path, path] as const),
      [process.execPath, '/usr/local/bin/node'] as const,
    ];
    for (const [from, to] of copies) {
      await mkdir(join(root, dirname(to)), { recursive: true });
      await cp(from, join(root, to), { dereference: true });
    }
    const cache = join(root, 'app/cache');
    await mkdir(cache, { recursive: true });
    await mkdir(join(root, 'etc'));
    await copyFile('dist/pipewright.js', join(root, 'app/pipewright.js'));
    if (isRoot) await chown(cache, USER, USER);
    await succeed('env', [...entering(WARMED), '--version']);
    await run('chmod', ['-R', 'a+rX,a-w', join(root, 'app')]);
    if (isRoot) await run('chown', ['-R', '0:0', join(root, 'app')]);
  });
  afterAll(async () => {
    await run('chmod', ['-R', 'u+w', root]);
    await rm(root, { recursive: true });
  });

  test('it starts, and prints nothing but what it is asked for', async () => {
    const said = { code: 0, stdout: `pipewright ${packageJson.version}\n`, stderr: '' };
    expect(await inside(['--version'])).toEqual(said);
  });

  test('what V8 compiled is taken, in a root that cannot be written', async () => {
    const { stderr } = await inside(['--version'], {
      ...WARMED,
      NODE_DEBUG_NATIVE: 'COMPILE_CACHE',
    });
    expect(stderr).toContain('V8 code cache for ESM file:///app/pipewright.js was accepted');
  });

  test('bad flags end the start with exit code 2', async () => {
    const { code, stderr } = await inside(['--api-url=https://api.test', '--concurrency=0']);
    expect(stderr).toContain('--concurrency: "0" is not a whole number');
    expect(code).toBe(2);
  });

  test('it becomes ready, for less than half a second of processor', async () => {
    const namespace = await newNamespace();
    await installCrds();
    await allow(namespace, 'image', await operatorRules());
    await copyFile(
      await serviceAccountKubeconfig(namespace, 'image'),
      join(root, 'etc/kubeconfig'),
    );
    await chmod(join(root, 'etc/kubeconfig'), 0o644);
    const flags = [
      '--kubeconfig=/etc/kubeconfig',
      `--namespaces=${namespace}`,
      '--leader-elect=false',
    ];
    const own = ['--api-url=https://api.test', '--listen=127.0.0.1:0', ...flags];
    const child = spawn('env', [...entering(WARMED), ...own], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let said = '';
    let started: { readonly port: string | undefined; readonly used: number } | undefined;
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const port = /"port":(\d+)/.exec(said)?.[1];
      // Read as soon as it says so: it goes on working.
      if (port !== undefined)
        started ??= { port, used: isRoot ? processorSeconds(child.pid ?? 0) : 0 };
    });
    const { port, used } = (await waitFor(() => started, { what: 'the start' })) ?? {
      port: undefined,
      used: 0,
    };
    const ready = (): Promise<number> =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(({ status }) => status);
    expect(await waitFor(ready, { what: '/readyz', until: (status) => status === 200 })).toBe(200);
    expect(used, 'seconds of processor').toBeLessThan(START_CPU_S);

    child.kill('SIGTERM');
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect(code).toBe(0);
  });

  test('it holds Node, its libraries, the bundle and what V8 made of it, each as large as expected', async () => {
    expect((await readdir(root)).filter((name) => !name.startsWith('lib')).sort()).toEqual([
      'app',
      'etc',
      'usr',
    ]);
    const [node, bundle] = [
      await stat(join(root, 'usr/local/bin/node')),
      await stat(join(root, 'app/pipewright.js')),
    ];
    expect(node.size / 2 ** 20).toBeLessThan(150);
    expect(bundle.size / 2 ** 20).toBeLessThan(2.5);
  });
});

/** User and system time so far; env and chroot become the program, so it is theirs. */
function processorSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_S;
}
