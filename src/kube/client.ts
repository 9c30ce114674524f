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
  /** For the whole call, connection and body included. */
  readonly timeoutMs?: number;
}

/** One long-lived answer made of lines. */
export interface StreamCall {
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly accept?: string;
  readonly signal: AbortSignal;
  /** The stream is broken off when nothing at all arrived for this long. */
  readonly silenceMs: number;
}

/** Access to one API server over few connections that are kept open. */
export interface KubeClient {
  /** Resolves with the parsed JSON body. Throws KubeError and nothing else. */
  request<T>(call: RequestCall): Promise<T>;
  /** Yields one line of JSON at a time. Ends when the server ends it well, throws KubeError when it does not. */
  stream(call: StreamCall): AsyncIterable<string>;
  /** Breaks off everything under way. */
  close(): Promise<void>;
}

/** One finished call, for metrics. `code` is the HTTP status, or `<error>` where no answer came. */
export interface RequestRecord {
  readonly verb: string;
  readonly code: string;
  readonly durationMs: number;
}
