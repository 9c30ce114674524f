import { STATUS_CODES } from 'node:http';
import type { Clock } from '../../clock.ts';

/**
 * A call to the Kubernetes API that did not succeed, whatever the cause. The message holds no
 * header and no credential.
 */
export class KubeError extends Error {
  override readonly name = 'KubeError';
  /**
   * HTTP status; 0: no answer (refused, reset, timed out, aborted), so the effect of a write is
   * unknown.
   */
  readonly status: number;
  /**
   * The Status object's reason (`NotFound`, `Conflict`, `Expired`), or one of ours: `NoAnswer`,
   * `Timeout`, `Aborted`, `Unreadable`, `BrokenStream`, `NoCredentials`; of a watch also
   * `StaleList` and `Defect`.
   */
  readonly reason: string;
  /** The message of the Status object's body alone, without the call; '' where there was none. */
  readonly body: string;
  /** How long the server asked to wait. */
  readonly retryAfterMs?: number;

  constructor(options: {
    readonly call: string;
    readonly status: number;
    readonly reason: string;
    readonly body: string;
    readonly retryAfterMs?: number | undefined;
    readonly cause?: unknown;
  }) {
    const { call, status, reason, body, retryAfterMs, cause } = options;
    const what = status === 0 ? reason : `${status} ${reason}`;
    super(
      `${call}: ${what}${body === '' ? '' : `: ${body}`}`,
      cause === undefined ? undefined : { cause },
    );
    this.status = status;
    this.reason = reason;
    this.body = body;
    if (retryAfterMs !== undefined) this.retryAfterMs = retryAfterMs;
  }
}

/** The object, or its kind, does not exist. */
export function isNotFound(error: unknown): error is KubeError & { readonly status: 404 } {
  return error instanceof KubeError && error.status === 404;
}

/** The object was changed since it was read (or, with reason `AlreadyExists`, is there already). */
export function isConflict(error: unknown): error is KubeError & { readonly status: 409 } {
  return error instanceof KubeError && error.status === 409;
}

/** The service account lacks a right; the message names it. */
export function isForbidden(error: unknown): error is KubeError & { readonly status: 403 } {
  return error instanceof KubeError && error.status === 403;
}

/** The resource version or continue token is too old: start over with a list. */
export function isExpired(error: unknown): error is KubeError & { readonly status: 410 } {
  return error instanceof KubeError && error.status === 410;
}

const LONGEST_TEXT = 1024;

interface Status {
  readonly reason?: unknown;
  readonly message?: unknown;
  readonly code?: unknown;
  readonly details?: { readonly retryAfterSeconds?: unknown };
}

/**
 * The error of an answer other than 2xx, from its Status object where it has one; other bodies are
 * not quoted.
 */
export function refusal(options: {
  readonly call: string;
  readonly status: number;
  readonly body: string;
  readonly retryAfter?: string | undefined;
  readonly clock: Clock;
}): KubeError {
  const { call, status, body, retryAfter, clock } = options;
  const told = parseStatus(body);
  return new KubeError({
    call,
    status,
    reason: text(told?.reason) ?? (STATUS_CODES[status] ?? 'Unknown').replaceAll(/[^A-Za-z]/g, ''),
    body: text(told?.message) ?? '',
    retryAfterMs: headerMs(retryAfter, clock) ?? seconds(told?.details?.retryAfterSeconds),
  });
}

/** The error in an ERROR event of a watch. */
export function refusalInWatch(call: string, told: unknown): KubeError {
  const { code, reason, message, details } = (
    typeof told === 'object' && told !== null ? told : {}
  ) as Status;
  return new KubeError({
    call,
    status: typeof code === 'number' ? code : 500,
    reason: text(reason) ?? 'Unknown',
    body: text(message) ?? '',
    retryAfterMs: seconds(details?.retryAfterSeconds),
  });
}

/**
 * The error of a call that has no answer. The text of the network's errors names addresses and
 * causes, nothing we sent.
 */
export function noAnswer(call: string, cause: unknown): KubeError {
  if (cause instanceof KubeError) return cause;
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
  const body =
    first instanceof Error ? first.message.slice(0, LONGEST_TEXT) : 'the connection failed';
  return new KubeError({ call, status: 0, reason: 'NoAnswer', body, cause });
}

function parseStatus(body: string): Status | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value.slice(0, LONGEST_TEXT) : undefined;
}

function seconds(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? value * 1000 : undefined;
}

/** Retry-After is seconds or a date. */
function headerMs(header: string | undefined, clock: Clock): number | undefined {
  if (header === undefined) return undefined;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - clock.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
