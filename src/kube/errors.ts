import { STATUS_CODES } from 'node:http';

/** A call to the Kubernetes API that did not succeed. No header or credential is in its message. */
export class KubeError extends Error {
  override readonly name = 'KubeError';
  /** HTTP status; 0: no answer (refused, reset, timed out), so the effect of a write is unknown. */
  readonly status: number;
  /** Of the Status object (`Expired`); or `NoAnswer`, `Timeout`, `Unreadable`, `NoCredentials`. */
  readonly reason: string;
  /** The message of the Status object alone, without the call; '' where there was none. */
  readonly body: string;
  /** How long the server asked to wait. */
  readonly retryAfterMs: number | undefined;

  constructor(
    failure: Pick<KubeError, 'status' | 'reason' | 'body' | 'cause'> & {
      readonly call: string;
      readonly retryAfterMs?: number | undefined;
    },
  ) {
    const { call, status, reason, body, cause } = failure;
    const what = status === 0 ? reason : `${status} ${reason}`;
    super(`${call}: ${what}${body && `: ${body}`}`, cause === undefined ? {} : { cause });
    this.status = status;
    this.reason = reason;
    this.body = body;
    this.retryAfterMs = failure.retryAfterMs;
  }
}

type WithStatus<Status> = KubeError & { readonly status: Status };
function has<Status>(error: unknown, status: Status): error is WithStatus<Status> {
  return error instanceof KubeError && error.status === status;
}

/** The object, or its kind, does not exist. */
export const isNotFound = (error: unknown): error is WithStatus<404> => has(error, 404);
/** It was changed since it was read (or, with reason `AlreadyExists`, is there already). */
export const isConflict = (error: unknown): error is WithStatus<409> => has(error, 409);
/** The service account lacks a right; the message names it. */
export const isForbidden = (error: unknown): error is WithStatus<403> => has(error, 403);

/** The error of an answer other than 2xx; `told`: its Status object, if it is one. */
export function refusal(call: string, status: number, told: unknown, retryAfter = ''): KubeError {
  const { reason, message } = (told ?? {}) as { reason?: unknown; message?: unknown };
  return new KubeError({
    call,
    status,
    reason: text(reason) || (STATUS_CODES[status] ?? 'Unknown').replaceAll(/[^A-Za-z]/g, ''),
    body: text(message),
    retryAfterMs: /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : undefined,
  });
}

/** Of a call without an answer. The network's own text names addresses, and nothing of ours. */
export function noAnswer(call: string, cause: unknown): KubeError {
  if (cause instanceof KubeError) return cause;
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
  const body = text((first as Error | undefined)?.message) || 'the connection failed';
  return new KubeError({ call, status: 0, reason: 'NoAnswer', body, cause });
}

function text(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 1024) : '';
}
