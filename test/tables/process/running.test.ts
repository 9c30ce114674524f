import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { metric, parseExposition } from '../../support/exposition.ts';
import { serving, startKubernetes, startMain } from './main.ts';

type Key = readonly [id: string, secret: string, then: string | RegExp];
/** An id and a secret, and what the API gets of them or the object is told. */
const KEYS: Readonly<Record<string, Key>> = {
  good: [' canary-id\r\n', 'canary secret', 'canary-id:canary secret'],
  bad: ['canary', 'canary\ncanary', /"keySecret" contains control characters/],
};

let kubernetes: Awaited<ReturnType<typeof startKubernetes>>;
let api: Awaited<ReturnType<typeof serving>>;
let operator: ReturnType<typeof startMain>;
let port = 0;
/** By pipe. */
const sent = new Map<string, string>();
const answers = Promise.withResolvers<void>();

const page = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
const metrics = async (): Promise<string> => (await page('/metrics')).text();
const resources = async (labels: Readonly<Record<string, string>>): Promise<number> =>
  metric(await metrics(), 'pipewright_resources', { namespace: 'ns', ...labels });

/** Every object has been reconciled. */
async function settled(): Promise<void> {
  kubernetes.open();
  answers.resolve();
  await eventually(async () => {
    expect(await resources({ ready: 'True', reason: 'Applied' })).toBe(1);
    expect(await resources({ ready: 'False', reason: 'SecretInvalid' })).toBe(1);
  });
}

beforeAll(async () => {
  kubernetes = await startKubernetes();
  api = await serving((request, response) => {
    const [, basic = ''] = request.headers.authorization?.split(' ') ?? [];
    sent.set(request.url?.split('/').at(-2) ?? '', atob(basic));
    void answers.promise.then(() => response.end('{"result":{"engine_max_threads":4}}'));
  });
  for (const [name, [keyId, keySecret]] of Object.entries(KEYS)) {
    kubernetes.create('secrets', name, {
      data: { keyId: btoa(keyId), keySecret: btoa(keySecret) },
    });
    const ids = { organizationId: 'o', serviceId: 's', pipeId: name };
    const declared = { credentialsSecretRef: { name }, settings: { engine_max_threads: 4 } };
    kubernetes.create('pipesettings', name, { spec: { ...ids, ...declared } });
  }
  const cluster = { server: kubernetes.url, 'insecure-skip-tls-verify': true };
  operator = startMain(cluster, [`--api-url=${api.url}`]);
  port = await operator.port();
}, 60_000);
afterAll(async () => {
  operator.kill('SIGKILL');
  await operator.ended;
  kubernetes.end();
  api.end();
});

describe('the pages', () => {
  it('readyz names what is not listed until it is, livez does not ask', async () => {
    const missing = await page('/readyz');
    expect(missing.status).toBe(503);
    expect(await missing.text()).toMatch(
      /^not ready: pipesettings: the first list is not complete/,
    );
    expect((await page('/livez')).status).toBe(200);
    kubernetes.open();
    await eventually(async () => expect((await page('/readyz?verbose')).status).toBe(200));
  });

  it('of metrics is made once a second, however many ask', async () => {
    const first = await metrics();
    await eventually(async () => expect(await metrics()).toBe(await metrics()));
    await eventually(async () => expect(await metrics()).not.toBe(first));
  });

  it('of metrics counts an object for what it is now', async () => {
    kubernetes.open();
    await eventually(async () => expect(await resources({ reason: 'Pending' })).toBe(1));
    await settled();
    expect(await resources({ kind: 'PipeSettings' })).toBe(2);
  });

  it('of metrics has those of the contract and no other of ours, with their labels', async () => {
    await settled();
    const families = parseExposition(await metrics());
    const ours = families.filter(({ name }) => /^(pipewright|workqueue)_/.test(name));
    const labelsOf = ours.map(({ name, samples }) => {
      const labels = new Set(samples.flatMap((one) => Object.keys(one.labels)));
      return [name, [...labels].toSorted().join(' ')];
    });
    expect(Object.fromEntries(labelsOf)).toEqual({
      pipewright_api_requests_total: 'code operation',
      pipewright_api_request_duration_seconds: 'le operation',
      pipewright_api_wait_seconds: 'le',
      pipewright_credential_paused: 'state',
      pipewright_reconcile_total: 'kind result',
      pipewright_reconcile_duration_seconds: 'kind le',
      pipewright_resources: 'kind namespace ready reason',
      pipewright_drift_total: 'kind',
      pipewright_cleanup_abandoned_total: '',
      pipewright_leader: '',
      workqueue_depth: 'name',
    });
  });
});

