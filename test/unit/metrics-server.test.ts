import { X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import tls, { connect, type TLSSocket } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Listener } from '../../src/telemetry/listener.ts';
import { startMetricsServer } from '../../src/telemetry/metrics-server.ts';
import type { Standing } from '../../src/telemetry/scrape-access.ts';
import { type Certificate, selfSigned } from '../simulator/certificate.ts';
import { eventually } from '../support/eventually.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { temporaryFolder } from '../support/folder.ts';
import { recordingLog } from '../support/recording-log.ts';

interface Rig {
  readonly port: number;
  readonly server: Listener;
  readonly clock: FakeClock;
  readonly asked: string[];
  readonly messages: readonly string[];
  write(pair: Partial<Certificate>): void;
}

async function start(
  review: (token: string) => Standing | Promise<Standing> = () => ({ is: 'allowed' }),
  first: Partial<Certificate> = selfSigned(),
): Promise<Rig> {
  const folder = await temporaryFolder();
  const [certFile, keyFile] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
  const write = ({ cert, key }: Partial<Certificate>): void => {
    if (cert !== undefined) writeFileSync(certFile, cert);
    if (key !== undefined) writeFileSync(keyFile, key);
  };
  write(first);
  // The certificates are of today.
  const clock = new FakeClock(new Date().toISOString());
  const asked: string[] = [];
  const { log, messages } = recordingLog();
  const server = await startMetricsServer({
    listen: { host: '127.0.0.1', port: 0 },
    certFile,
    keyFile,
    metrics: () => ({ status: 200, body: 'a_metric 1\n' }),
    review: async (token) => {
      asked.push(token);
      return review(token);
    },
    clock,
    log,
  });
  onTestFinished(() => server.close());
  return { port: server.port, server, clock, asked, messages, write };
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
}

function get(
  { port }: Pick<Rig, 'port'>,
  options: { path?: string; method?: string; authorization?: string } = {},
): Promise<Answer> {
  const { path = '/metrics', method = 'GET', authorization } = options;
  const headers = authorization === undefined ? {} : { authorization };
  return new Promise((resolve, reject) => {
    const to = { host: '127.0.0.1', port, path, method, headers, rejectUnauthorized: false };
    request(to, (answer) => {
      const { statusCode: status, headers: answered } = answer;
      void text(answer).then((body) => resolve({ status, headers: answered, body }), reject);
    })
      .on('error', reject)
      .end();
  });
}

const asGood = { authorization: 'Bearer good' };

describe('a scrape', () => {
  test('with a token that Kubernetes lets in gets the page, whatever the case of the scheme', async () => {
    const rig = await start();
    for (const authorization of ['Bearer good', 'bearer good', 'BEARER   good'])
      expect(await get(rig, { authorization })).toMatchObject({
        status: 200,
        body: 'a_metric 1\n',
      });
    expect(rig.asked).toEqual(['good']);
  });

  test.each([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'Bearer two words',
    'Basic Z29vZDpnb29k',
    'good',
    'Bearer, Bearer good',
  ])('with the authorization %j is 401 and asks nobody', async (authorization) => {
    const rig = await start();
    const answer = await get(rig, authorization === undefined ? {} : { authorization });
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toBe('Bearer');
    expect(answer.body).not.toContain('a_metric');
    expect(rig.asked).toEqual([]);
  });

  test.each([
    [{ is: 'unauthenticated' }, 401, 'send a bearer token'],
    [{ is: 'forbidden', user: 'x' }, 403, '"x" may not get /metrics; bind it to a ClusterRole'],
    [{ is: 'unknown', status: 500, why: 'a rule is missing' }, 500, 'a rule is missing'],
    [{ is: 'unknown', status: 503, why: 'no answer' }, 503, 'no answer'],
  ] as const)('of which Kubernetes says %j is %i', async (standing, status, body) => {
    const rig = await start(() => standing);
    const answer = await get(rig, asGood);
    expect(answer.status).toBe(status);
    expect(answer.body).toContain(body);
    expect(answer.body).not.toContain('a_metric');
  });

  test('is 500 where the question itself breaks, and lets nobody in', async () => {
    const rig = await start(() => Promise.reject(new Error('a bug')));
    const answer = await get(rig, asGood);
    expect(answer.status).toBe(500);
    expect(answer.body).not.toContain('a_metric');
    expect(rig.messages.join()).toContain('error cannot answer a scrape, a bug');
  });

  test('of another page or with another method asks nobody', async () => {
    const rig = await start();
    for (const path of ['/', '/livez', '/metrics/', '/metricsx', '//metrics'])
      expect((await get(rig, { ...asGood, path })).status).toBe(404);
    expect((await get(rig, { ...asGood, method: 'POST' })).status).toBe(405);
    expect(rig.asked).toEqual([]);
    expect((await get(rig, { ...asGood, method: 'HEAD' })).status).toBe(200);
  });

  test('that nobody can judge is told once in 10 minutes, and its token never', async () => {
    const rig = await start(() => ({ is: 'unknown', status: 503, why: 'no answer' }));
    const token = 'eyJhbGciOiJSUzI1NiJ9.c2VjcmV0.c2lnbmF0dXJl';
    const told = (): number =>
      rig.messages.filter((line) => line.startsWith('warn cannot find out')).length;
    for (let i = 0; i < 5; i++) await get(rig, { authorization: `Bearer ${token}` });
    expect(told()).toBe(1);
    await rig.clock.advance(600_000);
    await get(rig, { authorization: `Bearer ${token}` });
    expect(told()).toBe(2);
    expect(rig.asked).toContain(token);
    expect(rig.messages.join('\n')).not.toContain('eyJ');
  });

  test('with headers beyond 8 KiB is refused', async () => {
    expect(
      (await get(await start(), { authorization: `Bearer ${'x'.repeat(9_000)}` })).status,
    ).toBe(431);
  });
});

