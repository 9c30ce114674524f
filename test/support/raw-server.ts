import { type AddressInfo, createServer, type Socket } from 'node:net';

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
  const sockets = new Set<Socket>();
  const requests: RawRequest[] = [];
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // The client leaves where it likes.
    socket.on('error', () => socket.destroy());
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => connections,
    requests,
    stop() {
      for (const socket of sockets) socket.destroy();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
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