describe('a key', () => {
  it.each(Object.entries(KEYS))('is used, or a problem in words: %s', async (name, [, , then]) => {
    await settled();
    expect(sent.get(name)).toBe(typeof then === 'string' ? then : undefined);
    expect(kubernetes.messageOf(name)).toMatch(typeof then === 'string' ? /accepted/ : then);
  });
});

/** Connected, after it has sent this; whatever becomes of it then. */
async function sender(bytes: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(bytes);
  return socket;
}

const HEAD = 'GET /livez HTTP/1.1\r\nhost: x\r\n';

describe('the server of the pages', () => {
  it('closes the oldest of more than 1,100 connections, whatever it goes on to send', async () => {
    // One whose time is over would be told so; on a slow machine that may come first.
    await eventually(async () => {
      const oldest = await sender(`${HEAD}x-slow: `);
      await Promise.all(Array.from({ length: 1_100 }, () => sender('')));
      oldest.write('1\r\n');
      const probe = await text(await sender(`${HEAD}\r\n`));
      expect(probe).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\nok\n$/);
      expect(await text(oldest)).toBe('');
    });
  });

  it.each([
    ['that asks to keep it', `${HEAD}connection: keep-alive\r\n\r\n`],
    ['with one in its body', `${HEAD}content-length: 31\r\n\r\n${HEAD}\r\n`],
  ])('ends a connection with its one answer: a request %s', async (_, bytes) => {
    const answer = await text(await sender(bytes));
    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    expect(answer).toMatch(/^connection: close\r$/im);
  });
});

it('a certificate that is not checked is warned of once, at the start', () => {
  const warnings = operator.lines().filter(({ msg }) => msg.startsWith('insecure-skip-tls-verify'));
  expect(warnings).toMatchObject([{ level: 'warn' }]);
});

const ERROR = `Object.assign(new Error('boom', { cause: new TypeError('bad host') }), {
  code: 'ECONNRESET', headers: { authorization: 'Basic x' } })`;

it.each([
  ['unhandledRejection', `Promise.reject(${ERROR});`],
  ['uncaughtException', `throw ${ERROR};`],
])(
  'a defect that nobody catches is one line of the log and nothing else of the error: %s',
  async (kind, defect) => {
    // It comes once the process has its own handlers.
    const code = `const wait = setInterval(() => {
    if (process.listenerCount('SIGTERM') > 0) { clearInterval(wait); ${defect} } }, 10);`;
    const preload = `--import=data:text/javascript,${encodeURIComponent(code)}`;
    const operator = startMain(
      { server: 'https://127.0.0.1:1' },
      ['--api-url=https://api.test'],
      preload,
    );
    expect(await operator.ended).toBe(1);
    expect(operator.said()).not.toMatch(/^[^{]/m);
    expect(operator.lines().filter(({ level }) => level === 'fatal')).toEqual([
      {
        level: 'fatal',
        time: expect.any(String) as unknown,
        msg: 'uncaught error, a bug; the process exits',
        kind,
        error: 'boom',
        errorName: 'Error',
        errorCode: 'ECONNRESET',
        errorCauses: ['TypeError: bad host'],
        errorStack: expect.arrayContaining([expect.stringMatching(/^at /)]) as unknown,
      },
    ]);
  },
);
