import type { Clock } from '../../../src/clock.ts';
import type { KubeClient, StreamCall } from '../../../src/kube/client/client.ts';
import type { RequestCall } from '../../../src/kube/client/exchange.ts';
import type { KubeObject } from '../../../src/kube/resource.ts';
import { refused } from '../../support/memory-kube.ts';

/** Writes that arrived, by what they were of. */
export interface Writes {
  readonly status: number;
  readonly events: number;
  readonly leases: number;
}

/**
 * As much of an API server as whole days need: lists, watches that end when their time is over,
 * status writes, events, Leases.
 */
export interface DayKube {
  readonly client: KubeClient;
  readonly writes: Writes;
  /** Creates or replaces an object as its owner would. */
  store(path: string, object: KubeObject): void;
  /** Throws where there is none. */
  get(path: string): KubeObject;
}

interface Stream {
  readonly collection: string;
  readonly name: string | undefined;
  readonly tell: (line: string) => void;
}

export function dayKube(clock: Clock): DayKube {
  const objects = new Map<string, KubeObject>();
  const streams = new Set<Stream>();
  const writes = { status: 0, events: 0, leases: 0 };
  let version = 100;

  function store(path: string, object: KubeObject): KubeObject {
    version += 1;
    const type = objects.has(path) ? 'MODIFIED' : 'ADDED';
    const stored = {
      ...object,
      metadata: { ...object.metadata, resourceVersion: String(version) },
    };
    objects.set(path, stored);
    for (const stream of streams)
      if (isIn(path, stream)) stream.tell(JSON.stringify({ type, object: stored }));
    return stored;
  }

  function replace(call: RequestCall): KubeObject {
    const path = call.path.replace(/\/status$/, '');
    const held = objects.get(path);
    const { metadata, status, spec } = call.body as KubeObject;
    if (!held) throw refused(call, 404, 'NotFound');
    if (metadata.resourceVersion !== held.metadata.resourceVersion)
      throw refused(call, 409, 'Conflict');
    const isStatus = path !== call.path;
    writes[isStatus ? 'status' : 'leases'] += 1;
    return store(path, { ...held, ...(isStatus ? { status } : { spec }) });
  }

  function create(call: RequestCall): unknown {
    const object = call.body as KubeObject;
    if (call.path.endsWith('/events')) {
      writes.events += 1;
      return object;
    }
    writes.leases += 1;
    return store(`${call.path}/${object.metadata.name}`, object);
  }

  function read(call: RequestCall): unknown {
    const found = objects.get(call.path);
    if (found) return found;
    if (call.path.split('/').at(-3) !== 'namespaces') throw refused(call, 404, 'NotFound');
    const wanted = { collection: call.path, name: nameIn(call) };
    const items = [...objects].filter(([path]) => isIn(path, wanted)).map(([, object]) => object);
    return { metadata: { resourceVersion: String(version) }, items };
  }

  async function* watch(call: StreamCall): AsyncGenerator<string> {
    const lines: string[] = [];
    const over = new AbortController();
    let wake = (): void => {};
    const stream: Stream = {
      collection: call.path,
      name: nameIn(call),
      tell(line) {
        lines.push(line);
        wake();
      },
    };
    const end = (): void => {
      over.abort();
      wake();
    };
    const cancel = clock.at(Number(call.query?.timeoutSeconds) * 1000, end);
    call.signal.addEventListener('abort', end);
    streams.add(stream);
    const since = Number(call.query?.resourceVersion);
    for (const [path, object] of objects) {
      if (!isIn(path, stream) || Number(object.metadata.resourceVersion) <= since) continue;
      lines.push(JSON.stringify({ type: 'MODIFIED', object }));
    }
    call.onOpen?.();
    try {
      while (!over.signal.aborted || lines.length > 0) {
        const line = lines.shift();
        if (line !== undefined) yield line;
        else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    } finally {
      cancel();
      streams.delete(stream);
      call.signal.removeEventListener('abort', end);
    }
  }

  const serve = (call: RequestCall): unknown => {
    if (call.method === 'GET') return read(call);
    return call.method === 'POST' ? create(call) : replace(call);
  };
  return {
    client: {
      request: async <T>(call: RequestCall) => serve(call) as T,
      stream: watch,
      close: () => Promise.resolve(),
    },
    writes,
    store,
    get(path) {
      const found = objects.get(path);
      if (!found) throw new Error(`there is no ${path}`);
      return found;
    },
  };
}

function isIn(path: string, { collection, name }: Pick<Stream, 'collection' | 'name'>): boolean {
  const at = path.lastIndexOf('/');
  return path.slice(0, at) === collection && (name === undefined || path.slice(at + 1) === name);
}

function nameIn({ query }: Pick<RequestCall, 'query'>): string | undefined {
  return /^metadata\.name=(.+)$/.exec(query?.fieldSelector ?? '')?.[1];
}
