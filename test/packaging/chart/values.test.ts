import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseConfig } from '../../../src/config/config.ts';
import { CHART, EXAMPLES, HELMS, helm, ON, rendered, template } from './helm.ts';
import { all, type Manifest, only, valueAt } from './manifests.ts';
import { INSTEAD, type Row, TOGETHER, valuesOf } from './values.ts';

const url = { api: { url: 'https://api.example.com' } };

/** The variables of the operator by name. */
function variables(deployment: Manifest): Record<string, unknown> {
  const env = valueAt(deployment, 'spec.template.spec.containers.0.env');
  const all = env as readonly { name: string; value?: string; valueFrom?: object }[];
  return Object.fromEntries(all.map(({ name, value, valueFrom }) => [name, value ?? valueFrom]));
}

const POD = 'Deployment: spec.template.spec.';

/** What a rendering has at the place of a row. */
function shown(manifests: readonly Manifest[], [, , place]: Row): unknown {
  if (place.startsWith('env.'))
    return valueAt({ env: variables(only(manifests, 'Deployment')) }, place);
  const full = place.replace(/^container\./, 'pod.containers.0.').replace(/^pod\./, POD);
  const [object = '', path] = full.split(': ');
  const [kind = '', name] = object.split(' ');
  const found = all(manifests, kind, name);
  return path === undefined ? found.length > 0 : valueAt(found[0], path);
}

/** That may be nothing at all, so a row that is silent on it is shorter. */
const wanted = (row: Row): unknown => (row.length === 4 ? row[3] : row[1]);

describe('every value', () => {
  let [defaults, together, instead]: Manifest[][] = [];
  beforeAll(async () => {
    [defaults, together, instead] = await Promise.all(
      [[], TOGETHER, INSTEAD].map((rows) => rendered({ values: valuesOf(rows) })),
    );
  });

  test('has a row', () => {
    const values = parse(readFileSync(`${CHART}/values.yaml`, 'utf8')) as object;
    expect([...TOGETHER, ...INSTEAD].map(([value]) => value).sort()).toEqual(leaves(values).sort());
  });

  test.for(TOGETHER)('%s is where it belongs, and by default is not', (row) => {
    expect(shown(together ?? [], row)).toEqual(wanted(row));
    expect(shown(defaults ?? [], row)).not.toEqual(wanted(row));
  });

  test.for(INSTEAD)('%s, in place of others', (row) => {
    expect(shown(instead ?? [], row)).toEqual(wanted(row));
    expect(shown(defaults ?? [], row)).not.toEqual(wanted(row));
  });

  test('for which there is a flag is understood by the operator', () => {
    const { PIPEWRIGHT_API_CA_FILE: file, ...env } = variables(only(together ?? [], 'Deployment'));
    expect(
      parseConfig({ argv: [], env: env as Record<string, string>, version: 'test' }),
    ).toMatchObject({
      ok: true,
      config: {
        apiAllowHttp: true,
        apiRate: { calls: 5, perMs: 60_000 },
        apiRateTotal: { calls: 100, perMs: 60_000 },
        apiInFlight: 2,
        apiTimeoutMs: 60_000,
        namespaces: ['ingest', 'billing'],
        selector: 'shard in (a,b)',
        secretSelector: { a: 'b' },
        planOnly: true,
        cleanupDeadlineMs: 3_600_000,
        logLevel: 'debug',
        leaderElectName: 'pipewright',
      },
    });
    expect(file).toBe('/etc/pipewright/api-ca/ca.crt');
    const where = 'spec.template.spec.containers.0.volumeMounts.0.mountPath';
    expect(valueAt(only(together ?? [], 'Deployment'), where)).toBe('/etc/pipewright/api-ca');
  });

  test('that is not given is left to the operator', () => {
    expect(variables(only(defaults ?? [], 'Deployment'))).toEqual({
      PIPEWRIGHT_API_URL: 'https://api.example.com',
      PIPEWRIGHT_LEADER_ELECT_NAME: 'pipewright',
    });
  });
});

