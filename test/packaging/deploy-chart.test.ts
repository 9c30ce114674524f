import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };
import { parseConfig } from '../../src/config/config.ts';
import { findProgram } from '../controlplane/programs.ts';
import { BUILD_MS, CHART, EXAMPLES, HELMS, helm, refusal, rendered, template } from './helm.ts';
import { type Manifest, only } from './manifests.ts';
import { allOf, CASES, leaves, withValue } from './value-cases.ts';

beforeAll(async () => {
  for (const program of HELMS) await findProgram(program);
}, BUILD_MS);

const url = { api: { url: 'https://api.example.com' } };
/** A Helm 3 that was not built by its own script takes an old Kubernetes for granted. */
const ON = ['--kube-version', '1.36.0'];
const examples = readdirSync(EXAMPLES).map((file) => file.replace('.yaml', ''));

interface Container {
  readonly env: readonly { readonly name: string; readonly value?: string }[];
}

interface PodSpec {
  readonly terminationGracePeriodSeconds: number;
  readonly containers: readonly [Container];
}

function podSpec(manifests: readonly Manifest[]): PodSpec {
  return (only(manifests, 'Deployment') as unknown as { spec: { template: { spec: PodSpec } } })
    .spec.template.spec;
}

function environment(manifests: readonly Manifest[]): Record<string, string | undefined> {
  const [{ env }] = podSpec(manifests).containers;
  return Object.fromEntries(env.map(({ name, value }) => [name, value]));
}

describe.each(HELMS)('%s', (program) => {
  test('lints the chart without complaint', async () => {
    const args = ['lint', '--strict', CHART, ...ON];
    const { code, stdout } = await helm(args, { values: url, program });
    expect(stdout).toContain('1 chart(s) linted, 0 chart(s) failed');
    expect(code).toBe(0);
  });

  test.each<[values: object, why: string]>([
    [{}, 'api.url is required: the base address of the management API, as in --set api.url='],
    [{ api: { url: 'api.example.com' } }, 'api.url must be an address such as https://'],
    [{ api: { url: 'http://api.example.com' } }, 'use https, or set api.allowHttp=true'],
    [{ ...url, replicaCounts: 2 }, "additional properties 'replicaCounts' not allowed"],
    [{ ...url, crds: { install: false } }, "at '/crds': additional properties 'install' not"],
    [{ ...url, replicaCount: '2' }, "at '/replicaCount': got string, want integer"],
    [{ ...url, crds: { keep: null } }, "at '/crds': missing property 'keep'"],
    [{ ...url, networkPolicy: null }, "missing property 'networkPolicy'"],
  ])('refuses %j', async (values, why) => {
    const { code, stderr } = await template({ values, program, flags: ON });
    expect(code).not.toBe(0);
    expect(stderr).toContain(why);
  });
});

test.each(examples)('Helm 3 and Helm 4 make the same of values/%s.yaml', async (example) => {
  const [four, three] = await Promise.all(
    HELMS.map((program) => template({ example, program, flags: ON })),
  );
  expect(four).toMatchObject({ code: 0, stdout: expect.stringContaining('kind: Deployment') });
  // Empty lines, which the two place differently, say nothing in YAML of this chart.
  const lines = (text = ''): string[] => text.split('\n').filter((line) => line.trim() !== '');
  expect(lines(three?.stdout)).toEqual(lines(four?.stdout));
});

test('what may hold a password is refused, and not repeated', async () => {
  for (const values of [
    { api: { url: 'https://id:word@api.example.com' } },
    { ...url, proxy: { url: 'http://id:word@proxy.example.com' } },
  ]) {
    const said = await refusal(values);
    expect(said).toMatch(/(api|proxy)\.url must be an address/);
    expect(said).not.toContain('word@');
  }
});

test.each<[values: object, at: string]>([
  [{ api: { rate: '10' } }, "'/api/rate': '10' does not match pattern"],
  [{ api: { timeout: '1d' } }, "'/api/timeout'"],
  [{ api: { inFlight: 0 } }, "'/api/inFlight': minimum: got 0, want 1"],
  [{ logLevel: 'loud' }, "'/logLevel': value must be one of"],
  [{ namespaces: ['Ingest'] }, "'/namespaces/0'"],
  [{ image: { digest: 'sha256:1' } }, "'/image/digest'"],
  [{ podLabels: { team: 1 } }, "'/podLabels/team': got number, want string"],
  [{ extraArgs: ['plugin'] }, "'/extraArgs/0'"],
  [{ imagePullSecrets: ['registry'] }, "'/imagePullSecrets/0': got string, want object"],
  [{ serviceMonitor: { interval: '1m' } }, "'/serviceMonitor': additional properties"],
])('the schema says where %j is wrong', async (values, at) => {
  expect(
    await refusal({ ...values, api: { ...url.api, ...(values as typeof url).api } }),
  ).toContain(`at ${at}`);
});

