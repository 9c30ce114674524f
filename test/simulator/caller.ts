export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** undefined where the text is no JSON */
  readonly body: {
    status?: unknown;
    requestId?: unknown;
    error?: string;
    result?: Record<string, unknown>;
  };
}

export type Send = (
  method: string,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
) => Promise<Answered>;

export const ORGANIZATION = '7f0e6f0c-0000-4000-8000-000000000001';

/** The header of a Basic credential. */
export function basic(keyId: string, secret: string): string {
  return `Basic ${Buffer.from(`${keyId}:${secret}`).toString('base64')}`;
}

/**
 * A plain caller with one credential; follows no redirect. A string is sent as it is, anything else
 * as JSON.
 */
export function caller(url: string, authorization: string = basic('key', 'secret')): Send {
  return async (method, path, body, signal) => {
    const response = await fetch(`${url}${path}`, {
      method,
      redirect: 'manual',
      headers: { authorization, 'content-type': 'application/json' },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: parsed(text) };
  };
}

function parsed(text: string): Answered['body'] {
  try {
    return JSON.parse(text) as Answered['body'];
  } catch {
    return {};
  }
}
