import {
  createServer as createHttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { createSecureServer } from 'node:http2';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { onTestFinished, vi } from 'vitest';
import {
  type ApiClient,
  type ApiClientOptions,
  type ApiRequest,
  createApiClient,
} from '../../src/api/call.ts';
import { systemClock } from '../../src/clock.ts';
import type { Certificate } from '../simulator/certificate.ts';
import { type ConnectProxy, type ConnectProxyOptions, startConnectProxy } from './connect-proxy.ts';

/** Has a server listen until the running test ends, and gives its `host:port`. */
export async function listening(server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

type Handle = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/** The URL of an API; `handle` is called once the body has come whole. */
export async function httpApi(handle: Handle): Promise<string> {
  const server = createHttpServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => handle(request, response, body));
  });
  return `http://${await listening(server)}`;
}

/**
 * An API over TLS that would rather speak HTTP/2; `seen` has the version of HTTP and the headers of
 * each request.
 */
export async function tlsApi(identity: Certificate) {
  const seen: [string, object][] = [];
  const server = createSecureServer({ ...identity, allowHTTP1: true }, (request, response) => {
    seen.push([request.httpVersion, request.headers]);
    response.end('{"result":{"x":1}}');
  });
  return { host: await listening(server), seen };
}

/** The URL of a server without HTTP: gets the socket each time a whole head has arrived. */
export async function rawApi(onRequest: (socket: Socket, count: number) => void): Promise<string> {
  let count = 0;
  const server = createServer((socket) => {
    socket.on('data', (chunk) => {
      if (chunk.toString('latin1').includes('\r\n\r\n')) onRequest(socket, ++count);
    });
  });
  return `http://${await listening(server)}`;
}

/** A proxy that goes with the running test, and stands in its environment. */
export async function proxyWith(options: ConnectProxyOptions = {}): Promise<ConnectProxy> {
  const proxy = await startConnectProxy(options);
  onTestFinished(() => proxy.stop());
  useProxy(proxy.url);
  return proxy;
}

/** The environment has this proxy, until the running test ends. */
export function useProxy(url: string): void {
  for (const name of ['http_proxy', 'https_proxy']) vi.stubEnv(name, url);
  vi.stubEnv('no_proxy', '.svc,10.0.0.0/8');
  onTestFinished(() => void vi.unstubAllEnvs());
}

/** The operator's client of the API; closed when the running test ends. */
export function client(base: string, more: Partial<ApiClientOptions> = {}): ApiClient {
  const made = createApiClient({
    baseUrl: new URL(base),
    timeoutMs: 15_000,
    clock: systemClock,
    version: '1.2.3',
    stop: new AbortController().signal,
    ...more,
  });
  onTestFinished(() => made.close());
  return made;
}

/** It does not matter which. */
export const put: ApiRequest = {
  operation: 'put-settings',
  method: 'PUT',
  path: ['v1', 'organizations', 'o-1'],
  body: '{"a":1}',
  begin: () => true,
  credential: {
    id: 'c',
    authorization: 'Basic aWQ6c2VjcmV0',
    mask: (text) => text.replaceAll('secret', '***'),
  },
};
