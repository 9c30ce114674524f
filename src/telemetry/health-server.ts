import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { EXPOSITION_CONTENT_TYPE } from './exposition.ts';

/**
 * Says what is wrong, or undefined when all is well. Must not block: it is asked on every probe.
 */
type Check = () => string | undefined;

export interface ServerOptions {
  readonly listen: { readonly host?: string; readonly port: number };
  /**
   * By name; one that complains makes /livez fail, and the kubelet restarts the process. That the
   * event loop turns is shown by the answer.
   */
  readonly live: Readonly<Record<string, Check>>;
  /** By name; one that complains makes /readyz fail. Standbys are ready. */
  readonly ready: Readonly<Record<string, Check>>;
  /** The page for a scrape. */
  readonly metrics: () => string;
  /** The server goes on after it; out of file descriptors, for instance. */
  readonly onError: (error: Error) => void;
}

export interface HealthServer {
  /** The real one, also where 0 was asked for. */
  readonly port: number;
  /** Ends open connections too; resolves when the port is free. */
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly type?: string;
  readonly allow?: string;
}

const TEXT = 'text/plain; charset=utf-8';
/** Probes and scrapes are small and come from near by; whoever is slower is not one of them. */
const LIMITS = {
  maxHeaderSize: 8192,
  headersTimeout: 5000,
  requestTimeout: 10_000,
  keepAliveTimeout: 75_000,
};
const CONNECTIONS_CHECKED_EVERY_MS = 2000;
const MOST_CONNECTIONS = 100;

/**
 * Serves /livez, /readyz and /metrics; throws an error that names the flag when it cannot listen.
 */
export async function startServer(options: ServerOptions): Promise<HealthServer> {
  const server = createServer(
    { ...LIMITS, connectionsCheckingInterval: CONNECTIONS_CHECKED_EVERY_MS },
    (request, response) => send(request, response, answer(request, options)),
  );
  server.maxConnections = MOST_CONNECTIONS;
  const port = await listen(server, options.listen);
  server.on('error', options.onError);
  return { port, close: () => close(server) };
}

function answer({ method = '', url = '' }: IncomingMessage, options: ServerOptions): Answer {
  const path = url.split('?', 1)[0] ?? '';
  const page = pageAt(path, options);
  if (!page)
    return { status: 404, body: 'not found; this server has /livez, /readyz and /metrics\n' };
  if (method !== 'GET' && method !== 'HEAD')
    return { status: 405, body: 'use GET or HEAD\n', allow: 'GET, HEAD' };
  try {
    return page();
  } catch (error) {
    return {
      status: 500,
      body: `${path} failed: ${error instanceof Error ? error.message : String(error)}\n`,
    };
  }
}

function pageAt(path: string, { live, ready, metrics }: ServerOptions): (() => Answer) | undefined {
  if (path === '/livez') return () => judge(live);
  if (path === '/readyz') return () => judge(ready);
  if (path === '/metrics')
    return () => ({ status: 200, body: metrics(), type: EXPOSITION_CONTENT_TYPE });
  return undefined;
}

function judge(checks: Readonly<Record<string, Check>>): Answer {
  const results = Object.entries(checks).map(([name, check]) => ({ name, complaint: check() }));
  const lines = results.map(
    ({ name, complaint }) =>
      `[${complaint === undefined ? '+' : '-'}] ${name}: ${complaint ?? 'ok'}\n`,
  );
  const well = results.every(({ complaint }) => complaint === undefined);
  return { status: well ? 200 : 503, body: `${lines.join('')}${well ? 'ok' : 'failed'}\n` };
}

function send(
  { method }: IncomingMessage,
  response: ServerResponse,
  { status, body, type = TEXT, allow }: Answer,
): void {
  const bytes = Buffer.from(body);
  response.writeHead(status, {
    'content-type': type,
    'content-length': bytes.length,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(allow !== undefined && { allow }),
  });
  response.end(method === 'HEAD' ? undefined : bytes);
}

function listen(server: Server, { host, port }: ServerOptions['listen']): Promise<number> {
  return new Promise((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException): void => reject(listenError(error, host, port));
    server.once('error', refuse);
    server.listen({ port, ...(host !== undefined && { host }) }, () => {
      server.off('error', refuse);
      const address = server.address();
      resolve(address !== null && typeof address === 'object' ? address.port : port);
    });
  });
}

const LISTEN_CAUSES: Readonly<Record<string, string>> = {
  EADDRINUSE:
    'the port is in use by another process; stop that process or choose another port with --listen',
  EACCES: 'permission denied; choose a port above 1023 with --listen',
  EADDRNOTAVAIL: 'this machine has no such address; choose another one with --listen',
  ENOTFOUND: 'the host name cannot be resolved; choose another address with --listen',
};

function listenError(error: NodeJS.ErrnoException, host: string | undefined, port: number): Error {
  const shown = host?.includes(':') ? `[${host}]:${port}` : `${host ?? ''}:${port}`;
  const why =
    LISTEN_CAUSES[error.code ?? ''] ?? `${error.message}; choose another address with --listen`;
  return new Error(`cannot listen on ${shown}: ${why}`, { cause: error });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
