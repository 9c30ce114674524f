import type { Clock } from '../../src/clock.ts';
import type { KubeClient, StreamCall } from '../../src/kube/client/client.ts';
import { startDeadline } from '../../src/kube/client/deadline.ts';
import type { RequestCall } from '../../src/kube/client/exchange.ts';
import { KubeError } from '../../src/kube/client/kube-error.ts';
import type { KubeObject } from '../../src/kube/resource.ts';

/** What happens to one call on its way. Times in milliseconds. */
export interface Fate {
  readonly there?: number;
  readonly back?: number;
  /** `request`: the server never sees it; `reply`: it does its work and the caller never hears. */
  readonly lost?: 'request' | 'reply';
  /** Instead of doing the work. */
  readonly fail?: KubeError;
}

export interface Link {
  readonly clock: Clock;
  readonly fate?: (call: RequestCall) => Fate;
  /** What becomes of every watch: it never says a word, or it fails. */
  readonly watches?: 'silent' | KubeError;
}

interface WatchLine {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly path: string;
  readonly object: KubeObject;
  readonly version: number;
}

/**
 * The part of an API server that tests of single-object access need: objects by path with resource
 * versions and uids, conditional PUT, lists and watches with a field selector by name. Just that;
 * the rest is for the real one.
 */
export class MemoryKube {
  readonly #objects = new Map<string, KubeObject>();
  readonly #history: WatchLine[] = [];
  readonly #streams = new Set<() => void>();
  readonly #cuts = new Set<() => void>();
  /** Every call that reached the server. */
  readonly calls: RequestCall[] = [];
  #version = 100;
  #held = false;
  #broken: KubeError | false = false;

  /** A way to this server; each process under test gets its own. */
  client(link: Link): KubeClient {
    return {
      request: <T>(call: RequestCall): Promise<T> =>
        inTime(link.clock, call, (signal) => this.#request<T>(link, { ...call, signal })),
      stream: (call) => this.#stream(call, link.watches),
      close: () => Promise.resolve(),
    };
  }

  async #request<T>(link: Link, call: RequestCall): Promise<T> {
    const fate = link.fate?.(call) ?? {};
    if (fate.there) await wait(link.clock, fate.there, call.signal);
    if (fate.lost === 'request') return never(call.signal);
    this.calls.push(call);
    if (fate.fail) throw fate.fail;
    let answer: { value: unknown } | { error: unknown };
    try {
      answer = { value: this.#serve(call) };
    } catch (error) {
      answer = { error };
    }
    if (fate.lost === 'reply') return never(call.signal);
    if (fate.back) await wait(link.clock, fate.back, call.signal);
    if ('error' in answer) throw answer.error;
    return answer.value as T;
  }

  get(path: string): KubeObject | undefined {
    return this.#objects.get(path);
  }

  /** Creates or replaces without any condition, as another client would. */
  set(path: string, object: object): KubeObject {
    const before = this.#objects.get(path);
    this.#version += 1;
    const parts = path.split('/');
    const now = structuredClone(object) as KubeObject;
    const metadata = {
      ...now.metadata,
      name: parts.at(-1) ?? '',
      namespace: parts[parts.indexOf('namespaces') + 1] ?? '',
      uid: before?.metadata.uid ?? `uid-${this.#version}`,
      resourceVersion: String(this.#version),
      creationTimestamp: '2026-01-01T00:00:00Z',
    };
    const stored: KubeObject = { ...now, metadata };
    this.#objects.set(path, stored);
    this.#tell({
      type: before ? 'MODIFIED' : 'ADDED',
      path,
      object: stored,
      version: this.#version,
    });
    return stored;
  }

