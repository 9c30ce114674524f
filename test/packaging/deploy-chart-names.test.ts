import { beforeAll, describe, expect, test } from 'vitest';
import { findProgram } from '../controlplane/programs.ts';
import { BUILD_MS, CHART, helm, refusal, rendered } from './helm.ts';
import { list, only } from './manifests.ts';

beforeAll(() => findProgram('helm'), BUILD_MS);

const URL_GIVEN = { api: { url: 'https://api.example.com' } };
/** Each under its earlier and its present name. */
const RENAMED = [
  ['replicas', { replicas: 2 }, { replicaCount: 2 }],
  ['replicas', { replicas: 0 }, { replicaCount: 0 }],
  ['crds.install', { crds: { install: false } }, { crds: { enabled: false } }],
  ['crds.install', { crds: { install: true } }, { crds: { enabled: true } }],
  [
    'image.pullSecrets',
    { image: { pullSecrets: ['one', 'two'] } },
    { imagePullSecrets: [{ name: 'one' }, { name: 'two' }] },
  ],
] as const;

/** What `helm install` says, without a cluster. */
async function notes(values: object): Promise<string> {
  const args = ['install', 'pipewright', CHART, '--dry-run=client'];
  const { code, stdout, stderr } = await helm(args, { values: { ...URL_GIVEN, ...values } });
  expect(code, stderr).toBe(0);
  return stdout.slice(stdout.indexOf('NOTES:'));
}

describe('values by their earlier names', () => {
  test.each(RENAMED)('%s: %j makes what %j makes', async (_name, earlier, present) => {
    expect(await rendered({ values: earlier })).toEqual(await rendered({ values: present }));
    expect(await rendered({ values: { ...earlier, ...mixed(earlier, present) } })).toEqual(
      await rendered({ values: present }),
    );
  });

  test.each(RENAMED)('%s: %j is named after an installation', async (name, earlier, present) => {
    expect(await notes(earlier)).toContain(`\n  ${name} is now `);
    expect(await notes(present)).not.toContain('is now');
  });

  test.each([
    [
      { replicas: 2, replicaCount: 1 },
      'replicaCount is 1, but replicas, its earlier name, is 2: leave replicas out',
    ],
    [
      { crds: { install: false, enabled: true } },
      'crds.enabled is true, but crds.install, its earlier name, is false: leave crds.install out',
    ],
    [
      { image: { pullSecrets: ['one'] }, imagePullSecrets: [{ name: 'two' }] },
      'imagePullSecrets is [{"name":"two"}], but image.pullSecrets, its earlier name, is [{"name":"one"}]: leave image.pullSecrets out',
    ],
  ])('%j is refused', async (values, why) => {
    expect(await refusal({ ...URL_GIVEN, ...values })).toContain(why);
  });

  test('are in no document', async () => {
    const { stdout } = await helm(['show', 'values', CHART]);
    expect(stdout).toContain('replicaCount:');
    expect(stdout).not.toMatch(/^replicas:|install:|pullSecrets:/m);
  });
});

/** Both names, with one meaning. */
function mixed(earlier: object, present: object): object {
  const crds = { ...part(earlier, 'crds'), ...part(present, 'crds') };
  return { ...present, ...(Object.keys(crds).length > 0 && { crds }) };
}

function part(values: object, name: string): object {
  return (values as Readonly<Record<string, object>>)[name] ?? {};
}

test('the Secrets of a parent chart are used beside its own, each once', async () => {
  const values = {
    global: { imagePullSecrets: ['mirror', { name: 'registry' }] },
    imagePullSecrets: [{ name: 'registry' }],
  };
  const manifests = await rendered({ values });
  const wanted = [{ name: 'registry' }, { name: 'mirror' }];
  expect(only(manifests, 'Deployment')).toMatchObject({
    spec: { template: { spec: { imagePullSecrets: wanted } } },
  });
  expect(only(manifests, 'Pod')['spec']).toMatchObject({ imagePullSecrets: wanted });
});

test('names that YAML takes for a number or a boolean stay names', async () => {
  const values = {
    fullnameOverride: 'true',
    nameOverride: '1e3',
    namespaces: ['123', '0x7'],
    secrets: { names: ['null'] },
    serviceAccount: { name: 'no' },
    networkPolicy: { enabled: true },
    podDisruptionBudget: { enabled: true },
    metrics: {
      serviceMonitor: { enabled: true },
      secure: { enabled: true, certificateSecret: 'tls' },
    },
  };
  const manifests = await rendered({ values, release: '7', namespace: '1234' });
  const notText = (named: object): string[] =>
    Object.entries(named).flatMap(([key, value]) => (typeof value === 'string' ? [] : [key]));
  for (const { kind, metadata } of manifests) {
    const { name, namespace = '', labels = {} } = metadata;
    expect(notText({ name, namespace, ...labels }), kind).toEqual([]);
  }
  const { namespaces } = values;
  const roles = manifests.filter(({ kind }) => kind === 'RoleBinding');
  expect(roles.map(({ metadata }) => metadata.namespace)).toEqual(
    expect.arrayContaining(namespaces),
  );
  expect(only(manifests, 'Deployment')).toMatchObject({
    metadata: { name: 'true', namespace: '1234' },
    spec: { template: { spec: { serviceAccountName: 'no' } } },
  });
});

test.each([`${'a'.repeat(39)}.bbbb`, `${'a'.repeat(38)}--bbbb`, 'my.release'])(
  'a release %s gives names that Kubernetes takes',
  async (release) => {
    const values = { metrics: { service: { enabled: true } } };
    const manifests = await rendered({ values, release });
    const { name } = only(manifests, 'Deployment').metadata;
    expect(name).toMatch(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/);
    expect(only(manifests, 'Service').metadata.name).toMatch(/^[a-z]([a-z0-9-]*[a-z0-9])?$/);
  },
);

describe('the CRDs', () => {
  const annotations = async (values: object): Promise<unknown[]> =>
    (await rendered({ values }))
      .filter(({ kind }) => kind === 'CustomResourceDefinition')
      .map(({ metadata }) => metadata.annotations);

  test('are kept unless it is said that they are not', async () => {
    const kept = { 'helm.sh/resource-policy': 'keep' };
    expect(await annotations({})).toEqual([kept, kept, kept]);
    // An empty map is what kubectl, which reads them here, makes of none.
    expect(await annotations({ crds: { keep: false } })).toEqual([{}, {}, {}]);
  });

  test('have annotations, but none that Helm would go by', async () => {
    const own = { 'example.com/note': 'x' };
    const both = { ...own, 'helm.sh/resource-policy': 'keep' };
    expect(await annotations({ crds: { annotations: own } })).toEqual([both, both, both]);
    const hook = { 'helm.sh/hook': 'pre-install' };
    expect(await refusal({ ...URL_GIVEN, crds: { annotations: hook } })).toContain(
      'crds.annotations has helm.sh/hook, by which Helm would do something else',
    );
  });

  test('leave the roles for users with them to the release that has them', async () => {
    const found = list(await rendered({ values: { crds: { enabled: false } } }));
    expect(found.filter((one) => /CustomResource|-view|-edit/.test(one))).toEqual([]);
  });
});
