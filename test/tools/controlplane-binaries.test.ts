import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { builtVersions } from '../controlplane/go-build.ts';
import { findProgram } from '../controlplane/programs.ts';

const main = join(import.meta.dirname, '..', 'controlplane', 'main.ts');
const names = ['etcd', 'kube-apiserver', 'kubectl'];

let scratch: string;
let cache: string;
/** Has a `go` that writes down how it is called and gives empty programs. */
let fakeGo: NodeJS.ProcessEnv;

beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'pipewright-binaries-'));
  cache = join(scratch, 'cache');
  await writeFile(join(scratch, 'go'), goScript);
  await chmod(join(scratch, 'go'), 0o755);
  const calls = join(scratch, 'calls');
  await writeFile(calls, '');
  fakeGo = { PATH: `${scratch}:${process.env.PATH}`, XDG_CACHE_HOME: cache, GO_CALLS: calls };
});

afterEach(() => rm(scratch, { recursive: true }));

describe('KUBEBUILDER_ASSETS', () => {
  test('comes before everything else', async () => {
    await Promise.all(names.map((name) => writeFile(join(scratch, name), '')));
    const { code, output } = await prepare({ ...fakeGo, KUBEBUILDER_ASSETS: scratch });
    expect(output).toContain(`are in ${scratch} (KUBEBUILDER_ASSETS)`);
    expect(code).toBe(0);
    expect(await goCalls()).toEqual([]);
  });

  test('is refused with the names of what it does not hold', async () => {
    await writeFile(join(scratch, 'etcd'), '');
    const { code, output } = await prepare({ ...fakeGo, KUBEBUILDER_ASSETS: scratch });
    expect(output).toContain(
      `KUBEBUILDER_ASSETS is "${scratch}", which has no kube-apiserver, no kubectl.`,
    );
    expect(code).toBe(1);
  });
});

describe('without a download', () => {
  test('and without Go there is one message that says what to install', async () => {
    const { code, output } = await prepare({ PATH: '', XDG_CACHE_HOME: cache });
    expect(output).toContain('The download failed: fetch failed');
    expect(output).toContain(
      'Install Go 1.26 or newer and put it on the PATH, or set KUBEBUILDER_ASSETS',
    );
    expect(code).toBe(1);
  });

  test('the programs are built, once', async () => {
    expect((await prepare(fakeGo)).output).toContain(
      `are in ${builtFolder()} (built from Go modules)`,
    );
    expect((await prepare(fakeGo)).output).toContain(`are in ${builtFolder()} (built earlier)`);
    expect(await builds()).toBe(names.length);
    expect(await readdir(builtFolder())).toEqual(names);
  });

  test('two processes at once build each program once', async () => {
    const both = await Promise.all([prepare(fakeGo), prepare(fakeGo)]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(await builds()).toBe(names.length);
  });

  test('a build that is stopped leaves nothing half, and the next start goes on', async () => {
    const stopped = start({ ...fakeGo, GO_HANGS_AT: 'kubectl' });
    await expect.poll(builds).toBe(names.length);
    stopped.child.kill('SIGTERM');
    expect(await stopped.ended).toBe(1);
    expect(await readdir(builtFolder())).toEqual(['etcd', 'kube-apiserver']);
    expect((await prepare(fakeGo)).code).toBe(0);
    expect(await builds()).toBe(names.length + 1);
  });

  test('what a process that is gone has left is cleared away', async () => {
    await mkdir(builtFolder(), { recursive: true });
    const gone = execFile(process.execPath, ['-e', '']);
    await once(gone, 'close');
    await writeFile(join(builtFolder(), '.lock'), `${gone.pid} ${hostname()}`);
    await writeFile(join(builtFolder(), 'etcd.unfinished'), 'half');
    expect((await prepare(fakeGo)).code).toBe(0);
    expect(await readdir(builtFolder())).toEqual(names);
  });

  test('a build that fails shows what Go said', async () => {
    const { code, output } = await prepare({ ...fakeGo, GO_FAILS: 'no such module' });
    expect(output).toMatch(/"go build .*" ended with code 7\..*\nno such module/s);
    expect(code).toBe(1);
  });
});

describe('a program that some tests run besides', () => {
  const said: string[] = [];
  const find = () => findProgram('helm', { say: (line) => said.push(line), env: fakeGo });

  test('is built once, in the version of its go.mod', async () => {
    const path = await find();
    expect(path).toMatch(/programs\/helm-v\d+\.\d+\.\d+-[a-z0-9]+-[a-z0-9]+\/helm$/);
    expect(await find()).toBe(path);
    expect(await builds()).toBe(1);
    expect((await goCalls()).at(-1)).toContain(' helm.sh/helm/v4/cmd/helm');
  });

  test('that is of Kubernetes says which one it is', async () => {
    await findProgram('kube-apiserver-floor', { say: (line) => said.push(line), env: fakeGo });
    expect((await goCalls()).at(-1)).toMatch(
      /gitVersion=v1\.32\.\d+ .*gitMajor=1 .*gitMinor=32 .*kube-apiserver$/,
    );
  });

  test('is asked for in words where there is no Go', async () => {
    const none = findProgram('kube-score', {
      say: () => {},
      env: { PATH: '', XDG_CACHE_HOME: cache },
    });
    await expect(none).rejects.toThrow(
      /There is no kube-score v[\d.]+ in .*, and no "go" on the PATH to build it\. Install Go/,
    );
  });
});

const goScript = `#!/bin/sh
echo "$*" >> "$GO_CALLS"
[ "$1" = version ] && exit 0
[ -n "$GO_FAILS" ] && echo "$GO_FAILS" >&2 && exit 7
while [ "$1" != -o ]; do shift; done
: > "$2"
case "$3" in *"\${GO_HANGS_AT:-nothing}") exec sleep 600 ;; esac
sleep 0.1
`;

async function goCalls(): Promise<string[]> {
  const text = await readFile(join(scratch, 'calls'), 'utf8');
  return text.split('\n').filter((line) => line !== '');
}

async function builds(): Promise<number> {
  return (await goCalls()).filter((line) => line.startsWith('build ')).length;
}

function builtFolder(): string {
  const { kubernetes, etcd, platform } = builtVersions();
  const name = `kubernetes-${kubernetes.version}-etcd-${etcd.version}-${platform.os}-${platform.arch}`;
  return join(cache, 'pipewright', 'controlplane', 'built', name);
}

async function prepare(env: NodeJS.ProcessEnv): Promise<{ code: number; output: string }> {
  const { ended, output } = start(env, await refusingUrl());
  return { code: await ended, output: output() };
}

/** `main.ts --prepare` with exactly this environment. */
function start(env: NodeJS.ProcessEnv, index = 'http://127.0.0.1:1/releases.yaml') {
  const child = execFile(process.execPath, [main, '--prepare', '--index', index], { env });
  let text = '';
  const keep = (chunk: string) => {
    text += chunk;
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  const ended = once(child, 'close').then(([code]) => code as number);
  return { child, ended, output: () => text };
}

/** An address where nobody listens any more. */
async function refusingUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}/releases.yaml`;
}
