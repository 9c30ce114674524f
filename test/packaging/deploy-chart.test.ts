import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { leaves, type ValueSchema } from '../../deploy/values-schema.ts';
import { parseConfig } from '../../src/config/config.ts';
import { FLAGS } from '../../src/config/flag-table.ts';
import { environmentName } from '../../src/config/flags.ts';
import { findProgram } from '../controlplane/programs.ts';
import { BUILD_MS, CHART, helm, refusal, rendered, template } from './helm.ts';
import { type Manifest, only } from './manifests.ts';
import { VALUE_CASES, withValue } from './value-cases.ts';

beforeAll(() => findProgram('helm'), BUILD_MS);

const URL_GIVEN = { api: { url: 'https://api.example.com' } };

interface PodSpec {
  readonly terminationGracePeriodSeconds: number;
  readonly containers: readonly {
    readonly env: readonly { readonly name: string; readonly valueFrom: object }[];
    readonly volumeMounts?: readonly { readonly mountPath: string }[];
  }[];
}

function podSpec(manifests: readonly Manifest[]): PodSpec {
  return (only(manifests, 'Deployment') as unknown as { spec: { template: { spec: PodSpec } } })
    .spec.template.spec;
}

function environment(manifests: readonly Manifest[]): Record<string, string> {
  return only(manifests, 'ConfigMap')['data'] as Record<string, string>;
}

test('helm lint --strict has no complaint', async () => {
  const { code, stdout } = await helm(['lint', '--strict', CHART], { values: URL_GIVEN });
  expect(stdout).toContain('1 chart(s) linted, 0 chart(s) failed');
  expect(code).toBe(0);
});

describe('values that are refused before anything is sent', () => {
  test.each([
    [
      {},
      'api.url is required: the base address of the management API, as in --set api.url=https://api.example.com',
    ],
    [{ api: { url: 'ftp://api.example.com' } }, 'api.url is "ftp://api.example.com": give the'],
    [{ api: { url: 'https://api.example.com?x=1' } }, 'without a ? or #'],
    [{ api: { url: 'ftp://id:word@api.example.com' } }, 'has a user name or password in it'],
    [
      { api: { url: 'http://api.example.com' } },
      'keys would travel in clear text; use https, or set api.allowHttp=true',
    ],
    [{ ...URL_GIVEN, replicaCounts: 2 }, "additional properties 'replicaCounts' not allowed"],
    [{ api: { ...URL_GIVEN.api, Timeout: '1s' } }, "additional properties 'Timeout' not allowed"],
    [{ ...URL_GIVEN, replicaCount: '2' }, "at '/replicaCount': got string, want null or integer"],
    [{ ...URL_GIVEN, concurrency: 0 }, "at '/concurrency': minimum: got 0, want 1"],
    [{ ...URL_GIVEN, logLevel: 'loud' }, "at '/logLevel': value must be one of"],
    [{ ...URL_GIVEN, namespaces: ['Ingest'] }, "at '/namespaces/0'"],
    [{ ...URL_GIVEN, image: { digest: 'sha256:1' } }, "at '/image/digest'"],
    [{ ...URL_GIVEN, podLabels: { team: 'has space' } }, "at '/podLabels/team'"],
    [{ ...URL_GIVEN, serviceAccount: { name: 'Ingest' } }, "at '/serviceAccount/name'"],
    [{ ...URL_GIVEN, secrets: { selector: ' ' } }, "at '/secrets/selector'"],
    [{ ...URL_GIVEN, crds: { enabled: false, keep: false } }, 'every object with them'],
    [
      { ...URL_GIVEN, replicaCount: 2, leaderElection: { enabled: false } },
      'they would all send the same calls',
    ],
    [{ ...URL_GIVEN, kubeconfig: { context: 'there' } }, 'set kubeconfig.secret too'],
    [{ api: { url: 'https://id:word@api.example.com' } }, 'has a user name or password in it'],
    [
      { ...URL_GIVEN, namespaces: ['ingest', 'billing'] },
      'namespaces is ingest, billing, but secrets.names is empty: set it to the names of the Secrets with API keys there, or set secrets.all=true where the operator is to read every Secret of these namespaces',
    ],
    [
      { ...URL_GIVEN, secrets: { all: true, names: ['one', 'two'] } },
      'secrets.all is true, but secrets.names has one, two: leave one of them out',
    ],
    [
      { ...URL_GIVEN, policies: { statusWriters: { others: ["a'] || true"] } } },
      "at '/policies/statusWriters/others/0'",
    ],
  ])('%j', async (values, why) => {
    expect(await refusal(values)).toContain(why);
  });
});

