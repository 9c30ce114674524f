import {
  createServer as createHttpServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';

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
  const sockets = new Set<Duplex>();
  /** All bytes that clients sent through tunnels. */
  let passed = '';
  const keep = (socket: Duplex): void => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // Either side may leave as it likes; its end is the other one's too.
    socket.on('error', () => socket.destroy());
  };
  const tunnel = async (request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> => {
    keep(client);
    const one = { authority: request.url ?? '', headers: request.headers };
    asked.push(one);
    if (instead(one, client)) return;
    await before();
    const { hostname, port } = new URL(`http://${route(one.authority)}`);
    const target = connect(Number(port) || 80, hostname);
    keep(target);
    client.on('close', () => target.destroy());
    target.on('close', () => client.destroy());
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
  server.on('connection', keep);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  /** Ends all tunnels at once, as a proxy does that is restarted. */
  const cutTunnels = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    forwarded,
    passed: () => passed,
    cutTunnels,
    stop: () => {
      cutTunnels();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
