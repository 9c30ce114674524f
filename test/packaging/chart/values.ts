/**
 * Another value than the default, and what it makes where. A place is `Kind name: path`, the name
 * left out where there is one; `pod`, `container` and `env` are those of the Deployment. Without a
 * path it is whether there is such an object. What is there is the value, unless a row says else.
 */
export type Row = readonly [value: string, to: unknown, place: string, is?: unknown];

const REPOSITORY = 'r.example.com/p';
const URL = 'http://a.example.com/v1';
const PROXY = 'http://p.example.com:3128';
const DIGEST = `sha256:${'0f'.repeat(32)}`;
const SPREAD = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' };
const PEERS = [{ podSelector: { matchLabels: { app: 'prometheus' } } }];
const PORTS = [{ ports: [{ port: 443 }] }];
const podsOf = (name: string) => ({
  matchLabels: { 'app.kubernetes.io/name': name, 'app.kubernetes.io/instance': 'pipewright' },
});
const PODS = podsOf('pipewright');
const VIEW = 'ClusterRole pipewright-view: metadata.labels';
const CRD = 'CustomResourceDefinition pipesettings.pipewright.dev: metadata';
const CONTEXT = 'container.securityContext';
const TEMPLATE = 'Deployment: spec.template.metadata';

/** All of these can be set at once. */
export const TOGETHER: readonly Row[] = [
  ['image.repository', REPOSITORY, 'container.image', `${REPOSITORY}:9.9.9`],
  ['image.tag', '9.9.9', 'container.image', `${REPOSITORY}:9.9.9`],
  ['image.pullPolicy', 'Always', 'container.imagePullPolicy'],
  ['imagePullSecrets', [{ name: 'r' }], 'pod.imagePullSecrets'],
  ['api.url', URL, 'env.PIPEWRIGHT_API_URL'],
  ['api.allowHttp', true, 'env.PIPEWRIGHT_API_ALLOW_HTTP', 'true'],
  ['api.ca.configMap', 'ours', 'pod.volumes.0.configMap.name'],
  ['api.ca.key', 'a.pem', 'pod.volumes.0.configMap.items', [{ key: 'a.pem', path: 'ca.crt' }]],
  ['api.rate', '5/1m', 'env.PIPEWRIGHT_API_RATE'],
  ['api.rateTotal', '100/1m', 'env.PIPEWRIGHT_API_RATE_TOTAL'],
  ['api.inFlight', 2, 'env.PIPEWRIGHT_API_IN_FLIGHT', '2'],
  ['api.timeout', '1m', 'env.PIPEWRIGHT_API_TIMEOUT'],
  ['proxy.url', PROXY, 'env.HTTPS_PROXY'],
  ['proxy.noProxy', '.svc', 'env.NO_PROXY'],
  ['namespaces', ['ingest', 'billing'], 'env.PIPEWRIGHT_NAMESPACES', 'ingest,billing'],
  ['selector', 'shard in (a,b)', 'env.PIPEWRIGHT_SELECTOR'],
  ['secrets.names', ['one', 'two'], 'Role pipewright: rules.3.resourceNames'],
  ['secrets.selector', 'a=b', 'env.PIPEWRIGHT_SECRET_SELECTOR'],
  ['planOnly', true, 'env.PIPEWRIGHT_PLAN_ONLY', 'true'],
  ['cleanupDeadline', '1h', 'env.PIPEWRIGHT_CLEANUP_DEADLINE'],
  ['logLevel', 'debug', 'env.PIPEWRIGHT_LOG_LEVEL'],
  ['replicaCount', 2, 'Deployment: spec.replicas'],
  ['resources.requests.cpu', '1', 'container.resources.requests.cpu'],
  ['resources.requests.memory', '1Gi', 'container.resources.requests.memory'],
  ['resources.limits.memory', '2Gi', 'container.resources.limits.memory'],
  ['crds.keep', false, `${CRD}.annotations[helm.sh/resource-policy]`, undefined],
  ['rbac.aggregate', false, `${VIEW}[rbac.authorization.k8s.io/aggregate-to-view]`, undefined],
  ['serviceAccount.name', 'somebody', 'pod.serviceAccountName'],
  ['serviceAccount.annotations', { a: 'b' }, 'ServiceAccount: metadata.annotations'],
  ['podLabels', { team: 'data' }, `${TEMPLATE}.labels.team`, 'data'],
  ['podAnnotations', { note: 'x' }, `${TEMPLATE}.annotations`],
  ['nodeSelector', { disk: 'ssd' }, 'pod.nodeSelector'],
  ['tolerations', [{ key: 'infra' }], 'pod.tolerations'],
  ['affinity', { podAffinity: {} }, 'pod.affinity'],
  ['priorityClassName', 'high', 'pod.priorityClassName'],
  [
    'topologySpreadConstraints',
    [SPREAD],
    'pod.topologySpreadConstraints',
    [{ ...SPREAD, labelSelector: PODS }],
  ],
  ['podSecurityContext.runAsNonRoot', false, 'pod.securityContext.runAsNonRoot'],
  [
    'podSecurityContext.seccompProfile.type',
    'Unconfined',
    'pod.securityContext.seccompProfile.type',
  ],
  ['securityContext.allowPrivilegeEscalation', true, `${CONTEXT}.allowPrivilegeEscalation`],
  ['securityContext.readOnlyRootFilesystem', false, `${CONTEXT}.readOnlyRootFilesystem`],
  ['securityContext.capabilities.drop', ['KILL'], `${CONTEXT}.capabilities.drop`],
  ['extraEnv', [{ name: 'TZ', value: 'UTC' }], 'env.TZ', 'UTC'],
  ['extraArgs', ['--newer=1'], 'container.args'],
  ['extraVolumes', [{ name: 'more', emptyDir: {} }], 'pod.volumes.1.name', 'more'],
  [
    'extraVolumeMounts',
    [{ name: 'more', mountPath: '/m' }],
    'container.volumeMounts.1.name',
    'more',
  ],
  ['networkPolicy.metricsFrom', PEERS, 'NetworkPolicy: spec.ingress.0.from'],
  ['networkPolicy.egress', PORTS, 'NetworkPolicy: spec.egress'],
  ['podDisruptionBudget.enabled', true, 'PodDisruptionBudget: spec.selector', PODS],
  ['serviceMonitor.enabled', true, 'ServiceMonitor: spec.selector', PODS],
  ['serviceMonitor.labels', { find: 'me' }, 'ServiceMonitor: metadata.labels.find', 'me'],
  ['rules.enabled', true, 'PrometheusRule: spec.groups.0.name', 'pipewright'],
  ['rules.labels', { find: 'me' }, 'PrometheusRule: metadata.labels.find', 'me'],
];

