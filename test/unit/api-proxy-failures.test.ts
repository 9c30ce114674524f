import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { ApiClientOptions, Reply } from '../../src/api/http/client.ts';
import { tunnelThrough } from '../../src/api/http/proxy.ts';
import { selfSigned } from '../simulator/certificate.ts';
import { client, listening, proxyWith, put, realApi } from '../support/proxied-client.ts';

const API = 'http://api.test:8443';
const TUNNEL = 'to the request for a tunnel to api.test:8443';
const KEY = 'mailman:canary-password@';

describe('a proxy that opens no tunnel', () => {
  const answering = (status: number) => (_: unknown, socket: NodeJS.WritableStream) => {
    socket.end(`HTTP/1.1 ${status} X\r\ncontent-length: 4\r\n\r\nnope`);
    return true;
  };

  test.each([
    [403, '', ': its rules do not allow this address'],
    [404, '', ''],
    [
      407,
      '',
      ': it wants a user name and password; put them into its URL, as in http://user:password@host:port',
    ],
    [407, KEY, ': it does not take the user name and password of its URL'],
    [502, '', ': it could not reach this address'],
    [504, KEY, ': it could not reach this address'],
  ])('but answers %i %s', async (status, key, advice) => {
    const proxy = await proxyWith({ instead: answering(status) });
    const told = await refused(proxy.url.replace('//', `//${key}`));
    expect(told).toBe(`the proxy ${proxy.url} answered ${status} ${TUNNEL}${advice}`);
    expect(proxy.asked).toHaveLength(1);
  });

  test('but refuses the connection', async () => {
    const told = await refused(`http://${KEY}127.0.0.1:1`);
    expect(told).toBe('connection refused by the proxy http://127.0.0.1:1');
  });

  test('but has a name that does not exist', async () => {
    const told = await refused(`http://${KEY}nothing.invalid:3128`);
    expect(told).toMatch(
      /the proxy http:\/\/nothing\.invalid:3128|for the proxy http:\/\/nothing\.invalid:3128/,
    );
  });

  test('but closes the connection', async () => {
    const proxy = await proxyWith({ instead: (_, socket) => Boolean(socket.destroy()) });
    expect(await refused(proxy.url)).toBe(
      `the proxy ${proxy.url} closed the connection before it answered`,
    );
    expect(proxy.asked, 'asked once, not for ever').toHaveLength(1);
  });

  test('but speaks something else', async () => {
    const server = createServer((socket) => {
      socket.resume().on('error', () => socket.destroy());
      socket.end('SSH-2.0-OpenSSH_9.6\r\n\r\n');
    });
    const url = `http://127.0.0.1:${await listening(server)}`;
    expect(await refused(url)).toBe(`the proxy ${url} answered with something that is not HTTP`);
  });

  test('but has a certificate that nobody vouches for', async () => {
    const proxy = await proxyWith({ tls: selfSigned() });
    const cause = `the TLS certificate of the proxy ${proxy.url} is not signed by a trusted CA (DEPTH_ZERO_SELF_SIGNED_CERT); name its CA with --api-ca-file`;
    expect(await refused(proxy.url)).toBe(cause);
  });

  test('but has a certificate for another address', async () => {
    const other = selfSigned({ address: '127.0.0.9' });
    const proxy = await proxyWith({ tls: other });
    const cause = `the TLS certificate of the proxy ${proxy.url} is for another host name`;
    expect(await refused(proxy.url, { ca: other.cert })).toBe(cause);
  });

  test('but does not answer is waited for no longer than a connection', async () => {
    const proxy = await proxyWith({ instead: () => true });
    const connect = tunnelThrough(new URL(proxy.url), { connectTimeoutMs: 1_000 });
    const target = { hostname: 'api.test', port: '', protocol: 'https:' };
    const error = await new Promise((resolve) =>
      connect(target, (...[failure]) => resolve(failure)),
    );
    expect(error).toMatchObject({ message: `no answer from the proxy ${proxy.url} within 1s` });
    expect(proxy.asked).toMatchObject([{ authority: 'api.test:443' }]);
  });

  test('but does not answer: the deadline of the call ends it, and nothing is sent later', async () => {
    let open = (): void => {};
    const opened = new Promise<void>((resolve) => (open = resolve));
    const proxy = await proxyWith({ before: () => opened });
    const { base, seen } = await realApi('http');
    const api = client(base, proxy.url, { timeoutMs: 3_000 });
    const reply = await api.call(put);
    expect(reply).toMatchObject({ answered: false, sent: false });
    expect(reply).toMatchObject({
      cause: expect.stringMatching(/^no answer (from the proxy \S+ )?within 3s$/),
    });
    open();
    expect(await api.call(put)).toMatchObject({ httpStatus: 200 });
    expect(seen).toHaveLength(1);
  });
});

/** The cause of a call that never left: it names no password, and leave was not asked for. */
async function refused(proxy: string, more: Partial<ApiClientOptions> = {}): Promise<string> {
  const mayStart = (): boolean => {
    throw new Error('leave was asked for without a tunnel');
  };
  const reply: Reply = await client(API, proxy, { mayStart, ...more }).call(put);
  const told = reply.answered ? '' : reply.cause;
  expect(reply).toEqual({ answered: false, sent: false, cause: told });
  expect(told).not.toMatch(/canary|mailman/);
  return told;
}

describe('behind a tunnel', () => {
  test('a certificate that nobody vouches for is told with the proxy, which may have put it there', async () => {
    const proxy = await proxyWith();
    const { base } = await realApi('https');
    const reply = await client(base, proxy.url, { ca: selfSigned().cert }).call(put);
    expect(reply).toMatchObject({
      sent: false,
      cause: expect.stringMatching(
        /^the TLS certificate of 127\.0\.0\.1:\d+ through the proxy http:\/\/127\.0\.0\.1:\d+ is not signed/,
      ),
    });
  });

  test.each(['http', 'https'])(
    'an end right after its beginning ends the call, over %s',
    async (scheme) => {
      const proxy = await proxyWith({
        instead: (_, socket) => {
          socket.write('HTTP/1.1 200 OK\r\n\r\n', () => socket.destroy());
          return true;
        },
      });
      const reply = await client(`${scheme}://api.test:8443`, proxy.url).call(put);
      expect(reply).toMatchObject({
        answered: false,
        cause: expect.stringMatching(
          /^api\.test:8443 through the proxy .* closed the connection before it answered$/,
        ),
      });
    },
  );
});
