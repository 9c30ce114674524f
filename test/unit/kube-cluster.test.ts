import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createKubeClient } from '../../src/kube/client.ts';
import { Cluster, loadCluster } from '../../src/kube/cluster.ts';
import { selfSigned } from '../simulator/certificate.ts';
import { startConnectProxy } from '../support/connect-proxy.ts';
import { folderOf, temporaryFolder } from '../support/folder.ts';
import { clusterAt, sendJson, startKubeServer } from '../support/kube-server.ts';

const CANARY = 'c4n4ry-c4n4ry-c4n4ry';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

beforeEach(() => {
  vi.stubEnv('KUBECONFIG', undefined);
  vi.stubEnv('HOME', '/nowhere');
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

/** A kubeconfig as JSON, which is YAML too. */
function kubeconfig(user: unknown, cluster: object = {}): string {
  return JSON.stringify({
    'current-context': 'one',
    contexts: [
      { name: 'one', context: { cluster: 'c', user: 'u', namespace: 'team' } },
      { name: 'two', context: { cluster: 'd', user: 'u' } },
    ],
    clusters: [
      { name: 'c', cluster: { server: 'https://127.0.0.1:6443/prefix', ...cluster } },
      {
        name: 'd',
        cluster: { server: 'http://127.0.0.1:7443', 'insecure-skip-tls-verify': true },
      },
    ],
    users: [{ name: 'u', user }],
  });
}

/** What connections are made with, and the headers of a call. */
async function openedBy(cluster: Cluster) {
  const opened: unknown[] = [];
  const { open } = cluster;
  cluster.open = (options) => {
    opened.push(options);
    return open(options);
  };
  const { headers } = await cluster.access();
  return { headers, opened };
}

async function load(text: string, files: Record<string, string> = {}, context?: string) {
  const folder = await folderOf({ ...files, config: text });
  const cluster = await loadCluster(join(folder, 'config'), context);
  onTestFinished(() => cluster.close());
  // `loadCluster` has asked once.
  await cluster.close();
  return { folder, cluster };
}

async function problemOf(text: string, context?: string): Promise<string> {
  return load(text, {}, context).then(
    () => 'none',
    (error: unknown) => String(error),
  );
}

describe('a kubeconfig', () => {
  test('says server, namespace and whether the certificate is checked, by its context', async () => {
    const { cluster } = await load(kubeconfig({ token: 't' }));
    expect([cluster.server, cluster.namespace, cluster.isUnverified]).toEqual([
      'https://127.0.0.1:6443/prefix',
      'team',
      false,
    ]);
    const { cluster: other } = await load(kubeconfig({ token: 't' }), {}, 'two');
    expect([other.server, other.namespace, other.isUnverified]).toEqual([
      'http://127.0.0.1:7443',
      undefined,
      true,
    ]);
  });

  const agent = { 'user-agent': 'pipewright' };
  test.each<[string, unknown, object]>([
    ['token', { token: 't' }, { authorization: 'Bearer t' }],
    [
      'as',
      { token: 't', as: 'someone' },
      { authorization: 'Bearer t', 'impersonate-user': 'someone' },
    ],
    ['nothing', {}, {}],
    ['null', null, {}],
    ['empty fields', { token: 't', 'client-key': null }, { authorization: 'Bearer t' }],
  ])('with a user of %s has its headers', async (_, user, expected) => {
    const { cluster } = await load(kubeconfig(user));
    expect((await cluster.access()).headers).toEqual({ ...agent, ...expected });
  });

  test.each([
    ['inline', { 'client-certificate-data': base64('crt'), 'client-key-data': base64('key') }],
    ['from files beside it', { 'client-certificate': 'tls.crt', 'client-key': 'tls.key' }],
  ])('has certificates %s', async (_, user) => {
    const ca = { 'certificate-authority-data': base64('a CA'), 'tls-server-name': 'api' };
    const folder = await folderOf({
      config: kubeconfig(user, ca),
      'tls.crt': 'crt',
      'tls.key': 'key',
    });
    const opened: object[] = [];
    const cluster = new Cluster();
    cluster.open = (options) => {
      opened.push(options);
      return { destroy: () => Promise.resolve() } as ReturnType<Cluster['open']>;
    };
    cluster.loadFromFile(join(folder, 'config'));
    await cluster.access();
    const [a, crt, key] = ['a CA', 'crt', 'key'].map((text) => Buffer.from(text));
    expect(opened).toEqual([{ ca: a, cert: crt, key, servername: 'api' }]);
  });

  test('asks an exec plugin once, and tells it what it must know', async () => {
    const folder = await temporaryFolder();
    const [plugin, seen] = [join(folder, 'plugin'), join(folder, 'seen')];
    const answer = '{"kind":"ExecCredential","status":{"token":"from-plugin"}}';
    await writeFile(
      plugin,
      `#!/bin/sh\nprintf %s "$KUBERNETES_EXEC_INFO" >> ${seen}\necho '${answer}'\n`,
    );
    await chmod(plugin, 0o755);
    const apiVersion = 'client.authentication.k8s.io/v1';
    const exec = { apiVersion, command: plugin };
    const { cluster } = await load(kubeconfig({ exec }));
    expect((await cluster.access()).headers).toMatchObject({ authorization: 'Bearer from-plugin' });
    expect(JSON.parse(await readFile(seen, 'utf8'))).toEqual({
      apiVersion,
      kind: 'ExecCredential',
      spec: { interactive: false },
    });
  });

  test('of several files in KUBECONFIG is one, with the first context; ~/.kube/config is the usual one', async () => {
    const folder = await folderOf({
      a: '{"current-context":"x","contexts":[{"name":"x","context":{"cluster":"c","user":"u"}}]}',
      b: '{"current-context":"y","clusters":[{"name":"c","cluster":{"server":"https://127.0.0.1:1"}}],"users":[{"name":"u","user":{"token":"t"}}]}',
    });
    vi.stubEnv('KUBECONFIG', `${join(folder, 'a')}:${join(folder, 'b')}`);
    expect((await loadCluster()).server).toBe('https://127.0.0.1:1');
    vi.stubEnv('KUBECONFIG', undefined);
    vi.stubEnv('HOME', folder);
    await mkdir(join(folder, '.kube'));
    await writeFile(join(folder, '.kube', 'config'), kubeconfig({ token: 't' }));
    expect((await loadCluster()).namespace).toBe('team');
  });
});

describe('a kubeconfig that cannot be used is refused in one sentence', () => {
  const at = (server: string, more: object = {}): string =>
    kubeconfig({ token: CANARY }, { server, ...more });
  test.each([
    ['no context at all', '{}', 'context "" of the kubeconfig "'],
    ['some text', 'some-host', 'context "" of the kubeconfig "'],
    [
      'no current context',
      kubeconfig({}).replace('current-context', 'x'),
      /context "" of .*: it needs a user, .* --context with one of: one, two/,
    ],
    ['no YAML', `users: [ {token: ${CANARY}`, '(it is no YAML); pass --kubeconfig'],
    ['another cluster', kubeconfig({}).replace('"name":"c"', '"name":"z"'), 'needs a user, the'],
    ['another user', kubeconfig({}).replace('"name":"u"', '"name":"z"'), 'needs a user, the'],
    ['no URL', at('127.0.0.1:6443'), 'the https URL of a server (it has "127.0.0.1:6443"; '],
    ['a password', at(`ftp://bob:${CANARY}@h`), 'a server (it has "ftp://***@h"; '],
    [
      'http',
      at(`http://bob:${CANARY}@h`),
      '(it has "http://***@h"; http takes insecure-skip-tls-verify: true)',
    ],
    [
      'socks',
      at('https://h', { 'proxy-url': `socks5://b:${CANARY}@p` }),
      'no proxy-url but http or https (it has "socks5://***@p")',
    ],
    [
      'a proxy without a host',
      at('https://h', { 'proxy-url': 'http://:1' }),
      'no proxy-url but http or https (it has "http://:1")',
    ],
    [
      'a key for a path',
      kubeconfig({ 'client-key': `-----BEGIN KEY-----\n${CANARY}` }),
      'gets no credential from (the text of a file or a key, not shown) (ENO',
    ],
    [
      'no client-key',
      kubeconfig({ 'client-key': '/nowhere/key' }),
      'user "u" of the kubeconfig gets no credential from "/nowhere/key" (ENOENT)',
    ],
    [
      'a plugin that is not there',
      kubeconfig({ exec: { command: '/nowhere/plugin' } }),
      'gets no credential from "/nowhere/plugin" (ENOENT); try that by hand',
    ],
    [
      'a plugin that fails',
      kubeconfig({ exec: { command: 'sh', args: ['-c', `echo ${CANARY} >&2; exit 3`] } }),
      'gets no credential from "sh" (it failed); try that by hand',
    ],
  ])('%s', async (_, text, expected) => {
    const problem = await problemOf(text);
    expect(problem).toMatch(expected);
    expect(problem).not.toContain(CANARY);
  });

  test('another context, with those that there are', async () => {
    expect(await problemOf(kubeconfig({}), 'three')).toMatch(
      /context "three" of the kubeconfig .* one of: one, two/,
    );
  });

  test('no file, with what to do in a pod', async () => {
    const advice = "pass --kubeconfig, or in a pod mount the ServiceAccount's token";
    const missing = loadCluster('/nowhere/config');
    await expect(missing).rejects.toThrow(
      `cannot read the kubeconfig "/nowhere/config" (ENOENT); ${advice}`,
    );
    await expect(loadCluster()).rejects.toThrow(
      `cannot read the kubeconfig "~/.kube/config" (ENOENT); ${advice}`,
    );
  });

  test.each([kubeconfig({ token: CANARY }), `a: ${CANARY}\n`])(
    'the text of one in its place',
    async (text) => {
      vi.stubEnv('KUBECONFIG', text);
      const message =
        /^cannot read the kubeconfig \(the text of a file or a key, not shown\) \(ENO/;
      await expect(loadCluster()).rejects.toThrow(message);
      await expect(loadCluster(text)).rejects.toThrow(message);
    },
  );

  test('of any structure, without what it holds', async () => {
    const odd = fc.oneof(fc.constantFrom(null, [CANARY], { a: CANARY }, 7), fc.jsonValue());
    const path = fc.constantFrom(
      'users',
      'clusters',
      'contexts',
      'user',
      'exec',
      'server',
      'token',
    );
    await fc.assert(
      fc.asyncProperty(path, odd, async (at, value) => {
        const text = JSON.stringify(
          JSON.parse(kubeconfig({ token: 't', exec: {} })),
          (key, held: unknown) => (key === at ? value : held),
        );
        expect(await problemOf(text)).not.toContain(CANARY);
      }),
      { numRuns: 100 },
    );
  });
});

describe('in a cluster', () => {
  const MOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
  async function mounted() {
    const root = await temporaryFolder();
    await mkdir(join(root, MOUNT), { recursive: true });
    const put = (name: string, text: string) => writeFile(join(root, MOUNT, name), text);
    await Promise.all([put('token', 'one\n'), put('ca.crt', 'CA'), put('namespace', 'home')]);
    vi.stubEnv('KUBERNETES_SERVICE_HOST', 'fd00::1');
    vi.stubEnv('KUBERNETES_SERVICE_PORT', '443');
    const cluster = new Cluster();
    onTestFinished(() => cluster.close());
    cluster.loadFromCluster(root);
    return { cluster, put };
  }

  test('the ServiceAccount is who we are', async () => {
    const { cluster } = await mounted();
    expect([cluster.server, cluster.namespace]).toEqual(['https://[fd00::1]:443', 'home']);
    expect((await cluster.access()).headers).toMatchObject({ authorization: 'Bearer one' });
  });

  test('a new token is used after a minute, and connections stay until the CA changes', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { cluster, put } = await mounted();
    const { opened } = await openedBy(cluster);
    await put('token', 'two\n');
    vi.setSystemTime(Date.now() + 61_000);
    const { headers, dispatcher } = await cluster.access();
    expect([headers['authorization'], opened.length]).toEqual(['Bearer two', 1]);
    await put('ca.crt', 'CA and next CA');
    expect((await cluster.access()).dispatcher).not.toBe(dispatcher);
    expect(opened).toHaveLength(2);
  });
});

test.each([false, true])(
  'HTTP/1.1 is spoken, whatever the server would rather (by a proxy: %j)',
  async (byProxy) => {
    const identity = selfSigned();
    const server = createSecureServer({ ...identity, allowHTTP1: true }, (request, response) =>
      response.end(JSON.stringify({ spoken: request.httpVersion })),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const authority = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const proxy = await startConnectProxy();
    onTestFinished(() => proxy.stop());
    const cluster = clusterAt(`https://${authority}`, identity.cert);
    onTestFinished(() => cluster.close());
    if (byProxy) Object.assign(cluster.clusters[0] ?? {}, { proxyUrl: proxy.url });
    const answer = createKubeClient(cluster).request({ method: 'GET', path: '/x' });
    expect(await answer).toEqual({ spoken: '1.1' });
    expect(proxy.asked.map((asked) => asked.authority)).toEqual(byProxy ? [authority] : []);
  },
);

test('certificates that change on the way let what runs end, and make later calls go by others', async () => {
  const answers: (() => void)[] = [];
  const server = await startKubeServer(
    (_, response) => void answers.push(() => sendJson(response, 200, {})),
  );
  onTestFinished(() => server.close());
  const { cluster } = server;
  const client = createKubeClient(cluster);
  onTestFinished(() => client.close());
  const first = client.request({ method: 'GET', path: '/first' });
  await vi.waitFor(() => expect(answers).toHaveLength(1));
  Object.assign(cluster.clusters[0] ?? {}, { caData: base64('another CA') });
  const second = client.request({ method: 'GET', path: '/second' });
  await vi.waitFor(() => expect(answers).toHaveLength(2));
  expect(server.connections.open.size).toBe(2);
  for (const answer of answers) answer();
  expect(await Promise.all([first, second])).toEqual([{}, {}]);
});
