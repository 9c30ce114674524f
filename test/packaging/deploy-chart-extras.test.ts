import { beforeAll, describe, expect, test } from 'vitest';
import { findProgram } from '../controlplane/programs.ts';
import { BUILD_MS, refusal, rendered } from './helm.ts';
import { list, type Manifest, only } from './manifests.ts';
import { withValue } from './value-cases.ts';

beforeAll(() => findProgram('helm'), BUILD_MS);

const TOKEN = '/var/run/secrets/kubernetes.io/serviceaccount';
const NO_ELECTION = { leaderElection: { enabled: false } };
const refused = (values: object): Promise<string> =>
  refusal({ api: { url: 'https://api.example.com' }, ...values });
const named = (key: string, name: string): object => ({ [key]: [{ name, value: 'x' }] });
const mounted = (mountPath: string): object => ({ extraVolumeMounts: [{ name: 'm', mountPath }] });

interface Deployment {
  readonly spec: {
    readonly replicas: number;
    readonly strategy?: object;
    readonly selector: { readonly matchLabels: object };
    readonly template: {
      readonly metadata: { readonly labels: object; readonly annotations: object };
      readonly spec: object;
    };
  };
}

function deployment(manifests: readonly Manifest[]): Deployment['spec'] {
  return (only(manifests, 'Deployment') as unknown as Deployment).spec;
}

describe('what would undo a setting of the chart is refused', () => {
  test.each([
    [named('extraEnv', 'PIPEWRIGHT_LOG_LEVEL'), 'use logLevel'],
    [named('extraEnv', 'PIPEWRIGHT_LEADER_ELECT_NAME'), 'use leaderElection.name'],
    [named('extraEnv', 'PIPEWRIGHT_KUBECONFIG'), 'use kubeconfig.secret'],
    [named('extraEnv', 'https_proxy'), 'use proxy.httpsProxy'],
    [named('extraEnv', 'KUBECONFIG'), 'use kubeconfig.secret'],
    [named('extraEnv', 'PIPEWRIGHT_NEW'), 'this chart knows no such flag'],
    [named('extraEnv', 'NODE_OPTIONS'), 'changes what Node runs'],
    [named('extraEnv', 'NODE_DEBUG'), 'writes to the log'],
    [named('extraEnv', 'LD_PRELOAD'), 'changes what Node runs'],
    [named('extraEnv', 'NODE_TLS_REJECT_UNAUTHORIZED'), 'use api.ca.configMap'],
    [named('extraEnv', 'NODE_EXTRA_CA_CERTS'), 'use api.ca.configMap'],
    [{ extraArgs: ['--leader-elect-name=mine'] }, 'use leaderElection.name'],
    [{ extraArgs: ['--leader-elect-namespace', 'mine'] }, 'use leaderElection.namespace'],
    [{ extraArgs: ['--no-leader-elect'] }, 'use leaderElection.enabled'],
    [{ extraArgs: ['--api-url=https://other.example.com'] }, 'use api.url'],
    [{ extraArgs: ['--version'] }, 'print that and end'],
    [{ extraArgs: ['plugin'] }, 'extraArgs has "plugin": write each flag as --flag=value'],
    [{ extraArgs: ['--'] }, 'write each flag as --flag=value'],
    [{ extraArgs: ['-v'] }, 'write each flag as --flag=value'],
    [{ extraVolumes: [{ name: 'api-ca', emptyDir: {} }] }, 'the name of a volume of the chart'],
    [{ extraVolumeMounts: [{ name: 'm' }] }, "missing property 'mountPath'"],
    [{ extraEnv: [{ name: 1 }] }, 'got number, want string'],
    [mounted('/app'), 'extraVolumeMounts has /app, which the operator cannot read'],
    [mounted('/etc/pipewright'), 'cannot read'],
    [mounted('/etc/pipewright/../../app'), 'cannot read'],
    [mounted('/etc/pipewright/api-ca/more'), 'where the chart mounts its own'],
    [mounted(TOKEN), 'set serviceAccount.automount=false too'],
    [
      { serviceAccount: { automount: false } },
      `mount one with extraVolumes and extraVolumeMounts at ${TOKEN}, or set kubeconfig.secret`,
    ],
    [{ ...NO_ELECTION, strategy: { type: 'RollingUpdate' } }, 'set it to Recreate'],
    [{ ...NO_ELECTION, strategy: { rollingUpdate: { maxSurge: 1 } } }, 'leave it out'],
    [
      { strategy: { typo: 'Recreate' } },
      "at '/strategy': additional properties 'typo' not allowed",
    ],
    [{ hostNetwork: true, networkPolicy: { enabled: true } }, 'no NetworkPolicy holds'],
    [
      { hostNetwork: true, networkPolicy: { metricsFrom: [{ podSelector: {} }] } },
      'no NetworkPolicy holds',
    ],
    [{ livenessProbe: { httpGet: 1 } }, "at '/livenessProbe': additional properties 'httpGet' not"],
    [
      { commonLabels: { 'app.kubernetes.io/instance': 'x' } },
      'commonLabels has app.kubernetes.io/instance, which',
    ],
    [
      { commonLabels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } },
      'commonLabels has rbac.authorization.k8s.io/aggregate-to-view, which',
    ],
    [
      { serviceAccount: { labels: { 'helm.sh/chart': 'x' } } },
      'serviceAccount.labels has helm.sh/chart, which',
    ],
    [
      { podLabels: { 'app.kubernetes.io/name': 'x' } },
      'podLabels has app.kubernetes.io/name, which',
    ],
    [
      { metrics: { podMonitor: { enabled: true, labels: { 'app.kubernetes.io/name': 'x' } } } },
      'metrics.podMonitor.labels has app.kubernetes.io/name, which',
    ],
    [
      { metrics: { rules: { enabled: true, labels: { 'app.kubernetes.io/name': 'x' } } } },
      'metrics.rules.labels has app.kubernetes.io/name, which',
    ],
    [
      { metrics: { dashboards: { enabled: true, label: 'app.kubernetes.io/name' } } },
      'metrics.dashboards.label has app.kubernetes.io/name, which',
    ],
    [{ metrics: { rules: { enabled: true, job: '[' } } }, 'missing closing ]'],
    [
      { serviceAccount: { create: false, annotations: { team: 'data' } } },
      'set them on the account itself',
    ],
  ])('%j', async (values, why) => {
    expect(await refused(values)).toContain(why);
  });
});

