import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadCluster } from '../../src/kube/auth/load-cluster.ts';
import { errorFields } from '../../src/log.ts';
import { temporaryFolder } from '../support/folder.ts';
import { spoiltOf } from '../support/forged.ts';

const CANARY = 'canary7f3a9c2e';
const DATA = Buffer.from(CANARY).toString('base64');

const kubeconfig = {
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'one',
  contexts: [{ name: 'one', context: { cluster: 'c', user: 'u', namespace: 'team' } }],
  clusters: [
    {
      name: 'c',
      cluster: {
        server: `https://bob:${CANARY}@127.0.0.1:6443`,
        'certificate-authority-data': DATA,
        'insecure-skip-tls-verify': false,
      },
    },
  ],
  users: [
    {
      name: 'u',
      user: {
        token: CANARY,
        username: 'me',
        password: CANARY,
        'client-certificate-data': DATA,
        'client-key-data': DATA,
      },
    },
  ],
};

/** What loading it, and asking for credentials, says; '' where both work. Throws on a bug. */
async function problemOf(folder: string, text: string | Uint8Array): Promise<string> {
  const path = join(folder, 'config');
  await writeFile(path, text);
  try {
    const cluster = await loadCluster({ kubeconfig: path });
    await cluster.credentials();
    return '';
  } catch (error) {
    const name = error instanceof Error ? error.name : 'nothing';
    if (!['Error', 'KubeError'].includes(name)) throw error;
    return [String(error), ...(errorFields(error).errorCauses ?? [])].join();
  }
}

function expectClear(problem: string): void {
  expect(problem).not.toContain(CANARY);
  expect(problem).not.toContain(DATA);
  expect(Object.keys(Object.prototype)).toEqual([]);
}

describe('a kubeconfig', () => {
  test('of any structure works, or is refused in words without what it holds', async () => {
    const folder = await temporaryFolder();
    await fc.assert(
      fc.asyncProperty(spoiltOf(fc.constant(kubeconfig)), async (odd) => {
        expectClear(await problemOf(folder, JSON.stringify(odd) ?? ''));
      }),
      { numRuns: 60 },
    );
  });

  test('of any bytes is refused in words without what it holds', async () => {
    const folder = await temporaryFolder();
    const sound = JSON.stringify(kubeconfig);
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.string({ unit: 'binary', maxLength: 60 }).map((text) => `${text}\ntoken: ${CANARY}`),
      fc.nat(sound.length).map((end) => sound.slice(0, end)),
      fc.constantFrom(
        '',
        '---\n---\n',
        'users: &a [*a]',
        '<<: *missing',
        `users: !!js/function 'function () { return "${CANARY}" }'`,
        '? [a]\n: b',
        '"__proto__": { "current-context": "x" }',
        '\ufeff{}',
        '['.repeat(2_000),
        `token: ${CANARY}\n\tusers: x`,
      ),
    );
    await fc.assert(
      fc.asyncProperty(bytes, async (text) => expectClear(await problemOf(folder, text))),
      { numRuns: 60 },
    );
  });

  test.each([
    ['http', { server: `http://bob:${CANARY}@127.0.0.1:6443` }],
    ['another scheme', { server: `ftp://bob:${CANARY}@127.0.0.1:6443` }],
    ['no scheme', { server: `bob:${CANARY}@127.0.0.1:6443` }],
    ['a proxy', { server: `https://bob:${CANARY}@h`, 'proxy-url': `http://bob:${CANARY}@p` }],
  ])('is refused without the password in its server, for %s', async (_, cluster) => {
    const folder = await temporaryFolder();
    const odd = { ...kubeconfig, clusters: [{ name: 'c', cluster }] };
    const problem = await problemOf(folder, JSON.stringify(odd));
    expect(problem).toContain('cluster "c"');
    expectClear(problem);
  });

  test.each(['certificate-authority', 'client-certificate', 'client-key', 'tokenFile'])(
    'with the text of a file for the path of %s is refused without that',
    async (field) => {
      const folder = await temporaryFolder();
      for (const end of ['\n', ' ']) {
        const pem = ['-----BEGIN EC PRIVATE KEY-----', CANARY, DATA].join(end);
        const cluster = { server: 'https://127.0.0.1:1', [field]: pem };
        const odd = {
          ...kubeconfig,
          clusters: [{ name: 'c', cluster }],
          users: [{ name: 'u', user: { [field]: pem } }],
        };
        const problem = await problemOf(folder, JSON.stringify(odd));
        expect(problem).toContain('the kubeconfig names a file as');
        expectClear(problem);
      }
    },
  );

  test.each([
    { ...kubeconfig, 'current-context': ['one'] },
    { ...kubeconfig, users: [{ name: 'u', user: { token: [CANARY] } }] },
    { ...kubeconfig, clusters: [{ name: 'c', cluster: { server: { a: CANARY } } }] },
  ])('with a list or an object for a text is refused', async (odd) => {
    const problem = await problemOf(await temporaryFolder(), JSON.stringify(odd));
    expect(problem).toContain('cannot be parsed');
    expectClear(problem);
  });

  /** Each name stands for nine of the one before: written out, billions. */
  const bomb = [
    'b0: &b0 [x, x, x, x, x, x, x, x, x]',
    ...Array.from({ length: 11 }, (_, n) => {
      const nine = Array.from({ length: 9 }, () => `*b${n}`).join(',');
      return `b${n + 1}: &b${n + 1} [${nine}]`;
    }),
  ].join('\n');
  const sound = {
    context: 'one',
    contexts: '[{ name: one, context: { cluster: c, user: u } }]',
    clusters: "[{ name: c, cluster: { server: 'https://127.0.0.1:1' } }]",
    users: '[{ name: u, user: { token: t } }]',
  };
  const plugin =
    "apiVersion: client.authentication.k8s.io/v1, command: 'false', provideClusterInfo: true";

  test.each<[string, Partial<typeof sound>]>([
    ['the name of the context', { context: '*b11' }],
    ['contexts', { contexts: '*b11' }],
    ['clusters', { clusters: '[{ name: c, cluster: *b11 }]' }],
    ['a server', { clusters: '[{ name: c, cluster: { server: *b11 } }]' }],
    [
      'what a plugin is told',
      {
        clusters:
          "[{ name: c, cluster: { server: 'https://127.0.0.1:1', certificate-authority-data: *b11 } }]",
        users: `[{ name: u, user: { exec: { ${plugin} } } }]`,
      },
    ],
    ['users', { users: '*b11' }],
    ['a token', { users: '[{ name: u, user: { token: *b11 } }]' }],
  ])('with aliases of aliases for %s is refused without writing them out', async (_, more) => {
    const folder = await temporaryFolder();
    const { context, contexts, clusters, users } = { ...sound, ...more };
    const rest = `current-context: ${context}\ncontexts: ${contexts}\nclusters: ${clusters}\nusers: ${users}`;
    expect(await problemOf(folder, `${bomb}\n${rest}\n`)).toMatch(/cannot be parsed|no cluster/);
  });
});
