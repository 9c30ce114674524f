import { STATUS_CODES } from 'node:http';
import type { Clock } from '../../clock.ts';
import { KubeError } from './kube-error.ts';

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