test('labels for everything are on everything, and in no selector', async () => {
  const policy = { networkPolicy: { enabled: true }, podDisruptionBudget: { enabled: true } };
  const metrics = { metrics: { serviceMonitor: { enabled: true } } };
  const values = { ...policy, ...metrics };
  const before = await rendered({ values });
  const after = await rendered({ values: { ...values, commonLabels: { team: 'data' } } });
  for (const { kind, metadata } of after) expect(metadata.labels?.['team'], kind).toBe('data');
  expect(deployment(after).template.metadata.labels).toMatchObject({ team: 'data' });
  const selectors = (manifests: readonly Manifest[]): string[] =>
    JSON.stringify(manifests).match(/"(matchLabels|selector)":\{[^}]*\}/g) ?? [];
  expect(selectors(after).length).toBeGreaterThan(4);
  expect(selectors(after)).toEqual(selectors(before));
});

test('a label or annotation of the Pods takes none of the chart away', async () => {
  const values = {
    commonLabels: { team: 'data', tier: 'one' },
    podLabels: { team: 'other' },
    podAnnotations: { 'pipewright.dev/config': 'x', note: 'y' },
  };
  const { selector, template } = deployment(await rendered({ values }));
  expect(template.metadata.labels).toEqual({
    ...selector.matchLabels,
    team: 'other',
    tier: 'one',
  });
  expect(template.metadata.annotations).toMatchObject({ note: 'y' });
  expect(template.metadata.annotations).not.toMatchObject({ 'pipewright.dev/config': 'x' });
});

