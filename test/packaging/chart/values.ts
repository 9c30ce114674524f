/** Another value than the default, and what it makes of which object. */
export type Row = readonly [
  value: string,
  to: unknown,
  /** `Kind`, or `Kind name`. */
  object: string,
  /**
   * A path in it; `pod` stands for its Pod, `container` for the first one there, `env` for that
   * one's variables by name. Empty: whether there is one.
   */
  at: string,
  is: unknown,
];

const SHARED_KEY = 'app.kubernetes.io/name';
const PIPEWRIGHT = { [SHARED_KEY]: 'other', 'app.kubernetes.io/instance': 'pipewright' };
const SPREAD = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' };
const PEERS = [{ podSelector: { matchLabels: { app: 'prometheus' } } }];
const VIEW = 'ClusterRole other-view';
const CRD = 'CustomResourceDefinition pipesettings.pipewright.dev';

/** All of these can be set at once. */
export const TOGETHER: readonly Row[] = [
  ['image.repository', 'r.example.com/p', 'Deployment', 'container.image', 'r.example.com/p:9.9.9'],
  ['image.tag', '9.9.9', 'Deployment', 'container.image', 'r.example.com/p:9.9.9'],
  ['image.pullPolicy', 'Always', 'Deployment', 'container.imagePullPolicy', 'Always'],
  ['imagePullSecrets', [{ name: 'r' }], 'Deployment', 'pod.imagePullSecrets', [{ name: 'r' }]],
  [
    'api.url',
    'http://a.example.com/v1',
    'Deployment',
    'env.PIPEWRIGHT_API_URL',
    'http://a.example.com/v1',
  ],
  ['api.allowHttp', true, 'Deployment', 'env.PIPEWRIGHT_API_ALLOW_HTTP', 'true'],
  ['api.ca.configMap', 'ours', 'Deployment', 'pod.volumes.0.configMap.name', 'ours'],
  ['api.ca.key', 'bundle.pem', 'Deployment', 'pod.volumes.0.configMap.items.0.key', 'bundle.pem'],
  ['api.rate', '5/1m', 'Deployment', 'env.PIPEWRIGHT_API_RATE', '5/1m'],
  ['api.rateTotal', '100/1m', 'Deployment', 'env.PIPEWRIGHT_API_RATE_TOTAL', '100/1m'],
  ['api.inFlight', 2, 'Deployment', 'env.PIPEWRIGHT_API_IN_FLIGHT', '2'],
  ['api.timeout', '1m', 'Deployment', 'env.PIPEWRIGHT_API_TIMEOUT', '1m'],
  ['proxy.url', 'http://p.example.com', 'Deployment', 'env.HTTPS_PROXY', 'http://p.example.com'],
  ['proxy.noProxy', '.svc', 'Deployment', 'env.NO_PROXY', '.svc'],
  [
    'namespaces',
    ['ingest', 'billing'],
    'Deployment',
    'env.PIPEWRIGHT_NAMESPACES',
    'ingest,billing',
  ],
  ['selector', 'shard in (a,b)', 'Deployment', 'env.PIPEWRIGHT_SELECTOR', 'shard in (a,b)'],
  ['secrets.names', ['one', 'two'], 'Role other', 'rules.3.resourceNames', ['one', 'two']],
  ['secrets.selector', 'a=b', 'Deployment', 'env.PIPEWRIGHT_SECRET_SELECTOR', 'a=b'],
  ['planOnly', true, 'Deployment', 'env.PIPEWRIGHT_PLAN_ONLY', 'true'],
  ['cleanupDeadline', '1h', 'Deployment', 'env.PIPEWRIGHT_CLEANUP_DEADLINE', '1h'],
  ['logLevel', 'debug', 'Deployment', 'env.PIPEWRIGHT_LOG_LEVEL', 'debug'],
  ['replicaCount', 2, 'Deployment', 'spec.replicas', 2],
  ['resources.requests.cpu', '1', 'Deployment', 'container.resources.requests.cpu', '1'],
  ['resources.requests.memory', '1Gi', 'Deployment', 'container.resources.requests.memory', '1Gi'],
  ['resources.limits.memory', '2Gi', 'Deployment', 'container.resources.limits.memory', '2Gi'],
  ['crds.keep', false, CRD, 'metadata.annotations[helm.sh/resource-policy]', undefined],
  [
    'rbac.aggregate',
    false,
    VIEW,
    'metadata.labels[rbac.authorization.k8s.io/aggregate-to-view]',
    undefined,
  ],
  ['serviceAccount.name', 'somebody', 'ServiceAccount', 'metadata.name', 'somebody'],
  [
    'serviceAccount.annotations',
    { 'a.b/c': 'd' },
    'ServiceAccount',
    'metadata.annotations',
    { 'a.b/c': 'd' },
  ],
  ['podLabels', { team: 'data' }, 'Deployment', 'spec.template.metadata.labels.team', 'data'],
  ['podAnnotations', { note: 'x' }, 'Deployment', 'spec.template.metadata.annotations.note', 'x'],
  ['nodeSelector', { disk: 'ssd' }, 'Deployment', 'pod.nodeSelector', { disk: 'ssd' }],
  ['tolerations', [{ key: 'infra' }], 'Deployment', 'pod.tolerations', [{ key: 'infra' }]],
  ['affinity', { podAffinity: {} }, 'Deployment', 'pod.affinity', { podAffinity: {} }],
  ['priorityClassName', 'high', 'Deployment', 'pod.priorityClassName', 'high'],
  [
    'topologySpreadConstraints',
    [SPREAD],
    'Deployment',
    'pod.topologySpreadConstraints',
    [{ ...SPREAD, labelSelector: { matchLabels: PIPEWRIGHT } }],
  ],
  [
    'podSecurityContext.runAsNonRoot',
    false,
    'Deployment',
    'pod.securityContext.runAsNonRoot',
    false,
  ],
  [
    'podSecurityContext.seccompProfile.type',
    'Unconfined',
    'Deployment',
    'pod.securityContext.seccompProfile.type',
    'Unconfined',
  ],
  [
    'securityContext.allowPrivilegeEscalation',
    true,
    'Deployment',
    'container.securityContext.allowPrivilegeEscalation',
    true,
  ],
  [
    'securityContext.readOnlyRootFilesystem',
    false,
    'Deployment',
    'container.securityContext.readOnlyRootFilesystem',
    false,
  ],
  [
    'securityContext.capabilities.drop',
    ['NET_RAW'],
    'Deployment',
    'container.securityContext.capabilities.drop',
    ['NET_RAW'],
  ],
  ['extraEnv', [{ name: 'TZ', value: 'UTC' }], 'Deployment', 'env.TZ', 'UTC'],
  ['extraArgs', ['--of-a-newer-image=1'], 'Deployment', 'container.args', ['--of-a-newer-image=1']],
  ['extraVolumes', [{ name: 'more', emptyDir: {} }], 'Deployment', 'pod.volumes.1.name', 'more'],
  [
    'extraVolumeMounts',
    [{ name: 'more', mountPath: '/m' }],
    'Deployment',
    'container.volumeMounts.1.mountPath',
    '/m',
  ],
  ['networkPolicy.metricsFrom', PEERS, 'NetworkPolicy', 'spec.ingress.0.from', PEERS],
  [
    'networkPolicy.egress',
    [{ ports: [{ port: 443 }] }],
    'NetworkPolicy',
    'spec.egress.0.ports',
    [{ port: 443 }],
  ],
  [
    'podDisruptionBudget.enabled',
    true,
    'PodDisruptionBudget',
    'spec.selector.matchLabels',
    PIPEWRIGHT,
  ],
  ['serviceMonitor.enabled', true, 'ServiceMonitor', 'spec.selector.matchLabels', PIPEWRIGHT],
  ['serviceMonitor.labels', { find: 'me' }, 'ServiceMonitor', 'metadata.labels.find', 'me'],
  ['rules.enabled', true, 'PrometheusRule', 'spec.groups.0.name', 'pipewright'],
  ['rules.labels', { find: 'me' }, 'PrometheusRule', 'metadata.labels.find', 'me'],
  ['nameOverride', 'other', 'Deployment', `metadata.labels[${SHARED_KEY}]`, 'other'],
  ['fullnameOverride', 'other', 'Deployment', 'metadata.name', 'other'],
];

