import type { Clock } from '../clock.ts';
import type { Credential, Reply } from './reply.ts';

export type { Answer, BodyState, Credential, NoAnswer, Reply } from './reply.ts';

/** One request; `path` holds raw segments after the base address, each is encoded here. */
export interface ApiRequest {
  /** For metrics only. */
  readonly operation: string;
  readonly method: 'GET' | 'PUT' | 'PATCH';
  readonly path: readonly string[];
  readonly body?: string;
  readonly credential: Credential;
  /** Asked right before the first byte leaves, after the connection stands; false calls the request off (`aborted: 'not-permitted'`). Give `permit.begin`. */
  readonly begin?: () => boolean;
  readonly signal?: AbortSignal;
}

/** Told once per call. `code` is the HTTP status or `none`. */
export interface CallMetric {
  readonly operation: string;
  readonly code: string;
  readonly durationMs: number;
}

export interface ApiClient {
  /** Normalised: no trailing slash, no `/v1`. */
  readonly baseUrl: string;
  /** Makes exactly one request and never throws for what the network or the API does; throws RangeError for an empty, `.` or `..` segment. */
  call(request: ApiRequest): Promise<Reply>;
  /** Waits for running calls, then closes the connections. */
  close(): Promise<void>;
}

export interface ApiClientOptions {
  readonly baseUrl: URL;
  /** PEM, trusted in addition to the usual roots. */
  readonly ca?: string;
  /** For the whole call: connecting, sending, and reading the body. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly version: string;
  /** Asked right before the first byte leaves; false calls the request off (`aborted: 'not-leader'`). */
  readonly mayStart: () => boolean;
  readonly onCall?: (metric: CallMetric) => void;
}

export declare function createApiClient(options: ApiClientOptions): ApiClient;
