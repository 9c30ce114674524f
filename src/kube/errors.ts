import { STATUS_CODES } from 'node:http';

/**
 * A call to the Kubernetes API that did not succeed, whatever the cause. The message holds no
 * header and no credential.
 */
export class KubeError extends Error {
  override readonly name = 'KubeError';
  /** HTTP status; 0: no answer (refused, reset, timed out), so the effect of a write is unknown. */
  readonly status: number;
  /**
   * The Status object's reason (`NotFound`, `Conflict`, `Expired`), or one of ours: `NoAnswer`,
   * `Timeout`, `Aborted`, `Unreadable`, `NoCredentials`; of a watch also `Defect`.
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

/** The error of an answer other than 2xx; `told`: its Status object, if it is one. */
export function refusal(call: string, status: number, told: unknown, retryAfter = ''): KubeError {
  const { reason, message } = (told ?? {}) as { reason?: unknown; message?: unknown };
  return new KubeError({
    call,
    status,
    reason: text(reason) ?? (STATUS_CODES[status] ?? 'Unknown').replaceAll(/[^A-Za-z]/g, ''),
    body: text(message) ?? '',
    retryAfterMs: /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : undefined,
  });
}

/**
 * The error of a call that has no answer. The text of the network's errors names addresses and
 * causes, nothing we sent.
 */
export function noAnswer(call: string, cause: unknown): KubeError {
  if (cause instanceof KubeError) return cause;
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
  const body = (first instanceof Error && text(first.message)) || 'the connection failed';
  return new KubeError({ call, status: 0, reason: 'NoAnswer', body, cause });
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value.slice(0, LONGEST_TEXT) : undefined;
}

export interface Denied {
  readonly error: KubeError;
  /** What was tried, where the server's text does not say. */
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  /** Absent: the rule cannot be cut down to one name, as for `create`. */
  readonly name?: string;
  /**
   * Everything the operator needs on it: the rule names all, so that it need not be mended twice.
   */
  readonly needs: readonly string[];
}

/**
 * One line for a 403: what was refused, to whom, and the Role rule to add. The same for the same
 * cause.
 */
export function missingRule(denied: Denied): string {
  const { error, group, resource, namespace, name } = denied;
  const verb = /\bcannot (\w+) resource\b/.exec(error.body)?.[1];
  const user = /^(?:.*? )?User "([^"]+)"/.exec(error.body)?.[1];
  const what =
    name === undefined ? `in namespace "${namespace}"` : `"${name}" in namespace "${namespace}"`;
  const names = name === undefined ? '' : `, resourceNames: ["${name}"]`;
  const verbs = denied.needs.map((need) => `"${need}"`).join(', ');
  const rule = `{apiGroups: ["${group}"], resources: ["${resource}"]${names}, verbs: [${verbs}]}`;
  // Not every 403 is RBAC's: an admission plug-in or webhook says why in its own words.
  const why = verb === undefined && error.body !== '' ? ` (${error.body})` : '';
  const where = `a Role in namespace "${namespace}" bound to ${user ?? "the operator's service account"}`;
  return `${user ?? 'the operator'} may not ${verb ?? denied.verb} ${resource} ${what}${why}; add to ${where} the rule ${rule}`;
}
