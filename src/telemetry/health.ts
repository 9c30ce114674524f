import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Clock } from '../clock.ts';
import { errorFields, type Log } from './log.ts';

export interface HealthOptions {
  readonly listen: { readonly host?: string; readonly port: number };
  /** What the process still waits for, in words; undefined: it is ready. */
  readonly missing: () => string | undefined;
  readonly metrics: () => Promise<string>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Probes and scrapes are small and come from near by; whoever is slower is not one of them. */
const LIMITS = { requestTimeout: 3_000, connectionsCheckingInterval: 500 };
/** How many the kernel lets stand in line; whoever finds the line full comes again after 1 s. */
const IN_LINE = 1_024;
/** More than stand in line: none of those taken from there at once pushes out another. */
const MOST_CONNECTIONS = 1_100;
/** A page of metrics is made once in this time, however many ask for it. */
const PAGE_LASTS_MS = 1_000;

/** Serves /livez, /readyz and /metrics. Throws an error that names the flag if it cannot listen. */
export async function startServer(options: HealthOptions) {
  const { listen, clock, missing, log } = options;
  let page: Promise<string> | undefined;
  const metrics = (): Promise<string> => {
    if (!page) clock.at(PAGE_LASTS_MS, () => (page = undefined));
    page ??= options.metrics();
    return page;
  };
  const server = createServer(LIMITS, ({ url = '' }, response) => {
    const path = url.split('?', 1)[0] ?? '';
    const answer = ([status, body]: [number, string]): void => {
      response.writeHead(status, {
        'content-type': 'text/plain; version=0.0.4; charset=utf-8',
        'content-length': Buffer.byteLength(body),
        // Nobody keeps a connection that others may need.
        connection: 'close',
      });
      response.end(body);
    };
    const fail = (error: unknown): void => answer([500, `${String(error)}\n`]);
    answerAt(path, { missing, metrics }).then(answer, fail);
  });
  // Of requests that come together on one connection only the first is taken.
  server.maxRequestsPerSocket = 1;
  const open = boundConnections(server);
  try {
    await once(server.listen({ ...listen, backlog: IN_LINE }), 'listening');
  } catch (error) {
    const where = `${listen.host ?? ''}:${listen.port} (${(error as Error).message})`;
    const what = `cannot listen on ${where}; choose another address with --listen`;
    throw new Error(what, { cause: error });
  }
  // Out of file descriptors, for instance: it goes on.
  server.on('error', (error) => log.error(errorFields(error), 'error in the health server'));
  return {
    /** The real one, also where 0 was asked for. */
    port: (server.address() as AddressInfo).port,
    /** Ends open connections too. */
    async close(): Promise<void> {
      const closed = once(server.close(), 'close');
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

type Pages = Pick<HealthOptions, 'missing' | 'metrics'>;

async function answerAt(path: string, { missing, metrics }: Pages): Promise<[number, string]> {
  if (path === '/livez') return [200, 'ok\n'];
  if (path === '/metrics') return [200, await metrics()];
  if (path !== '/readyz') return [404, 'this server has /livez, /readyz and /metrics\n'];
  const what = missing();
  return what === undefined ? [200, 'ok\n'] : [503, `not ready: ${what}\n`];
}

/**
 * Past the bound the oldest connection is closed for the new one, whatever it has sent: bytes that
 * drip must not make it younger. Node's `maxConnections` would close the new one, a probe.
 */
function boundConnections(server: Server): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    const [oldest] = open;
    if (open.size > MOST_CONNECTIONS) oldest?.destroy();
  });
  return open;
}
