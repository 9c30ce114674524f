import tls, { type SecureVersion } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createKubeClient } from '../../../src/kube/client.ts';
import { Cluster } from '../../../src/kube/cluster.ts';
import { selfSigned } from '../../simulator/certificate.ts';
import { client, put } from './client.ts';
import { only, proxyWith, tlsApi } from './servers.ts';

/** The second is that of an API behind a proxy. */
const identity = selfSigned({ address: ['127.0.0.1', '192.0.2.7'] });
const TRUSTED = { ca: identity.cert };
const BEHIND_A_PROXY = 'https://192.0.2.7:8443';
const NOT_SENT = { answered: false, sent: false };

it('an extra CA is trusted, and HTTP/1.1 spoken also where HTTP/2 is offered', async () => {
  const { host, spoken } = await tlsApi(identity);
  const reply = await client(`https://${host}`, TRUSTED).call(put);
  expect(reply).toMatchObject({ httpStatus: 200, result: {} });
  expect(spoken).toEqual(['1.1']);
});

describe('nothing is sent to a server', () => {
  const UNKNOWN_CA =
    'is not signed by a trusted CA (DEPTH_ZERO_SELF_SIGNED_CERT); name its CA with --api-ca-file';

  it.each<[string, Parameters<typeof selfSigned>[0], string]>([
    ['of an unknown CA', {}, UNKNOWN_CA],
    ['for another address', { address: '127.0.0.9' }, 'is for another host name'],
    ['that has run out', { daysLeft: -1 }, 'is not valid (CERT_HAS_EXPIRED)'],
  ])('with a certificate %s', async (_, options, words) => {
    const other = selfSigned(options);
    const { host, seen } = await tlsApi(other);
    const trusted = words === UNKNOWN_CA ? {} : { ca: other.cert };
    const cause = `the TLS certificate of ${host} ${words}`;
    expect(await client(`https://${host}`, trusted).call(put)).toEqual({ ...NOT_SENT, cause });
    expect(seen).toEqual([]);
  });
});

/** As with --tls-min-v1.0 and --tls-cipher-list in NODE_OPTIONS. */
function allowOldTls(): void {
  const before = {
    DEFAULT_MIN_VERSION: tls.DEFAULT_MIN_VERSION,
    DEFAULT_CIPHERS: tls.DEFAULT_CIPHERS,
  };
  Object.assign(tls, { DEFAULT_MIN_VERSION: 'TLSv1', DEFAULT_CIPHERS: 'DEFAULT@SECLEVEL=0' });
  onTestFinished(() => void Object.assign(tls, before));
}

it.each<[SecureVersion, boolean]>([
  ['TLSv1.1', false],
  ['TLSv1.2', true],
])(
  'whatever Node is told to allow, %s is spoken with API and proxy: %s',
  async (version, isSpoken) => {
    allowOldTls();
    const old = await tlsApi(only(version, identity));
    const reply = isSpoken ? { httpStatus: 200 } : NOT_SENT;
    expect(await client(`https://${old.host}`, TRUSTED).call(put)).toMatchObject(reply);
    await proxyWith({ tls: identity, route: () => old.host });
    expect(await client(BEHIND_A_PROXY, TRUSTED).call(put)).toMatchObject(reply);
    expect(old.agreed).toEqual(isSpoken ? [version, version] : []);
    const { host } = await tlsApi(identity);
    const proxy = await proxyWith({ tls: only(version, identity), route: () => host });
    expect(await client(BEHIND_A_PROXY, TRUSTED).call(put)).toMatchObject(reply);
    expect(proxy.asked).toHaveLength(isSpoken ? 1 : 0);
  },
);

it.each<[SecureVersion, SecureVersion[]]>([
  ['TLSv1.1', []],
  ['TLSv1.2', ['TLSv1.2']],
])('whatever Node is told to allow, of %s Kubernetes speaks %j', async (version, spoken) => {
  allowOldTls();
  const { host, agreed } = await tlsApi(only(version, identity));
  const cluster = new Cluster();
  onTestFinished(() => cluster.close());
  const server = { name: 'c', server: `https://${host}`, skipTLSVerify: true };
  cluster.loadFromClusterAndUser(server, { name: 'u' });
  const call = createKubeClient(cluster).request({ method: 'GET', path: '/x' });
  await call.catch(() => undefined);
  expect(agreed).toEqual(spoken);
});
