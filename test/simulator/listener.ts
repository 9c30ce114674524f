import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

/**
 * Listens on 127.0.0.1; the port stays the same over `down` and `up`. Rejects when the port is
 * taken.
 */
export async function listen(options: {
  port: number;
  tls: { cert: string; key: string } | undefined;
  serve: RequestListener;
}) {
  const { tls, serve } = options;
  const sockets = new Set<Socket>();
  let { port } = options;
  let server: Server | undefined;
  let isStopped = false;

  async function up(): Promise<void> {
    if (isStopped) throw new Error('The simulator was stopped; start another one.');
    if (server) return;
    const fresh = tls ? createTlsServer(tls, serve) : createServer(serve);
    fresh.keepAliveTimeout = 75_000;
    fresh.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      socket.on('error', () => socket.destroy());
    });
    await new Promise<void>((resolve, reject) => {
      fresh.once('error', reject);
      fresh.listen(port, '127.0.0.1', resolve);
    });
    ({ port } = fresh.address() as AddressInfo);
    server = fresh;
  }

  async function down(): Promise<void> {
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
    down,
    up,
    stop: (): Promise<void> => {
      isStopped = true;
      return down();
    },
  };
}
