import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadCluster } from '../../src/kube/auth/load-cluster.ts';
import type { Cluster } from '../../src/kube/client/cluster.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { folderOf } from '../support/folder.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const kubeconfig = (user: string, cluster = ''): string => `
apiVersion: v1
kind: Config
current-context: one
contexts:
  - { name: one, context: { cluster: c, user: u, namespace: team } }
  - { name: two, context: { cluster: d, user: u } }
clusters:
  - name: c
    cluster:
      server: https://127.0.0.1:6443/prefix
      certificate-authority-data: ${base64('a CA')}
      ${cluster}
  - { name: d, cluster: { server: 'https://127.0.0.1:7443', insecure-skip-tls-verify: true } }
users:
  - name: u
    user:
      ${user}
`;

async function load(
  user: string,
  more: { cluster?: string; context?: string; files?: Record<string, string> } = {},
) {
  const folder = await folderOf({ config: kubeconfig(user, more.cluster), ...more.files });
  const clock = new FakeClock();
  const cluster: Cluster = await loadCluster({
    kubeconfig: join(folder, 'config'),
    context: more.context,
    clock,
  });
  return { folder, clock, cluster };
}

test('server, namespace, CA and server name come from the context', async () => {
  const { cluster } = await load('token: t', { cluster: 'tls-server-name: api.example' });
  expect([cluster.server.href, cluster.namespace]).toEqual([
    'https://127.0.0.1:6443/prefix',
    'team',
  ]);
  const { headers, tls } = await cluster.credentials();
  expect(headers).toEqual({ authorization: 'Bearer t' });
  expect([String(tls.ca), tls.servername, tls.rejectUnauthorized]).toEqual([
    'a CA',
    'api.example',
    undefined,
  ]);
});

test('another context can be chosen, and verification is off only where the kubeconfig says so', async () => {
  const { cluster } = await load('token: t', { context: 'two' });
  expect(cluster.server.host).toBe('127.0.0.1:7443');
  expect((await cluster.credentials()).tls.rejectUnauthorized).toBe(false);
});

test('a server without TLS is refused at the start, unless the kubeconfig says that it is meant', async () => {
  const http = (text: string): string =>
    text.replace('https://127.0.0.1:7443', 'http://127.0.0.1:7443');
  const folder = await folderOf({ meant: http(kubeconfig('token: t')) });
  const clock = new FakeClock();
  const meant = await loadCluster({ kubeconfig: join(folder, 'meant'), context: 'two', clock });
  expect(meant.server.href).toBe('http://127.0.0.1:7443/');
  const careless = http(kubeconfig('token: t')).replace(', insecure-skip-tls-verify: true', '');
  const other = await folderOf({ careless });
  await expect(
    loadCluster({ kubeconfig: join(other, 'careless'), context: 'two', clock }),
  ).rejects.toThrow('insecure-skip-tls-verify: true');
});

test('a context that does not exist is answered with those that do', async () => {
  await expect(load('token: t', { context: 'three' })).rejects.toThrow(
    /no context "three" in .*one of: one, two/,
  );
});

test('client certificates are taken inline or from files next to the kubeconfig', async () => {
  const inline = await load(
    `{ client-certificate-data: ${base64('crt')}, client-key-data: ${base64('key')} }`,
  );
  const files = await load('{ client-certificate: tls.crt, client-key: tls.key }', {
    files: { 'tls.crt': 'crt', 'tls.key': 'key' },
  });
  for (const { cluster } of [inline, files]) {
    const { tls, headers } = await cluster.credentials();
    expect([String(tls.cert), String(tls.key), headers]).toEqual(['crt', 'key', {}]);
  }
});

test('basic authentication and impersonation become headers', async () => {
  const { cluster } = await load('{ username: me, password: secret, as: someone }');
  expect((await cluster.credentials()).headers).toEqual({
    authorization: `Basic ${base64('me:secret')}`,
    'impersonate-user': 'someone',
  });
});

test('a token file is read, and read again after a 401', async () => {
  const folder = await folderOf({ token: 'first\n' });
  const { cluster } = await load(`tokenFile: ${join(folder, 'token')}`);
  expect((await cluster.credentials()).headers).toEqual({ authorization: 'Bearer first' });
  await writeFile(join(folder, 'token'), 'second\n');
  await cluster.renew();
  expect((await cluster.credentials()).headers).toEqual({ authorization: 'Bearer second' });
});

test.each([
  ['on one line', (path: string) => `{ as: someone, tokenFile: ${path} }`],
  ['as JSON', (path: string) => JSON.stringify({ as: 'someone', tokenFile: path })],
])('a token file is read where the user is written %s', async (_, user) => {
  const folder = await folderOf({ token: 'first\n' });
  const { cluster } = await load(user(join(folder, 'token')));
  const { headers } = await cluster.credentials();
  expect(headers['authorization']).toBe('Bearer first');
});

