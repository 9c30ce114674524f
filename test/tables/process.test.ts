import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { metric, parseExposition } from '../support/exposition.ts';
import { serving, startKubernetes, startMain } from './api/process.ts';

/** A Secret, and what becomes of the object that refers to it: what the API gets, or is told. */
interface Row {
  readonly data: Readonly<Record<string, string>>;
  readonly type?: string;
  readonly ref?: object;
  readonly sent?: string;
  readonly says?: RegExp;
}

const id = 'canary-id';
const long = (length: number): string => 'canary'.padEnd(length, 'x');
const pair = (keyId: string, keySecret: string) => ({ keyId, keySecret });
const userName = { username: 'canary-u', password: 'p' };
const BASIC_AUTH = 'kubernetes.io/basic-auth';
const SECRETS: Readonly<Record<string, Row>> = {
  plain: { data: pair(id, 'canary secret'), sent: 'canary-id:canary secret' },
  blanks: { data: pair(' canary-id\r\n', '\tcanary\n'), sent: 'canary-id:canary' },
  basic: { data: userName, type: BASIC_AUTH, sent: 'canary-u:p' },
  named: { data: { x: id, keySecret: 'y' }, ref: { keyIdKey: 'x' }, sent: 'canary-id:y' },
  longest: { data: pair(long(256), long(4096)), sent: `${long(256)}:${long(4096)}` },
  'long-id': { data: pair(long(257), 'x'), says: /"keyId" is longer than the 256 bytes/ },
  'long-secret': { data: pair(id, long(4097)), says: /"keySecret" is longer than the 4096 bytes/ },
  empty: { data: pair(id, ' \n'), says: /"keySecret" is empty/ },
  quoted: { data: pair(id, '"canary"'), says: /"keySecret" has quotes around its value/ },
  lines: { data: pair(id, 'canary\ncanary'), says: /"keySecret" contains control characters/ },
  foreign: { data: pair('canäry', 'x'), says: /"keyId" contains .* outside ASCII/ },
  colon: { data: pair('canary:x', 'x'), says: /contains ":".* not swapped/ },
  missing: { data: { KEYID: id, keySecret: 'x' }, says: /no key "keyId" .*"KEYID"/ },
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
    expect(await resources({ ready: 'True', reason: 'Applied' })).toBe(5);
    expect(await resources({ ready: 'False', reason: 'SecretInvalid' })).toBe(8);
  });
}

beforeAll(async () => {
  kubernetes = await startKubernetes();
  api = await serving((request, response) => {
    const [, basic = ''] = request.headers.authorization?.split(' ') ?? [];
    sent.set(request.url?.split('/').at(-2) ?? '', atob(basic));
    void answers.promise.then(() => response.end('{"result":{"engine_max_threads":4}}'));
  });
  for (const [name, { data, type = 'Opaque', ref = {} }] of Object.entries(SECRETS)) {
    kubernetes.createSecret(name, type, data);
    const ids = { organizationId: 'o', serviceId: 's', pipeId: name };
    const credentialsSecretRef = { name, ...ref };
    const spec = { ...ids, credentialsSecretRef, settings: { engine_max_threads: 4 } };
    kubernetes.create('pipesettings', name, { spec });
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
    await eventually(async () => expect(await resources({ reason: 'Pending' })).toBe(5));
    await settled();
    expect(await resources({ kind: 'PipeSettings' })).toBe(13);
  });

  it('of metrics has those of the contract and no other of ours, with their labels', async () => {
    await settled();
    const families = parseExposition(await metrics());
    const ours = families.filter(({ name }) => /^(pipewright|workqueue)_/.test(name));
    const labelsOf = ours.map(({ name, samples }) => {
      const labels = new Set(samples.flatMap((one) => Object.keys(one.labels)));
      return [
        name,
        [...labels]
          .filter((label) => label !== 'le')
          .toSorted()
          .join(' '),
      ];
    });
    expect(Object.fromEntries(labelsOf)).toEqual({
      pipewright_api_requests_total: 'code operation',
      pipewright_api_request_duration_seconds: 'operation',
      pipewright_api_wait_seconds: '',
      pipewright_credential_paused: 'state',
      pipewright_reconcile_total: 'kind result',
      pipewright_reconcile_duration_seconds: 'kind',
      pipewright_resources: 'kind namespace ready reason',
      pipewright_drift_total: 'kind',
      pipewright_cleanup_abandoned_total: '',
      pipewright_leader: '',
      workqueue_depth: 'name',
    });
    expect(families.some(({ name }) => name === 'process_resident_memory_bytes')).toBe(true);
  });
});

describe('a Secret', () => {
  it.each(Object.entries(SECRETS))(
    'is a usable key, or a problem in words: %s',
    async (name, row) => {
      await settled();
      expect(sent.get(name)).toBe(row.sent);
      expect(kubernetes.readyOf(name)).toMatch(row.says ?? /^Applied: /);
      if (row.says) expect(kubernetes.readyOf(name)).toMatch(/^SecretInvalid: /);
    },
  );

  it('is told in no status, event, metric or line of the log', async () => {
    await settled();
    const told = kubernetes.told() + operator.said() + (await metrics());
    expect(told).not.toMatch(/canary|Y2FuYXJ5|NhbmFye|jYW5hcn/);
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
const crowd = (size: number, bytes: string): Promise<Socket[]> =>
  Promise.all(Array.from({ length: size }, () => sender(bytes)));

describe('the server of the pages', () => {
  it('answers probes beside 1,500 connections that have sent half a head', async () => {
    await crowd(1_500, `${HEAD}x-slow: `);
    const answer = await text(await sender(`${HEAD}\r\n`)).catch(String);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\nok\n$/);
  });

  it('closes the oldest of more than 1,100 connections, whatever it goes on to send', async () => {
    // One whose time is over would be told so; on a slow machine that may come first.
    await eventually(async () => {
      const oldest = await sender(HEAD);
      await crowd(1_100, '');
      oldest.write('x-slow: 1\r\n');
      expect(await text(oldest)).toBe('');
    });
  });

  it.each([
    ['that asks to keep it', `${HEAD}connection: keep-alive\r\n\r\n`],
    ['with 199 behind it', `${HEAD}\r\n`.repeat(200)],
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

it('SIGTERM ends the process well', async () => {
  await settled();
  operator.kill('SIGTERM');
  expect(await operator.ended).toBe(0);
  expect(operator.lines().at(-1)).toMatchObject({ level: 'info', msg: 'stopped' });
});