/** Paths as `--set` takes them; a map without keys is one value. */
function leaves(values: object, prefix = ''): string[] {
  return Object.entries(values).flatMap(([name, value]: [string, unknown]) => {
    const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isMap && Object.keys(value).length > 0
      ? leaves(value, `${prefix}${name}.`)
      : [prefix + name];
  });
}

describe.each(HELMS)('%s', (program) => {
  test('lints the chart without complaint', async () => {
    const args = ['lint', '--strict', CHART, ...ON];
    const { code, stdout } = await helm(args, { values: url, program });
    expect(stdout).toContain('1 chart(s) linted, 0 chart(s) failed');
    expect(code).toBe(0);
  });

  test.concurrent.each<[values: object, why: string]>([
    [{}, 'api.url is required: the base address of the management API, as in --set api.url='],
    [{ api: { url: 'api.example.com' } }, 'api.url must be an address such as https://'],
    [{ api: { url: 'http://api.example.com' } }, 'use https, or set api.allowHttp=true'],
    [{ api: { url: 'https://id:word@api.example.com' } }, 'api.url must be an address'],
    [{ ...url, proxy: { url: 'http://id:word@p.example.com' } }, 'proxy.url must be an address'],
    [{ ...url, replicaCounts: 2 }, "additional properties 'replicaCounts' not allowed"],
    [{ ...url, crds: { install: false } }, "at '/crds': additional properties 'install' not"],
    [{ ...url, replicaCount: '2' }, "at '/replicaCount': got string, want integer"],
    [{ ...url, crds: { keep: null } }, "at '/crds': missing property 'keep'"],
    [{ ...url, networkPolicy: null }, "missing property 'networkPolicy'"],
    [{ api: { ...url.api, rate: '10' } }, "at '/api/rate': '10' does not match pattern"],
    [{ api: { ...url.api, timeout: '1d' } }, "at '/api/timeout'"],
    [{ api: { ...url.api, inFlight: 0 } }, "at '/api/inFlight': minimum: got 0, want 1"],
    [{ ...url, logLevel: 'loud' }, "at '/logLevel': value must be one of"],
    [{ ...url, namespaces: ['Ingest'] }, "at '/namespaces/0'"],
    [{ ...url, image: { digest: 'sha256:1' } }, "at '/image/digest'"],
    [{ ...url, podLabels: { team: 1 } }, "at '/podLabels/team': got number, want string"],
    [{ ...url, extraArgs: ['plugin'] }, "at '/extraArgs/0'"],
    [{ ...url, imagePullSecrets: ['r'] }, "at '/imagePullSecrets/0': got string, want object"],
    [{ ...url, serviceMonitor: { interval: '1m' } }, "at '/serviceMonitor': additional properties"],
  ])('refuses %j, and repeats no password', async (values, why) => {
    const { code, stderr } = await template({ values, program });
    expect(code).not.toBe(0);
    expect(stderr).toContain(why);
    expect(stderr).not.toContain('word@');
  });
});

test.each(EXAMPLES)('Helm 3 and Helm 4 make the same of values/%s.yaml', async (example) => {
  const [four, three] = await Promise.all(HELMS.map((program) => template({ example, program })));
  expect(four).toMatchObject({ code: 0, stdout: expect.stringContaining('kind: Deployment') });
  // Empty lines, which the two place differently, say nothing in YAML of this chart.
  const lines = (text = ''): string[] => text.split('\n').filter((line) => line.trim() !== '');
  expect(lines(three?.stdout)).toEqual(lines(four?.stdout));
});

test.each([
  ['', 50],
  ['1s', 16],
  ['1m30s', 105],
  ['5m', 315],
])('with api.timeout %j a Pod has %i s to end', async (timeout, seconds) => {
  const manifests = await rendered({ values: { api: { timeout } } });
  const at = 'spec.template.spec.terminationGracePeriodSeconds';
  expect(valueAt(only(manifests, 'Deployment'), at)).toBe(seconds);
});
