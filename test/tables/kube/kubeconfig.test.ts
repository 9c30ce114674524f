import { mkdir, writeFile } from 'node:fs/promises';
import { createSecureServer } from 'node:http2';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createKubeClient } from '../../../src/kube/client.ts';
import { Cluster, loadCluster } from '../../../src/kube/cluster.ts';
import { selfSigned } from '../../simulator/certificate.ts';
import { startConnectProxy } from '../../support/connect-proxy.ts';
import { folderOf, temporaryFolder } from '../../support/folder.ts';
import { listening } from '../api/servers.ts';

const CANARY = 'c4n4ry-c4n4ry-c4n4ry';
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const { cert, key } = selfSigned();
const CA = { 'certificate-authority-data': base64(cert) };

beforeEach(() => {
  vi.stubEnv('KUBECONFIG', undefined);
  vi.stubEnv('HOME', '/nowhere');
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

/** A kubeconfig as JSON, which is YAML too. */
function kubeconfig(user: object | null, cluster: object = {}): string {
  return JSON.stringify({
    'current-context': 'one',
    contexts: [{ name: 'one', context: { cluster: 'c', user: 'u', namespace: 'team' } }],
    clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1', ...cluster } }],
    users: [{ name: 'u', user }],
  });
}

describe('a kubeconfig is used', () => {
  /** Says what it sees of a call; it would rather speak HTTP/2. */
  async function start(): Promise<string> {
    const offers = { cert, key, allowHTTP1: true, requestCert: true, rejectUnauthorized: false };
    const server = createSecureServer(offers, ({ httpVersion, headers, socket }, response) => {
      const { authorization, 'impersonate-user': as } = headers;
      const { fingerprint256 } = (socket as TLSSocket).getPeerCertificate();
      const certificate = fingerprint256 && 'ours';
      response.end(JSON.stringify({ httpVersion, authorization, as, certificate }));
    });
    return listening(server);
  }

  const apiVersion = 'client.authentication.k8s.io/v1';
  const token = '$(echo $KUBERNETES_EXEC_INFO | tr -dc a-zE)';
  const credential = JSON.stringify({ kind: 'ExecCredential', status: { token } });
  const script = `echo ${JSON.stringify(credential)}`;
  const exec = { apiVersion, command: 'sh', args: ['-c', script] };
  const files = { 'client-certificate': 'tls.crt', 'client-key': 'tls.key' };
  const asOther = { authorization: 'Bearer t', as: 'someone' };
  const byPlugin = 'Bearer apiersionclientauthenticationksiovkindExecredentialspecinteractivefalse';

  test.each<[string, object | null, object, object]>([
    ['with a token', { token: 't' }, CA, { authorization: 'Bearer t' }],
    ['as somebody else', { token: 't', as: 'someone' }, CA, asOther],
    ['with a certificate in files beside it', files, CA, { certificate: 'ours' }],
    ['with a plugin, which is told what it must know', { exec }, CA, { authorization: byPlugin }],
    ['whoever answers', {}, { 'insecure-skip-tls-verify': true }, {}],
    ['by a proxy', {}, { ...CA, 'proxy-url': 'PROXY' }, { tunnels: 1 }],
  ])('%s, over HTTP/1.1', async (_what, user, cluster, expected) => {
    const { tunnels = 0, ...seen }: { tunnels?: number } = expected;
    const proxy = await startConnectProxy();
    onTestFinished(() => proxy.stop());
    const server = `https://${await start()}`;
    const config = kubeconfig(user, { server, ...cluster }).replace('PROXY', proxy.url);
    const folder = await folderOf({ config, 'tls.crt': cert, 'tls.key': key });
    const loaded = await loadCluster(join(folder, 'config'));
    onTestFinished(() => loaded.close());
    const answer = await createKubeClient(loaded).request({ method: 'GET', path: '/x' });
    expect(answer).toEqual({ httpVersion: '1.1', ...seen });
    expect(proxy.asked).toHaveLength(tunnels);
    expect(loaded.isUnverified).toBe('insecure-skip-tls-verify' in cluster);
  });

  test('from KUBECONFIG; else from ~/.kube/config', async () => {
    const folder = await folderOf({ a: kubeconfig({}) });
    vi.stubEnv('KUBECONFIG', join(folder, 'a'));
    expect((await loadCluster()).server).toBe('https://127.0.0.1:1');
    vi.stubEnv('KUBECONFIG', undefined);
    vi.stubEnv('HOME', folder);
    await mkdir(join(folder, '.kube'));
    await writeFile(join(folder, '.kube', 'config'), kubeconfig({}));
    expect((await loadCluster()).namespace).toBe('team');
  });
});

describe('a kubeconfig that cannot be used is refused in words, with no value of it:', () => {
  const at = (server: string, proxy?: string): string =>
    kubeconfig({ token: CANARY }, { server, 'proxy-url': proxy });
  const without = (text: string): string => kubeconfig({ token: CANARY }).replace(text, '"x"');
  const keyAt = (path: string): string => kubeconfig({ 'client-key': path });
  const refused = async (path?: string): Promise<string> =>
    String(await loadCluster(path).catch((cause: unknown) => cause));
  const failing = { command: 'sh', args: ['-c', `echo ${CANARY} >&2; exit 3`] };

  test.each<[string, string, string | RegExp]>([
    ['no context', '{}', 'context "" of the kubeconfig "'],
    [
      'no current one',
      without('"current-context"'),
      /A context needs a user.*--context with one of: one$/,
    ],
    ['no YAML', `users: [ {token: ${CANARY}`, '(it is no YAML); pass --kubeconfig'],
    ['no such cluster', without('"c"'), 'its user is "u", its server "" and its proxy-url "". '],
    ['no URL', at('127.0.0.1:6443'), 'its server "127.0.0.1:6443" and its proxy-url'],
    [
      'http',
      at(`http://b:${CANARY}@h`),
      /"http:\/\/\*\*\*@h".*http only with insecure-skip-tls-verify/,
    ],
    [
      'socks',
      at('https://h', `socks5://b:${CANARY}@p`),
      /"socks5:\/\/\*\*\*.*a proxy-url must be http or https/,
    ],
    ['a key for a path', keyAt(`-----BEGIN\n${CANARY}`), '(the text of a file or a key, not'],
    ['no key', keyAt('/x/key'), 'no credential from "/x/key" (ENOENT)'],
    ['a failing plugin', kubeconfig({ exec: failing }), '"sh" (it failed); try that by hand'],
  ])('%s', async (_what, config, expected) => {
    const error = await refused(join(await folderOf({ config }), 'config'));
    expect(error).toMatch(expected);
    expect(error).not.toContain(CANARY);
  });

  test('no file, and the text of one in the place of its path', async () => {
    const advice = 'pass --kubeconfig or, in a Pod, mount the token of';
    expect(await refused('/nowhere/config')).toContain(`(ENOENT); ${advice}`);
    expect(await refused()).toContain('the kubeconfig "~/.kube/config" (ENOENT)');
    vi.stubEnv('KUBECONFIG', kubeconfig({ token: CANARY }));
    const shown = 'cannot read the kubeconfig (the text of a file or a key, not shown) (EN';
    expect(await refused()).toContain(shown);
  });
});

test('in a Pod a new token is used after a minute, by the same connections', async () => {
  const root = await temporaryFolder();
  const mount = join(root, '/var/run/secrets/kubernetes.io/serviceaccount');
  const put = (name: string, text: string) => writeFile(join(mount, name), text);
  await mkdir(mount, { recursive: true });
  await Promise.all([put('token', 'one\n'), put('ca.crt', 'CA'), put('namespace', 'home')]);
  vi.stubEnv('KUBERNETES_SERVICE_HOST', 'fd00::1');
  vi.stubEnv('KUBERNETES_SERVICE_PORT', '443');
  vi.useFakeTimers({ toFake: ['Date'] });
  const cluster = new Cluster();
  onTestFinished(() => cluster.close());
  cluster.loadFromCluster(root);
  expect(cluster).toMatchObject({ server: 'https://[fd00::1]:443', namespace: 'home' });
  const first = await cluster.access();
  expect(first.headers).toMatchObject({ authorization: 'Bearer one', 'user-agent': 'pipewright' });
  await put('token', 'two\n');
  vi.setSystemTime(Date.now() + 61_000);
  const second = await cluster.access();
  expect(second.headers).toMatchObject({ authorization: 'Bearer two' });
  expect(second.dispatcher).toBe(first.dispatcher);
  await put('ca.crt', 'CA and next CA');
  expect((await cluster.access()).dispatcher).not.toBe(first.dispatcher);
});
