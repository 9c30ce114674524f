import type { Reply } from './process.ts';

/** HTTP 200 with this result. */
export function ok(result: Readonly<Record<string, unknown>>, requestId = 'req-1'): Reply {
  return { answered: true, httpStatus: 200, requestId, result };
}

/** Lost: nobody knows what it did. Unsent: not one byte left. A number: an error in JSON. */
export function bad(what: number | 'lost' | 'unsent', more: object = {}): Reply {
  const cause = 'connection reset';
  if (typeof what !== 'number') return { answered: false, sent: what === 'lost', cause };
  const isError = what >= 400;
  const said = isError ? { error: `no ${what}` } : { defect: 'is not JSON' };
  return { answered: true, httpStatus: what, requestId: 'req-1', ...said, ...more };
}
