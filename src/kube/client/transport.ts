import { subscribe } from 'node:diagnostics_channel';
import type { ClientHttp2Stream } from 'node:http2';
import { TLSSocket } from 'node:tls';
import { buildConnector, Client, type Dispatcher, Pool } from 'undici';
import { LEAST_TLS } from '../../least-tls.ts';
import type { TlsMaterial } from './cluster.ts';

/** Streams per HTTP/2 connection; fewer where the API server allows fewer. */
const STREAMS = 100;
/**
 * Longer than the pause between two renewals of a Lease, so that a quiet process keeps its
 * connection.
 */
const KEEP_IDLE_MS = 60_000;
const CONNECT_MS = 3_000;

const POOL_OPTIONS: Pool.Options = {
  allowH2: true,
  maxConcurrentStreams: STREAMS,
  keepAliveTimeout: KEEP_IDLE_MS,
  // Every call has a deadline of ours; undici's own would give a watch another.
  headersTimeout: 0,
  bodyTimeout: 0,
};

// An answer that comes when its call has been broken off becomes a stream that nobody knows of, and
// its error, when the connection ends, would end the process.
subscribe('http2.client.stream.created', (message) => {
  const { stream } = message as { readonly stream: ClientHttp2Stream };
  stream.on('error', () => {});
});

/** Opens connections to one origin with what undici's Pool takes. */
export type OpenConnections = (origin: string, options: Pool.Options) => Dispatcher;

export interface Transport {
  /**
   * Connections made with this material: when it has changed, those made with the former are
   * retired. Throws Error where the client is closed.
   */
  pool(tls: TlsMaterial): Dispatcher;
  /** These connections are suspect: later calls get new ones, what runs on them may end there. */
  retire(pool: Dispatcher): void;
  /** Breaks off everything. */
  close(): Promise<void>;
  isClosed(): boolean;
}

interface Current {
  readonly pool: Dispatcher;
  readonly tls: TlsMaterial;
}

/**
 * One pool of connections to the API server, HTTP/2 where it speaks that, as many as the streams
 * need.
 */
export function createTransport(origin: string, open: OpenConnections = openPool): Transport {
  let current: Current | undefined;
  let isClosed = false;
  const retired = new Set<Dispatcher>();

  function openNew(tls: TlsMaterial): Current {
    const connect = buildConnector({
      ...tls,
      ...LEAST_TLS,
      allowH2: true,
      timeout: CONNECT_MS,
      keepAliveInitialDelay: 30_000,
    });
    let speaksH2 = false;
    const pool: Dispatcher = open(origin, {
      ...POOL_OPTIONS,
      // Calls that have ended stay in the pool's line until it has a connection for them: a retired
      // one opens no more.
      connect: (options, callback) => {
        if (current?.pool !== pool) {
          // With a code of undici's own it would ask for another connection without end.
          queueMicrotask(() => callback(new Error('its connections were given up'), null));
          return;
        }
        connect(options, (...made) => {
          speaksH2 = made[1] instanceof TLSSocket && made[1].alpnProtocol === 'h2';
          callback(...made);
        });
      },
    });
    // After a GOAWAY undici counts as with HTTP/1.1: what it sends anew would wait for the watches
    // of the connection to end.
    pool.on('connect', (_origin, targets) => {
      for (const target of targets)
        if (target instanceof Client) target.pipelining = speaksH2 ? STREAMS : 1;
    });
    return { pool, tls };
  }

  function retire(pool: Dispatcher): void {
    // What was broken off with all others needs no end.
    if (isClosed || pool !== current?.pool) return;
    current = undefined;
    retired.add(pool);
    void pool.close().finally(() => retired.delete(pool));
  }

  return {
    pool(tls) {
      if (isClosed) throw new Error('the client is closed');
      if (current && current.tls !== tls) retire(current.pool);
      current ??= openNew(tls);
      return current.pool;
    },
    retire,
    isClosed: () => isClosed,
    async close() {
      isClosed = true;
      await Promise.all(
        [...(current ? [current.pool] : []), ...retired].map((pool) => pool.destroy()),
      );
    },
  };
}

function openPool(origin: string, options: Pool.Options): Dispatcher {
  return new Pool(origin, options);
}
