import type { IncomingMessage, ServerResponse } from 'node:http';
import { answer, type Turn } from './answering.ts';
import { type ApiKeys, readBasic } from './api-keys.ts';
import type { CallLog } from './call-log.ts';
import type { EndpointCounter } from './endpoint-counts.ts';
import { type Faults, isOperations, lateWork, worksOnArrival } from './fault-script.ts';
import type { InFlightCounter } from './in-flight.ts';
import type { Listener } from './listener.ts';
import type { Limits } from './rate-limits.ts';
import { failed, type Reply, type Work } from './replies.ts';
import { organizationOf, route, type Stores } from './routing.ts';
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
  readonly endpoints: EndpointCounter;
  readonly stores: Stores;
  readonly onCall: ((call: Call) => void) | undefined;
}

/** Takes calls from their first byte to their answer. The work is done as soon as a call has arrived whole; only the answer takes time. */
export function createExchange(parts: Parts): Exchange {
  const { log, keys, limits, faults, inFlight, endpoints, stores, onCall } = parts;
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

    function refuse({ method, path }: Call): Reply | undefined {
      const organizationId = organizationOf(path);
      return keys.refuse(credential, { method, organizationId }) ?? limits.refuse(credential?.keyId ?? '');
    }

    function work(call: Call, fault: Fault | undefined): Work {
      const { method, path, text, body } = call;
      if (size > LONGEST_BODY) {
        return { reply: failed(413, `request body is larger than ${LONGEST_BODY} bytes`), applied: false };
      }
      const contentType = request.headers['content-type'];
      const done = route({ method, path, contentType, text, body }, stores, fault?.play);
      call.applied = done.applied;
      if (done.moves) endpoints.moved(call, done.moves);
      return done;
    }

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
      const refusal = refuse(call);
      const fault = faults.take(call, refusal === undefined);
      const lateMs = lateWork(fault);
      const onArrival = worksOnArrival(fault);
      const seen = onArrival || lateMs !== undefined || (fault !== undefined && isOperations(fault));
      if (seen && refusal === undefined) limits.count(credential?.keyId ?? '');
      if (lateMs !== undefined && refusal === undefined) {
        setTimeout(() => work(call, fault).ended?.(), lateMs).unref();
      }
      const refused = refusal && { reply: refusal, applied: false };
      const done: Work | undefined = onArrival ? (refused ?? work(call, fault)) : undefined;
      log.add(call);
      endpoints.arrived(call);
      const ended = (): void => {
        leave();
        done?.ended?.();
        onCall?.(call);
      };
      answerInTime({ call, fault, done, request, response, listener, ended });
    });
  }

  /** At once, after the delay, or when released; sooner where the caller has left. */
  function answerInTime(turn: Turn): void {
    const { fault, response } = turn;
    const hold = fault !== undefined && 'hold' in fault;
    const delayMs = latencyMs + (fault && 'slowMs' in fault ? fault.slowMs : 0);
    if (!hold && delayMs === 0) {
      answer(turn);
      return;
    }
    const letGo = (): void => {
      clearTimeout(timer);
      held.delete(letGo);
      response.off('close', letGo);
      answer(turn);
    };
    const timer = hold ? undefined : setTimeout(letGo, delayMs);
    if (hold) held.add(letGo);
    response.once('close', letGo);
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

function parsed(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