describe('every value', () => {
  test('has a case here', () => {
    const values = parse(readFileSync(`${CHART}/values.yaml`, 'utf8')) as object;
    expect(Object.keys(CASES).sort()).toEqual(leaves(values).sort());
  });

  test.each(Object.keys(CASES))('%s does something', async (path) => {
    const [to, beside = {}] = CASES[path] ?? [undefined];
    const shown = async (values: object): Promise<string> =>
      JSON.stringify(await rendered({ values }));
    expect(await shown(withValue(path, to, beside))).not.toBe(await shown(beside));
  });
});

test('the operator understands every flag that the chart sets', async () => {
  const all = allOf((path) => !/^(api\.ca|proxy\.secret|proxy\.key)/.test(path));
  const env = environment(await rendered({ values: all }));
  const flags = Object.keys(env).filter((name) => name.startsWith('PIPEWRIGHT_'));
  expect(flags).toHaveLength(13);
  expect(parseConfig({ argv: [], env, version: 'test' })).toMatchObject({
    ok: true,
    config: {
      apiRate: { calls: 5, perMs: 60_000 },
      apiRateTotal: { calls: 100, perMs: 60_000 },
      apiInFlight: 2,
      apiTimeoutMs: 60_000,
      namespaces: ['ingest', 'billing'],
      selector: 'shard in (a,b)',
      secretSelector: { 'pipewright.dev/credentials': 'true' },
      planOnly: true,
      cleanupDeadlineMs: 3_600_000,
      logLevel: 'debug',
      leaderElectName: 'other',
    },
  });
});

test('without a value a flag is left to the operator', async () => {
  expect(environment(await rendered())).toEqual({
    PIPEWRIGHT_API_URL: 'https://api.example.com',
    PIPEWRIGHT_LEADER_ELECT_NAME: 'pipewright',
  });
});

test('a proxy from a Secret, and a CA from a ConfigMap, are where the operator looks for them', async () => {
  const values = { proxy: { secret: 'proxy' }, api: { ca: { configMap: 'ca', key: 'ca.pem' } } };
  const spec = podSpec(await rendered({ values }));
  const [{ env }] = spec.containers;
  for (const name of ['HTTPS_PROXY', 'HTTP_PROXY'])
    expect(env).toContainEqual({
      name,
      valueFrom: { secretKeyRef: { name: 'proxy', key: 'url' } },
    });
  expect(env).toContainEqual({
    name: 'PIPEWRIGHT_API_CA_FILE',
    value: '/etc/pipewright/api-ca/ca.crt',
  });
  expect(spec).toMatchObject({
    containers: [{ volumeMounts: [{ name: 'api-ca', mountPath: '/etc/pipewright/api-ca' }] }],
    volumes: [{ configMap: { name: 'ca', items: [{ key: 'ca.pem', path: 'ca.crt' }] } }],
  });
});

test.each([
  ['', 50],
  ['1s', 16],
  ['1m30s', 105],
  ['5m', 315],
])('with api.timeout %j a Pod has %i s to end', async (timeout, seconds) => {
  const { terminationGracePeriodSeconds } = podSpec(
    await rendered({ values: { api: { timeout } } }),
  );
  expect(terminationGracePeriodSeconds).toBe(seconds);
});

test('the chart, and what names the image, are of the version that is built', () => {
  const { version } = packageJson;
  const read = (path: string): unknown => parse(readFileSync(path, 'utf8'));
  expect(read(`${CHART}/Chart.yaml`)).toMatchObject({ version, appVersion: version });
  expect(read('deploy/kustomize/overlays/cluster-wide/kustomization.yaml')).toMatchObject({
    images: [{ newTag: version }],
  });
  expect(readFileSync('deploy/kustomize/base/deployment.yaml', 'utf8')).toContain(
    `image: ghcr.io/pipewright/pipewright:${version}\n`,
  );
});
