import { createServer, type Socket } from 'node:net';
import { listen } from './loopback.ts';

interface RawRequest {
  /** Request line and headers, as they came. */
  readonly head: string;
  readonly body: string;
}

export type RawServer = Awaited<ReturnType<typeof startRawServer>>;

/**
 * A server that answers with whatever bytes it is told to, also such as no HTTP server would send.
 * `answer` is called once per request that has come whole.
 */
export async function startRawServer(answer: (request: RawRequest, socket: Socket) => void) {
  const requests: RawRequest[] = [];
  const server = createServer((socket) => {
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      const end = text.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = text.slice(0, end);
      const length = Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0);
      const body = text.slice(end + 4, end + 4 + length);
      if (body.length < length) return;
      text = text.slice(end + 4 + length);
      const request = { head, body };
      requests.push(request);
      answer(request, socket);
    });
  });
  const { host, stop } = await listen(server);
  return { url: `http://${host}`, requests, stop };
}

/** The bytes of an ordinary answer. */
export function answerText(
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): string {
  const lines = Object.entries({ 'content-type': 'application/json', ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const length = `content-length: ${Buffer.byteLength(body)}`;
  return [`HTTP/1.1 ${status} X`, ...lines, length, '', body].join('\r\n');
}
