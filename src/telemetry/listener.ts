import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';

export interface ListenerOptions {
  readonly listen: { readonly host?: string; readonly port: number };
  /** Gets one request per connection; its body is not waited for. */
  readonly handle: RequestListener;
  /** The server goes on after it; out of file descriptors, for instance. */
  readonly onError: (error: Error) => void;
}

export interface Listener {
  /** The real one, also where 0 was asked for. */
  readonly port: number;
  /** Ends open connections too; resolves when the port is free. */
  close(): Promise<void>;
}

const REQUEST_WITHIN_MS = 3_000;
/** Of a connection, with the time to read what may be a long page. */
const LONGEST_LIFE_MS = 10_000;
/** How many the kernel lets stand in line; whoever finds the line full comes again after 1 s. */
const IN_LINE = 1_024;
/**
 * More than stand in line: of those that are taken from there at once, none may push another out
 * before it was read.
 */
const MOST_CONNECTIONS = 1_100;
/** Probes and scrapes are small and come from near by; whoever is slower is not one of them. */
const LIMITS = {
  maxHeaderSize: 8192,
  headersTimeout: REQUEST_WITHIN_MS,
  requestTimeout: REQUEST_WITHIN_MS,
  connectionsCheckingInterval: 500,
};

/**
 * Serves HTTP/1.1 to whoever can reach it, so that nobody who connects and is slow, or says
 * nothing, keeps others out. Throws an error that names the flag when it cannot listen.
 */
export async function openListener(options: ListenerOptions): Promise<Listener> {
  const server = createServer(LIMITS, options.handle);
  // Of requests that come together on one connection only the first is taken.
  server.maxRequestsPerSocket = 1;
  const open = boundConnections(server);
  const port = await listen(server, options);
  server.on('error', options.onError);
  return { port, close: () => close(server, open) };
}

/**
 * Past the bound the oldest connection is closed for the new one, whatever it has sent: bytes
 * that drip must not make it younger. Node's `maxConnections` would close the new one.
 */
function boundConnections(server: Server): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    const end = setTimeout(() => socket.destroy(), LONGEST_LIFE_MS);
    socket.once('close', () => {
      clearTimeout(end);
      open.delete(socket);
    });
    if (open.size <= MOST_CONNECTIONS) return;
    const [oldest] = open;
    oldest?.destroy();
  });
  return open;
}

function listen(server: Server, options: ListenerOptions): Promise<number> {
  const { host, port } = options.listen;
  return new Promise((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException): void => reject(listenError(error, options));
    server.once('error', refuse);
    server.listen({ port, backlog: IN_LINE, ...(host !== undefined && { host }) }, () => {
      server.off('error', refuse);
      const address = server.address();
      resolve(address !== null && typeof address === 'object' ? address.port : port);
    });
  });
}

const LISTEN_CAUSES: Readonly<Record<string, string>> = {
  EADDRINUSE:
    'the port is in use by another process; stop that process or choose another port with',
  EACCES: 'permission denied; choose a port above 1023 with',
  EADDRNOTAVAIL: 'this machine has no such address; choose another one with',
  ENOTFOUND: 'the host name cannot be resolved; choose another address with',
};

function listenError(
  error: NodeJS.ErrnoException,
  { listen: { host, port } }: ListenerOptions,
): Error {
  const shown = host?.includes(':') ? `[${host}]:${port}` : `${host ?? ''}:${port}`;
  const why = LISTEN_CAUSES[error.code ?? ''] ?? `${error.message}; choose another address with`;
  return new Error(`cannot listen on ${shown}: ${why} --listen`, { cause: error });
}

function close(server: Server, open: ReadonlySet<Socket>): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    for (const socket of open) socket.destroy();
  });
}
