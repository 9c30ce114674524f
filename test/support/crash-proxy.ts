import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A write that has arrived whole. It goes no further than it is taken. */
export interface Passing {
  readonly method: string;
  readonly path: string;
  /** Parsed JSON; undefined where there is none. */
  readonly body: unknown;
  readonly arrivedAt: number;
  /** Has the server do the work; resolves when its answer is there. */
  forward(): Promise<void>;
  /** Lets the answer go; resolves when its last byte has left. */
  reply(): Promise<void>;
}

export interface CrashProxy {
  readonly url: string;
  /** Cuts every connection: nothing of a process that has ended comes through afterwards. */
  cut(): void;
  close(): Promise<void>;
}

/** Stands in front of an HTTP server: reads go through, watches too; what happens to each write is for `take` to say. */
export async function startProxy(options: {
  readonly upstream: string;
  /** PEM of the authority of an https upstream. */
  readonly ca?: string;
  readonly take: (passing: Passing) => Promise<void>;
}): Promise<CrashProxy> {
  const upstream = new URL(options.upstream);
  const isTls = upstream.protocol === 'https:';
  const agent = isTls ? new TlsAgent({ keepAlive: true, ca: options.ca }) : new Agent({ keepAlive: true });
  const sockets = new Set<Socket>();

  function ask(incoming: IncomingMessage, body: Buffer | undefined): Promise<IncomingMessage> {
    const { method, url, headers } = incoming;
    const { connection: _, 'transfer-encoding': __, 'content-length': ___, ...rest } = headers;
    const length = body ? { 'content-length': String(body.length) } : {};
    const given = { method, agent, headers: { ...rest, host: upstream.host, ...length } };
    return new Promise((resolve, reject) => {
      const asked = (isTls ? tlsRequest : request)(new URL(url ?? '/', upstream), given, resolve);
      asked.on('error', reject);
      if (!body) incoming.on('close', () => asked.destroy());
      asked.end(body);
    });
  }

  async function stream(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = await ask(incoming, undefined);
    response.writeHead(answer.statusCode ?? 502, headersOf(answer));
    response.flushHeaders();
    answer.on('error', () => response.destroy());
    response.on('close', () => answer.destroy());
    answer.pipe(response);
  }

  async function pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = await buffer(incoming);
    let answer: { readonly head: IncomingMessage; readonly body: Buffer } | undefined;
    await options.take({
      method: incoming.method ?? '',
      path: incoming.url ?? '',
      body: sent.length > 0 ? JSON.parse(sent.toString('utf8')) : undefined,
      arrivedAt: Date.now(),
      async forward() {
        const head = await ask(incoming, sent);
        answer = { head, body: await buffer(head) };
      },
      async reply() {
        if (!answer) throw new Error('there is no answer yet: forward first');
        const { head, body } = answer;
        response.writeHead(head.statusCode ?? 502, { ...headersOf(head), 'content-length': body.length });
        await new Promise<void>((resolve) => response.once('close', resolve).end(body, resolve));
      },
    });
  }

  const server = createServer((incoming, response) => {
    const isRead = incoming.method === 'GET' || incoming.method === 'HEAD';
    // The client sees a connection that ends, as with any proxy whose server is gone.
    (isRead ? stream : pass)(incoming, response).catch(() => incoming.socket.destroy());
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };

  return {
    url: `http://127.0.0.1:${port}`,
    cut,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      cut();
      await closed;
      agent.destroy();
    },
  };
}

function headersOf({ headers }: IncomingMessage) {
  const { connection: _, 'keep-alive': __, 'transfer-encoding': ___, ...rest } = headers;
  return rest;
}
