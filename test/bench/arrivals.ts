import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';

/**
 * Tells when requests reach this process's HTTP server, to the microsecond: the simulator's own log
 * counts milliseconds.
 */
export interface Arrivals {
  /**
   * Time on `performance.now()` of the next request whose path holds this text. Rejects after 30 s.
   */
  next(pathIncludes: string): Promise<number>;
  close(): void;
}

const CHANNEL = 'http.server.request.start';
const PATIENCE_MS = 30_000;

export function watchArrivals(): Arrivals {
  const waiting = new Map<string, (at: number) => void>();
  const timers = new Set<NodeJS.Timeout>();
  const see = (message: unknown): void => {
    const at = performance.now();
    const { url = '' } = (message as { request: IncomingMessage }).request;
    for (const [text, tell] of waiting) if (url.includes(text)) tell(at);
  };
  subscribe(CHANNEL, see);
  return {
    next: (text) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(
          () => reject(new Error(`no request for ${text} within ${PATIENCE_MS / 1000} s`)),
          PATIENCE_MS,
        );
        timers.add(timer);
        waiting.set(text, (at) => {
          clearTimeout(timer);
          timers.delete(timer);
          waiting.delete(text);
          resolve(at);
        });
      }),
    close() {
      unsubscribe(CHANNEL, see);
      // A process that has nothing else to do ends without waiting for them.
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