/** These take the place, or the object, of some of the others. */
export const INSTEAD: readonly Row[] = [
  ['image.digest', DIGEST, 'container.image', `ghcr.io/pipewright/pipewright@${DIGEST}`],
  ['proxy.secret', 'ours', 'env.HTTP_PROXY.secretKeyRef.name'],
  ['proxy.key', 'address', 'env.HTTPS_PROXY.secretKeyRef.key'],
  ['crds.enabled', false, 'CustomResourceDefinition'],
  ['rbac.create', false, 'ClusterRole'],
  ['serviceAccount.create', false, 'ServiceAccount'],
  ['networkPolicy.enabled', false, 'NetworkPolicy'],
  ['nameOverride', 'other', 'Deployment: spec.selector', podsOf('other')],
  ['fullnameOverride', 'third', 'Deployment: metadata.name'],
];

/** The values of rows, laid over each other. */
export function valuesOf(rows: readonly Row[]): object {
  return rows.reduce<object>((values, [value, to]) => laid(value.split('.'), to, values), {});
}

function laid([first = '', ...rest]: readonly string[], to: unknown, over: object): object {
  const inner = (over as Readonly<Record<string, object | undefined>>)[first];
  return { ...over, [first]: rest.length === 0 ? to : laid(rest, to, inner ?? {}) };
}
