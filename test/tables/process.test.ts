import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { kindOf } from '../simulation/kubernetes/kinds.ts';
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

const KEY = { keyId: 'canary-id', keySecret: 'canary secret' };
const long = (length: number): string => 'canary'.padEnd(length, 'x');
const SECRETS: Readonly<Record<string, Row>> = {
  plain: { data: KEY, sent: 'canary-id:canary secret' },
  blanks: { data: { keyId: ' canary-id\r\n', keySecret: '\tcanary\n' }, sent: 'canary-id:canary' },
  basic: {
    type: 'kubernetes.io/basic-auth',
    data: { username: 'canary-u', password: 'p' },
    sent: 'canary-u:p',
  },
  named: {
    data: { id: 'canary-x', 'the.secret': 'canary' },
    ref: { keyIdKey: 'id', keySecretKey: 'the.secret' },
    sent: 'canary-x:canary',
  },
  longest: {
    data: { keyId: long(256), keySecret: long(4096) },
    sent: `${long(256)}:${long(4096)}`,
  },
  'long-id': { data: { ...KEY, keyId: long(257) }, says: /"keyId" is longer than the 256 bytes/ },
  'long-secret': { data: { ...KEY, keySecret: long(4097) }, says: /"keySecret" is longer than/ },
  empty: { data: { ...KEY, keySecret: ' \n' }, says: /"keySecret" is empty/ },
  quoted: { data: { ...KEY, keySecret: '"canary"' }, says: /"keySecret" has quotes around/ },
  lines: { data: { ...KEY, keySecret: 'canary\ncanary' }, says: /"keySecret" contains control/ },
  foreign: { data: { ...KEY, keyId: 'canäry' }, says: /"keyId" contains .* outside ASCII/ },
  colon: { data: { ...KEY, keyId: 'canary:x' }, says: /contains ":".* not swapped/ },
  missing: { data: { KEYID: 'canary', keySecret: 'x' }, says: /no key "keyId" .*"KEYID"/ },
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
const readyOf = (name: string) => {
  const object = kubernetes.kube.objects.get(kindOf('pipesettings'), 'ns', name);
  const { conditions } = object?.status as { conditions: { reason: string; message: string }[] };
  return conditions[0];
};

beforeAll(async () => {
  kubernetes = await startKubernetes();
  api = await serving((request, response) => {
    const [, basic = ''] = request.headers.authorization?.split(' ') ?? [];
    sent.set(request.url?.split('/').at(-2) ?? '', atob(basic));
    void answers.promise.then(() => response.end('{"result":{"engine_max_threads":4}}'));
  });
  const user = kubernetes.kube.as('a user');
  for (const [name, { data, type = 'Opaque', ref = {} }] of Object.entries(SECRETS)) {
    const encoded = Object.entries(data).map(([key, value]) => [
      key,
      Buffer.from(value).toString('base64'),
    ]);
    const metadata = { name, namespace: 'ns' };
    const secret = { metadata, type, data: Object.fromEntries(encoded) as object };
    user.create(kindOf('secrets'), 'ns', secret);
    const ids = { organizationId: 'o', serviceId: 's', pipeId: name };
    const spec = {
      ...ids,
      credentialsSecretRef: { name, ...ref },
      settings: { engine_max_threads: 4 },
    };
    user.create(kindOf('pipesettings'), 'ns', { metadata, spec });
  }
  operator = startMain({ server: kubernetes.url, 'insecure-skip-tls-verify': true }, [
    `--api-url=${api.url}`,
  ]);
  await eventually(() => {
    const started = operator.lines().find(({ msg }) => msg === 'started');
    port = Number(started?.['port']);
    expect(started, operator.said()).toBeDefined();
  });
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

  it.each(['/', '/livez/', '/metrics/x', '/constructor', '/%2e%2e/etc/passwd'])(
    'do not include %s',
    async (path) => expect((await page(path)).status).toBe(404),
  );

  it('of metrics is made once a second, however many ask', async () => {
    const first = await metrics();
    await eventually(async () => expect(await metrics()).toBe(await metrics()));
    await eventually(async () => expect(await metrics()).not.toBe(first));
  });

  it('of metrics counts an object for what it is now', async () => {
    const resources = async (labels: Readonly<Record<string, string>>): Promise<number> =>
      metric(await metrics(), 'pipewright_resources', { namespace: 'ns', ...labels });
    await eventually(async () => expect(await resources({ reason: 'Pending' })).toBe(5));
    answers.resolve();
    await eventually(async () => {
      expect(await resources({ ready: 'True', reason: 'Applied' })).toBe(5);
      expect(await resources({ ready: 'False', reason: 'SecretInvalid' })).toBe(8);
      expect(await resources({ kind: 'PipeSettings' })).toBe(13);
    });
  });

  it('of metrics has those of the contract and no other of ours, with their labels', async () => {
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
  it.each(Object.entries(SECRETS))('is a usable key, or a problem in words: %s', (name, row) => {
    expect(sent.get(name)).toBe(row.sent);
    const ready = readyOf(name);
    expect(ready?.reason).toBe(row.sent === undefined ? 'SecretInvalid' : 'Applied');
    expect(ready?.message).toMatch(row.says ?? /./);
  });

  it('is told in no status, event, metric or line of the log', async () => {
    const objects = ['pipesettings', 'events'].map((kind) =>
      kubernetes.kube.objects.list(kindOf(kind), ''),
    );
    const told = JSON.stringify(objects) + operator.said() + (await metrics());
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
const crowd = (size: number, sent: string): Promise<Socket[]> =>
  Promise.all(Array.from({ length: size }, () => sender(sent)));

describe('the server of the pages', () => {
  it.each([
    ['have sent half a head', `${HEAD}x-slow: `],
    ['have said that a body comes', `POST /livez HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n`],
    ['are not HTTP', '\x16\x03\x01'],
  ])('answers probes beside 1,500 connections that %s', async (_, sent) => {
    await crowd(1_500, sent);
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

  it('ends a request that drips', async () => {
    const socket = await sender(HEAD);
    const drip = setInterval(() => socket.write('x: 1\r\n'), 100);
    onTestFinished(() => clearInterval(drip));
    expect(await text(socket).catch(String)).not.toContain('200 OK');
  });

  it.each([
    ['that asks to keep it', `${HEAD}connection: keep-alive\r\n\r\n`],
    ['of HTTP/1.0', 'GET /livez HTTP/1.0\r\nconnection: keep-alive\r\n\r\n'],
    ['whose body does not come', `${HEAD}content-length: 1000000\r\n\r\nbegun`],
    ['with 199 behind it', `${HEAD}\r\n`.repeat(200)],
    ['with one in its body', `${HEAD}content-length: 40\r\n\r\n${HEAD}\r\n`],
  ])('ends a connection with its one answer: a request %s', async (_, bytes) => {
    const answer = await text(await sender(bytes));
    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    expect(answer).toMatch(/^connection: close\r$/im);
  });
});

it('SIGTERM ends the process well', async () => {
  operator.kill('SIGTERM');
  expect(await operator.ended).toBe(0);
  expect(operator.lines().at(-1)).toMatchObject({ level: 'info', msg: 'stopped' });
});
