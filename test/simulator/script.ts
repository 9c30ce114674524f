import { randomUUID } from 'node:crypto';
import { fits } from './call-log.ts';
import { codeOf, type Reply } from './replies.ts';
import type { BodyKind, Call, Fault, Match, ScriptedAnswer, Turns } from './types.ts';

export type Script = ReturnType<typeof createScript>;

/** What was said once goes first, in the order said, then the standing one that was said last. */
export function createScript() {
  let turns: { fault: Fault; left: number; match: Match }[] = [];
  let standing: { fault: Fault; match: Match }[] = [];
  return {
    next: (fault: Fault, { times = 1, match = {} }: Turns = {}) =>
      void turns.push({ fault, left: times, match }),
    always: (fault: Fault, match: Match = {}) => void standing.unshift({ fault, match }),
    clear: () => {
      turns = [];
      standing = [];
    },
    /** What happens to this call, whether or not keys and limits let it through. */
    take: (call: Call, admitted: boolean): Fault | undefined => {
      const isMeant = ({ fault, match }: { fault: Fault; match: Match }): boolean =>
        (admitted || isInFront(fault)) && fits(call, match);
      const turn = turns.find(isMeant);
      if (!turn) return standing.find(isMeant)?.fault;
      turn.left -= 1;
      turns = turns.filter(({ left }) => left > 0);
      return turn.fault;
    },
  };
}

/** Whether something in front of the API does this, and not the operation. */
export function isInFront(fault: Fault): boolean {
  return 'status' in fault ? fault.status >= 300 : 'transport' in fault;
}

/** Whether the work of a call is done. */
export function isWorkDone(fault: Fault | undefined): boolean {
  if (fault && 'status' in fault) return fault.applied ?? fault.status < 300;
  if (fault && 'transport' in fault) return fault.applied ?? fault.transport === 'reset-after';
  return true;
}

const TYPES: { readonly [Kind in BodyKind]?: string } = { html: 'text/html', text: 'text/plain' };

/** The answer that a script has; `done` is the operation's own, where its work was done. */
export function scriptedReply(answer: ScriptedAnswer, done: Reply | undefined): Reply {
  const { status, body = 'envelope', error = `${codeOf(status)}: simulated`, headers } = answer;
  const requestId = randomUUID();
  const result = 'result' in answer ? answer.result : resultOf(done);
  const text = bodyText(body, { status, requestId, ...(status < 300 ? { result } : { error }) });
  return {
    status,
    text,
    headers: { 'content-type': TYPES[body] ?? 'application/json', ...headers },
    ...(text.includes(requestId) && { requestId }),
  };
}

function resultOf(done: Reply | undefined): unknown {
  return done?.status === 200 ? (JSON.parse(done.text) as { result: unknown }).result : {};
}

function bodyText(
  kind: BodyKind,
  whole: { status: number; requestId: string; result?: unknown; error?: string },
): string {
  const { status, requestId, error = '' } = whole;
  const text = JSON.stringify(whole);
  return {
    envelope: text,
    html: `<!DOCTYPE html><html><title>${status}</title><body><h1>${error}</h1></body></html>`,
    empty: '',
    truncated: text.slice(0, Math.ceil(text.length / 2)),
    'no-result': JSON.stringify({ status, requestId }),
    text: error,
  }[kind];
}
