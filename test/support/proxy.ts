import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { createInterface } from 'node:readline';
import { buffer } from 'node:stream/consumers';
import { listen } from './loopback.ts';

/** What a server has answered, whole. */
export interface Answer {
  readonly status: number;
  readonly headers?: IncomingMessage['headers'];
  readonly text: string;
}

/** A request that has arrived whole. It goes no further than it is taken. */
export interface Passing {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** Parsed JSON; undefined where there is none. */
  readonly body: unknown;
  /** Has the server do the work, or that of another path; resolves when its answer is there. */
  forward(path?: string): Promise<Answer>;
  /** Lets the server's answer go, or another; resolves when its last byte has left. */
  reply(instead?: Answer): Promise<void>;
  /** Closes the connection without a word. */
  sever(): void;
}

/** A watch that is open. */
export interface Watch {
  /** With the query. */
  readonly path: string;
  /** Sends a line that the server has not sent. */
  send(line: string): void;
  /** Ends it as the server does when its time is over. */
  end(): void;
  /** From now on nothing comes through, not even the end; the connection stays. */
  freeze(): void;
  sever(): void;
}

/** What is done with what passes; absent: it passes. */
export interface Handlers {
  /** A write, or a read that is no watch. */
  readonly take?: (passing: Passing) => Promise<void>;
  /** A line of a watch: what goes on in its place. It and all behind it wait for a promise. */
  readonly line?: (line: string) => readonly string[] | Promise<readonly string[]>;
}

export type Proxy = Awaited<ReturnType<typeof startProxy>>;

/** Stands in front of an HTTP server, itself without TLS; `ca`: of an https upstream, PEM. */
export async function startProxy(
  upstream: { readonly url: string; readonly ca?: string },
  first: Handlers = {},
) {
  const ask = askerOf(upstream);
  const watches = new Set<Watch>();
  let handlers = first;

  async function follow(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = await ask.send(incoming, Buffer.alloc(0));
    response.writeHead(answer.statusCode ?? 502, headersOf(answer)).flushHeaders();
    let isFrozen = false;
    const watch: Watch = {
      path: incoming.url ?? '',
      send: (line) => void (isFrozen || response.write(`${line}\n`)),
      end: () => void response.end(),
      freeze: () => void (isFrozen = true),
      sever: () => incoming.socket.destroy(),
    };
    watches.add(watch);
    response.on('close', () => {
      watches.delete(watch);
      answer.destroy();
    });
    answer.on('error', () => response.destroy());
    for await (const line of createInterface({ input: answer }))
      for (const one of (await handlers.line?.(line)) ?? [line]) watch.send(one);
    if (!isFrozen) response.end();
  }

  async function pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = await buffer(incoming);
    let answer: Answer | undefined;
    const passing: Passing = {
      method: incoming.method ?? '',
      path: incoming.url ?? '',
      body: sent.length > 0 ? (JSON.parse(sent.toString('utf8')) as unknown) : undefined,
      async forward(path = incoming.url) {
        const head = await ask.send(incoming, sent, path);
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
    const isWatch = /[?&]watch=true(&|$)/.test(incoming.url ?? '');
    // The client sees a connection that ends, as with any proxy whose server is gone. What has no
    // code is no error of a connection but of the test's own handlers, and fails the run.
    (isWatch ? follow : pass)(incoming, response).catch((error: unknown) => {
      incoming.socket.destroy();
      if (!(error instanceof Error && 'code' in error)) throw error;
    });
  });
  const { host, cut, stop } = await listen(server);
  return {
    url: `http://${host}`,
    /** The watches that are open now. */
    watches: watches as ReadonlySet<Watch>,
    /** Replaces the handlers, for what has not been given to the former ones. */
    handle: (next: Handlers) => void (handlers = next),
    /** Closes every connection: nothing of a process that has ended comes through afterwards. */
    cut,
    async close(): Promise<void> {
      await stop();
      ask.close();
    },
  };
}

/** Sends requests on. */
function askerOf({ url, ca }: { readonly url: string; readonly ca?: string }) {
  const upstream = new URL(url);
  const isTls = upstream.protocol === 'https:';
  const agent = isTls ? new TlsAgent({ keepAlive: true, ca }) : new Agent({ keepAlive: true });
  return {
    send(
      { method, url, headers }: IncomingMessage,
      body: Buffer,
      path = url,
    ): Promise<IncomingMessage> {
      const { connection: _, 'transfer-encoding': __, 'content-length': ___, ...rest } = headers;
      const length = body.length > 0 ? { 'content-length': String(body.length) } : {};
      const given = { method, agent, headers: { ...rest, host: upstream.host, ...length } };
      const ask = isTls ? tlsRequest : request;
      return new Promise((resolve, reject) => {
        const asked = ask(new URL(path ?? '/', upstream), given, resolve);
        asked.on('error', reject).end(body);
      });
    },
    close: () => agent.destroy(),
  };
}

function headersOf({ headers }: IncomingMessage): IncomingMessage['headers'] {
  const { connection: _, 'keep-alive': __, 'transfer-encoding': ___, ...rest } = headers;
  delete rest['content-length'];
  return rest;
}
