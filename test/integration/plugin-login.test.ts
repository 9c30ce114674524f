import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { newNamespace, serviceAccountKubeconfig } from '../controlplane/client.ts';
import { allow } from '../support/cluster.ts';
import { ensureCrds } from '../support/crd.ts';
import { temporaryFolder } from '../support/folder.ts';
import { plugin } from '../support/plugin.ts';

let namespace: string;
let token: string;
let kubeconfig: Readonly<Record<string, unknown>>;

beforeAll(async () => {
  [namespace] = await Promise.all([newNamespace(), ensureCrds()]);
  const file = await serviceAccountKubeconfig(namespace, 'somebody');
  const resources = ['pipesettings', 'organizations', 'activities'];
  await allow(namespace, 'somebody', [
    { apiGroups: ['pipewright.dev'], resources, verbs: ['get', 'list'] },
  ]);
  kubeconfig = parse(await readFile(file, 'utf8')) as typeof kubeconfig;
  const [{ user }] = kubeconfig['users'] as [{ user: { token: string } }];
  token = user.token;
});

/** A kubeconfig whose user logs in by a program: a shell script with this text. */
async function loggingIn(script: string): Promise<string> {
  const folder = await temporaryFolder();
  const program = join(folder, 'login');
  await writeFile(program, `#!/bin/sh\n${script}\n`);
  await chmod(program, 0o755);
  return withProgram(program);
}

async function withProgram(command: string): Promise<string> {
  const [{ name }] = kubeconfig['users'] as [{ name: string }];
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command,
    interactiveMode: 'IfAvailable',
  };
  const file = join(await temporaryFolder(), 'kubeconfig');
  await writeFile(file, stringify({ ...kubeconfig, users: [{ name, user: { exec } }] }));
  return file;
}

const credential = (): string =>
  `echo '${JSON.stringify({
    apiVersion: 'client.authentication.k8s.io/v1',
    kind: 'ExecCredential',
    status: { token },
  })}'`;
const status = (file: string) => plugin(['status', '-n', namespace], { kubeconfig: file });

describe('a user who logs in by a program', () => {
  test('reaches the cluster', async () => {
    const ran = await status(await loggingIn(credential()));
    expect(ran.code).toBe(0);
    expect(ran.stderr).toBe(`No objects of Pipewright found in namespace "${namespace}".\n`);
  });

  test('is shown what the program asks for while it waits', async () => {
    // Longer than the plugin waits before it shows what kubectl says.
    const ask = 'echo "To sign in, open https://login.example.com and enter ABCD" >&2\nsleep 4';
    const ran = await status(await loggingIn(`${ask}\n${credential()}`));
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain('To sign in, open https://login.example.com and enter ABCD');
  });

  test('whose program is not there is told so, and not that objects are missing', async () => {
    const missing = await withProgram('kubelogin-that-nobody-has');
    for (const args of [['status'], ['explain', 'pset/orders'], ['doctor']]) {
      const { code, stdout, stderr } = await plugin([...args, '-n', namespace], {
        kubeconfig: missing,
      });
      expect([code, stdout], args.join(' ')).toEqual([1, '']);
      expect(stderr).toContain('kubelogin-that-nobody-has');
      expect(stderr).not.toMatch(
        /there is no PipeSettings|not installed\. What to do: kubectl pip/,
      );
    }
  });

  test('whose program gives nothing is told what it said', async () => {
    const { code, stderr } = await status(
      await loggingIn('echo "profile prod not found" >&2\nexit 1'),
    );
    expect(code).toBe(1);
    expect(stderr).toContain('profile prod not found');
  });
});
