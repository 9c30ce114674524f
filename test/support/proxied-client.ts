import { createServer as createHttpServer, type IncomingHttpHeaders } from 'node:http';
import { createSecureServer } from 'node:http2';
import type { AddressInfo, Server, Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import {
  type ApiClient,
  type ApiClientOptions,
  type ApiRequest,
  createApiClient,
} from '../../src/api/http/client.ts';
import { systemClock } from '../../src/clock.ts';
import { selfSigned } from '../simulator/certificate.ts';
import { type ConnectProxy, type ConnectProxyOptions, startConnectProxy } from './connect-proxy.ts';
import { type RawServer, startRawServer } from './raw-server.ts';

/** Trusted by every `client`: of the API and, where it has one, of the proxy. */
export const identity = selfSigned();

/** A proxy that goes with the running test. */
export async function proxyWith(options: ConnectProxyOptions = {}): Promise<ConnectProxy> {
  const proxy = await startConnectProxy(options);
  onTestFinished(() => proxy.stop());
  return proxy;
}

/**
 * An API that answers with whatever bytes; `count` is that of the requests so far. Goes with the
 * running test.
 */
export async function rawApi(answer: (socket: Socket, count: number) => void): Promise<RawServer> {
  const server = await startRawServer((_, socket) => answer(socket, server.requests.length));
  onTestFinished(() => server.stop());
  return server;
}

/** Has a server listen until the running test ends, and gives its port. */
export async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return (server.address() as AddressInfo).port;
}

/** An API over http, or over TLS as one that would rather speak HTTP/2. */
export async function realApi(
  scheme: string,
): Promise<{ base: string; seen: IncomingHttpHeaders[]; versions: string[] }> {
  const seen: IncomingHttpHeaders[] = [];
  const versions: string[] = [];
  const answer = (
    request: { httpVersion: string; headers: IncomingHttpHeaders },
    response: { end(text: string): unknown },
  ): void => {
    seen.push(request.headers);
    versions.push(request.httpVersion);
    response.end('{"result":{"x":1}}');
  };
  const server =
    scheme === 'http'
      ? createHttpServer(answer)
      : createSecureServer({ ...identity, allowHTTP1: true }, answer);
  return { base: `${scheme}://127.0.0.1:${await listening(server)}`, seen, versions };
}

/** It does not matter which. */
export const put: ApiRequest = {
  operation: 'put-settings',
  method: 'PUT',
  path: ['v1', 'pipes'],
  body: '{"a":1}',
  credential: { id: 'c', authorization: 'Basic aWQ6c2VjcmV0', mask: (text) => text },
};

/** The operator's client of the API, through a proxy; closed when the running test ends. */
export function client(
  base: string,
  proxy: string,
  more: Partial<ApiClientOptions> = {},
): ApiClient {
  const made = createApiClient({
    baseUrl: new URL(base),
    proxy: new URL(proxy),
    ca: identity.cert,
    timeoutMs: 15_000,
    clock: systemClock,
    version: '1.2.3',
    mayStart: () => true,
    ...more,
  });
  onTestFinished(() => made.close());
  return made;
}
