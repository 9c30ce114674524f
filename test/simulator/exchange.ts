import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ApiKeys, readBasic } from './api-keys.ts';
import type { CallLog } from './call-log.ts';
import { faultReply } from './fault-replies.ts';
import { type Faults, worksUnder } from './fault-script.ts';
import type { InFlightCounter } from './in-flight.ts';
import type { Listener } from './listener.ts';
import type { Limits } from './rate-limits.ts';
import { failed, type Reply, type Work } from './replies.ts';
import { organizationOf, route, type Stores } from './routing.ts';
import { bomb, drip, endless, truncated } from './transports.ts';
import type { Call, Fault } from './types.ts';

const LONGEST_BODY = 1024 * 1024;

export interface Exchange {
  serve(request: IncomingMessage, response: ServerResponse, listener: Listener): void;
  setLatency(ms: number): void;
  release(): void;
}

interface Parts {
  readonly log: CallLog;
  readonly keys: ApiKeys;
  readonly limits: Limits;
  readonly faults: Faults;
  readonly inFlight: InFlightCounter;
  readonly stores: Stores;
  readonly onCall: ((call: Call) => void) | undefined;
}

/** Takes calls from their first byte to their answer. The work is done as soon as a call has arrived whole; only the answer takes time. */
export function createExchange(parts: Parts): Exchange {
  const { log, keys, limits, faults, inFlight, stores, onCall } = parts;
  const held = new Set<() => void>();
  let latencyMs = 0;
  let seq = 0;

  function serve(request: IncomingMessage, response: ServerResponse, listener: Listener): void {
    const receivedAt = Date.now();
    const credential = readBasic(request.headers.authorization);
    const leave = inFlight.enter(credential?.keyId);
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= LONGEST_BODY) chunks.push(chunk);
    });
    response.on('close', leave);
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const body = parsed(text);
      seq += 1;
      const call: Call = {
        seq,
        receivedAt,
        method: request.method ?? '',
        path: request.url ?? '',
        ...(credential && { keyId: credential.keyId }),
        ...(body !== undefined && { body }),
        text,
        applied: false,
        connection: listener.connectionOf(request),
      };
      const work = (): Work => {
        const { method, path } = call;
        const refusal =
          keys.refuse(credential, { method, organizationId: organizationOf(path) }) ??
          limits.take(credential?.keyId ?? '') ??
          (size > LONGEST_BODY ? failed(413, `request body is larger than ${LONGEST_BODY} bytes`) : undefined);
        if (refusal) return { reply: refusal, applied: false };
        return route({ method, path, contentType: request.headers['content-type'], text, body }, stores);
      };
      const fault = faults.take(call);
      const done = worksUnder(fault) ? work() : undefined;
      call.applied = done?.applied ?? false;
      log.add(call);
      const ended = (): void => {
        leave();
        onCall?.(call);
      };
      answer({ call, fault, done, request, response, listener, ended });
    });
  }

  function answer(turn: Turn): void {
    const { fault, response } = turn;
    if (fault && 'hold' in fault) {
      hold(turn);
      return;
    }
    const delayMs = latencyMs + (fault && 'slowMs' in fault ? fault.slowMs : 0);
    if (delayMs === 0) {
      finish(turn);
      return;
    }
    const timer = setTimeout(() => {
      response.off('close', gone);
      finish(turn);
    }, delayMs);
    const gone = (): void => {
      clearTimeout(timer);
      finish(turn);
    };
    response.once('close', gone);
  }

  function hold(turn: Turn): void {
    const letGo = (): void => {
      held.delete(letGo);
      turn.response.off('close', letGo);
      finish(turn);
    };
    held.add(letGo);
    turn.response.once('close', letGo);
  }

  return {
    serve,
    setLatency: (ms) => {
      latencyMs = ms;
    },
    release: () => {
      for (const letGo of held) letGo();
    },
  };
}

interface Turn {
  readonly call: Call;
  readonly fault: Fault | undefined;
  readonly done: Work | undefined;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly listener: Listener;
  readonly ended: () => void;
}

function finish(turn: Turn): void {
  const { call, fault, done, response, request, listener, ended } = turn;
  if (response.destroyed) {
    call.fate = 'client-gone';
    ended();
    return;
  }
  if (fault && 'transport' in fault) {
    playTransport(turn, fault.transport);
    return;
  }
  const reply =
    fault && 'status' in fault
      ? faultReply(fault, done?.reply, `${listener.url}/redirected${request.url ?? ''}`)
      : (done?.reply ?? failed(500));
  note(call, reply);
  ended();
  response.writeHead(reply.status, {
    ...(reply.text !== '' && { 'content-type': 'application/json' }),
    ...reply.headers,
    'content-length': Buffer.byteLength(reply.text),
  });
  response.end(reply.text);
}

function playTransport(turn: Turn, transport: Extract<Fault, { transport: unknown }>['transport']): void {
  const { call, done, request, response, listener, ended } = turn;
  call.fate = transport;
  const reply = done?.reply ?? failed(500);
  if (transport === 'reset-before' || transport === 'reset-after') {
    ended();
    listener.reset(request);
    return;
  }
  response.once('close', ended);
  if (transport === 'no-answer') return;
  note(call, reply);
  const ways = { drip, endless, bomb, truncated };
  ways[transport](response, reply);
}

function note(call: Call, reply: Reply): void {
  call.answeredAt = Date.now();
  call.status = reply.status;
  if (reply.requestId !== undefined) call.requestId = reply.requestId;
}

function parsed(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
