import { once } from 'node:events';
import { createServer } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { expect, it, onTestFinished } from 'vitest';
import { selfSigned } from '../simulator/certificate.ts';
import { eventually } from '../support/eventually.ts';
import { startMain } from './api/process.ts';
import { listening, only } from './api/servers.ts';

const URL_FLAG = '--api-url=https://api.test';

it('Kubernetes is not spoken to over TLS 1.1, whatever Node is told, and an unchecked certificate is warned of once', async () => {
  const agreed: (string | null)[] = [];
  const server = createServer(only('TLSv1.1', selfSigned()));
  server.on('secureConnection', (socket: TLSSocket) => agreed.push(socket.getProtocol()));
  const failed = once(server, 'tlsClientError');
  const cluster = {
    server: `https://${await listening(server)}`,
    'insecure-skip-tls-verify': true,
  };
  const tls = '--tls-min-v1.0 --tls-cipher-list=DEFAULT@SECLEVEL=0';
  const operator = startMain(cluster, [URL_FLAG], tls);
  onTestFinished(() => void operator.kill('SIGKILL'));
  await Promise.race([failed, once(server, 'secureConnection')]);
  expect(agreed).toEqual([]);
  const warnings = operator.lines().filter(({ msg }) => msg.startsWith('insecure-skip-tls-verify'));
  expect(warnings).toMatchObject([{ level: 'warn' }]);
  operator.kill('SIGKILL');
  await operator.ended;
});

const ERROR = `Object.assign(new Error('boom', { cause: new TypeError('bad host') }), {
  code: 'ECONNRESET', headers: { authorization: 'can' + 'ary' } })`;

it.each([
  ['unhandledRejection', `Promise.reject(${ERROR});`],
  ['uncaughtException', `throw ${ERROR};`],
])(
  'a defect that nobody catches ends the process with one line of log and nothing else of the error: %s',
  async (kind, defect) => {
    // It comes once the process has its own handlers.
    const code = `const wait = setInterval(() => {
    if (process.listenerCount('SIGTERM') > 0) { clearInterval(wait); ${defect} } }, 10);`;
    const preload = `--import=data:text/javascript,${encodeURIComponent(code)}`;
    const operator = startMain({ server: 'https://127.0.0.1:1' }, [URL_FLAG], preload);
    expect(await operator.ended).toBe(1);
    expect(operator.said()).not.toContain('canary');
    const fatal = operator.lines().filter(({ level }) => level === 'fatal');
    const frames = expect.arrayContaining([expect.stringMatching(/^at /)]) as unknown;
    expect(fatal).toEqual([
      {
        level: 'fatal',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as unknown,
        msg: 'uncaught error, a bug; the process exits',
        kind,
        error: 'boom',
        errorName: 'Error',
        errorCode: 'ECONNRESET',
        errorCauses: ['TypeError: bad host'],
        errorStack: frames,
      },
    ]);
  },
);

it('flags that are wrong end the process with 2, all of them told on stderr', async () => {
  const operator = startMain({}, ['--api-in-flight=0', '--nonsense']);
  expect(await operator.ended).toBe(2);
  expect(operator.said()).toMatch(/^pipewright cannot start: 3 problems/);
});
