/** For each value: another one than the default, and what else it takes to show in the objects. */
export const CASES: Readonly<Record<string, readonly [to: unknown, beside?: object]>> = {
  'image.repository': ['registry.example.com/pipewright'],
  'image.tag': ['9.9.9'],
  'image.digest': [`sha256:${'0f'.repeat(32)}`],
  'image.pullPolicy': ['Always'],
  imagePullSecrets: [[{ name: 'registry' }]],
  'api.url': ['https://other.example.com/v1'],
  'api.allowHttp': [true],
  'api.ca.configMap': ['corporate-ca'],
  'api.ca.key': ['bundle.pem', { api: { ca: { configMap: 'corporate-ca' } } }],
  'api.rate': ['5/1m'],
  'api.rateTotal': ['100/1m'],
  'api.inFlight': [2],
  'api.timeout': ['1m'],
  'proxy.url': ['http://proxy.example.com:3128'],
  'proxy.secret': ['proxy'],
  'proxy.key': ['address', { proxy: { secret: 'proxy' } }],
  'proxy.noProxy': ['.svc'],
  namespaces: [['ingest', 'billing']],
  selector: ['shard in (a,b)'],
  'secrets.names': [['management-api']],
  'secrets.selector': ['pipewright.dev/credentials=true'],
  planOnly: [true],
  cleanupDeadline: ['1h'],
  logLevel: ['debug'],
  replicaCount: [2],
  'resources.requests.cpu': ['1'],
  'resources.requests.memory': ['1Gi'],
  'resources.limits.memory': ['1Gi'],
  'crds.enabled': [false],
  'crds.keep': [false],
  'rbac.create': [false],
  'rbac.aggregate': [false],
  'serviceAccount.create': [false],
  'serviceAccount.name': ['somebody'],
  'serviceAccount.annotations': [{ 'example.com/role': 'writer' }],
  podLabels: [{ team: 'data' }],
  podAnnotations: [{ 'example.com/note': 'seen' }],
  nodeSelector: [{ 'kubernetes.io/arch': 'arm64' }],
  tolerations: [[{ key: 'infra', operator: 'Exists' }]],
  affinity: [
    { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] }, podAffinity: {} },
  ],
  priorityClassName: ['high'],
  topologySpreadConstraints: [
    [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }],
  ],
  'podSecurityContext.runAsNonRoot': [false],
  'podSecurityContext.seccompProfile.type': ['Unconfined'],
  'securityContext.allowPrivilegeEscalation': [true],
  'securityContext.readOnlyRootFilesystem': [false],
  'securityContext.capabilities.drop': [['NET_RAW']],
  extraEnv: [[{ name: 'TZ', value: 'UTC' }]],
  extraArgs: [['--of-a-newer-image=1']],
  extraVolumes: [[{ name: 'more', emptyDir: {} }]],
  extraVolumeMounts: [[{ name: 'more', mountPath: '/more' }]],
  'networkPolicy.enabled': [false],
  'networkPolicy.metricsFrom': [[{ podSelector: {} }]],
  'networkPolicy.egress': [[{ ports: [{ port: 443 }] }]],
  'podDisruptionBudget.enabled': [true],
  'serviceMonitor.enabled': [true],
  'serviceMonitor.labels': [{ release: 'x' }, { serviceMonitor: { enabled: true } }],
  'rules.enabled': [true],
  'rules.labels': [{ release: 'x' }, { rules: { enabled: true } }],
  nameOverride: ['other'],
  fullnameOverride: ['other'],
};

/** Paths as `--set` takes them; a map without keys is one value. */
export function leaves(values: object, prefix = ''): string[] {
  return Object.entries(values).flatMap(([name, value]: [string, unknown]) =>
    isMap(value) && Object.keys(value).length > 0
      ? leaves(value, `${prefix}${name}.`)
      : [prefix + name],
  );
}

function isMap(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The other value of all whose path this takes, laid over each other. */
export function allOf(taken: (path: string) => boolean): object {
  const paths = Object.keys(CASES).filter(taken);
  return paths.reduce<object>((values, path) => withValue(path, CASES[path]?.[0], values), {});
}

/** `a.b` and a value as `{a: {b: value}}`, laid over other values. */
export function withValue(path: string, to: unknown, beside: object = {}): object {
  const [first = '', ...rest] = path.split('.');
  const inner = (beside as Readonly<Record<string, object>>)[first];
  return { ...beside, [first]: rest.length === 0 ? to : withValue(rest.join('.'), to, inner) };
}
