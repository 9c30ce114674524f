import { Dispatcher, errors } from 'undici';
import type { Host } from '../engine/host.ts';
import type { Timeline } from '../engine/timeline.ts';
import { Exchange } from './exchange.ts';
import type { Server } from './wire.ts';

export interface PoolOptions {
  readonly timeline: Timeline;
  readonly host: Host;
  readonly server: Server;
  /** Gives each request of a life its number. */
  readonly nextId: () => number;
}

/**
 * Connections of one process to one server, in place of undici's own pool: requests, answers and
 * streams take simulated time, and may get lost.
 */
export class SimulatedPool extends Dispatcher {
  readonly #options: PoolOptions;
  readonly #running = new Set<Exchange>();
  #connected: 'no' | 'connecting' | 'yes' = 'no';
  #waiting: Exchange[] = [];
  #closed = false;
  #idle = Promise.withResolvers<void>();

  constructor(options: PoolOptions) {
    super();
    this.#options = options;
  }

  override dispatch(
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    const { timeline, host, server, nextId } = this.#options;
    const crossing = { id: nextId(), host: host.name, request: wireRequest(options) };
    const exchange = new Exchange({
      timeline,
      host,
      server,
      crossing,
      handler,
      over: () => this.#over(exchange),
    });
    if (this.#closed) {
      queueMicrotask(() => exchange.fail(new errors.ClientClosedError()));
      return true;
    }
    this.#running.add(exchange);
    server.asks?.(crossing);
    if (this.#connected === 'yes') queueMicrotask(() => exchange.begin());
    else this.#connect(exchange);
    return true;
  }

  override close(): Promise<void> {
    this.#closed = true;
    if (this.#running.size === 0) this.#idle.resolve();
    return this.#idle.promise;
  }

  override destroy(): Promise<void> {
    this.#closed = true;
    for (const exchange of this.#running) exchange.fail(new errors.ClientDestroyedError());
    this.#idle.resolve();
    return this.#idle.promise;
  }

  /** Every connection breaks, and both sides hear of it; the next request makes another. */
  breakOff(): void {
    this.#connected = 'no';
    for (const exchange of this.#running) exchange.breakOff();
  }

  #connect(first: Exchange): void {
    this.#waiting.push(first);
    if (this.#connected === 'connecting') return;
    this.#connected = 'connecting';
    const { timeline, host, server } = this.#options;
    const connectMs = server.connectMs();
    timeline.at(connectMs ?? 1, () => host.reach(() => this.#settle(connectMs !== undefined)));
  }

  #settle(stands: boolean): void {
    this.#connected = stands ? 'yes' : 'no';
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const exchange of waiting) {
      if (stands) exchange.begin();
      else
        exchange.fail(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));
    }
  }

  #over(exchange: Exchange): void {
    this.#running.delete(exchange);
    if (this.#running.size > 0) return;
    // None is kept idle.
    if (this.#connected === 'yes') this.#connected = 'no';
    if (this.#closed) this.#idle.resolve();
  }
}

function wireRequest({ method, path, query, headers, body }: Dispatcher.DispatchOptions) {
  const asked = query ? new URLSearchParams(query as Record<string, string>).toString() : '';
  const named = Object.entries((headers ?? {}) as Record<string, string>);
  return {
    method,
    path: asked === '' ? path : `${path}?${asked}`,
    headers: Object.fromEntries(named.map(([name, value]) => [name.toLowerCase(), value])),
    body: typeof body === 'string' ? body : '',
  };
}