describe('every value', () => {
  const schema = JSON.parse(readFileSync(`${CHART}/values.schema.json`, 'utf8')) as ValueSchema;
  const paths = leaves(schema).map(({ path }) => path);
  const url = (values: object): object => ({
    ...values,
    api: { ...URL_GIVEN.api, ...(values as { api?: object }).api },
  });
  const known = new Map<string, ReturnType<typeof template>>();
  /** Many values are compared with the same objects. */
  const usual = (beside: object): ReturnType<typeof template> => {
    const key = JSON.stringify(beside);
    const made = known.get(key) ?? template({ values: url(beside) });
    known.set(key, made);
    return made;
  };

  test('has a case here', () => {
    expect(Object.keys(VALUE_CASES).sort()).toEqual(paths.toSorted());
  });

  test.each(paths)('%s shows in the objects', async (path) => {
    const { to, beside = {} } = VALUE_CASES[path] ?? { to: undefined };
    const [before, after] = await Promise.all([
      usual(beside),
      template({ values: url(withValue(path, to, beside)) }),
    ]);
    expect(after.stderr).toBe('');
    expect(after.stdout).not.toBe(before.stdout);
  });
});

describe('a null', () => {
  const on = {
    metrics: {
      service: { enabled: true },
      serviceMonitor: { enabled: true },
      rules: { enabled: true },
      dashboards: { enabled: true },
    },
    networkPolicy: { enabled: true },
    policies: { statusWriters: { enabled: true } },
    ...URL_GIVEN,
  };
  const saysNothing = (value: unknown): boolean =>
    value === '' || value === null || (typeof value === 'object' && !Object.keys(value).length);

  test('says the same as an empty default', async () => {
    const schema = JSON.parse(readFileSync(`${CHART}/values.schema.json`, 'utf8')) as ValueSchema;
    const empty = leaves(schema).filter((leaf) => saysNothing(leaf.default));
    const paths = empty.map(({ path }) => path).filter((path) => path !== 'api.url');
    expect(paths.length).toBeGreaterThan(60);
    const flags = ['--set', [...paths, 'replicas', 'image.pullSecrets'].join('=null,') + '=null'];
    const [given, usual] = await Promise.all([
      template({ values: on, flags }),
      template({ values: on }),
    ]);
    expect(given.stderr).toBe('');
    expect(given.stdout).toBe(usual.stdout);
  });

  test.each([
    ['port', 'port'],
    ['networkPolicy.apiServer.ports', 'networkPolicy.apiServer.ports'],
    ['leaderElection', 'leaderElection.enabled'],
    ['metrics', 'metrics.secure.enabled'],
    ['image.repository', 'image.repository'],
  ])('takes away no default that says something: %s', async (path, named) => {
    expect(await refusal(withValue(path, null, on))).toContain(
      `${named} has no value: it was set to null, or`,
    );
  });
});

