import { readdirSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { installManifest } from '../../deploy/install-manifest.ts';
import { controlPlane, kubectl } from '../controlplane/client.ts';
import { findProgram } from '../controlplane/programs.ts';
import { installCrds } from '../support/crd.ts';
import { BUILD_MS, EXAMPLES, rendered } from './helm.ts';
import { overlay } from './kustomize.ts';
import { essence, list, type Manifest, only, parseManifests } from './manifests.ts';
import { type PodSpec, restrictedV2 } from './restricted.ts';
import { run, succeed } from './run.ts';
import { allOf } from './value-cases.ts';

const OFFICIAL = /^(?!monitoring\.coreos\.com\/)/;

beforeAll(async () => {
  for (const name of ['helm', 'kustomize', 'kube-score', 'monitors'] as const)
    await findProgram(name);
  await installCrds();
  await kubectl(['create', 'namespace', 'pipewright']);
}, BUILD_MS);

const examples = readdirSync(EXAMPLES).map((file) => file.replace('.yaml', ''));
const asStream = (manifests: readonly Manifest[]): string =>
  manifests.map((one) => JSON.stringify(one)).join('\n---\n');

/** What the API server says to them, in strict validation; nothing is stored. */
async function complaints(manifests: readonly Manifest[]): Promise<string> {
  const flags = ['--server-side', '--force-conflicts', '--dry-run=server', '--validate=strict'];
  return (await kubectl(['apply', ...flags, '-f', '-'], asStream(manifests))).stderr;
}

/** That of the operator, and that of `helm test`. */
function podsOf(manifests: readonly Manifest[]): PodSpec[] {
  const { spec } = only(manifests, 'Deployment') as unknown as {
    spec: { template: { spec: PodSpec } };
  };
  return [spec.template.spec, only(manifests, 'Pod')['spec'] as PodSpec];
}

describe.each(['the defaults', ...examples])('of %s', (example) => {
  let manifests: Manifest[];
  beforeAll(async () => {
    manifests = await rendered(example === 'the defaults' ? {} : { example });
  });

  test('the API server takes the objects, without a warning', async () => {
    expect(await complaints(manifests.filter(({ apiVersion }) => OFFICIAL.test(apiVersion)))).toBe(
      '',
    );
  });

  test('the objects for the Prometheus operator fit its types', async () => {
    const monitors = manifests.filter(({ apiVersion }) => !OFFICIAL.test(apiVersion));
    expect(monitors).toHaveLength(example === 'the defaults' ? 0 : 2);
    const stdin = monitors.map((one) => JSON.stringify(one)).join('\n');
    expect(await succeed(await findProgram('monitors'), [], { stdin })).toBe(
      `${monitors.length}\n`,
    );
  });

  test('a namespace with the restricted standard takes the Pods', async () => {
    const name = `restricted-${example.replace(' ', '-')}`;
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
    const create = (object: object, ...flags: readonly string[]) =>
      kubectl(['create', ...flags, '-f', '-'], JSON.stringify({ apiVersion: 'v1', ...object }));
    await create({ kind: 'Namespace', metadata: { name, labels } });
    await kubectl(['create', 'serviceaccount', 'default', '-n', name]);
    const metadata = { name: 'one', namespace: name };
    for (const pod of podsOf(manifests)) {
      const spec = { ...pod, serviceAccountName: 'default' };
      const { stdout, stderr } = await create({ kind: 'Pod', metadata, spec }, '--dry-run=server');
      expect(stderr).toBe('');
      expect(stdout).toContain('created');
    }
  });
});

test('the API server takes the objects of all values at once', async () => {
  for (const namespace of ['ingest', 'billing']) await kubectl(['create', 'namespace', namespace]);
  const off = /^(rbac\.create|crds\.enabled|networkPolicy\.enabled|serviceAccount\.create)$/;
  const manifests = await rendered({ values: allOf((path) => !off.test(path)) });
  expect(list(manifests).filter((one) => one.startsWith('Role '))).toEqual([
    'Role billing/other',
    'Role ingest/other',
    'Role pipewright/other-leader',
  ]);
  const [official, monitoring] = [true, false].map((is) =>
    manifests.filter(({ apiVersion }) => OFFICIAL.test(apiVersion) === is),
  );
  expect(await complaints(official ?? [])).toBe('');
  expect(monitoring).toHaveLength(2);
});

describe('restricted-v2 of OpenShift', () => {
  test.each([
    ['the defaults', {}],
    ['values/openshift.yaml', { example: 'openshift' }],
    ['a volume of the chart', { values: { api: { ca: { configMap: 'ca' } } } }],
  ])('takes the Pods of %s', async (_, rendering) => {
    for (const pod of podsOf(await rendered(rendering))) expect(restrictedV2(pod)).toEqual([]);
  });

  test('refuses those that name a user', async () => {
    for (const pod of podsOf(await rendered({ example: 'production' })))
      expect(restrictedV2(pod)).toEqual(['runAsUser: MustRunAsRange']);
  });
});

test('kube-score finds nothing critical in the values for production', async () => {
  // No limit for CPU on purpose: the kernel would throttle the leader until it loses its Lease. The
  // Pod of `helm test` is left out, because it wants a NetworkPolicy for it: that Pod prints a
  // version, connects to nothing, and is gone.
  const args = ['score', '--ignore-container-cpu-limit', '--output-format', 'ci', '-'];
  const manifests = await rendered({ example: 'production' });
  const stdin = asStream(manifests.filter(({ kind }) => kind !== 'Pod'));
  const { code, stdout } = await run(await findProgram('kube-score'), args, { stdin });
  expect(stdout.split('\n').filter((line) => line.startsWith('[CRITICAL]'))).toEqual([]);
  expect(stdout).toMatch(/\[OK\].*Deployment/);
  expect(code).toBe(0);
});

describe('kustomize and the chart make the same objects, but for labels and where flags come from', () => {
  test('RBAC and all else', async () => {
    const chart = (await rendered()).filter(({ kind }) => kind !== 'Pod');
    const kustomized = (await overlay('cluster-wide')).filter(
      ({ kind }) => kind !== 'Namespace' && kind !== 'ConfigMap',
    );
    expect(essence(kustomized.map(withoutFlags))).toEqual(essence(chart.map(withoutFlags)));
  });

  test('install.yaml is the overlay but for the ConfigMap', async () => {
    const installed = await parseManifests(await installManifest(), controlPlane.kubectlProgram);
    const kustomized = await overlay('cluster-wide');
    const { name } = only(kustomized, 'ConfigMap').metadata;
    // kustomize names a ConfigMap after what it holds, so that a change of it makes new Pods.
    expect(name).toMatch(/^pipewright-flags-[a-z0-9]{10}$/);
    const named = JSON.parse(
      JSON.stringify(kustomized).replaceAll(name, 'pipewright-flags'),
    ) as Manifest[];
    expect(essence(installed)).toEqual(essence(named.filter(({ kind }) => kind !== 'ConfigMap')));
    expect(await complaints(installed)).toBe('');
    const largest = Math.max(...installed.map((one) => JSON.stringify(one).length));
    expect(
      largest,
      'or kubectl apply without --server-side cannot keep it in an annotation',
    ).toBeLessThan(262_144);
  });
});

function withoutFlags(manifest: Manifest): Manifest {
  if (manifest.kind !== 'Deployment') return manifest;
  const copy = structuredClone(manifest) as unknown as {
    spec: { template: { spec: { containers: [{ env?: unknown; envFrom?: unknown }] } } };
  };
  const [container] = copy.spec.template.spec.containers;
  delete container.env;
  delete container.envFrom;
  return copy as unknown as Manifest;
}
