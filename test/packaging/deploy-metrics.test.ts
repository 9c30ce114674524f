import { beforeAll, describe, expect, test } from 'vitest';
import { kubectl } from '../controlplane/client.ts';
import { findProgram } from '../controlplane/programs.ts';
import { BUILD_MS, refusal, rendered } from './helm.ts';
import { list, type Manifest, only } from './manifests.ts';
import { succeed } from './run.ts';

beforeAll(async () => {
  for (const name of ['helm', 'monitors'] as const) await findProgram(name);
}, BUILD_MS);

const SECURE = { enabled: true, certificateSecret: 'metrics-tls', port: 9443 };
const secured = (more: object = {}, others: object = {}): Promise<Manifest[]> =>
  rendered({ values: { metrics: { secure: SECURE, ...more }, ...others } });

function spec(manifests: readonly Manifest[], kind: string): unknown {
  return only(manifests, kind)['spec'];
}

const named = (manifests: readonly Manifest[], part: RegExp): Manifest[] =>
  manifests.filter(({ kind, metadata }) => part.test(`${kind} ${metadata.name}`));

describe('metrics with TLS', () => {
  test('are off: no right to ask about tokens, no port, no certificate', async () => {
    const manifests = await rendered();
    expect(JSON.stringify(manifests)).not.toMatch(
      /tokenreviews|subjectaccessreviews|nonResourceURLs|metrics-tls/,
    );
    expect(JSON.stringify(only(manifests, 'ConfigMap')['data'])).not.toContain('METRICS');
  });

  test.each([{}, { namespaces: ['ingest'], secrets: { all: true } }])(
    'give the operator these rights and no other in the cluster, with %j',
    async (others) => {
      const [before, after] = await Promise.all([
        rendered({ values: others }),
        secured({}, others),
      ]);
      const there = new Set(list(before));
      const added = after.filter((one) => list([one]).some((name) => !there.has(name)));
      expect(list(added)).toEqual([
        'ClusterRole pipewright-pipewright-metrics-auth',
        'ClusterRole pipewright-pipewright-metrics-reader',
        'ClusterRoleBinding pipewright-pipewright-metrics-auth',
      ]);
      expect(only(added, 'ClusterRole', 'pipewright-pipewright-metrics-auth')['rules']).toEqual([
        { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
        {
          apiGroups: ['authorization.k8s.io'],
          resources: ['subjectaccessreviews'],
          verbs: ['create'],
        },
      ]);
      expect(only(added, 'ClusterRole', 'pipewright-pipewright-metrics-reader')['rules']).toEqual([
        { nonResourceURLs: ['/metrics'], verbs: ['get'] },
      ]);
      expect(only(added, 'ClusterRoleBinding')).toMatchObject({
        roleRef: { kind: 'ClusterRole', name: 'pipewright-pipewright-metrics-auth' },
        subjects: [{ kind: 'ServiceAccount', name: 'pipewright', namespace: 'pipewright' }],
      });
      const args = ['apply', '--server-side', '--dry-run=server', '--validate=strict', '-f', '-'];
      const stream = added.map((one) => JSON.stringify(one)).join('\n---\n');
      expect((await kubectl(args, stream)).stderr).toBe('');
    },
  );

  test('of releases in two namespaces share no object of the cluster', async () => {
    const values = {
      metrics: { secure: SECURE },
      namespaces: ['x'],
      secrets: { all: true },
      crds: { install: false },
    };
    const [one, other] = await Promise.all(
      ['a', 'b'].map((namespace) => rendered({ values, namespace })),
    );
    const cluster = (all: readonly Manifest[] = []): string[] => list(named(all, /^Cluster/));
    expect(cluster(one)).toHaveLength(3);
    expect(cluster(one).filter((name) => cluster(other).includes(name))).toEqual([]);
  });

  test('are a port of the Pod and of the Service beside that of the probes', async () => {
    const manifests = await secured({ service: { enabled: true } });
    const { template } = spec(manifests, 'Deployment') as {
      template: { spec: { containers: readonly object[]; volumes: readonly object[] } };
    };
    const [container] = template.spec.containers;
    expect(container).toMatchObject({
      ports: [
        { name: 'http', containerPort: 8080 },
        { name: 'metrics', containerPort: 9443 },
      ],
      livenessProbe: { httpGet: { path: '/livez', port: 'http' } },
      volumeMounts: [
        { name: 'metrics-tls', mountPath: '/etc/pipewright/metrics-tls', readOnly: true },
      ],
    });
    expect(template.spec.volumes).toMatchObject([{ secret: { secretName: 'metrics-tls' } }]);
    expect(spec(manifests, 'Service')).toMatchObject({
      ports: [{ name: 'metrics', port: 9443, targetPort: 'metrics' }],
    });
  });

  test('are scraped with a token and against the CA of the certificate', async () => {
    const monitors = { podMonitor: { enabled: true }, serviceMonitor: { enabled: true } };
    const manifests = await secured({
      ...monitors,
      secure: { ...SECURE, tokenSecret: 'prometheus-token' },
    });
    const endpoint = {
      port: 'metrics',
      scheme: 'https',
      authorization: { credentials: { name: 'prometheus-token', key: 'token' } },
      tlsConfig: {
        serverName: 'pipewright-metrics.pipewright.svc',
        ca: { secret: { name: 'metrics-tls', key: 'ca.crt' } },
      },
    };
    expect(spec(manifests, 'PodMonitor')).toMatchObject({ podMetricsEndpoints: [endpoint] });
    expect(spec(manifests, 'ServiceMonitor')).toMatchObject({ endpoints: [endpoint] });
    const own = await secured({ serviceMonitor: { enabled: true } });
    expect(spec(own, 'ServiceMonitor')).toMatchObject({
      endpoints: [
        {
          scheme: 'https',
          bearerTokenFile: '/var/run/secrets/kubernetes.io/serviceaccount/token',
        },
      ],
    });
    const all = named([...manifests, ...own], /^(Pod|Service)Monitor /);
    const stdin = all.map((one) => JSON.stringify(one)).join('\n');
    expect(await succeed(await findProgram('monitors'), [], { stdin })).toBe('3\n');
  });

  test.each([
    [{ secure: { enabled: true } }, 'metrics.secure.certificateSecret is required'],
    [
      { secure: { ...SECURE, port: 8080 } },
      'metrics.secure.port is 8080, which is the port of the probes',
    ],
    [
      { secure: SECURE, podMonitor: { enabled: true } },
      'metrics.secure.tokenSecret is required with metrics.podMonitor',
    ],
  ])('are refused with %j', async (metrics, why) => {
    expect(await refusal({ api: { url: 'https://api.example.com' }, metrics })).toContain(why);
  });
});

describe('the NetworkPolicy', () => {
  const from = [{ namespaceSelector: { matchLabels: { team: 'monitoring' } } }];
  const port = (name: string): object => ({ ports: [{ protocol: 'TCP', port: name }] });
  const monitored = { serviceMonitor: { enabled: true } };

  test.each<[string, object, object[]]>([
    ['nobody', {}, []],
    ['nobody, with egress restricted too', { networkPolicy: { enabled: true } }, []],
    [
      'nobody but whom metricsFrom names',
      { networkPolicy: { metricsFrom: from } },
      [{ ...port('http'), from }],
    ],
    ['everybody to what the chart lets be scraped', { metrics: monitored }, [port('http')]],
    [
      'those of metricsFrom alone, also then',
      { metrics: monitored, networkPolicy: { metricsFrom: from } },
      [{ ...port('http'), from }],
    ],
    [
      'nobody to the port of the probes where the metrics have their own',
      { metrics: { ...monitored, secure: SECURE } },
      [port('metrics')],
    ],
  ])('lets in %s', async (_, values, ingress) => {
    const manifests = await rendered({ values });
    const { networkPolicy: { enabled = false } = {} } = values as {
      networkPolicy?: { enabled?: boolean };
    };
    expect(spec(manifests, 'NetworkPolicy')).toMatchObject({
      policyTypes: enabled ? ['Ingress', 'Egress'] : ['Ingress'],
      ingress,
    });
    expect('egress' in (spec(manifests, 'NetworkPolicy') as object)).toBe(enabled);
  });

  test('is none where it is not wanted, and whole where egress is', async () => {
    const without = await rendered({ values: { networkPolicy: { ingress: false } } });
    expect(named(without, /^NetworkPolicy/)).toEqual([]);
    const both = await rendered({ values: { networkPolicy: { ingress: false, enabled: true } } });
    expect(spec(both, 'NetworkPolicy')).toMatchObject({ policyTypes: ['Ingress', 'Egress'] });
  });
});
