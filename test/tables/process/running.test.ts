import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { metric, parseExposition } from '../../support/exposition.ts';
import { listen } from '../../support/loopback.ts';
import { startKubernetes, startMain } from './main.ts';

let kubernetes: Awaited<ReturnType<typeof startKubernetes>>;
let api: Awaited<ReturnType<typeof listen>>;
let operator: ReturnType<typeof startMain>;
let port = 0;

const metrics = async (): Promise<string> =>
  (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
const resources = async (labels = {}): Promise<number> =>
  metric(await metrics(), 'pipewright_resources', labels);
const APPLIED = { kind: 'PipeSettings', namespace: 'ns', ready: 'True', reason: 'Applied' };
const works = () => eventually(async () => expect(await resources(APPLIED)).toBe(1));

beforeAll(async () => {
  kubernetes = await startKubernetes();
  const answer = '{"result":{"engine_max_threads":4}}';
  api = await listen(createServer((_, response) => response.end(answer)));
  const data = { keyId: btoa('id'), keySecret: btoa('secret') };
  kubernetes.create('secrets', 'own', { data });
  const ids = { organizationId: 'o', serviceId: 's', pipeId: 'p' };
  const declared = { credentialsSecretRef: { name: 'own' }, settings: { engine_max_threads: 4 } };
  kubernetes.create('pipesettings', 'own', { spec: { ...ids, ...declared } });
  const cluster = { server: `http://${kubernetes.host}`, 'insecure-skip-tls-verify': true };
  operator = startMain(cluster, [`--api-url=http://${api.host}`]);
  port = await operator.port();
  await works();
}, 60_000);
afterAll(async () => {
  operator.kill('SIGKILL');
  await operator.ended;
  await Promise.all([kubernetes.stop(), api.stop()]);
});

describe('the page of metrics', () => {
  it('is made once a second, however many ask', async () => {
    const first = await metrics();
    await eventually(async () => expect(await metrics()).toBe(await metrics()));
    await eventually(async () => expect(await metrics()).not.toBe(first));
  });

  it('counts an object for what it is now', async () => {
    await works();
    expect(await resources()).toBe(1);
  });

  it('has those of the contract and no other of ours, with their labels', async () => {
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
