import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { createSecureServer } from 'node:http2';
import { createServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { SecureVersion, TLSSocket } from 'node:tls';
import { onTestFinished, vi } from 'vitest';
import type { Certificate } from '../../simulator/certificate.ts';
import { type ConnectProxyOptions, startConnectProxy } from '../../support/connect-proxy.ts';
import { listen } from '../../support/loopback.ts';

/** Has a server listen until the running test ends, and gives its `host:port`. */
export async function listening(server: Server): Promise<string> {
  const { host, stop } = await listen(server);
  onTestFinished(stop);
  return host;
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** What is no text goes as JSON. */
  readonly body?: unknown;
}

/** An API that answers every request alike; `seen` has what has arrived, whole. */
export async function httpApi({ status = 200, headers = {}, body = { result: {} } }: Answer = {}) {
  const seen: { readonly request: IncomingMessage; readonly body: string }[] = [];
  const said = typeof body === 'string' ? body : JSON.stringify(body);
  const server = createHttpServer((request, response) => {
    void text(request).then((arrived) => {
      seen.push({ request, body: arrived });
      response.writeHead(status, headers).end(said);
    });
  });
  return { base: `http://${await listening(server)}`, seen };
}

/** The bytes of a success. */
export const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 13\r\n\r\n{"result":{}}';

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

/** What a server speaks, though Node would not by itself. */
export function only(version: SecureVersion, identity: Certificate) {
  const ciphers = 'DEFAULT@SECLEVEL=0';
  return { ...identity, minVersion: version, maxVersion: version, ciphers };
}

/** An API over TLS that would rather speak HTTP/2; `agreed` has the TLS of each connection. */
export async function tlsApi(options: Certificate | ReturnType<typeof only>) {
  const seen: IncomingMessage['headers'][] = [];
  const spoken: string[] = [];
  const agreed: (string | null)[] = [];
  const server = createSecureServer({ ...options, allowHTTP1: true }, (request, response) => {
    seen.push(request.headers);
    spoken.push(request.httpVersion);
    response.end('{"result":{}}');
  });
  server.on('secureConnection', (socket: TLSSocket) => agreed.push(socket.getProtocol()));
  return { host: await listening(server), seen, spoken, agreed };
}

/** A proxy that goes with the running test, and stands in its environment. */
export async function proxyWith(options: ConnectProxyOptions) {
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
