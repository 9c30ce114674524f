import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { EndpointMoves } from './organization-types.ts';

/** An answer, ready to be written. */
export interface Reply {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly requestId?: string;
}

/** What an operation did, and what it answers where nothing interferes. */
export interface Work {
  readonly reply: Reply;
  /** Whether a write took effect. */
  readonly applied: boolean;
  readonly moves?: EndpointMoves;
}

/** The word that opens the error text of a status, such as BAD_REQUEST. */
export function codeOf(status: number): string {
  return (STATUS_CODES[status] ?? `status ${status}`).toUpperCase().replaceAll(/\W/g, '_');
}

/** 200 with the envelope of the document. */
export function succeeded(result: unknown): Reply {
  const requestId = randomUUID();
  return { status: 200, requestId, text: JSON.stringify({ status: 200, requestId, result }) };
}

/** The error envelope; the text is "CODE: detail", or the bare code. */
export function failed(status: number, detail?: string): Reply {
  const requestId = randomUUID();
  const error = detail === undefined ? codeOf(status) : `${codeOf(status)}: ${detail}`;
  return { status, requestId, text: JSON.stringify({ requestId, error, status }) };
}

/** Work that was refused: nothing is stored. */
export function refused(status: number, detail?: string): Work {
  return { reply: failed(status, detail), applied: false };
}