test.each(['api.example:6443', '127.0.0.1:6443', 'nonsense'])(
  'the server %s, which is no URL, is named with its cluster',
  async (server) => {
    const text = kubeconfig('token: t').replace('https://127.0.0.1:7443', server);
    const folder = await folderOf({ config: text });
    await expect(
      loadCluster({ kubeconfig: join(folder, 'config'), context: 'two' }),
    ).rejects.toThrow(`cluster "d" of the kubeconfig has the server "${server}"`);
  },
);

test('a file that holds no context, or names none as the current one, is told apart', async () => {
  const folder = await folderOf({
    none: 'some-host',
    unnamed: kubeconfig('token: t').replace('current-context', 'x'),
  });
  await expect(loadCluster({ kubeconfig: join(folder, 'none') })).rejects.toThrow(
    'no context at all in',
  );
  await expect(loadCluster({ kubeconfig: join(folder, 'unnamed') })).rejects.toThrow(
    /no current context.*: one, two/,
  );
});

test.each([
  ['one', false],
  ['two', true],
])('the cluster of context %s is known to be unverified: %j', async (context, isUnverified) => {
  const { cluster } = await load('token: t', { context });
  expect(cluster.isUnverified?.()).toBe(isUnverified);
});

test('an exec plugin is asked once, told what it must know, and asked anew after a 401', async () => {
  const folder = await folderOf({ count: '' });
  const plugin = join(folder, 'plugin');
  await writeFile(
    plugin,
    `#!/bin/sh
printf x >> ${join(folder, 'count')}
case "$KUBERNETES_EXEC_INFO" in *client.authentication.k8s.io/v1*) ;; *) exit 1 ;; esac
n=$(wc -c < ${join(folder, 'count')})
printf '{"kind":"ExecCredential","status":{"token":"t%d"}}' $n
`,
  );
  await chmod(plugin, 0o755);
  const { cluster, clock } = await load(
    `exec: { apiVersion: client.authentication.k8s.io/v1, command: ${plugin} }`,
  );
  const all = await Promise.all([cluster.credentials(), cluster.credentials()]);
  await clock.advance(60_000);
  expect(
    [...all, await cluster.credentials()].map(({ headers }) => headers['authorization']),
  ).toEqual(Array.from({ length: 3 }, () => 'Bearer t1'));
  await cluster.renew();
  expect((await cluster.credentials()).headers).toEqual({ authorization: 'Bearer t2' });
  expect(await readFile(join(folder, 'count'), 'utf8')).toBe('xx');
});

test('what a plugin printed is not quoted when it cannot be used', async () => {
  const { cluster } = await load(
    "exec: { command: sh, args: ['-c', 'echo token-secret; echo secret >&2; exit 3'] }",
  );
  const error: unknown = await cluster.credentials().catch((cause: unknown) => cause);
  expect(String(error)).toContain('exec plugin "sh" of kubeconfig user "u" gave no credential');
  expect(String(error)).not.toContain('secret');
});

test('a kubeconfig that cannot be parsed is named and not quoted', async () => {
  const folder = await folderOf({ config: 'users: [ {token: secret' });
  const error: unknown = await loadCluster({ kubeconfig: join(folder, 'config') }).catch(
    (cause: unknown) => cause,
  );
  expect(String(error)).toContain(`the kubeconfig "${join(folder, 'config')}" cannot be parsed`);
  expect(String(error)).not.toContain('secret');
});

test.each([
  ['tokenFile', 'token: t', 'tokenFile: /nowhere/file'],
  ['client-certificate', 'token: t', 'client-certificate: /nowhere/file'],
  ['client-key', 'token: t', 'client-key: /nowhere/file'],
  [
    'certificate-authority',
    'insecure-skip-tls-verify: true',
    'certificate-authority: /nowhere/file',
  ],
])('a file that %s names and that is not there stops the start', async (field, from, to) => {
  const folder = await folderOf({ config: kubeconfig('token: t').replace(from, to) });
  const error: unknown = await loadCluster({
    kubeconfig: join(folder, 'config'),
    context: 'two',
  }).catch((cause: unknown) => cause);
  const owner = field === 'certificate-authority' ? 'cluster "d"' : 'user "u"';
  expect(String(error)).toContain(
    `the kubeconfig names a file as ${field} of ${owner} that cannot be read (ENOENT); put it there, readable for this user`,
  );
});

