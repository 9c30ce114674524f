import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  applyYaml,
  audit,
  controlPlane,
  getJson,
  kubectl,
  newNamespace,
  serviceAccountKubeconfig,
  waitFor,
} from '../controlplane/client.ts';
import { startControlPlane } from '../controlplane/controlplane.ts';

const main = join(import.meta.dirname, '..', 'controlplane', 'main.ts');

/** Goes when the control plane goes, whatever ends this process. */
const scratch = await mkdtemp(join(controlPlane.folder, 'scratch-'));

describe('the shared control plane', () => {
  test('forbids a user without rights', async () => {
    const namespace = await newNamespace();
    const nobody = await serviceAccountKubeconfig(namespace, 'nobody');
    const { code, stderr } = await kubectl(
      ['get', 'configmaps', '-n', namespace],
      undefined,
      nobody,
    );
    expect(code).toBe(1);
    expect(stderr).toContain(
      `User "system:serviceaccount:${namespace}:nobody" cannot list resource "configmaps"`,
    );
  });

  test('allows what a Role allows, and only that', async () => {
    const namespace = await newNamespace();
    const reader = await serviceAccountKubeconfig(namespace, 'reader');
    await applyYaml(role, namespace);
    await waitFor(() => kubectl(['get', 'configmaps', '-n', namespace], undefined, reader), {
      what: 'the Role to hold',
      until: ({ code }) => code === 0,
    });
    const write = await kubectl(['create', 'configmap', 'new', '-n', namespace], undefined, reader);
    expect(write.stderr).toContain('cannot create resource "configmaps"');
  });

  test('logs a write once, with who, what and how it ended', async () => {
    const namespace = await newNamespace();
    await applyYaml(
      '{apiVersion: v1, kind: ConfigMap, metadata: {name: one}, data: {a: b}}',
      namespace,
    );
    expect(await audit({ namespace, verb: 'create' })).toEqual([
      expect.objectContaining({
        user: 'test-admin',
        resource: 'configmaps',
        subresource: '',
        name: 'one',
        code: 201,
      }),
    ]);
    const found = await getJson<{ data: unknown }>(['configmap', 'one', '-n', namespace]);
    expect(found.data).toEqual({ a: 'b' });
  });

  test('logs a refused list', async () => {
    const namespace = await newNamespace();
    const nobody = await serviceAccountKubeconfig(namespace, 'nobody');
    await kubectl(['get', 'secrets', '-n', namespace], undefined, nobody);
    const user = `system:serviceaccount:${namespace}:nobody`;
    expect(await audit({ user, verb: 'list' })).toEqual([
      expect.objectContaining({ namespace, resource: 'secrets', code: 403 }),
    ]);
  });
});

describe('waitFor', () => {
  test('shows the last value seen when time is up', async () => {
    const waited = waitFor(() => ({ phase: 'Pending' }), {
      what: 'the moon',
      until: () => false,
      timeoutMs: 1,
    });
    await expect(waited).rejects.toThrow(
      /in vain for the moon \(\d+ looks, the longest took \d+ ms\)\. Seen last: \{ phase: 'Pending' \}/,
    );
  });

  test('takes a check that throws for not yet', async () => {
    let calls = 0;
    const check = () => {
      calls += 1;
      if (calls < 3) throw new Error('too early');
      return calls;
    };
    await expect(waitFor(check, { what: 'the third call' })).resolves.toBe(3);
  });
});

/** Three of them start at once, beside whatever else runs. */
const PATIENCE = { timeout: 240_000 };

describe.concurrent('a control plane of its own', PATIENCE, () => {
  test('keeps data, port and users over a restart of the API server, and leaves no file behind', async () => {
    const own = await startControlPlane({ say: () => {} });
    try {
      const jane = await own.addUser('jane', ['developers']);
      await own.kubectl(['create', 'namespace', 'kept']);
      await own.stopApiServer();
      expect((await own.kubectl(['get', 'namespace', 'kept'])).stderr).toContain('refused');
      await own.startApiServer();
      expect((await own.kubectl(['get', 'namespace', 'kept'])).code).toBe(0);
      const asJane = await own.kubectl(['get', 'namespace', 'kept'], undefined, jane);
      expect(asJane.stderr).toContain('User "jane" cannot get resource "namespaces"');
      expect(
        (await own.audit()).filter(({ user }) => user === 'jane').map(({ code }) => code),
      ).toEqual([403]);
    } finally {
      await own.stop();
    }
    expect(existsSync(own.folder)).toBe(false);
  });

  test.each(['SIGINT', 'SIGTERM'] as const)(
    'leaves no file and no process behind after %s',
    async (signal) => {
      const temporary = await mkdtemp(join(scratch, 'tmp-'));
      const running = runMain({
        ...process.env,
        TMPDIR: temporary,
        KUBEBUILDER_ASSETS: programs(),
      });
      await waitFor(() => running.output(), {
        what: 'the KUBECONFIG and the address',
        until: (text) => text.includes('export KUBECONFIG=') && /https:\S+ is up/.test(text),
        timeoutMs: 120_000,
      });
      const server = /https:\S+/.exec(running.output())?.[0] ?? '';
      running.child.kill(signal);
      await waitFor(() => running.child.signalCode, {
        what: 'its end by the signal',
        until: (seen) => seen === signal,
        timeoutMs: 60_000,
      });
      expect(await readdir(temporary)).toEqual([]);
      await expect(fetch(server)).rejects.toThrow(
        expect.objectContaining({ cause: expect.objectContaining({ code: 'ECONNREFUSED' }) }),
      );
    },
  );
});

const role = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader}
rules: [{apiGroups: [''], resources: [configmaps], verbs: [get, list]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: reader}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects: [{kind: ServiceAccount, name: reader}]
`;

/** The folder of the programs that run the shared control plane. */
function programs(): string {
  return dirname(controlPlane.kubectlProgram);
}

function runMain(env: NodeJS.ProcessEnv) {
  const child = execFile(process.execPath, [main], { env });
  let text = '';
  const keep = (chunk: string) => {
    text += chunk;
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  return { child, output: () => text };
}
