import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBasic } from './api-keys.ts';
import type { Script } from './script.ts';
import { parsed, type Served, type Service } from './service.ts';
import type { Call } from './types.ts';

interface Parts {
  readonly service: Service;
  readonly script: Script;
  readonly arrived: (call: Call) => void;
  /** Once, when the answer leaves or can no more. */
  readonly ended: (call: Call) => void;
}

/**
 * Takes calls from their first byte to their answer. The work is done as soon as a call has arrived
 * whole; only the answer takes time.
 */
export function createExchange({ service, script, arrived, ended }: Parts) {
  const held = new Set<() => void>();
  let latencyMs = 0;
  let seq = 0;

  function take(request: IncomingMessage, text: string, receivedAt: number) {
    const { method = '', url: path = '', headers } = request;
    const { authorization, 'content-type': contentType } = headers;
    const { keyId } = readBasic(authorization) ?? {};
    seq += 1;
    const call: Call = {
      seq,
      receivedAt,
      method,
      path,
      ...(keyId !== undefined && { keyId }),
      body: parsed(text),
      text,
      applied: false,
    };
    const served = service.serve({ method, path, authorization, contentType, text }, (admitted) =>
      script.take(call, admitted),
    );
    call.applied = served.applied;
    arrived(call);
    return { call, served };
  }

  /** At once, after the delay, or when released; sooner where the caller has left. */
  function inTime({ fault }: Served, response: ServerResponse, answer: () => void): void {
    const isHeld = fault !== undefined && 'hold' in fault;
    const delayMs = latencyMs + (fault && 'slowMs' in fault ? fault.slowMs : 0);
    if (!isHeld && delayMs === 0) return answer();
    const letGo = (): void => {
      clearTimeout(timer);
      held.delete(letGo);
      response.off('close', letGo);
      answer();
    };
    const timer = isHeld ? undefined : setTimeout(letGo, delayMs);
    if (isHeld) held.add(letGo);
    response.once('close', letGo);
  }

  return {
    serve: (request: IncomingMessage, response: ServerResponse): void => {
      const receivedAt = Date.now();
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const { call, served } = take(request, text, receivedAt);
        inTime(served, response, () => answer(call, served, response, () => ended(call)));
      });
    },
    setLatency: (ms: number): void => {
      latencyMs = ms;
    },
    release: (): void => {
      for (const letGo of held) letGo();
    },
  };
}

/** As the fault says, or as the work came out. */
function answer(
  call: Call,
  { fault, reply }: Served,
  response: ServerResponse,
  ended: () => void,
): void {
  const transport = fault && 'transport' in fault ? fault.transport : undefined;
  if (transport !== undefined || response.destroyed) {
    call.fate = transport ?? 'client-gone';
    if (transport === 'no-answer') response.once('close', ended);
    else ended();
    const { socket } = response.req;
    // A TLS socket cannot send a reset.
    if (transport !== 'no-answer' && 'encrypted' in socket) socket.destroy();
    else if (transport !== 'no-answer') socket.resetAndDestroy();
    return;
  }
  const { status, text, headers, requestId } = reply;
  Object.assign(call, { answeredAt: Date.now(), status, ...(requestId && { requestId }) });
  ended();
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text) });
  response.end(text);
}
