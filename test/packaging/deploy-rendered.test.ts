import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { controlPlane, kubectl } from '../controlplane/client.ts';
import { findProgram } from '../controlplane/programs.ts';
import { installCrds } from '../support/crd.ts';
import { BUILD_MS, EXAMPLES, rendered } from './helm.ts';
import { overlay } from './kustomize.ts';
import { essence, list, type Manifest, only, parseManifests } from './manifests.ts';
import { run, succeed } from './run.ts';

const NAMESPACES = ['pipewright', 'ingest', 'billing'];
const OFFICIAL = /^(?!monitoring\.coreos\.com\/)/;

beforeAll(async () => {
  for (const name of ['helm', 'kustomize', 'kube-score', 'monitors'] as const)
    await findProgram(name);
  await installCrds();
  for (const namespace of NAMESPACES) await kubectl(['create', 'namespace', namespace]);
}, BUILD_MS);

const examples = readdirSync(EXAMPLES).map((file) => file.replace('.yaml', ''));
const asStream = (manifests: readonly Manifest[]): string =>
  manifests.map((one) => JSON.stringify(one)).join('\n---\n');

/** What the API server says to them, in strict validation; nothing is stored. */
async function complaints(manifests: readonly Manifest[]): Promise<string> {
  const args = [
    'apply',
    '--server-side',
    '--force-conflicts',
    '--dry-run=server',
    '--validate=strict',
    '-f',
    '-',
  ];
  return (await kubectl(args, asStream(manifests))).stderr;
}

describe.each(examples)('the values of %s', (example) => {
  let manifests: Manifest[];
  beforeAll(async () => {
    manifests = await rendered({ example });
  });

  test('make objects that the API server takes, without a warning', async () => {
    expect(await complaints(manifests.filter(({ apiVersion }) => OFFICIAL.test(apiVersion)))).toBe(
      '',
    );
  });

  test('make objects for the Prometheus operator that fit its types', async () => {
    const monitors = manifests.filter(({ apiVersion }) => !OFFICIAL.test(apiVersion));
    const stdin = monitors.map((one) => JSON.stringify(one)).join('\n');
    expect(await succeed(await findProgram('monitors'), [], { stdin })).toBe(
      `${monitors.length}\n`,
    );
  });

  test('make Pods that a namespace with the restricted standard takes', async () => {
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
    const name = `restricted-${example}`;
    await kubectl(
      ['create', '-f', '-'],
      JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } }),
    );
    const { spec } = only(manifests, 'Deployment') as unknown as {
      spec: { template: { spec: object } };
    };
    for (const pod of [
      { ...spec.template.spec, serviceAccountName: 'default' },
      only(manifests, 'Pod')['spec'],
    ]) {
      const made = {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'one', namespace: name },
        spec: pod,
      };
      await kubectl(['create', 'serviceaccount', 'default', '-n', name]);
      const { stdout, stderr } = await kubectl(
        ['create', '--dry-run=server', '-f', '-'],
        JSON.stringify(made),
      );
      expect(stderr).toBe('');
      expect(stdout).toContain('created');
    }
  });
});

test('every kind of the Prometheus operator fits its types, the alerts too', async () => {
  const manifests = await rendered({
    values: {
      metrics: {
        podMonitor: { enabled: true, interval: '1m' },
        serviceMonitor: { enabled: true, labels: { a: 'b' } },
        rules: { enabled: true },
      },
    },
  });
  const monitors = manifests.filter(({ apiVersion }) => !OFFICIAL.test(apiVersion));
  expect(monitors.map(({ kind }) => kind).sort()).toEqual([
    'PodMonitor',
    'PrometheusRule',
    'ServiceMonitor',
  ]);
  const stdin = monitors.map((one) => JSON.stringify(one)).join('\n');
  expect(await succeed(await findProgram('monitors'), [], { stdin })).toBe(`${monitors.length}\n`);
  const wrong = stdin.replace('"honorLabels"', '"honourLabels"');
  expect((await run(await findProgram('monitors'), [], { stdin: wrong })).stderr).toContain(
    'unknown field "honourLabels"',
  );
});

test('kube-score finds nothing critical in the values for production', async () => {
  // No limit for CPU on purpose: the kernel would throttle the leader until it loses its Lease. The
  // Pod of `helm test` is left out, because it wants a NetworkPolicy for it: that Pod prints a
  // version, connects to nothing, and is gone.
  const args = ['score', '--ignore-container-cpu-limit', '--output-format', 'ci', '-'];
  const stdin = asStream(
    (await rendered({ example: 'production' })).filter(({ kind }) => kind !== 'Pod'),
  );
  const { code, stdout } = await run(await findProgram('kube-score'), args, { stdin });
  expect(stdout.split('\n').filter((line) => line.startsWith('[CRITICAL]'))).toEqual([]);
  expect(stdout).toMatch(/\[OK\].*Deployment/);
  expect(code).toBe(0);
});

describe('kustomize and the chart make the same objects, but for labels', () => {
  test('in all namespaces', async () => {
    const chart = (await rendered()).filter(({ kind }) => kind !== 'Pod');
    const kustomized = (await overlay('cluster-wide')).filter(({ kind }) => kind !== 'Namespace');
    expect(essence(withoutHash(kustomized))).toEqual(essence(chart));
  });

  test('in one namespace', async () => {
    const secrets = { names: ['management-api'] };
    const values = { namespaces: ['ingest'], secrets, crds: { enabled: false } };
    const chart = (await rendered({ values, namespace: 'ingest' })).filter(
      ({ kind }) => kind !== 'Pod',
    );
    expect(essence(withoutHash(await overlay('one-namespace')))).toEqual(essence(chart));
    expect(list(chart).filter((one) => one.startsWith('Cluster'))).toEqual([]);
  });

  test('install.yaml is all of it but the ConfigMap', async () => {
    const text = readFileSync('deploy/install.yaml', 'utf8');
    const installed = await parseManifests(text, controlPlane.kubectlProgram);
    const kustomized = withoutHash(await overlay('cluster-wide'), 'pipewright-flags').filter(
      ({ kind }) => kind !== 'ConfigMap',
    );
    expect(essence(installed)).toEqual(essence(kustomized));
    expect(await complaints(installed)).toBe('');
    const largest = Math.max(...installed.map((one) => JSON.stringify(one).length));
    expect(
      largest,
      'or kubectl apply without --server-side cannot keep it in an annotation',
    ).toBeLessThan(262_144);
  });
});

/** kustomize names a ConfigMap after what it holds, so that a change of it makes new Pods. */
function withoutHash(manifests: readonly Manifest[], called = 'pipewright'): Manifest[] {
  const { name } = only(manifests, 'ConfigMap').metadata;
  expect(name).toMatch(/^pipewright-flags-[a-z0-9]{10}$/);
  expect(JSON.stringify(only(manifests, 'Deployment'))).toContain(
    `"configMapKeyRef":{"key":"PIPEWRIGHT_API_URL","name":"${name}"}`,
  );
  return JSON.parse(JSON.stringify(manifests).replaceAll(name, called)) as Manifest[];
}
