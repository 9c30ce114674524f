import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

export interface Listener {
  readonly url: string;
  /** which connection a request came on, counted from 1 */
  connectionOf(request: IncomingMessage): number;
  /**
   * Ends the connection of a request the hard way; with TLS the other side sees it close, without
   * it sees a reset.
   */
  reset(request: IncomingMessage): void;
  /** Refuses connections and cuts those there are; with `forMs`, comes back by itself. */
  down(options?: { forMs?: number }): Promise<void>;
  up(): Promise<void>;
  /** As `down`, for good. */
  stop(): Promise<void>;
}

/**
 * Listens on 127.0.0.1; the port stays the same over `down` and `up`. Rejects when the port is
 * taken.
 */
export async function listen(options: {
  port: number;
  tls: { cert: string; key: string } | undefined;
  serve: RequestListener;
}): Promise<Listener> {
  const { tls, serve } = options;
  const numbers = new WeakMap<Socket, number>();
  const sockets = new Set<Socket>();
  let connections = 0;
  let port = options.port;
  let server: Server | undefined;
  let comeback: NodeJS.Timeout | undefined;
  let stopped = false;

  async function up(): Promise<void> {
    if (stopped) throw new Error('The simulator was stopped; start another one.');
    clearTimeout(comeback);
    if (server) return;
    const fresh = tls ? createTlsServer(tls, serve) : createServer(serve);
    fresh.keepAliveTimeout = 75_000;
    fresh.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      socket.on('error', () => socket.destroy());
    });
    fresh.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => {
      connections += 1;
      numbers.set(socket, connections);
    });
    await new Promise<void>((resolve, reject) => {
      fresh.once('error', reject);
      fresh.listen(port, '127.0.0.1', resolve);
    });
    port = (fresh.address() as AddressInfo).port;
    server = fresh;
  }

  async function down({ forMs }: { forMs?: number } = {}): Promise<void> {
    clearTimeout(comeback);
    if (forMs !== undefined) comeback = setTimeout(() => void up(), forMs);
    const present = server;
    if (!present) return;
    server = undefined;
    const closed = new Promise<void>((resolve) => {
      present.close(() => resolve());
    });
    for (const socket of sockets) socket.destroy();
    await closed;
  }

  await up();
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    connectionOf: (request) => numbers.get(request.socket) ?? 0,
    reset: ({ socket }) => {
      if (tls) socket.destroy();
      else socket.resetAndDestroy();
    },
    down,
    up,
    stop: () => {
      stopped = true;
      return down();
    },
  };
}
