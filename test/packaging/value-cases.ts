const SECURE_METRICS = {
  metrics: {
    secure: { enabled: true, certificateSecret: 'metrics-tls' },
    serviceMonitor: { enabled: true },
  },
};

/**
 * For each value of the chart: another one than the default, and what else it takes to show in the
 * objects.
 */
export const VALUE_CASES: Readonly<
  Record<string, { readonly to: unknown; readonly beside?: object }>
> = {
  global: { to: { imagePullSecrets: ['of-a-parent-chart'] } },
  nameOverride: { to: 'other' },
  fullnameOverride: { to: 'other' },
  commonLabels: { to: { 'app.kubernetes.io/part-of': 'ingest' } },
  'api.url': { to: 'https://other.example.com/v1' },
  'api.allowHttp': { to: true },
  'api.ca.configMap': { to: 'corporate-ca' },
  'api.ca.key': { to: 'bundle.pem', beside: { api: { ca: { configMap: 'corporate-ca' } } } },
  'api.rate': { to: '5/1m' },
  'api.rateTotal': { to: '100/1m' },
  'api.inFlight': { to: 2 },
  'api.timeout': { to: '1m' },
  'proxy.httpsProxy': { to: 'http://proxy.example.com:3128' },
  'proxy.httpProxy': { to: 'http://proxy.example.com:3128' },
  'proxy.noProxy': { to: '.svc' },
  'proxy.secret': { to: 'proxy' },
  'proxy.key': { to: 'address', beside: { proxy: { secret: 'proxy' } } },
  namespaces: { to: ['ingest', 'billing'], beside: { secrets: { all: true } } },
  selector: { to: 'shard in (a,b)' },
  'secrets.names': { to: ['management-api'] },
  'secrets.selector': { to: 'pipewright.dev/credentials=true' },
  'secrets.all': { to: true, beside: { namespaces: ['ingest'] } },
  concurrency: { to: 3 },
  planOnly: { to: true },
  cleanupDeadline: { to: '1h' },
  logLevel: { to: 'debug' },
  port: { to: 9000 },
  replicaCount: { to: 2 },
  strategy: { to: { rollingUpdate: { maxSurge: 0 } } },
  revisionHistoryLimit: { to: 0 },
  'leaderElection.enabled': { to: false },
  'leaderElection.namespace': { to: 'leases' },
  'leaderElection.name': { to: 'one-of-a-kind' },
  'kubeconfig.secret': { to: 'other-cluster' },
  'kubeconfig.key': { to: 'config', beside: { kubeconfig: { secret: 'other-cluster' } } },
  'kubeconfig.context': { to: 'there', beside: { kubeconfig: { secret: 'other-cluster' } } },
  'crds.enabled': { to: false },
  'crds.keep': { to: false },
  'crds.annotations': { to: { 'argocd.argoproj.io/sync-wave': '-1' } },
  'rbac.create': { to: false },
  'rbac.aggregateToView': { to: false },
  'rbac.aggregateToEdit': { to: false },
  'policies.statusWriters.enabled': { to: true },
  'policies.statusWriters.others': {
    to: ['system:serviceaccount:velero:velero'],
    beside: { policies: { statusWriters: { enabled: true } } },
  },
  'policies.operatorFinalizers.enabled': { to: true },
  'policies.secretReaders.enabled': { to: true },
  'serviceAccount.create': { to: false },
  'serviceAccount.name': { to: 'somebody' },
  'serviceAccount.annotations': { to: { 'example.com/role': 'writer' } },
  'serviceAccount.labels': { to: { team: 'data' } },
  'serviceAccount.automount': { to: false, beside: { kubeconfig: { secret: 'other-cluster' } } },
  'image.repository': { to: 'registry.example.com/pipewright' },
  'image.tag': { to: '9.9.9' },
  'image.digest': { to: `sha256:${'0f'.repeat(32)}` },
  'image.pullPolicy': { to: 'Always' },
  imagePullSecrets: { to: [{ name: 'registry' }] },
  resources: { to: { limits: { memory: '1Gi' } } },
  terminationGracePeriodSeconds: { to: 90 },
  livenessProbe: { to: { failureThreshold: 5 } },
  readinessProbe: { to: { initialDelaySeconds: 2 } },
  podSecurityContext: { to: { fsGroup: 65_532 } },
  securityContext: { to: { privileged: false } },
  extraEnv: { to: [{ name: 'TZ', value: 'UTC' }] },
  extraArgs: { to: ['--of-a-newer-image=1'] },
  extraVolumes: { to: [{ name: 'more', emptyDir: {} }] },
  extraVolumeMounts: { to: [{ name: 'more', mountPath: '/etc/pipewright/more' }] },
  extraObjects: { to: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'more' } }] },
  deploymentAnnotations: { to: { 'example.com/note': 'seen' } },
  podLabels: { to: { team: 'data' } },
  podAnnotations: { to: { 'example.com/note': 'seen' } },
  priorityClassName: { to: 'high' },
  nodeSelector: { to: { 'kubernetes.io/arch': 'arm64' } },
  tolerations: { to: [{ key: 'infra', operator: 'Exists' }] },
  affinity: { to: { nodeAffinity: {} } },
  topologySpreadConstraints: {
    to: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }],
  },
  hostAliases: { to: [{ ip: '10.0.0.7', hostnames: ['api.example.com'] }] },
  hostNetwork: { to: true },
  dnsPolicy: { to: 'Default' },
  dnsConfig: { to: { options: [{ name: 'ndots', value: '1' }] } },
  'podDisruptionBudget.enabled': { to: true },
  'podDisruptionBudget.maxUnavailable': {
    to: '50%',
    beside: { podDisruptionBudget: { enabled: true } },
  },
  'networkPolicy.ingress': { to: false },
  'networkPolicy.enabled': { to: true },
  'networkPolicy.apiServer.cidrs': {
    to: ['10.0.0.1/32'],
    beside: { networkPolicy: { enabled: true } },
  },
  'networkPolicy.apiServer.ports': { to: [8443], beside: { networkPolicy: { enabled: true } } },
  'networkPolicy.managementApi.cidrs': {
    to: ['fd00::/8'],
    beside: { networkPolicy: { enabled: true } },
  },
  'networkPolicy.proxy.cidrs': {
    to: ['10.0.0.7/32'],
    beside: {
      networkPolicy: { enabled: true },
      proxy: { httpsProxy: 'http://proxy.example.com:3128' },
    },
  },
  'networkPolicy.proxy.ports': {
    to: [3129],
    beside: {
      networkPolicy: { enabled: true },
      proxy: { httpsProxy: 'http://proxy.example.com:3128' },
    },
  },
  'networkPolicy.metricsFrom': {
    to: [{ podSelector: {} }],
    beside: { networkPolicy: { enabled: true } },
  },
  'metrics.secure.enabled': {
    to: true,
    beside: { metrics: { secure: { certificateSecret: 'metrics-tls' } } },
  },
  'metrics.secure.port': { to: 9443, beside: SECURE_METRICS },
  'metrics.secure.certificateSecret': { to: 'other-tls', beside: SECURE_METRICS },
  'metrics.secure.caKey': { to: 'root.crt', beside: SECURE_METRICS },
  'metrics.secure.tokenSecret': { to: 'prometheus-token', beside: SECURE_METRICS },
  'metrics.service.enabled': { to: true },
  'metrics.service.annotations': {
    to: { 'example.com/note': 'x' },
    beside: { metrics: { service: { enabled: true } } },
  },
  'metrics.podMonitor.enabled': { to: true },
  'metrics.podMonitor.labels': {
    to: { release: 'prometheus' },
    beside: { metrics: { podMonitor: { enabled: true } } },
  },
  'metrics.podMonitor.interval': {
    to: '15s',
    beside: { metrics: { podMonitor: { enabled: true } } },
  },
  'metrics.podMonitor.namespace': {
    to: 'monitoring',
    beside: { metrics: { podMonitor: { enabled: true } } },
  },
  'metrics.podMonitor.scrapeTimeout': {
    to: '5s',
    beside: { metrics: { podMonitor: { enabled: true } } },
  },
  'metrics.podMonitor.relabelings': {
    to: [{ targetLabel: 'cluster', replacement: 'eu' }],
    beside: { metrics: { podMonitor: { enabled: true } } },
  },
  'metrics.podMonitor.metricRelabelings': {
    to: [{ action: 'drop', sourceLabels: ['__name__'], regex: 'nodejs_.*' }],
    beside: { metrics: { podMonitor: { enabled: true } } },
  },
  'metrics.serviceMonitor.enabled': { to: true },
  'metrics.serviceMonitor.labels': {
    to: { release: 'x' },
    beside: { metrics: { serviceMonitor: { enabled: true } } },
  },
  'metrics.serviceMonitor.interval': {
    to: '15s',
    beside: { metrics: { serviceMonitor: { enabled: true } } },
  },
  'metrics.serviceMonitor.namespace': {
    to: 'monitoring',
    beside: { metrics: { serviceMonitor: { enabled: true } } },
  },
  'metrics.serviceMonitor.scrapeTimeout': {
    to: '5s',
    beside: { metrics: { serviceMonitor: { enabled: true } } },
  },
  'metrics.serviceMonitor.relabelings': {
    to: [{ targetLabel: 'cluster', replacement: 'eu' }],
    beside: { metrics: { serviceMonitor: { enabled: true } } },
  },
  'metrics.serviceMonitor.metricRelabelings': {
    to: [{ action: 'drop', sourceLabels: ['__name__'], regex: 'nodejs_.*' }],
    beside: { metrics: { serviceMonitor: { enabled: true } } },
  },
  'metrics.rules.enabled': { to: true },
  'metrics.rules.labels': {
    to: { release: 'x' },
    beside: { metrics: { rules: { enabled: true } } },
  },
  'metrics.rules.namespace': {
    to: 'monitoring',
    beside: { metrics: { rules: { enabled: true } } },
  },
  'metrics.rules.alertLabels': {
    to: { team: 'data' },
    beside: { metrics: { rules: { enabled: true } } },
  },
  'metrics.rules.disabled': {
    to: ['PipewrightDrift'],
    beside: { metrics: { rules: { enabled: true } } },
  },
  'metrics.rules.runbookUrl': {
    to: 'https://runbooks.example.com/pipewright',
    beside: { metrics: { rules: { enabled: true } } },
  },
  'metrics.rules.job': {
    to: 'pipewright-.*',
    beside: { metrics: { rules: { enabled: true } } },
  },
  'metrics.rules.cluster': {
    to: 'eu',
    beside: { metrics: { rules: { enabled: true } } },
  },
  'metrics.dashboards.enabled': { to: true },
  'metrics.dashboards.labels': {
    to: { folder: 'x' },
    beside: { metrics: { dashboards: { enabled: true } } },
  },
  'metrics.dashboards.namespace': {
    to: 'monitoring',
    beside: { metrics: { dashboards: { enabled: true } } },
  },
  'metrics.dashboards.label': {
    to: 'dashboards',
    beside: { metrics: { dashboards: { enabled: true } } },
  },
  'metrics.dashboards.labelValue': {
    to: 'yes',
    beside: { metrics: { dashboards: { enabled: true } } },
  },
  'metrics.dashboards.annotations': {
    to: { grafana_folder: 'Data' },
    beside: { metrics: { dashboards: { enabled: true } } },
  },
};

/** `a.b` and a value as `{a: {b: value}}`, laid over other values. */
export function withValue(path: string, to: unknown, beside: object = {}): object {
  const [first = '', ...rest] = path.split('.');
  const inner = (beside as Readonly<Record<string, object>>)[first];
  return { ...beside, [first]: rest.length === 0 ? to : withValue(rest.join('.'), to, inner) };
}
