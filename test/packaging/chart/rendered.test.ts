import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { installManifest } from '../../../deploy/install-manifest.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { kubectl } from '../../controlplane/client.ts';
import { installCrds } from '../../support/crd.ts';
import { CHART, CLUSTER_WIDE, EXAMPLES, kustomized, rendered } from './helm.ts';
import { essence, list, type Manifest, only, parseManifests, valueAt } from './manifests.ts';
import { TOGETHER, valuesOf } from './values.ts';

const NAMESPACES = ['pipewright', 'ingest', 'billing'];
const RENDERINGS = [
  { of: 'the defaults', rendering: {}, monitoring: 0 },
  ...EXAMPLES.map((example) => ({ of: example, rendering: { example }, monitoring: 2 })),
  {
    of: 'all values at once',
    rendering: { values: valuesOf(TOGETHER) },
    monitoring: 2,
  },
];

beforeAll(async () => {
  await installCrds();
  for (const name of NAMESPACES) await kubectl(['create', 'namespace', name]);
});

/** The API server does not know the kinds of the Prometheus operator. */
const isOfMonitoring = ({ apiVersion }: Manifest): boolean =>
  apiVersion.startsWith('monitoring.coreos.com/');

/** What the API server says to them, in strict validation; nothing is stored. */
async function complaints(manifests: readonly Manifest[]): Promise<string> {
  const flags = ['--server-side', '--force-conflicts', '--dry-run=server', '--validate=strict'];
  const text = manifests.map((one) => JSON.stringify(one)).join('\n---\n');
  return (await kubectl(['apply', ...flags, '-f', '-'], text)).stderr;
}

/** That of the operator, and that of `helm test`. */
function podsOf(manifests: readonly Manifest[]): object[] {
  const pod = valueAt(only(manifests, 'Deployment'), 'spec.template.spec') as object;
  return [pod, only(manifests, 'Pod')['spec'] as object];
}

test.each(RENDERINGS)(
  'the API server takes the objects of $of, without a warning',
  async ({ rendering, monitoring }) => {
    const manifests = await rendered(rendering);
    expect(await complaints(manifests.filter((one) => !isOfMonitoring(one)))).toBe('');
    expect(manifests.filter(isOfMonitoring)).toHaveLength(monitoring);
  },
);

test('a namespace with the restricted standard takes the Pods', async () => {
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  const create = (object: object, ...flags: readonly string[]) =>
    kubectl(['create', ...flags, '-f', '-'], JSON.stringify({ apiVersion: 'v1', ...object }));
  await create({ kind: 'Namespace', metadata: { name: 'restricted', labels } });
  await kubectl(['create', 'serviceaccount', 'default', '-n', 'restricted']);
  const metadata = { name: 'one', namespace: 'restricted' };
  for (const rendering of [{}, { example: 'production' }, { example: 'openshift' }])
    for (const pod of podsOf(await rendered(rendering))) {
      const spec = { ...pod, serviceAccountName: 'default' };
      const { stdout, stderr } = await create({ kind: 'Pod', metadata, spec }, '--dry-run=server');
      expect({ stdout, stderr }).toEqual({
        stdout: expect.stringContaining('created'),
        stderr: '',
      });
    }
});

test.each([{}, { example: 'openshift' }, { values: { api: { ca: { configMap: 'ca' } } } }])(
  'for restricted-v2 of OpenShift, which chooses the user by itself, the Pods of %j name none',
  async (rendering) => {
    for (const pod of podsOf(await rendered(rendering))) {
      const seccompProfile = { type: 'RuntimeDefault' };
      expect(valueAt(pod, 'securityContext')).toEqual({ runAsNonRoot: true, seccompProfile });
      expect(valueAt(pod, 'containers.0.securityContext')).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
  },
);

test('a ServiceMonitor finds the Service, which finds the Pods', async () => {
  const manifests = await rendered({ example: 'production' });
  const { spec } = only(manifests, 'ServiceMonitor') as unknown as { spec: object };
  const selector = {
    'app.kubernetes.io/instance': 'pipewright',
    'app.kubernetes.io/name': 'pipewright',
  };
  expect(spec).toEqual({
    selector: { matchLabels: selector },
    endpoints: [{ port: 'http', path: '/metrics', honorLabels: true }],
  });
  const service = only(manifests, 'Service');
  expect(service.metadata.labels).toMatchObject(selector);
  expect(service['spec']).toMatchObject({ selector, ports: [{ name: 'http' }] });
  const pod = valueAt(only(manifests, 'Deployment'), 'spec.template');
  expect(valueAt(pod, 'metadata.labels')).toMatchObject(selector);
  const { groups } = only(manifests, 'PrometheusRule')['spec'] as { groups: unknown };
  expect({ groups }).toEqual(parse(readFileSync('deploy/monitoring/rules.yaml', 'utf8')));
});

describe('kustomize and the chart make the same objects, but for labels and flags', () => {
  test('RBAC and all else', async () => {
    const chart = (await rendered()).filter(({ kind }) => kind !== 'Pod');
    const overlay = (await kustomized(CLUSTER_WIDE)).filter(
      ({ kind }) => kind !== 'Namespace' && kind !== 'ConfigMap',
    );
    expect(essence(overlay.map(withoutFlags))).toEqual(essence(chart.map(withoutFlags)));
    expect(list(chart)).toContain('ClusterRole /pipewright');
  });

  test('install.yaml is the overlay but for the ConfigMap', async () => {
    const installed = parseManifests(await installManifest());
    const overlay = await kustomized(CLUSTER_WIDE);
    const { name } = only(overlay, 'ConfigMap').metadata;
    // kustomize names a ConfigMap after what it holds, so that a change of it makes new Pods.
    expect(name).toMatch(/^pipewright-flags-[a-z0-9]{10}$/);
    const text = JSON.stringify(overlay).replaceAll(name, 'pipewright-flags');
    const named = (JSON.parse(text) as Manifest[]).filter(({ kind }) => kind !== 'ConfigMap');
    expect(essence(installed)).toEqual(essence(named));
    expect(await complaints(installed)).toBe('');
    const largest = Math.max(...installed.map((one) => JSON.stringify(one).length));
    const why = 'or kubectl apply without --server-side cannot keep it in an annotation';
    expect(largest, why).toBeLessThan(262_144);
  });
});

function withoutFlags(manifest: Manifest): Manifest {
  if (manifest.kind !== 'Deployment') return manifest;
  const copy = structuredClone(manifest);
  const container = valueAt(copy, 'spec.template.spec.containers.0');
  const { env, envFrom } = container as { env?: unknown; envFrom?: unknown };
  expect(env ?? envFrom).toBeDefined();
  Object.assign(container as object, { env: undefined, envFrom: undefined });
  return copy;
}

test('the chart, and what names the image, are of the version that is built', () => {
  const { version } = packageJson;
  const read = (path: string): unknown => parse(readFileSync(path, 'utf8'));
  expect(read(`${CHART}/Chart.yaml`)).toMatchObject({ version, appVersion: version });
  const images = [{ newTag: version }];
  expect(read(`${CLUSTER_WIDE}/kustomization.yaml`)).toMatchObject({ images });
  expect(readFileSync('deploy/kustomize/base/deployment.yaml', 'utf8')).toContain(
    `image: ghcr.io/pipewright/pipewright:${version}\n`,
  );
});
