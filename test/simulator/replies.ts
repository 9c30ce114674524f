import { randomUUID } from 'node:crypto';
import type { EndpointMoves } from './organization-patch.ts';

/** An answer, ready to be written. */
export interface Reply {
  readonly status: number;
  readonly text: string;
  readonly headers?: Record<string, string>;
  readonly requestId?: string;
}

/** What an operation did, and what it would answer when nothing interferes. */
export interface Work {
  readonly reply: Reply;
  /** whether a write took effect */
  readonly applied: boolean;
  /** what it did to private endpoints */
  readonly moves?: EndpointMoves;
  /** to be told when its answer has left, or never will */
  readonly ended?: () => void;
}

const CODES: Readonly<Record<number, string>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  408: 'REQUEST_TIMEOUT',
  409: 'CONFLICT',
  410: 'GONE',
  413: 'PAYLOAD_TOO_LARGE',
  422: 'UNPROCESSABLE_ENTITY',
  423: 'LOCKED',
  424: 'FAILED_DEPENDENCY',
  425: 'TOO_EARLY',
  429: 'TOO_MANY_REQUESTS',
  500: 'INTERNAL_ERROR',
  502: 'BAD_GATEWAY',
  503: 'SERVICE_UNAVAILABLE',
  504: 'GATEWAY_TIMEOUT',
};

/** The word that opens the error text of a status. */
export function codeOf(status: number): string {
  return CODES[status] ?? (status < 300 ? 'INTERNAL_ERROR' : `STATUS_${status}`);
}

/** 200 with the document's envelope; `resultText` is JSON, for what `JSON.stringify` cannot say. */
export function succeeded(resultText: string): Reply {
  const requestId = randomUUID();
  return {
    status: 200,
    requestId,
    text: `{"status":200,"requestId":"${requestId}","result":${resultText}}`,
  };
}

/** The error envelope; the text is "CODE: detail", or the bare code without a detail. */
export function failed(status: number, detail?: string): Reply {
  const requestId = randomUUID();
  const code = codeOf(status);
  const error = detail === undefined ? code : `${code}: ${detail}`;
  return { status, requestId, text: JSON.stringify({ requestId, error, status }) };
}

/** Work that was refused: nothing is stored. */
export function refused(status: number, detail?: string): Work {
  return { reply: failed(status, detail), applied: false };
}