describe('security contexts', () => {
  const contexts = async (values: object): Promise<unknown[]> => {
    const manifests = await rendered({ values });
    return [deployment(manifests).template.spec, only(manifests, 'Pod')['spec']].map((spec) => {
      const { securityContext, containers } = spec as {
        securityContext?: object;
        containers: { securityContext?: object }[];
      };
      return [securityContext, containers[0]?.securityContext];
    });
  };
  const pod = { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } };
  const user = { runAsUser: 65_532, runAsGroup: 65_532 };
  const container = {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  };

  test.each([
    ['nothing', {}, { ...pod, ...user }, container],
    ['{}', { podSecurityContext: {}, securityContext: {} }, { ...pod, ...user }, container],
    ['null', { podSecurityContext: null, securityContext: null }, undefined, undefined],
    ['one null', { podSecurityContext: { runAsUser: null, runAsGroup: null } }, pod, container],
    ['another', { podSecurityContext: { fsGroup: 7 } }, { ...pod, ...user, fsGroup: 7 }, container],
  ])('with %s given', async (_given, values, ofPod, ofContainer) => {
    const both = [ofPod, ofContainer];
    expect(await contexts(values)).toEqual([both, both]);
  });
});

describe("a token of one's own", () => {
  const volume = { name: 'token', projected: { sources: [{ serviceAccountToken: {} }] } };
  test('takes the place of that of Kubernetes, for the operator alone', async () => {
    const manifests = await rendered({
      values: {
        serviceAccount: { automount: false },
        extraVolumes: [volume],
        extraVolumeMounts: [{ name: 'token', mountPath: `${TOKEN}/` }],
      },
    });
    expect(only(manifests, 'ServiceAccount')).toMatchObject({
      automountServiceAccountToken: false,
    });
    expect(deployment(manifests).template.spec).toMatchObject({
      automountServiceAccountToken: false,
      volumes: [volume],
    });
  });
});

describe('how Pods are replaced', () => {
  test.each([
    [{}, undefined],
    [{ strategy: { rollingUpdate: { maxSurge: 0 } } }, { rollingUpdate: { maxSurge: 0 } }],
    [NO_ELECTION, { type: 'Recreate' }],
    [{ ...NO_ELECTION, strategy: { type: 'Recreate' } }, { type: 'Recreate' }],
  ])('%j', async (values, strategy) => {
    expect(deployment(await rendered({ values })).strategy).toEqual(strategy);
  });
});

describe('the network of the node', () => {
  const values = { hostNetwork: true };
  test('has its own DNS, and no policy that would not hold', async () => {
    const manifests = await rendered({ values });
    expect(deployment(manifests).template.spec).toMatchObject({
      hostNetwork: true,
      dnsPolicy: 'ClusterFirstWithHostNet',
    });
    expect(list(manifests).filter((one) => one.startsWith('NetworkPolicy'))).toEqual([]);
    const chosen = await rendered({ values: { ...values, dnsPolicy: 'Default' } });
    expect(deployment(chosen).template.spec).toMatchObject({ dnsPolicy: 'Default' });
  });
});

describe('more objects', () => {
  const object = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: '{{ .Release.Name }}-more', namespace: '{{ .Release.Namespace }}' },
  };
  test.each([
    ['as objects', object],
    ['as text', JSON.stringify(object)],
  ])('%s, with their templates filled in', async (_form, one) => {
    const found = await rendered({ values: { extraObjects: [one, one] }, namespace: 'here' });
    expect(list(found).filter((each) => each.endsWith('-more'))).toEqual([
      'ConfigMap here/pipewright-more',
      'ConfigMap here/pipewright-more',
    ]);
  });
});

test('probes take the timings that are given, beside those of the chart', async () => {
  const values = withValue('livenessProbe', { periodSeconds: 30, failureThreshold: 5 });
  expect(JSON.stringify(deployment(await rendered({ values })).template.spec)).toContain(
    '"livenessProbe":{"failureThreshold":5,"httpGet":{"path":"/livez","port":"http"},"periodSeconds":30,"timeoutSeconds":5}',
  );
});
