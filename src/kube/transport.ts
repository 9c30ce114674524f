import { type Dispatcher, Pool } from 'undici';
import type { TlsMaterial } from './cluster.ts';

/** Streams per HTTP/2 connection; fewer where the API server allows fewer. */
const STREAMS = 100;
/** Longer than the pause between two renewals of a Lease, so that a quiet process keeps its connection. */
const KEEP_IDLE_MS = 60_000;
const CONNECT_MS = 3_000;

/** Opens connections to one origin with what undici's Pool takes. */
export type OpenConnections = (origin: string, options: Pool.Options) => Dispatcher;

export interface Transport {
  /** Connections made with this material: when it has changed, those made with the former are retired. */
  pool(tls: TlsMaterial): Dispatcher;
  /** These connections are suspect: later calls get new ones, what runs on them may end there. */
  retire(pool: Dispatcher): void;
  /** Breaks off everything. */
  close(): Promise<void>;
}

/** One pool of connections to the API server, HTTP/2 where it speaks that, as many as the streams need. */
export function createTransport(origin: string, open: OpenConnections = openPool): Transport {
  let current: { readonly pool: Dispatcher; readonly tls: TlsMaterial } | undefined;
  const retired = new Set<Dispatcher>();

  function retire(pool: Dispatcher): void {
    if (pool !== current?.pool) return;
    current = undefined;
    retired.add(pool);
    void pool.close().finally(() => retired.delete(pool));
  }

  return {
    pool(tls) {
      if (current && current.tls !== tls) retire(current.pool);
      current ??= { pool: open(origin, poolOptions(tls)), tls };
      return current.pool;
    },
    retire,
    async close() {
      await Promise.all([...(current ? [current.pool] : []), ...retired].map((pool) => pool.destroy()));
    },
  };
}

function openPool(origin: string, options: Pool.Options): Dispatcher {
  return new Pool(origin, options);
}

function poolOptions(tls: TlsMaterial): Pool.Options {
  return {
    allowH2: true,
    maxConcurrentStreams: STREAMS,
    keepAliveTimeout: KEEP_IDLE_MS,
    connect: { ...tls, allowH2: true, timeout: CONNECT_MS, keepAliveInitialDelay: 30_000 },
    // Every call has a deadline of ours; undici's own would give a watch another.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
}
