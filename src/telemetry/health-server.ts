import type { IncomingMessage } from 'node:http';
import { type Answer, pathOf, refusedMethod, send } from './answer.ts';
import { type Listener, type ListenerOptions, openListener } from './listener.ts';

/**
 * Says what is wrong, or undefined when all is well. Must not block: it is asked on every probe.
 */
type Check = () => string | undefined;

export interface ServerOptions extends Pick<ListenerOptions, 'listen' | 'onError'> {
  /**
   * By name; one that complains makes /livez fail, and the kubelet restarts the process. That the
   * event loop turns is shown by the answer.
   */
  readonly live: Readonly<Record<string, Check>>;
  /** By name; one that complains makes /readyz fail. Standbys are ready. */
  readonly ready: Readonly<Record<string, Check>>;
  /** The answer to a scrape. */
  readonly metrics: () => Answer;
}

/**
 * Serves /livez, /readyz and /metrics; throws an error that names the flag when it cannot listen.
 */
export function startServer(options: ServerOptions): Promise<Listener> {
  return openListener({
    listen: options.listen,
    onError: options.onError,
    handle: (request, response) => send(request, response, answer(request, options)),
  });
}

function answer(request: IncomingMessage, options: ServerOptions): Answer {
  const path = pathOf(request);
  const page = pageAt(path, options);
  if (!page)
    return { status: 404, body: 'not found; this server has /livez, /readyz and /metrics\n' };
  const refused = refusedMethod(request);
  if (refused) return refused;
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
  if (path === '/metrics') return metrics;
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
