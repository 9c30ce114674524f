import { basic } from '../../../simulator/caller.ts';
import type { WireRequest } from '../../network/wire.ts';
import { type Answer, type Ask, KEY } from './under-test.ts';

/** A call as it goes over the wire. */
export function wireRequest({ method, path, body, key = KEY, headers = {} }: Ask): WireRequest {
  const all = {
    authorization: basic(key.id, key.secret),
    'content-type': 'application/json',
    ...headers,
  };
  const text = typeof body === 'string' ? body : (JSON.stringify(body) ?? '');
  return {
    method,
    path,
    headers: Object.fromEntries(
      Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ),
    body: text,
  };
}

/** The body of an answer, where it is a JSON object. */
export function bodyOf(text: string): Answer['body'] {
  try {
    return (JSON.parse(text) ?? {}) as Answer['body'];
  } catch {
    return {};
  }
}
