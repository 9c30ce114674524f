import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { pipeSettingsType } from '../../src/kinds/pipe-settings/resource.ts';
import { collectionPath, objectPath } from '../../src/kube/resource.ts';
import { newNamespace, serviceAccountKubeconfig } from '../controlplane/client.ts';
import { allow, asAdmin, change } from '../support/cluster.ts';
import { ensureCrds } from '../support/crd.ts';
import { folderOf } from '../support/folder.ts';
import { plugin, startPlugin } from '../support/plugin.ts';

/** `status --watch` where its output is no terminal: a line for each row that changes. */
let namespace: string;

beforeAll(async () => {
  await ensureCrds();
  namespace = await newNamespace();
});

const create = (name: string, labels = {}): Promise<unknown> =>
  asAdmin('POST', collectionPath(pipeSettingsType, namespace), {
    apiVersion: 'pipewright.dev/v1alpha1',
    kind: 'PipeSettings',
    metadata: { name, labels },
    spec: {
      organizationId: randomUUID(),
      serviceId: randomUUID(),
      pipeId: name,
      credentialsSecretRef: { name: 'key' },
      settings: { engine_max_threads: 8 },
    },
  });

const pathTo = (name: string, subresource?: string): string =>
  objectPath(pipeSettingsType, namespace, name, subresource);

/** As the operator would, once the API has confirmed. */
const confirm = (name: string): Promise<void> =>
  change(pathTo(name, 'status'), (stored) => ({
    ...stored,
    status: {
      observedGeneration: stored.metadata.generation,
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          reason: 'Applied',
          message: 'The API accepted the declared setting',
          observedGeneration: stored.metadata.generation,
          lastTransitionTime: '2026-03-01T12:00:00Z',
        },
      ],
    },
  }));

test('a line for what there is, for each change, and for what is gone; Ctrl-C ends it with 0', async () => {
  await Promise.all([create('orders', { team: 'a' }), create('others', { team: 'b' })]);
  const watched = await startPlugin(['status', '-n', namespace, '-l', 'team=a', '--watch']);
  const lines = (): string[] =>
    watched
      .stdout()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.replace(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ {2}/, ''));
  await expect.poll(lines).toHaveLength(1);
  await confirm('others');
  await confirm('orders');
  await expect.poll(lines).toHaveLength(2);
  await create('returns', { team: 'a' });
  await expect.poll(lines).toHaveLength(3);
  await asAdmin('DELETE', pathTo('orders'));
  await expect.poll(lines).toHaveLength(4);
  watched.interrupt();
  const { code, stderr } = await watched.ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(lines()).toEqual([
    expect.stringMatching(
      /^pset\/orders {2}Waiting {2}nothing yet {2}waits for the operator {2}Not tried yet/,
    ),
    'pset/orders  Ready  nothing yet  on change  The API accepted the declared setting',
    expect.stringMatching(/^pset\/returns {2}Waiting {2}/),
    'pset/orders  Gone',
  ]);
});

test('with --check it ends as soon as all are ready, and -o json has a line for each change', async () => {
  const labels = { team: 'c' };
  await Promise.all([create('one', labels), create('two', labels)]);
  const flags = ['-n', namespace, '-l', 'team=c', '--watch', '--check', '-o', 'json'];
  const watched = await startPlugin(['status', ...flags]);
  const items = () =>
    watched
      .stdout()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { name: string; ready: boolean });
  await expect.poll(items).toHaveLength(2);
  await confirm('one');
  await expect.poll(items).toHaveLength(3);
  await confirm('two');
  const { code, stderr } = await watched.ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(items().map(({ name, ready }) => `${name} ${ready}`)).toEqual([
    'one false',
    'two false',
    'one true',
    'two true',
  ]);
});

test('a kind that may not be listed ends it with what is missing', async () => {
  const kubeconfig = await serviceAccountKubeconfig(namespace, 'reader');
  const { ended } = await startPlugin(['status', '--watch'], { kubeconfig });
  const { code, stdout, stderr } = await ended;
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^error: [^\n]*cannot list resource[^\n]*ask for this right[^\n]*\n$/);
});

test('a kind that may not be listed is not shown, the others are', async () => {
  await create('seen', { team: 'g' });
  const kubeconfig = await serviceAccountKubeconfig(namespace, 'half');
  await allow(namespace, 'half', [
    {
      apiGroups: ['pipewright.dev'],
      resources: ['pipesettings', 'organizations'],
      verbs: ['list', 'watch'],
    },
  ]);
  const args = ['status', '-n', namespace, '-l', 'team=g'];
  const plain = await plugin(args, { kubeconfig });
  expect(plain).toMatchObject({ code: 0, stdout: expect.stringContaining('pset/seen') });
  const watched = await startPlugin([...args, '--watch'], { kubeconfig });
  await expect.poll(watched.stdout).toContain('pset/seen');
  watched.interrupt();
  const { code, stderr } = await watched.ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: plain.stderr });
  expect(stderr).toMatch(/^not shown: [^\n]*activities[^\n]*\n$/);
});

test('Ctrl-C before all are ready is not taken for ready, and no object is none that is not', async () => {
  await create('slow', { team: 'd' });
  const flags = ['status', '-n', namespace, '--watch', '--check'];
  const watched = await startPlugin([...flags, '-l', 'team=d']);
  await expect.poll(watched.stdout).toContain('pset/slow');
  watched.interrupt();
  const { code, stderr } = await watched.ended;
  expect({ code, stderr }).toEqual({ code: 130, stderr: 'error: stopped\n' });
  expect(await plugin([...flags, '-l', 'team=nobody'])).toEqual({
    code: 0,
    stdout: '',
    stderr: `No objects of Pipewright found in namespace "${namespace}" with the labels "team=nobody".\n`,
  });
});

test('it ends when nobody reads it any more', async () => {
  await create('read', { team: 'e' });
  const watched = await startPlugin(['status', '-n', namespace, '-l', 'team=e', '--watch']);
  await expect.poll(watched.stdout).toContain('pset/read');
  watched.readNoMore();
  await confirm('read');
  const { code, stderr } = await watched.ended;
  expect({ code, stderr }).toEqual({
    code: 141,
    stderr: 'error: stopped: nobody reads the output any more\n',
  });
});

test('what the kuberc of the user makes the default of kubectl get has no say', async () => {
  await create('plain', { team: 'f' });
  const folder = await folderOf({
    kuberc: `apiVersion: kubectl.config.k8s.io/v1beta1
kind: Preference
defaults:
- command: get
  options:
  - {name: output, default: wide}
`,
  });
  const { code, stdout, stderr } = await plugin(['status', '-n', namespace, '-l', 'team=f'], {
    env: { KUBERC: join(folder, 'kuberc') },
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('pset/plain');
});
