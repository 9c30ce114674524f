import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A cable between the operator and a server: bytes, with TLS and HTTP/2 as they are. */
export interface Wire {
  readonly port: number;
  /** Closes every connection without a word. */
  cut(): void;
  /** From now on the connections that are open carry nothing more, and do not end. */
  freeze(): void;
  close(): Promise<void>;
}

/** Lays one to a port on loopback. */
export async function layWire(port: number): Promise<Wire> {
  const pairs = new Set<readonly [Socket, Socket]>();
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    const pair = [near, far] as const;
    pairs.add(pair);
    const end = (): void => {
      pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    for (const socket of pair) socket.on('error', end).on('close', end);
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = (): void => {
    for (const [near] of pairs) near.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    freeze() {
      for (const [near, far] of pairs) {
        near.unpipe(far).pause();
        far.unpipe(near).pause();
      }
    },
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      cut();
      await closed;
    },
  };
}
