import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, copyFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { controlPlane, waitFor } from '../controlplane/client.ts';
import { asAdmin, createOrReplace } from '../support/cluster.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { canEnter, isRoot, type StagedImage, stageImage, WARMED } from './staged-image.ts';
import { allApplied, allDeleted, createAll, JOBS } from './whole-job.ts';

const OBJECTS = 500;
const AT_ONCE = 20;
const SOME = 50;
const PROBE = ['--import', '/app/permission-probe.mjs'];
const MOUNT = 'var/run/secrets/kubernetes.io/serviceaccount';

let image: StagedImage;

/** As the kubelet mounts it: links to a folder that it replaces when a token is renewed. */
async function mountServiceAccount(scene: Scene): Promise<void> {
  const folder = join(image.root, MOUNT);
  await mkdir(join(folder, '..2026'), { recursive: true });
  const [, token = ''] =
    /token"?: *"?([^"\s]+)/.exec(await readFile(scene.kubeconfig, 'utf8')) ?? [];
  const { ca } = controlPlane;
  for (const [name, text] of Object.entries({ token, 'ca.crt': ca, namespace: scene.namespace })) {
    await writeFile(join(folder, '..2026', name), text);
    await symlink(`..data/${name}`, join(folder, name));
  }
  await symlink('..2026', join(folder, '..data'));
}

interface Running {
  readonly process: ChildProcess;
  readonly output: () => string;
}

function start(args: readonly string[]): Running {
  const child = spawn('env', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return { process: child, output: () => output };
}

/** The entrypoint as in a Pod, with the probe in it. */
function startInPod(scene: Scene): Running {
  const { hostname, port } = new URL(controlPlane.server);
  const env = {
    ...WARMED,
    KUBERNETES_SERVICE_HOST: hostname,
    KUBERNETES_SERVICE_PORT: port,
    PIPEWRIGHT_API_URL: scene.simulator.url,
    PIPEWRIGHT_API_RATE: '0',
    PIPEWRIGHT_NAMESPACES: scene.namespace,
    PIPEWRIGHT_LEADER_ELECT: 'false',
    PIPEWRIGHT_LISTEN: '127.0.0.1:0',
  };
  // Also in the process that becomes the operator, which forgets it with all else.
  return start(image.entering({ ...env, NODE_OPTIONS: PROBE.join(' ') }));
}

type Ends = Readonly<Record<string, string>>;

function probed(output: string): Ends | undefined {
  const line = output.split('\n').find((one) => one.startsWith('{"probe"'));
  return line === undefined ? undefined : (JSON.parse(line) as { probe: Ends }).probe;
}

const pipeSettings = (scene: Scene): string =>
  `/apis/pipewright.dev/v1alpha1/namespaces/${scene.namespace}/pipesettings`;

const anObject = (name: string) => ({
  apiVersion: 'pipewright.dev/v1alpha1',
  kind: 'PipeSettings',
  metadata: { name, labels: { load: 'true' } },
  spec: { ...JOBS['PipeSettings']?.spec, pipeId: name },
});

async function createMany(scene: Scene): Promise<void> {
  const names = Array.from({ length: OBJECTS }, (_, at) => `load-${at}`);
  while (names.length > 0)
    await Promise.all(
      names.splice(0, AT_ONCE).map((name) => createOrReplace(pipeSettings(scene), anObject(name))),
    );
}

async function applied(scene: Scene): Promise<number> {
  const { items } = await asAdmin<{
    items: { status?: { conditions: { type: string; reason: string }[] } }[];
  }>('GET', pipeSettings(scene));
  return items.filter(({ status }) =>
    status?.conditions.some(({ type, reason }) => type === 'Ready' && reason === 'Applied'),
  ).length;
}

describe.runIf(canEnter)('the entrypoint of the image', () => {
  beforeAll(async () => {
    image = await stageImage();
    await chmod(join(image.root, 'app'), 0o755);
    await copyFile(
      join(import.meta.dirname, 'permission-probe.mjs'),
      join(image.root, 'app/permission-probe.mjs'),
    );
    // Where any user may write, and what a Pod has instead of a mounted /proc.
    await mkdir(join(image.root, 'tmp'));
    await chmod(join(image.root, 'tmp'), 0o777);
    await mkdir(join(image.root, 'proc/self/fd'), { recursive: true });
    await writeFile(join(image.root, 'proc/self/environ'), 'A=b');
  });
  afterAll(() => image.remove());

  test('does its whole job with hundreds of objects, while Node refuses programs, threads, addons and all other files', async () => {
    const scene = await openScene({ start: false });
    onTestFinished(() => scene.end());
    await mountServiceAccount(scene);
    await createAll(scene);
    const operator = startInPod(scene);
    const load = createMany(scene);
    await waitFor(() => applied(scene), { what: 'some work', until: (count) => count > SOME });
    operator.process.kill('SIGUSR2');
    const ends = await waitFor(() => probed(operator.output()), { what: 'the probe' });
    await load;
    await allApplied(scene);
    await waitFor(() => applied(scene), {
      what: 'all to be applied',
      until: (count) => count === OBJECTS + 1,
      timeoutMs: 120_000,
    });
    await asAdmin('DELETE', `${pipeSettings(scene)}?labelSelector=load`);
    await allDeleted(scene);

    expect(ends).toEqual({
      program: 'ERR_ACCESS_DENIED',
      becomeAnother: 'ERR_ACCESS_DENIED',
      thread: 'ERR_ACCESS_DENIED',
      addon: 'ERR_DLOPEN_DISABLED',
      readElsewhere: 'ERR_ACCESS_DENIED',
      readEnvironment: 'ERR_ACCESS_DENIED',
      leaveTheFolder: 'ERR_ACCESS_DENIED',
      writeElsewhere: 'ERR_ACCESS_DENIED',
      writeIntoTheBundle: 'ERR_ACCESS_DENIED',
      // Granted by Node, which else would not read it, and refused by the owner of the files.
      writeIntoTheCache: isRoot ? 'EACCES' : 'done',
      database: 'TypeError',
      inspector: 'ERR_ACCESS_DENIED',
      readToken: 'done',
      countFiles: 'done',
    });
    operator.process.kill('SIGTERM');
    const code = await new Promise((resolve) => operator.process.once('close', resolve));
    expect(code).toBe(0);
    expect(operator.output()).not.toMatch(/"level":"(error|fatal)"/);
  }, 240_000);

  test('without those flags of Node the same attempts succeed, but for what the system refuses', async () => {
    const wait = "console.log('here'); setInterval(() => undefined, 1000)";
    const bare = start(image.bare([...PROBE, '--eval', wait]));
    await waitFor(() => bare.output().includes('here'), { what: 'the start' });
    bare.process.kill('SIGUSR2');
    const ends = await waitFor(() => probed(bare.output()), { what: 'the probe' });
    expect(ends).toEqual({
      program: 'done',
      thread: 'done',
      addon: 'ERR_DLOPEN_FAILED',
      readElsewhere: 'done',
      readEnvironment: 'done',
      leaveTheFolder: 'done',
      writeElsewhere: 'done',
      writeIntoTheBundle: isRoot ? 'EACCES' : 'done',
      writeIntoTheCache: isRoot ? 'EACCES' : 'done',
      database: 'done',
      inspector: 'done',
      readToken: 'done',
      countFiles: 'done',
    });
  });
});
