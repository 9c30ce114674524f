import { randomUUID } from 'node:crypto';
import { codeOf, type Reply } from './replies.ts';
import type { BodyKind, ScriptedAnswer } from './types.ts';

const MEGABYTES = 8 * 1024 * 1024;

/**
 * The answer a status fault asks for. `done` is what the work itself would have answered, when it
 * was done; `self` is where a redirect points.
 */
export function faultReply(fault: ScriptedAnswer, done: Reply | undefined, self: string): Reply {
  const requestId = randomUUID();
  const error = fault.error ?? `${codeOf(fault.status)}: simulated`;
  const whole =
    fault.status < 300
      ? success(fault.status, requestId, done)
      : { requestId, error, status: fault.status };
  const kind = fault.body ?? 'envelope';
  const redirect: Record<string, string> =
    fault.status >= 301 && fault.status <= 308 && fault.status !== 304 ? { location: self } : {};
  const html = kind === 'html' ? { 'content-type': 'text/html' } : {};
  const plain = kind === 'text' ? { 'content-type': 'text/plain' } : {};
  const reply = {
    status: fault.status,
    text: bodyText(kind, whole, error),
    headers: { ...redirect, ...html, ...plain, ...fault.headers },
  };
  return reply.text.includes(requestId) ? { ...reply, requestId } : reply;
}

type Envelope = { status: number; requestId: string } & Record<string, unknown>;

function success(status: number, requestId: string, done: Reply | undefined): Envelope {
  if (done?.status !== 200) return { status, requestId, result: {} };
  const { result } = JSON.parse(done.text) as { result: unknown };
  return { status, requestId, result };
}

function bodyText(kind: BodyKind, whole: Envelope, error: string): string {
  const { status, requestId, ...rest } = whole;
  const text = JSON.stringify(whole);
  switch (kind) {
    case 'envelope':
      return text;
    case 'no-request-id':
      return JSON.stringify({ ...rest, status });
    case 'no-status':
      return JSON.stringify({ ...rest, requestId });
    case 'text':
      return error;
    case 'html':
      return `<!DOCTYPE html><html><head><title>${status}</title></head><body><h1>${error}</h1></body></html>`;
    case 'empty':
      return '';
    case 'truncated':
      return text.slice(0, Math.ceil(text.length / 2));
    case 'null':
      return 'null';
    case 'wrong-type':
      return JSON.stringify({
        status: String(status),
        requestId: 7,
        error: { code: status },
        result: ['done'],
      });
    case 'message':
      return JSON.stringify({ status, requestId, message: error });
    case 'detail':
      return JSON.stringify({ status, requestId, title: 'A problem', detail: error });
    case 'errors':
      return JSON.stringify({ status, requestId, errors: [{ message: error }] });
    case 'no-result':
      return JSON.stringify({ status, requestId });
    case 'error-with-200':
      return JSON.stringify({ status, requestId, error });
    case 'result-and-error':
      return JSON.stringify({ ...whole, error: { code: 'INTERNAL_ERROR', message: 'simulated' } });
    case 'proto-keys':
      return `{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},${text.slice(1, -1)},"result":{"__proto__":{"polluted":true},"constructor":1}}`;
    case 'megabytes':
      return JSON.stringify({ ...whole, padding: 'x'.repeat(MEGABYTES) });
  }
}
