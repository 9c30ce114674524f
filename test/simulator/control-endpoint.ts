import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Activity } from './activities.ts';
import type { Behaviour, Fault, Match, Simulator } from './types.ts';

export interface Control {
  serve(request: IncomingMessage, response: ServerResponse): void;
}

type Answer = unknown;

/** The same switches over HTTP, for another process; never logged, delayed or limited. */
export function createControl(simulator: Simulator, more: { countsByKey(): Record<string, number> }): Control {
  const reads: Record<string, (query: URLSearchParams) => Answer> = {
    log: (query) => {
      const after = Number(query.get('after') ?? 0);
      return simulator.calls(matchOf(query)).filter((call) => call.seq > after);
    },
    counts: (query) => ({
      calls: simulator.callCount(matchOf(query)),
      byKey: more.countsByKey(),
      inFlight: simulator.inFlight(query.get('keyId') ?? undefined),
    }),
    state: () => simulator.dump(),
  };

  const writes: Record<string, (body: Body) => Answer> = {
    play: (body) => {
      const behaviour = body as Behaviour & { rate?: unknown };
      simulator.play(body.rate === null ? { ...behaviour, rate: undefined } : behaviour);
    },
    next: ({ fault, times, match }) => {
      simulator.next(fault as Fault, {
        ...(times !== undefined && { times: times as number }),
        ...(match !== undefined && { match: match as Match }),
      });
    },
    always: ({ fault, match }) => simulator.always(fault as Fault, match as Match | undefined),
    clear: () => simulator.clear(),
    release: () => simulator.release(),
    'set-settings': ({ pipe, settings }) =>
      simulator.setSettings(text(pipe, 'pipe'), settings as Record<string, unknown>),
    'set-organization': ({ id, ...change }) => simulator.setOrganization(text(id, 'id'), change),
    'set-activity': ({ organizationId, activity, ...late }) =>
      simulator.setActivity(text(organizationId, 'organizationId'), activity as Activity, late),
    'set-key': ({ id, secret, ...options }) =>
      simulator.setKey(
        text(id, 'id'),
        secret === null || secret === undefined ? undefined : text(secret, 'secret'),
        options,
      ),
    down: ({ forMs }) => {
      if (typeof forMs !== 'number')
        throw new Error('give forMs, in milliseconds: nobody can call `up` while it is down');
      setImmediate(() => {
        void simulator.down().then(() => setTimeout(() => void simulator.up(), forMs));
      });
    },
  };

  function answer(
    method: string,
    verb: string,
    query: URLSearchParams,
    sent: string,
  ): { status: number; body: Answer } {
    const read = Object.hasOwn(reads, verb) ? reads[verb] : undefined;
    if (read && method === 'GET') return { status: 200, body: read(query) };
    const write = Object.hasOwn(writes, verb) ? writes[verb] : undefined;
    if (!write || method !== 'POST') {
      const known = `GET ${Object.keys(reads).join(', ')}; POST ${Object.keys(writes).join(', ')}`;
      return { status: 404, body: { error: `${method} ${verb} is no verb here; there are ${known}` } };
    }
    try {
      return { status: 200, body: write(sent === '' ? {} : (JSON.parse(sent) as Body)) ?? {} };
    } catch (error) {
      return { status: 400, body: { error: error instanceof Error ? error.message : String(error) } };
    }
  }

  return {
    serve: (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { pathname, searchParams } = new URL(request.url ?? '/', simulator.url);
        const verb = pathname.slice('/_control/'.length);
        const { status, body } = answer(
          request.method ?? '',
          verb,
          searchParams,
          Buffer.concat(chunks).toString('utf8'),
        );
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(body));
      });
    },
  };
}

type Body = Record<string, unknown>;

function text(value: unknown, name: string): string {
  if (typeof value === 'string') return value;
  throw new Error(`${name} is not a string: ${JSON.stringify(value)}`);
}

function matchOf(query: URLSearchParams): Match {
  const match: Match = {};
  for (const field of ['method', 'pathIncludes', 'keyId'] as const) {
    const value = query.get(field);
    if (value !== null) match[field] = value;
  }
  return match;
}
