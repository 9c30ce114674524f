import { beforeAll, describe, expect, test } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import { findProgram } from '../controlplane/programs.ts';
import { BUILD_MS, refusal, rendered } from './helm.ts';
import { type Manifest, only } from './manifests.ts';

beforeAll(() => findProgram('helm'), BUILD_MS);

const PROXY = 'http://proxy.example.com:3128';

interface Container {
  readonly env: readonly { readonly name: string; readonly valueFrom: object }[];
}

/** What the Pods take from a Secret. */
function fromSecrets(manifests: readonly Manifest[]): Container['env'] {
  const { spec } = only(manifests, 'Deployment') as unknown as {
    spec: { template: { spec: { containers: readonly [Container] } } };
  };
  const { env } = spec.template.spec.containers[0];
  const names = env.map(({ name }) => name);
  expect(names, 'no variable twice').toEqual([...new Set(names)]);
  return env.filter(({ valueFrom }) => 'secretKeyRef' in valueFrom);
}

/** The proxy that the operator takes from the ConfigMap. */
function taken(
  manifests: readonly Manifest[],
  more: Readonly<Record<string, string>> = {},
): string | undefined {
  const env = { ...(only(manifests, 'ConfigMap')['data'] as Record<string, string>), ...more };
  const parsed = parseConfig({ argv: [], env, version: 'test' });
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.config.apiProxy?.href;
}

test('the example: the operator takes the proxy, and the Pods reach it in place of the API', async () => {
  const manifests = await rendered({ example: 'proxy' });
  expect(taken(manifests)).toBe(`${PROXY}/`);
  expect(only(manifests, 'ConfigMap')['data']).toMatchObject({ NO_PROXY: '.svc,.cluster.local' });
  expect(egressPorts(manifests)).toEqual([[53, 53], [6443], [3128]]);
});

test('the URL of a Secret gets to the operator and into no ConfigMap', async () => {
  const values = { proxy: { secret: 'corporate-proxy', key: 'address' } };
  const manifests = await rendered({ values });
  const valueFrom = { secretKeyRef: { name: 'corporate-proxy', key: 'address' } };
  expect(fromSecrets(manifests)).toEqual([{ name: 'HTTPS_PROXY', valueFrom }]);
  expect(taken(manifests, { HTTPS_PROXY: 'http://u:p@proxy:3128' })).toBe('http://u:p@proxy:3128/');

  const http = { ...values, api: { url: 'http://api.example.com', allowHttp: true } };
  expect(fromSecrets(await rendered({ values: http }))).toEqual([
    { name: 'HTTP_PROXY', valueFrom },
  ]);
  expect(fromSecrets(await rendered())).toEqual([]);
});

describe('the NetworkPolicy lets the Pods reach', () => {
  const enabled = { networkPolicy: { enabled: true } };
  test.each<[string, object, number[]]>([
    ['the API without a proxy', enabled, [443]],
    [
      'the port of the proxy',
      { ...enabled, proxy: { httpsProxy: 'http://[fd00::1]:8080/' } },
      [8080],
    ],
    [
      'port 80 of one without a port',
      { ...enabled, proxy: { httpProxy: 'proxy.example.com' } },
      [80],
    ],
    [
      'port 443 of one with https',
      { ...enabled, proxy: { httpsProxy: 'https://proxy.example.com' } },
      [443],
    ],
    [
      'the ports that are given',
      {
        networkPolicy: { enabled: true, proxy: { ports: [3128, 3129] } },
        proxy: { secret: 'proxy' },
      },
      [3128, 3129],
    ],
    [
      'the API where the proxy is for another scheme',
      { ...http(), proxy: { httpsProxy: PROXY } },
      [8081],
    ],
    [
      'the proxy for its scheme',
      { ...http(), proxy: { httpProxy: PROXY, httpsProxy: 'http://p:1' } },
      [3128],
    ],
  ])('%s', async (_, values, ports) => {
    expect(egressPorts(await rendered({ values })).slice(2)).toEqual([ports]);
  });

  test.each([
    ['https://api.example.com', '.svc, api.example.com'],
    ['https://api.example.com', '.example.com'],
    ['https://api.example.com', '*.example.com.:443'],
    ['https://api.example.com', '*'],
    ['https://10.0.0.7', '10.0.0.7'],
    ['https://[fd00::7]', 'fd00::7'],
    ['https://[fd00::7]', '[fd00::7]:443'],
  ])('%s too with noProxy %s', async (url, noProxy) => {
    const values = { ...enabled, api: { url }, proxy: { httpsProxy: PROXY, noProxy } };
    expect(egressPorts(await rendered({ values })).slice(2)).toEqual([[3128], [443]]);
  });

  function http(): object {
    return { ...enabled, api: { url: 'http://api.example.com:8081', allowHttp: true } };
  }
});

function egressPorts(manifests: readonly Manifest[]): number[][] {
  const { egress } = only(manifests, 'NetworkPolicy')['spec'] as {
    egress: { ports: { port: number }[] }[];
  };
  return egress.map(({ ports }) => ports.map(({ port }) => port));
}

describe('refused', () => {
  const api = { url: 'https://api.example.com' };
  test.each([
    [
      { proxy: { httpsProxy: 'http://u:canary@proxy:3128' } },
      'put it into a Secret and name that in proxy.secret',
    ],
    [
      { proxy: { httpProxy: 'u:canary@proxy:3128' } },
      'put it into a Secret and name that in proxy.secret',
    ],
    [
      { proxy: { secret: 'proxy', httpProxy: PROXY } },
      `but one of them is "${PROXY}" too: leave one of them out`,
    ],
    [
      { proxy: { secret: 'proxy' }, networkPolicy: { enabled: true } },
      'networkPolicy.proxy.ports is required',
    ],
    [{ proxy: { url: PROXY } }, "additional properties 'url' not allowed"],
  ])('%j', async (values, why) => {
    const told = await refusal({ api, ...values });
    expect(told).toContain(why);
    expect(told).not.toContain('canary');
  });
});
