import type { IncomingMessage, ServerResponse } from 'node:http';
import { faultReply } from './fault-replies.ts';
import type { Listener } from './listener.ts';
import { failed, type Reply, type Work } from './replies.ts';
import type { Served } from './serving.ts';
import { bomb, drip, endless, truncated } from './transports.ts';
import type { Call, Fault, Transport } from './types.ts';

/** A call that has arrived whole, and what is to become of it. */
export interface Turn {
  readonly call: Call;
  readonly fault: Fault | undefined;
  /** undefined where the work was not done */
  readonly done: Work | undefined;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly listener: Listener;
  /** told once, when the answer leaves or can no more */
  readonly ended: () => void;
}

/** Answers now, as the fault says or as the work came out. */
export function answer(turn: Turn): void {
  const { call, fault, done, response, request, listener, ended } = turn;
  if (response.destroyed) {
    call.fate = 'client-gone';
    ended();
    return;
  }
  if (fault && 'transport' in fault) {
    answerBadly(turn, fault.transport);
    return;
  }
  const reply = wholeReply({ fault, done }, `${listener.url}/redirected${request.url ?? ''}`);
  note(call, reply);
  ended();
  response.writeHead(reply.status, {
    ...reply.headers,
    'content-length': Buffer.byteLength(reply.text),
  });
  response.end(reply.text);
}

/**
 * The answer as the fault says, or as the work came out, with all its headers. `self` is where a
 * redirect points.
 */
export function wholeReply({ fault, done }: Served, self: string): Reply {
  const reply =
    fault && 'status' in fault
      ? faultReply(fault, done?.reply, self)
      : (done?.reply ?? failed(500));
  return { ...reply, headers: { 'content-type': 'application/json', ...reply.headers } };
}

function answerBadly(turn: Turn, transport: Transport): void {
  const { call, done, request, response, listener, ended } = turn;
  call.fate = transport;
  const reply = done?.reply ?? failed(500);
  switch (transport) {
    case 'reset-before':
    case 'reset-after':
      ended();
      listener.reset(request);
      return;
    case 'no-answer':
      response.once('close', ended);
      return;
    case 'drip':
    case 'endless':
    case 'bomb':
    case 'truncated':
      note(call, reply);
      response.once('close', ended);
      PLAYERS[transport](response, reply);
  }
}

const PLAYERS = { drip, endless, bomb, truncated };

function note(call: Call, reply: Reply): void {
  call.answeredAt = Date.now();
  call.status = reply.status;
  if (reply.requestId !== undefined) call.requestId = reply.requestId;
}