  remove(path: string): void {
    const object = this.#objects.get(path);
    if (!object) return;
    this.#version += 1;
    this.#objects.delete(path);
    const last = {
      ...object,
      metadata: { ...object.metadata, resourceVersion: String(this.#version) },
    };
    this.#tell({ type: 'DELETED', path, object: last, version: this.#version });
  }

  /**
   * Brings a backup back that is so many versions old: they are given a second time. Streams hear
   * nothing of it.
   */
  rewind(path: string, object: object, versions: number): void {
    this.#version -= versions;
    this.set(path, object);
  }

  /** Breaks every stream that is open now. */
  cutStreams(): void {
    for (const cut of this.#cuts) cut();
  }

  /** From now on events stay with the server, until `releaseStreams`. */
  holdStreams(): void {
    this.#held = true;
  }

  releaseStreams(): void {
    this.#held = false;
    for (const poke of this.#streams) poke();
  }

  /** Ends the streams that are open and refuses new ones, until `false`. */
  breakStreams(how: boolean | KubeError): void {
    this.#broken =
      how === true
        ? new KubeError({ call: 'WATCH', status: 0, reason: 'NoAnswer', body: '' })
        : how;
    if (how !== false) this.cutStreams();
  }

  get streams(): number {
    return this.#cuts.size;
  }

  #serve(call: RequestCall): unknown {
    const { method, path, body } = call;
    if (method === 'GET' && isCollection(path)) return this.#list(call);
    const held = this.#objects.get(path);
    if (method === 'POST') return this.#create(call);
    if (!held) throw refused(call, 404, 'NotFound');
    if (method === 'GET') return structuredClone(held);
    if (method !== 'PUT') throw refused(call, 405, 'MethodNotAllowed');
    const { resourceVersion, uid } = (body as KubeObject).metadata;
    if (resourceVersion !== held.metadata.resourceVersion || (uid && uid !== held.metadata.uid))
      throw refused(call, 409, 'Conflict');
    return structuredClone(this.set(path, body as object));
  }

  #create(call: RequestCall): unknown {
    const object = call.body as KubeObject;
    const path = `${call.path}/${object.metadata.name}`;
    if (this.#objects.has(path)) throw refused(call, 409, 'AlreadyExists');
    return structuredClone(this.set(path, object));
  }

  #list({ path, query }: RequestCall): unknown {
    const name = nameIn(query);
    const items = [...this.#objects]
      .filter(
        ([key, object]) =>
          key.startsWith(`${path}/`) && (name === undefined || object.metadata.name === name),
      )
      .map(([, object]) => structuredClone(object));
    return { metadata: { resourceVersion: String(this.#version) }, items };
  }

  async *#stream(call: StreamCall, watches: Link['watches']): AsyncGenerator<string> {
    if (this.#broken) throw this.#broken;
    if (watches instanceof KubeError) throw watches;
    if (watches === 'silent') {
      call.onOpen?.();
      await never(call.signal);
    }
    const name = nameIn(call.query);
    let seen = Number(call.query?.resourceVersion ?? 0);
    let broken = false;
    let wake = (): void => {};
    const poke = (): void => wake();
    const cut = (): void => {
      broken = true;
      wake();
    };
    call.onOpen?.();
    this.#streams.add(poke);
    this.#cuts.add(cut);
    call.signal.addEventListener('abort', cut);
    try {
      for (;;) {
        for (const line of this.#history) {
          if (line.version <= seen || this.#held) continue;
          seen = line.version;
          if (!line.path.startsWith(`${call.path}/`)) continue;
          if (name !== undefined && line.object.metadata.name !== name) continue;
          yield JSON.stringify({ type: line.type, object: line.object });
        }
        if (broken || call.signal.aborted)
          throw new KubeError({
            call: `WATCH ${call.path}`,
            status: 0,
            reason: 'BrokenStream',
            body: 'cut by the test',
          });
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      this.#streams.delete(poke);
      this.#cuts.delete(cut);
      call.signal.removeEventListener('abort', cut);
    }
  }

  #tell(line: WatchLine): void {
    this.#history.push(line);
    for (const poke of this.#streams) poke();
  }
}

/** What the real server says to a service account without the right. */
export function forbidden(
  verb: string,
  resource: string,
  namespace: string,
  group = '',
): KubeError {
  const body = `${resource} is forbidden: User "system:serviceaccount:pw:pw" cannot ${verb} resource "${resource}" in API group "${group}" in the namespace "${namespace}"`;
  return new KubeError({ call: verb, status: 403, reason: 'Forbidden', body });
}

export function refused(
  call: { readonly method: string; readonly path: string },
  status: number,
  reason: string,
) {
  return new KubeError({ call: `${call.method} ${call.path}`, status, reason, body: reason });
}

function isCollection(path: string): boolean {
  return path.split('/').at(-3) === 'namespaces';
}

function nameIn(query: Readonly<Record<string, string>> | undefined): string | undefined {
  return /^metadata\.name=(.+)$/.exec(query?.fieldSelector ?? '')?.[1];
}

function wait(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = clock.at(ms, resolve);
    signal?.addEventListener('abort', () => {
      cancel();
      reject(aborted());
    });
  });
}

/**
 * A call of the real client ends at its deadline, and when its caller takes it back, whatever
 * happens to it.
 */
async function inTime<T>(
  clock: Clock,
  call: RequestCall,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = startDeadline(clock, call.timeoutMs ?? 20_000, call.signal);
  const stop = new AbortController();
  deadline.onOver((reason) => stop.abort(reason));
  try {
    return await deadline.race(run(stop.signal));
  } catch (error) {
    if (deadline.cause === undefined) throw error;
    const reason = deadline.cause === 'timeout' ? 'Timeout' : 'Aborted';
    throw new KubeError({ call: `${call.method} ${call.path}`, status: 0, reason, body: '' });
  } finally {
    deadline.end();
  }
}

function never(signal?: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(aborted())));
}

function aborted(): KubeError {
  return new KubeError({ call: 'test', status: 0, reason: 'Aborted', body: '' });
}