/** These take the place, or the object, of some of the others. */
export const INSTEAD: readonly Row[] = [
  [
    'image.digest',
    `sha256:${'0f'.repeat(32)}`,
    'Deployment',
    'container.image',
    `ghcr.io/pipewright/pipewright@sha256:${'0f'.repeat(32)}`,
  ],
  ['proxy.secret', 'ours', 'Deployment', 'env.HTTP_PROXY.secretKeyRef.name', 'ours'],
  ['proxy.key', 'address', 'Deployment', 'env.HTTPS_PROXY.secretKeyRef.key', 'address'],
  ['crds.enabled', false, 'CustomResourceDefinition', '', false],
  ['rbac.create', false, 'ClusterRole', '', false],
  ['serviceAccount.create', false, 'ServiceAccount', '', false],
  ['networkPolicy.enabled', false, 'NetworkPolicy', '', false],
];

/** The values of rows, laid over each other. */
export function valuesOf(rows: readonly Row[]): object {
  return rows.reduce<object>((values, [value, to]) => laid(value.split('.'), to, values), {});
}

function laid([first = '', ...rest]: readonly string[], to: unknown, over: object): object {
  const inner = (over as Readonly<Record<string, object | undefined>>)[first];
  return { ...over, [first]: rest.length === 0 ? to : laid(rest, to, inner ?? {}) };
}
