import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A comment as its forge stores it. */
export interface Comment {
  readonly id: number;
  readonly author: string;
  body: string;
}

export type ForgeName = 'GitHub' | 'GitLab';

/** What differs between the two, as their documents of the API say. */
const FORGES = {
  GitHub: {
    comments: '/repos/acme/data/issues/7/comments',
    one: /^\/repos\/acme\/data\/issues\/comments\/(\d+)$/,
    replace: 'PATCH',
    header: 'authorization',
    scheme: 'Bearer ',
    shown: ({ id, author, body }: Comment) => ({ id, body, user: { login: author, id: 41_898 } }),
  },
  GitLab: {
    comments: '/projects/12/merge_requests/7/notes',
    one: /^\/projects\/12\/merge_requests\/7\/notes\/(\d+)$/,
    replace: 'PUT',
    header: 'private-token',
    scheme: '',
    shown: ({ id, author, body }: Comment) => ({ id, body, author: { username: author, id: 9 } }),
  },
} as const;

/** A server that plays the comments of one pull request, for who has the token. */
export interface Forge {
  readonly url: string;
  readonly comments: Comment[];
  /** `METHOD path` of each request. */
  readonly requests: string[];
  /** Every answer from now on; undefined: none in particular. */
  answer: { readonly status: number; readonly body: string } | undefined;
  close(): Promise<void>;
}

export interface ForgeOptions {
  readonly token: string;
  /** Whose the token is. */
  readonly account: string;
}

export async function startForge(name: ForgeName, options: ForgeOptions): Promise<Forge> {
  const server = createServer((request, response) => {
    void answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const forge: Forge = {
    url: `http://127.0.0.1:${port}`,
    comments: [],
    requests: [],
    answer: undefined,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = await text(request);
    forge.requests.push(`${request.method} ${request.url}`);
    const reply = forge.answer ?? played({ name, forge, options, request, sent });
    response.writeHead(reply.status, { 'Content-Type': 'application/json' }).end(reply.body);
  }
  return forge;
}

interface Played {
  readonly name: ForgeName;
  readonly forge: Forge;
  readonly options: ForgeOptions;
  readonly request: IncomingMessage;
  readonly sent: string;
}

function played({ name, forge, options, request, sent }: Played): NonNullable<Forge['answer']> {
  const { comments: collection, one, replace, header, scheme, shown } = FORGES[name];
  const reply = (status: number, body: unknown) => ({ status, body: JSON.stringify(body) });
  if (request.headers[header] !== `${scheme}${options.token}`)
    return reply(401, { message: 'Bad credentials' });
  const { pathname, searchParams } = new URL(request.url ?? '', forge.url);
  const called = `${request.method} ${pathname}`;
  if (name === 'GitLab' && called === 'GET /user') return reply(200, { username: options.account });
  if (called === `GET ${collection}`) {
    const size = Math.min(100, Number(searchParams.get('per_page') ?? 30));
    const from = (Number(searchParams.get('page') ?? 1) - 1) * size;
    return reply(
      200,
      forge.comments.slice(from, from + size).map((one) => shown(one)),
    );
  }
  if (called === `POST ${collection}`) {
    const made = { id: forge.comments.length + 1, author: options.account, body: bodyIn(sent) };
    forge.comments.push(made);
    return reply(201, shown(made));
  }
  const id = Number(one.exec(pathname)?.[1]);
  const found = forge.comments.find((comment) => comment.id === id);
  if (!found || request.method !== replace) return reply(404, { message: 'Not Found' });
  found.body = bodyIn(sent);
  return reply(200, shown(found));
}

function bodyIn(sent: string): string {
  const { body } = JSON.parse(sent) as { readonly body: unknown };
  if (typeof body !== 'string') throw new Error(`this is no comment: ${sent}`);
  return body;
}
