import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serviceAccountKubeconfig } from '../controlplane/client.ts';
import { allow } from '../support/cluster.ts';
import { temporaryFolder } from '../support/folder.ts';
import { type PluginRun, plugin } from '../support/plugin.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { SECRET } from '../support/scene-objects.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.end());

const pipe = (name: string): string =>
  JSON.stringify({
    apiVersion: 'pipewright.dev/v1alpha1',
    kind: 'PipeSettings',
    metadata: { name, namespace: scene.namespace },
    spec: {
      organizationId: randomUUID(),
      serviceId: randomUUID(),
      pipeId: name,
      credentialsSecretRef: { name: SECRET },
      settings: { engine_max_threads: 4 },
    },
  });
const args = (): string[] => ['plan', '-f', '-', '--api-url', scene.simulator.url];
const plan = (input: string): Promise<PluginRun> => plugin(args(), { input });

/** The one message of a run that ended with 1 and printed nothing. */
const refused = async (run: Promise<PluginRun>): Promise<string> => {
  const { code, stdout, stderr } = await run;
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  return stderr;
};

test('YAML that is none, with its line', async () => {
  const input = `${pipe('fine')}\n---\nkind: [\nmetadata:\n`;
  expect(await refused(plan(input))).toMatch(/^error: \(stdin\):\d+:\d+: this is not valid YAML: /);
});

test('10,000 documents', async () => {
  const input = 'a: b\n---\n'.repeat(10_000);
  expect(await refused(plan(input))).toContain('more than 5000 documents');
});

test('a folder that leads back to itself, files that may not be read, and none at all', async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'loop', 'deep'), { recursive: true });
  await symlink(join(folder, 'loop'), join(folder, 'loop', 'deep', 'back'));
  expect(await refused(plugin(['plan', '--offline', '-f', join(folder, 'loop')]))).toContain(
    'leads back to',
  );
  expect(await refused(plugin(['plan', '--offline', '-f', join(folder, 'none.yaml')]))).toContain(
    'there is no such file',
  );
  // A socket is nothing that anybody may read, root neither.
  const closed = join(folder, 'closed.yaml');
  const server = createServer().listen(closed);
  await once(server, 'listening');
  const said = await refused(plugin(['plan', '--offline', '-f', closed]));
  server.close();
  expect(said).toContain('closed.yaml: it could not be read');
});

test("another cluster's kubeconfig", async () => {
  const kubeconfig = join(await temporaryFolder(), 'elsewhere');
  await writeFile(
    kubeconfig,
    'apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts: [{name: c, context: {cluster: c, user: u}}]\nclusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]\nusers: [{name: u, user: {}}]\n',
  );
  const input = pipe('far');
  expect(await refused(plugin(args(), { kubeconfig, input }))).toContain('kubectl cluster-info');
});

test('no right to write, and no right to read at all', async () => {
  const name = 'reader';
  const kubeconfig = await serviceAccountKubeconfig(scene.namespace, name);
  const input = pipe('unwritten');
  expect(await refused(plugin(args(), { kubeconfig, input }))).toContain('cannot list resource');
  const group = 'pipewright.dev';
  const resources = ['pipesettings', 'organizations', 'activities'];
  await allow(scene.namespace, name, [{ apiGroups: [group], resources, verbs: ['get', 'list'] }]);
  const refusal = await plugin(args(), { kubeconfig, input });
  expect([refusal.code, refusal.stdout]).toEqual([1, '']);
  expect(refusal.stderr).toContain('--dry-run=none');
  const reading = await plugin([...args(), '--dry-run=none'], { kubeconfig, input });
  expect(reading.code).toBe(2);
  expect(reading.stderr).toContain('objects of other namespaces');
});
