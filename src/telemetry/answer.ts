import type { IncomingMessage, ServerResponse } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly body: string | Buffer;
  /** Absent: plain text. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const TEXT = 'text/plain; charset=utf-8';

export function send(
  { method }: IncomingMessage,
  response: ServerResponse,
  { status, body, type = TEXT, headers = {} }: Answer,
): void {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  response.writeHead(status, {
    'content-type': type,
    'content-length': bytes.length,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    // Nobody keeps a connection that others may need.
    connection: 'close',
    ...headers,
  });
  response.end(method === 'HEAD' ? undefined : bytes);
}

/** Without the query. */
export function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? '';
}

/** What to say to another method than those that read; undefined where it reads. */
export function refusedMethod({ method }: IncomingMessage): Answer | undefined {
  if (method === 'GET' || method === 'HEAD') return undefined;
  return { status: 405, body: 'use GET or HEAD\n', headers: { allow: 'GET, HEAD' } };
}
