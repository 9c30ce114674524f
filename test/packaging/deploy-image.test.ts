import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, copyFile, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { newNamespace, serviceAccountKubeconfig, waitFor } from '../controlplane/client.ts';
import { allow, operatorRules } from '../support/cluster.ts';
import { installCrds } from '../support/crd.ts';
import { type Ran, run } from './run.ts';
import { canEnter, isRoot, type StagedImage, stageImage, WARMED } from './staged-image.ts';

let image: StagedImage;
/**
 * Seconds of processor until it serves; of the wall clock it is as much where nothing else runs.
 */
const START_CPU_S = 0.5;
const TICKS_PER_S = 100;

const inside = (
  args: readonly string[],
  env: Readonly<Record<string, string>> = WARMED,
): Promise<Ran> => run('env', [...image.entering(env), ...args]);

describe.runIf(canEnter)('the image', () => {
  beforeAll(async () => {
    image = await stageImage();
  });
  afterAll(() => image.remove());

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

  test('a file outside of what the image grants is named, with where to mount it', async () => {
    const { code, stderr } = await inside([
      '--api-url=https://api.test',
      '--kubeconfig=/etc/passwd',
    ]);
    expect(stderr).toContain(
      'the file "/etc/passwd" cannot be read (ERR_ACCESS_DENIED); the operator of the image reads only what is mounted below /etc/pipewright; mount it there',
    );
    expect(code).toBe(2);
  });

  test('it becomes ready, for less than half a second of processor', async () => {
    const namespace = await newNamespace();
    await installCrds();
    await allow(namespace, 'image', await operatorRules());
    const mount = join(image.root, 'etc/pipewright/kubeconfig');
    await mkdir(mount, { recursive: true });
    await copyFile(await serviceAccountKubeconfig(namespace, 'image'), join(mount, 'kubeconfig'));
    await chmod(join(mount, 'kubeconfig'), 0o644);
    const flags = [
      '--kubeconfig=/etc/pipewright/kubeconfig/kubeconfig',
      `--namespaces=${namespace}`,
      '--leader-elect=false',
    ];
    const own = ['--api-url=https://api.test', '--listen=127.0.0.1:0', ...flags];
    const child = spawn('env', [...image.entering(WARMED), ...own], {
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
    expect((await readdir(image.root)).filter((name) => !name.startsWith('lib')).sort()).toEqual([
      'app',
      'etc',
      'usr',
      'var',
    ]);
    const [node, bundle] = [
      await stat(join(image.root, 'usr/local/bin/node')),
      await stat(join(image.root, 'app/pipewright.js')),
    ];
    expect(node.size / 2 ** 20).toBeLessThan(150);
    expect(bundle.size / 2 ** 20).toBeLessThan(2.5);
    const notices = await readFile(join(image.root, 'app/THIRD-PARTY-NOTICES'), 'utf8');
    expect(notices).toMatch(/\nundici \d[\d.]+ \(MIT\)\n/);
  });
});

/** User and system time so far; env and chroot become the program, so it is theirs. */
function processorSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_S;
}
