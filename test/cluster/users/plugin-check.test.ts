import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { controlPlane, serviceAccountKubeconfig } from '../../controlplane/client.ts';
import { leaks, spellings } from '../../support/canary.ts';
import { allow, asAdmin, shippedRules } from '../../support/cluster.ts';
import { folderOf } from '../../support/folder.ts';
import { GOOD, KINDS, manifestOf } from '../../support/kinds.ts';
import { type PluginOptions, plugin } from '../../support/plugin.ts';
import { LEASES, openScene, type Scene } from '../../support/scene.ts';

/** `kubectl pipewright check`, and what stands in the way of every command. */

let scene: Scene;
beforeAll(async () => {
  scene = await openScene({ lease: true });
  const { namespace } = scene;
  const labels = { 'app.kubernetes.io/name': 'pipewright' };
  const containers = [{ name: 'pipewright', image: 'pipewright' }];
  const spec = { serviceAccountName: 'operator', containers };
  await asAdmin('POST', `/apis/apps/v1/namespaces/${namespace}/deployments`, {
    metadata: { name: 'any', labels },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  });
  await scene.psets.create('orders');
  await scene.psets.until('orders', 'Applied');
});
afterAll(() => scene.end());

describe('check', () => {
  const check = () =>
    plugin(['check', '-n', scene.namespace, '--operator-namespace', scene.namespace]);

  test('where all is well', async () => {
    const { code, stdout, stderr } = await check();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^(ok .*\n)+0 problems found, 0 unknown\.\n$/);
    const crds = `${KINDS.length} CRDs`;
    for (const what of [crds, 'leads, by Lease', 'rights', '1 Secret ', '1 object: 1 Applied'])
      expect(stdout).toContain(what);
  });

  test('names a missing Secret, a missing key and a missing right, and shows no value', async () => {
    const { namespace, key, psets } = scene;
    await scene.secret('half', { keyId: key.id, other: key.secret });
    await psets.create('keyless', { credentialsSecretRef: { name: 'nowhere' } });
    await psets.create('halved', { credentialsSecretRef: { name: 'half' } });
    const rules = (await shippedRules('ClusterRole')).filter(
      ({ resources }) => !resources.includes('events'),
    );
    await allow(namespace, 'operator', [...rules, LEASES]);
    const { code, stdout, stderr } = await check();
    expect({ code, stderr }).toEqual({ code: 2, stderr: '' });
    expect(stdout.split('\n').filter((line) => line.startsWith('PROBLEM'))).toEqual([
      `PROBLEM  The operator may not create events of events.k8s.io in namespace ${namespace}; give a Role with this to the ServiceAccount ${namespace}/operator`,
      expect.stringMatching(/The Secret "half" .*keySecret.* \(used by pset\/halved in /),
      expect.stringMatching(/The Secret "nowhere" does not exist .* \(used by pset\/keyless in /),
    ]);
    expect(stdout).toContain('3 problems found, 0 unknown.\n');
    expect(leaks({ stdout }, spellings(key.id, key.secret))).toEqual([]);
  });
});

const PLAN = 'plan -f - --dry-run=server';
describe.each(['status', 'retry pset/orders', 'check', PLAN])(
  '%s says, in one line in the end,',
  (command) => {
    async function complaintOf(options: PluginOptions): Promise<string> {
      const input = JSON.stringify(manifestOf('pact', 'a', GOOD.pact));
      const args = [...command.split(' '), '-n', scene.namespace];
      const { code, stderr } = await plugin(args, { input, ...options });
      // What kubectl says is shown before it ends where that takes it longer than 2 s.
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringMatching(/(?:^|\n)error: [^\n]*\n$/),
      });
      return stderr;
    }

    test('that the cluster cannot be reached', async () => {
      const { adminKubeconfig, server } = controlPlane;
      const admin = await readFile(adminKubeconfig, 'utf8');
      const folder = await folderOf({ closed: admin.replaceAll(server, 'https://127.0.0.1:1') });
      expect(await complaintOf({ kubeconfig: join(folder, 'closed') })).toMatch(/refused/);
    });

    test('that a right is missing', async () => {
      const kubeconfig = await serviceAccountKubeconfig(scene.namespace, 'nobody');
      expect(await complaintOf({ kubeconfig })).toMatch(/\(Forbidden\)|could be read from/);
    });
  },
);
