import type { AddressInfo, Server, Socket } from 'node:net';

/** Has a server listen on loopback, where either side of a connection may leave as it likes. */
export async function listen(server: Server) {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = (): void => sockets.forEach((socket) => socket.destroy());
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Ends every connection at once, as a server does that is restarted. */
    cut,
    stop(): Promise<void> {
      cut();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
