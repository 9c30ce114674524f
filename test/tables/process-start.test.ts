import { once } from 'node:events';
import { createServer } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { expect, it } from 'vitest';
import { selfSigned } from '../simulator/certificate.ts';
import { startMain } from './api/process.ts';
import { listening, only } from './api/servers.ts';

const URL_FLAG = '--api-url=https://api.test';

it('Kubernetes is not spoken to over TLS 1.1, whatever Node is told to allow', async () => {
  const agreed: (string | null)[] = [];
  const server = createServer(only('TLSv1.1', selfSigned()));
  server.on('secureConnection', (socket: TLSSocket) => agreed.push(socket.getProtocol()));
  const failed = once(server, 'tlsClientError');
  const url = `https://${await listening(server)}`;
  const tls = '--tls-min-v1.0 --tls-cipher-list=DEFAULT@SECLEVEL=0';
  const cluster = { server: url, 'insecure-skip-tls-verify': true };
  const operator = startMain(cluster, [URL_FLAG], tls);
  await Promise.race([failed, once(server, 'secureConnection')]);
  operator.kill('SIGKILL');
  await operator.ended;
  expect(agreed).toEqual([]);
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
    const operator = startMain({ server: 'https://127.0.0.1:1' }, [URL_FLAG], preload);
    expect(await operator.ended).toBe(1);
    expect(operator.said()).not.toMatch(/^[^{]/m);
    expect(operator.lines().filter(({ level }) => level === 'fatal')).toEqual([
      {
        level: 'fatal',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as unknown,
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
