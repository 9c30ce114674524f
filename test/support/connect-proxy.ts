import {
  createServer as createHttpServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { listen } from './loopback.ts';

/** What a client asked of the proxy. */
interface AskedTunnel {
  readonly authority: string;
  readonly headers: IncomingHttpHeaders;
}

export interface ConnectProxyOptions {
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Where to connect for an authority; absent: there. */
  readonly route?: (authority: string) => string;
  /** Called first; true: it deals with the socket itself and there is no tunnel. */
  readonly instead?: (asked: AskedTunnel, socket: Duplex) => boolean;
  /** Awaited before the tunnel is opened. */
  readonly before?: () => Promise<void>;
}

const ESTABLISHED = 'HTTP/1.1 200 Connection established\r\n\r\n';

/** A real proxy for tunnels, on loopback. */
export async function startConnectProxy(options: ConnectProxyOptions = {}) {
  const { tls, route = String, instead = () => false, before = async () => {} } = options;
  const asked: AskedTunnel[] = [];
  /** `METHOD target` of what was no CONNECT; such a request is answered 500. */
  const forwarded: string[] = [];
  /** All bytes that clients sent through tunnels. */
  let passed = '';
  const tunnel = async (request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> => {
    client.on('error', () => client.destroy());
    const one = { authority: request.url ?? '', headers: request.headers };
    asked.push(one);
    if (instead(one, client)) return;
    await before();
    const { hostname, port } = new URL(`http://${route(one.authority)}`);
    const target = connect(Number(port) || 80, hostname);
    // The end of either side is the other one's too.
    client.on('close', () => target.destroy());
    target.on('close', () => client.destroy()).on('error', () => target.destroy());
    target.once('connect', () => {
      client.write(ESTABLISHED);
      target.write(head);
      client.on('data', (chunk: Buffer) => (passed += chunk.toString('latin1')));
      client.pipe(target).pipe(client);
    });
  };
  const server = tls ? createHttpsServer(tls) : createHttpServer();
  server.on('request', (request: IncomingMessage, response) => {
    forwarded.push(`${request.method} ${request.url}`);
    response.writeHead(500).end();
  });
  server.on('connect', (...asked) => void tunnel(...asked));
  const { host, cut, stop } = await listen(server);
  const url = `${tls ? 'https' : 'http'}://${host}`;
  return { url, asked, forwarded, passed: () => passed, cut, stop };
}
