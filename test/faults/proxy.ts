import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { buffer } from 'node:stream/consumers';

/** What a server has answered, whole. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

/**
 * A request that has arrived whole. It goes no further than it is taken: left alone, its sender
 * waits.
 */
export interface Passing {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** Parsed JSON; undefined where there is none. */
  readonly body: unknown;
  readonly arrivedAt: number;
  /** Has the server do the work; resolves when its answer is there. */
  forward(): Promise<Answer>;
  /**
   * Lets the answer go, the server's unless another is given; resolves when its last byte has left.
   */
  reply(instead?: {
    readonly status: number;
    readonly headers?: Answer['headers'];
    readonly text: string;
  }): Promise<void>;
  /** Closes the connection without a word. */
  sever(): void;
}

/** A watch that is open. */
export interface Watch {
  /** With the query. */
  readonly path: string;
  /** Sends a line that the server has not sent. */
  send(line: string): void;
  /** Sends some characters of a line, without its end. */
  sendPart(text: string): void;
  /** Ends it as the server does when its time is over. */
  end(): void;
  /** From now on nothing comes through, not even the end; the connection stays. */
  freeze(): void;
  /** Closes the connection without a word. */
  sever(): void;
}

/** What is done with what passes; absent: it passes. */
export interface Handlers {
  /** A write, or a read that is no watch. */
  readonly take?: (passing: Passing) => Promise<void>;
  /** A line of a watch: what goes on in its place. It and all behind it wait for a promise. */
  readonly line?: (line: string, watch: Watch) => readonly string[] | Promise<readonly string[]>;
}

export interface Proxy {
  readonly url: string;
  /** The watches that are open now. */
  readonly watches: ReadonlySet<Watch>;
  /** Replaces the handlers, for what has not been given to the former ones. */
  handle(handlers: Handlers): void;
  /** Closes every connection: nothing of a process that has ended comes through afterwards. */
  cut(): void;
  close(): Promise<void>;
}

export interface ProxyOptions extends Handlers {
  readonly upstream: string;
  /** PEM of the authority of an https upstream. */
  readonly ca?: string;
  /** Where it listens; absent: anywhere. */
  readonly port?: number;
}

/**
 * Stands in front of an HTTP server, itself without TLS; what happens to what passes is for its
 * handlers to say.
 */
export async function startProxy({
  upstream: address,
  ca,
  port: given = 0,
  ...first
}: ProxyOptions): Promise<Proxy> {
  const upstream = new URL(address);
  const isTls = upstream.protocol === 'https:';
  const agent = isTls ? new TlsAgent({ keepAlive: true, ca }) : new Agent({ keepAlive: true });
  const sockets = new Set<Socket>();
  const watches = new Set<Watch>();
  let handlers: Handlers = first;

  function ask(incoming: IncomingMessage, body: Buffer): Promise<IncomingMessage> {
    const { method, url, headers } = incoming;
    const { connection: _, 'transfer-encoding': __, 'content-length': ___, ...rest } = headers;
    const length = body.length > 0 ? { 'content-length': String(body.length) } : {};
    const given = { method, agent, headers: { ...rest, host: upstream.host, ...length } };
    return new Promise((resolve, reject) => {
      const asked = (isTls ? tlsRequest : request)(new URL(url ?? '/', upstream), given, resolve);
      asked.on('error', reject);
      asked.end(body);
    });
  }

  async function follow(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = await ask(incoming, Buffer.alloc(0));
    response.writeHead(answer.statusCode ?? 502, headersOf(answer));
    response.flushHeaders();
    let isFrozen = false;
    const watch: Watch = {
      path: incoming.url ?? '',
      send: (line) => watch.sendPart(`${line}\n`),
      sendPart: (text) => void (isFrozen || response.write(text)),
      end: () => void response.end(),
      freeze: () => {
        isFrozen = true;
      },
      sever: () => incoming.socket.destroy(),
    };
    watches.add(watch);
    response.on('close', () => {
      watches.delete(watch);
      answer.destroy();
    });
    answer.on('error', () => response.destroy());
    for await (const line of createInterface({ input: answer })) {
      for (const one of (await handlers.line?.(line, watch)) ?? [line]) watch.send(one);
    }
    if (!isFrozen) response.end();
  }

  async function pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = await buffer(incoming);
    let answer: Answer | undefined;
    const passing: Passing = {
      method: incoming.method ?? '',
      path: incoming.url ?? '',
      body: sent.length > 0 ? (JSON.parse(sent.toString('utf8')) as unknown) : undefined,
      arrivedAt: Date.now(),
      async forward() {
        const head = await ask(incoming, sent);
        const text = (await buffer(head)).toString('utf8');
        answer = { status: head.statusCode ?? 502, headers: headersOf(head), text };
        return answer;
      },
      async reply(instead) {
        const given = instead ?? answer;
        if (!given) throw new Error('there is no answer yet: forward first, or give one');
        // Who has gone meanwhile is told nothing, and nothing would ever end.
        if (incoming.socket.destroyed) return;
        const { status, headers = { 'content-type': 'application/json' }, text } = given;
        response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text) });
        await new Promise<void>((resolve) => response.once('close', resolve).end(text, resolve));
      },
      sever: () => incoming.socket.destroy(),
    };
    if (handlers.take) return handlers.take(passing);
    await passing.forward();
    await passing.reply();
  }

  const server = createServer((incoming, response) => {
    const isWatch = new URL(incoming.url ?? '/', upstream).searchParams.get('watch') === 'true';
    // The client sees a connection that ends, as with any proxy whose server is gone.
    (isWatch ? follow : pass)(incoming, response).catch(() => incoming.socket.destroy());
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(given, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };

  return {
    url: `http://127.0.0.1:${port}`,
    watches,
    handle(next) {
      handlers = next;
    },
    cut,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      cut();
      await closed;
      agent.destroy();
    },
  };
}

function headersOf({ headers }: IncomingMessage): IncomingMessage['headers'] {
  const {
    connection: _,
    'keep-alive': __,
    'transfer-encoding': ___,
    'content-length': ____,
    ...rest
  } = headers;
  return rest;
}