/** The certificate that a new connection is shown, as base64. */
async function shown({ port }: Rig): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await new Promise<void>((resolve, reject) =>
    socket.once('secureConnect', resolve).once('error', reject),
  );
  const { raw } = socket.getPeerCertificate();
  socket.destroy();
  return raw.toString('base64');
}

const inPem = ({ cert }: Certificate): string => cert.replaceAll(/-----.*-----|\s/g, '');

describe('the certificate', () => {
  test('is the new one a second after the files have changed', async () => {
    const [first, second] = [selfSigned(), selfSigned()];
    const rig = await start(undefined, first);
    expect(await shown(rig)).toBe(inPem(first));
    rig.write(second);
    await rig.clock.advance(1_000);
    expect(await shown(rig)).toBe(inPem(second));
    expect((await get(rig, asGood)).status).toBe(200);
  });

  test.each([
    ['a certificate without its key', (next: Certificate) => ({ cert: next.cert })],
    ['a key without its certificate', (next: Certificate) => ({ key: next.key })],
    ['half a certificate', (next: Certificate) => ({ ...next, cert: next.cert.slice(0, 200) })],
    ['nothing', () => ({ cert: '', key: '' })],
    ['one that is over', () => selfSigned({ daysLeft: -1 })],
    ['one that is not valid yet', () => selfSigned({ daysLeft: 91 })],
  ])(
    'stays where the files hold %s, which is told once, and changes when they are whole',
    async (_, part) => {
      const [first, next] = [selfSigned(), selfSigned()];
      const rig = await start(undefined, first);
      const told = (): number =>
        rig.messages.filter((line) => line.startsWith('warn cannot use')).length;
      rig.write(part(next));
      for (let i = 0; i < 3; i++) {
        await rig.clock.advance(1_000);
        expect(await shown(rig)).toBe(inPem(first));
      }
      expect(told()).toBe(1);
      rig.write(next);
      await rig.clock.advance(1_000);
      expect(await shown(rig)).toBe(inPem(next));
      expect(told()).toBe(1);
      expect(rig.messages.join('\n')).not.toContain('PRIVATE');
    },
  );

  test('that is not valid yet is shown once it is', async () => {
    const [first, next] = [selfSigned(), selfSigned({ daysLeft: 91 })];
    const rig = await start(undefined, first);
    rig.write(next);
    await rig.clock.advance(1_000);
    expect(await shown(rig)).toBe(inPem(first));
    const { validFrom } = new X509Certificate(next.cert);
    expect(rig.messages.join('\n')).toContain(`is not valid before ${validFrom}`);
    await rig.clock.advance(86_400_000);
    expect(await shown(rig)).toBe(inPem(next));
  });

  test('that is none stops the start', async () => {
    const [first, other] = [selfSigned(), selfSigned()];
    await expect(start(undefined, { cert: first.cert, key: other.key })).rejects.toThrow(
      /^cannot use --metrics-tls-cert \S+tls.crt with --metrics-tls-key \S+tls.key: the key is not that/,
    );
  });

  test('is not shown to TLS before 1.2, also where Node is told to allow it and after a change', async () => {
    const [least, ciphers] = [tls.DEFAULT_MIN_VERSION, tls.DEFAULT_CIPHERS];
    tls.DEFAULT_MIN_VERSION = 'TLSv1';
    tls.DEFAULT_CIPHERS = `${ciphers}:@SECLEVEL=0`;
    onTestFinished(() => {
      tls.DEFAULT_MIN_VERSION = least;
      tls.DEFAULT_CIPHERS = ciphers;
    });
    const rig = await start();
    const attempt = (version: 'TLSv1.1' | 'TLSv1.2'): Promise<string> =>
      new Promise((resolve) => {
        const old = { minVersion: version, maxVersion: version };
        const socket: TLSSocket = connect(
          { port: rig.port, host: '127.0.0.1', rejectUnauthorized: false, ...old },
          () => resolve(socket.destroy() && 'connected'),
        ).on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
      });
    for (const pair of [undefined, selfSigned()]) {
      if (pair) rig.write(pair);
      await rig.clock.advance(1_000);
      expect(await attempt('TLSv1.2')).toBe('connected');
      expect(await attempt('TLSv1.1')).toMatch(/PROTOCOL_VERSION/);
    }
  });
});

describe('1,500 connections that never end their handshake', () => {
  test.each([
    ['say nothing', ''],
    ['have sent half a hello', '\x16\x03\x01\x02\x00\x01'],
    ['speak HTTP without TLS', 'GET /metrics HTTP/1.1\r\n\r\n'],
  ])('and %s leave scrapes answered, and are no hindrance to the end', async (_, sent) => {
    const rig = await start();
    const crowd = Array.from({ length: 1_500 }, () => {
      const socket = connectTcp({ port: rig.port, host: '127.0.0.1', allowHalfOpen: true });
      return socket.on('error', () => undefined).on('connect', () => socket.write(sent));
    });
    onTestFinished(() => crowd.forEach((socket) => void socket.destroy()));
    await eventually(() => expect(crowd.filter(({ connecting }) => connecting)).toEqual([]));
    expect((await get(rig, asGood)).status).toBe(200);
    await rig.server.close();
  });
});
