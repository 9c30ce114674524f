import type { IncomingMessage, ServerResponse } from 'node:http';
import { answer, type Turn } from './answering.ts';
import { readBasic } from './api-keys.ts';
import type { CallLog } from './call-log.ts';
import type { EndpointCounter } from './endpoint-counts.ts';
import type { Faults } from './fault-script.ts';
import type { InFlightCounter } from './in-flight.ts';
import type { Listener } from './listener.ts';
import type { Work } from './replies.ts';
import { LONGEST_BODY } from './routing.ts';
import { parsed, type Service, serve as serveCall } from './serving.ts';
import type { Call } from './types.ts';

export interface Exchange {
  serve(request: IncomingMessage, response: ServerResponse, listener: Listener): void;
  setLatency(ms: number): void;
  release(): void;
}

interface Parts {
  readonly log: CallLog;
  readonly faults: Faults;
  readonly inFlight: InFlightCounter;
  readonly endpoints: EndpointCounter;
  readonly service: Service;
  readonly onCall: ((call: Call) => void) | undefined;
}

/**
 * Takes calls from their first byte to their answer. The work is done as soon as a call has arrived
 * whole; only the answer takes time.
 */
export function createExchange(parts: Parts): Exchange {
  const { log, faults, inFlight, endpoints, service, onCall } = parts;
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
      if (size <= LONGEST_BODY) chunks.push(chunk);
      size += chunk.length;
    });
    response.on('close', leave);

    function worked(call: Call, done: Work): void {
      call.applied = done.applied;
      if (done.moves) endpoints.moved(call, done.moves);
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
      const { method, path } = call;
      const contentType = request.headers['content-type'];
      const { fault, done, late } = serveCall(
        service,
        { method, path, contentType, text, body, credential },
        (admitted) => faults.take(call, admitted),
      );
      if (done) worked(call, done);
      if (late) {
        setTimeout(() => {
          const work = late.work();
          worked(call, work);
          work.ended?.();
        }, late.ms).unref();
      }
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