describe('the flags of the operator', () => {
  test('are each set by a value, and what the chart writes is what the operator reads', async () => {
    const values = {
      api: {
        url: 'https://api.example.com/v1',
        allowHttp: true,
        ca: { configMap: 'ca' },
        rate: '5/1m',
        rateTotal: '100/1m',
        inFlight: 2,
        timeout: '1m30s',
      },
      namespaces: ['ingest', 'billing'],
      secrets: { all: true, selector: 'use=api' },
      selector: 'shard in (a,b)',
      concurrency: 3,
      cleanupDeadline: '1h',
      logLevel: 'debug',
      planOnly: true,
      port: 9000,
      leaderElection: { namespace: 'leases', name: 'one-of-a-kind' },
      kubeconfig: { secret: 'other-cluster', context: 'there' },
      metrics: { secure: { enabled: true, certificateSecret: 'metrics-tls' } },
    };
    const manifests = await rendered({ values });
    const written = environment(manifests);
    const flags = FLAGS.filter((flag) => !('commandLineOnly' in flag)).map(({ name }) =>
      environmentName(name),
    );
    expect(Object.keys(written).sort()).toEqual(flags.toSorted());

    const {
      PIPEWRIGHT_API_CA_FILE: ca,
      PIPEWRIGHT_KUBECONFIG: kubeconfig,
      PIPEWRIGHT_METRICS_LISTEN: metrics,
      PIPEWRIGHT_METRICS_TLS_CERT: cert,
      PIPEWRIGHT_METRICS_TLS_KEY: key,
      ...env
    } = written;
    expect(metrics).toBe(':8443');
    const mounts = podSpec(manifests).containers[0]?.volumeMounts?.map(
      ({ mountPath }) => mountPath,
    );
    const [caFolder, kubeconfigFolder, tlsFolder] = mounts ?? [];
    expect([ca, kubeconfig, cert, key]).toEqual([
      `${caFolder}/ca.crt`,
      `${kubeconfigFolder}/kubeconfig`,
      `${tlsFolder}/tls.crt`,
      `${tlsFolder}/tls.key`,
    ]);
    expect(parseConfig({ argv: [], env, version: 'test' })).toMatchObject({
      ok: true,
      config: {
        apiRate: { calls: 5, perMs: 60_000 },
        apiRateTotal: { calls: 100, perMs: 60_000 },
        apiInFlight: 2,
        apiTimeoutMs: 90_000,
        context: 'there',
        namespaces: ['ingest', 'billing'],
        planOnly: true,
        selector: 'shard in (a,b)',
        secretSelector: 'use=api',
        concurrency: 3,
        leaderElect: true,
        leaderElectName: 'one-of-a-kind',
        leaderElectNamespace: 'leases',
        cleanupDeadlineMs: 3_600_000,
        listen: { port: 9000 },
        logLevel: 'debug',
      },
    });
  });

  test('and the variables of a proxy are all that a Pod takes from the ConfigMap, each by its name', async () => {
    const [container] = podSpec(await rendered()).containers;
    expect(container).not.toHaveProperty('envFrom');
    const flags = FLAGS.filter((flag) => !('commandLineOnly' in flag)).map(({ name }) => name);
    // A kubeconfig of their choice would have the operator's own token sent where they like.
    const names = flags
      .filter((name) => name !== 'kubeconfig')
      .map((name) => `PIPEWRIGHT_${name.toUpperCase().replaceAll('-', '_')}`);
    expect(container?.env).toEqual(
      [...names, 'HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'].map((key) => ({
        name: key,
        valueFrom: {
          configMapKeyRef: {
            name: 'pipewright',
            key,
            ...(key !== 'PIPEWRIGHT_API_URL' && { optional: true }),
          },
        },
      })),
    );
  });

  test('a kubeconfig is of the chart alone, and no key of the ConfigMap', async () => {
    const values = { kubeconfig: { secret: 'other-cluster' } };
    const [container] = podSpec(await rendered({ values })).containers;
    expect(container?.env).toContainEqual({
      name: 'PIPEWRIGHT_KUBECONFIG',
      value: '/etc/pipewright/kubeconfig/kubeconfig',
    });
  });

  test('are left to the operator where there is no value', async () => {
    expect(environment(await rendered())).toEqual({
      PIPEWRIGHT_API_URL: 'https://api.example.com',
    });
  });

  test('a change of them makes new Pods', async () => {
    const annotations = async (values: object): Promise<unknown> =>
      (
        only(await rendered({ values }), 'Deployment') as unknown as {
          spec: { template: Manifest };
        }
      ).spec.template.metadata.annotations;
    expect(await annotations({ logLevel: 'debug' })).not.toEqual(await annotations({}));
    expect(await annotations({ podLabels: { a: 'b' } })).toEqual(await annotations({}));
  });
});

describe('the grace period', () => {
  test.each(['', '1s', '1500ms', '1m30.5s', '2m', '5m'])(
    'with api.timeout %j outlasts a call and 5 s',
    async (timeout) => {
      const spec = podSpec(await rendered({ values: { api: { timeout } } }));
      const env = { PIPEWRIGHT_API_URL: 'https://a.example.com', PIPEWRIGHT_API_TIMEOUT: timeout };
      const parsed = parseConfig({ argv: [], env, version: 'test' });
      const seconds = parsed.ok ? parsed.config.apiTimeoutMs / 1000 : Number.NaN;
      expect(spec.terminationGracePeriodSeconds).toBe(Math.ceil(seconds) + 15);
    },
  );

  test('may be chosen, but not too short for a call', async () => {
    const chosen = await rendered({ values: { terminationGracePeriodSeconds: 41 } });
    expect(podSpec(chosen).terminationGracePeriodSeconds).toBe(41);
    expect(await refusal({ ...URL_GIVEN, terminationGracePeriodSeconds: 40 })).toContain(
      'terminationGracePeriodSeconds is 40, but with this api.timeout the operator may need 40 s to end: set at least 41',
    );
  });
});
