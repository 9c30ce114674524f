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
   * `Timeout`, `Aborted`, `Unreadable`, `BrokenStream`.
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
