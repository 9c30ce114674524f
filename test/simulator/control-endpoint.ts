import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Activity } from './activities.ts';
import {
  type Body,
  behaviourFrom,
  faultFrom,
  keyOptionsFrom,
  latenessFrom,
  matchFrom,
  numberFrom,
  objectFrom,
  organizationChangeFrom,
  settingsFrom,
  textFrom,
  turnsFrom,
} from './control-checks.ts';
import type { Match, Simulator } from './types.ts';

export interface ControlEndpoint {
  serve(request: IncomingMessage, response: ServerResponse): void;
}

/**
 * The same switches over HTTP, for another process; its calls are never logged, delayed or limited.
 */
export function createControlEndpoint(
  simulator: Simulator,
  more: { callsByKey(): Record<string, number> },
): ControlEndpoint {
  const reads: Record<string, (query: URLSearchParams) => unknown> = {
    log: (query) => {
      const after = Number(query.get('after') ?? 0);
      return simulator.calls(queriedMatch(query)).filter((call) => call.seq > after);
    },
    counts: (query) => ({
      calls: simulator.callCount(queriedMatch(query)),
      byKey: more.callsByKey(),
      inFlight: simulator.inFlight(query.get('keyId') ?? undefined),
    }),
    'endpoint-counts': (query) => {
      const keyId = query.get('keyId');
      const organization = query.get('organization') ?? undefined;
      return simulator.endpointCounts(
        textFrom({ organization }, 'organization'),
        keyId === null ? {} : { keyId },
      );
    },
    state: () => simulator.dump(),
  };

  const writes: Record<string, (body: Body) => unknown> = {
    play: (body) => simulator.play(behaviourFrom(body)),
    next: (body) => simulator.next(faultFrom(body.fault), turnsFrom(body)),
    always: (body) => simulator.always(faultFrom(body.fault), matchFrom(body.match)),
    clear: () => simulator.clear(),
    release: () => simulator.release(),
    'set-settings': (body) => simulator.setSettings(textFrom(body, 'pipe'), settingsFrom(body)),
    'set-organization': ({ id, ...change }) =>
      simulator.setOrganization(textFrom({ id }, 'id'), organizationChangeFrom(change)),
    'set-activity': ({ organizationId, activity, ...late }) => {
      const record = objectFrom({ activity }, 'activity');
      textFrom(record, 'id');
      simulator.setActivity(
        textFrom({ organizationId }, 'organizationId'),
        record as Activity,
        latenessFrom(late),
      );
    },
    'set-key': ({ id, secret, ...options }) =>
      simulator.setKey(
        textFrom({ id }, 'id'),
        secret === null || secret === undefined ? undefined : textFrom({ secret }, 'secret'),
        keyOptionsFrom(options),
      ),
    down: (body) => {
      const forMs = numberFrom(body, 'forMs');
      setImmediate(() => void simulator.down({ forMs }));
    },
  };

  function outcome(method: string, target: URL, sent: string): { status: number; body: unknown } {
    const verb = target.pathname.slice('/_control/'.length);
    const read = method === 'GET' && Object.hasOwn(reads, verb) ? reads[verb] : undefined;
    const write = method === 'POST' && Object.hasOwn(writes, verb) ? writes[verb] : undefined;
    if (!read && !write) {
      const known = `GET ${Object.keys(reads).join(', ')}; POST ${Object.keys(writes).join(', ')}`;
      return { status: 404, body: { error: `no verb ${method} ${verb}; there are ${known}` } };
    }
    try {
      if (read) return { status: 200, body: read(target.searchParams) };
      write?.(sent === '' ? {} : (JSON.parse(sent) as Body));
      return { status: 200, body: {} };
    } catch (error) {
      return {
        status: 400,
        body: { error: error instanceof Error ? error.message : String(error) },
      };
    }
  }

  return {
    serve: (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const target = new URL(request.url ?? '/', simulator.url);
        const { status, body } = outcome(
          request.method ?? '',
          target,
          Buffer.concat(chunks).toString('utf8'),
        );
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(body));
      });
    },
  };
}

function queriedMatch(query: URLSearchParams): Match {
  const match: Match = {};
  for (const field of ['method', 'pathIncludes', 'bodyIncludes', 'keyId'] as const) {
    const value = query.get(field);
    if (value !== null) match[field] = value;
  }
  return match;
}
