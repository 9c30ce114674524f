/** One short call. Paths come from resource.ts, so that every segment is encoded. */
export interface RequestCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Default `application/json`; for PATCH `application/merge-patch+json`. */
  readonly contentType?: string;
  readonly accept?: string;
  readonly signal?: AbortSignal;
  /** For the whole call, connection and body included; default 20 s. */
  readonly timeoutMs?: number;
}

/** One finished call, for metrics. `code` is the HTTP status, or `<error>` where no answer came. */
export interface RequestRecord {
  readonly verb: string;
  readonly code: string;
  readonly durationMs: number;
}