/** As JSON, which is YAML too. */
function asJson(user: unknown, cluster: object = {}): string {
  const server = 'https://127.0.0.1:6443';
  return JSON.stringify({
    'current-context': 'one',
    contexts: [{ name: 'one', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server, ...cluster } }],
    users: [{ name: 'u', user }],
  });
}

const TOKEN = { token: 't' };
const CA = { 'certificate-authority-data': base64('a CA') };

test.each<[string, unknown, object]>([
  ['a user without "user"', undefined, {}],
  ['user: null', null, {}],
  ['user: {}', {}, {}],
  ['an empty client-certificate', { ...TOKEN, 'client-certificate': '' }, {}],
  ['client-key: null', { ...TOKEN, 'client-key': null }, {}],
  ['an empty tokenFile', { ...TOKEN, tokenFile: '' }, {}],
  ['tokenFile: null', { ...TOKEN, tokenFile: null }, {}],
  ['an empty certificate-authority', TOKEN, { ...CA, 'certificate-authority': '' }],
  ['certificate-authority: null', TOKEN, { ...CA, 'certificate-authority': null }],
])('%s names no file', async (_, user, cluster) => {
  const folder = await folderOf({ config: asJson(user, cluster) });
  const { credentials } = await loadCluster({ kubeconfig: join(folder, 'config') });
  const { headers, tls } = await credentials();
  expect([headers, tls.ca && String(tls.ca)]).toEqual([
    user !== null && typeof user === 'object' && 'token' in user
      ? { authorization: 'Bearer t' }
      : {},
    'certificate-authority-data' in cluster ? 'a CA' : undefined,
  ]);
});

test('a token file stands beside the kubeconfig, also with a client certificate', async () => {
  const { cluster } = await load('{ tokenFile: token, client-certificate: tls.crt }', {
    files: { token: 'beside\n', 'tls.crt': 'crt' },
  });
  const { headers, tls } = await cluster.credentials();
  expect([headers, String(tls.cert)]).toEqual([{ authorization: 'Bearer beside' }, 'crt']);
});

test.each(['tokenFile', 'client-certificate', 'client-key'])(
  'a file that %s of another user names need not be there',
  async (field) => {
    const other = `  - { name: v, user: { ${field}: /nowhere/file } }\n`;
    const folder = await folderOf({ config: `${kubeconfig('token: t').trimEnd()}\n${other}` });
    const { credentials } = await loadCluster({ kubeconfig: join(folder, 'config') });
    expect((await credentials()).headers).toEqual({ authorization: 'Bearer t' });
  },
);

test('a kubeconfig that is not there is named', async () => {
  await expect(loadCluster({ kubeconfig: '/nowhere/config' })).rejects.toThrow(
    'cannot read the kubeconfig "/nowhere/config" (ENOENT); pass --kubeconfig, or in a pod mount the ServiceAccount\'s token',
  );
});

test('several files of KUBECONFIG are one, missing ones are passed over', async () => {
  const folder = await folderOf({
    a: 'current-context: x\ncontexts: [{ name: x, context: { cluster: c, user: u } }]\n',
    b: "clusters: [{ name: c, cluster: { server: 'https://127.0.0.1:1' } }]\nusers: [{ name: u, user: { token: t } }]\n",
  });
  const files = ['a', 'missing', 'b'].map((name) => join(folder, name)).join(':');
  const cluster = await loadCluster({ environment: { KUBECONFIG: files } });
  expect([cluster.server.port, (await cluster.credentials()).headers]).toEqual([
    '1',
    { authorization: 'Bearer t' },
  ]);
});

test.each([
  kubeconfig('token: canary'),
  kubeconfig('token: canary').replaceAll('\n', ' '),
  asJson({ token: 'canary' }),
])('KUBECONFIG that is itself a kubeconfig is refused, and --kubeconfig too', async (text) => {
  const refusal = (name: string): RegExp =>
    new RegExp(`^${name} holds the text of a file; give the path of one$`);
  await expect(loadCluster({ environment: { KUBECONFIG: text } })).rejects.toThrow(
    refusal('KUBECONFIG'),
  );
  await expect(loadCluster({ kubeconfig: text })).rejects.toThrow(refusal('--kubeconfig'));
});

test('where none of the files of KUBECONFIG is there, the first is named', async () => {
  await expect(
    loadCluster({ environment: { KUBECONFIG: '/nowhere/one:/nowhere/two' } }),
  ).rejects.toThrow('from "/nowhere/one" on');
});

test('a proxy is refused, not ignored', async () => {
  await expect(load('token: t', { cluster: 'proxy-url: http://127.0.0.1:1' })).rejects.toThrow(
    'proxy-url',
  );
});
