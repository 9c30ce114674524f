import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { spellings } from '../../support/canary.ts';
import { endpoint } from '../../support/organizations.ts';
import { answerText } from '../../support/raw-server.ts';

/** Bytes that a server answers to a PUT, and what the user is to read then. */

/** Characters that look different in base64, in a URL and in JSON. */
export const SECRET = 'canary/+= &"secret~7f3a9c2e5b1d';
export const KEY_ID = 'canary-id-4d8e1f6a2c9b';
export const FORMS = spellings(KEY_ID, SECRET);
const BASIC = Buffer.from(`${KEY_ID}:${SECRET}`).toString('base64');
const ECHO = `key ${KEY_ID} with ${SECRET} as Basic ${BASIC} or ${encodeURIComponent(SECRET)}`;

export type Answer = string | ((socket: Socket) => void);
export type Row = readonly [
  name: string,
  answer: Answer,
  /** The reason, and which side: Reconciling, Stalled, or – for Ready. */
  outcome: string,
  says: RegExp,
];

const REJECTED = 'Rejected Stalled';
const LOST = 'OutcomeUnknown Reconciling';
const UNEXPECTED = 'UnexpectedResponse Reconciling';
const NOT_CONFIRMED = 'NotConfirmed Reconciling';
const APPLIED = 'Applied –';

const error = (status: number, text: string, headers: Readonly<Record<string, string>> = {}) =>
  answerText(status, JSON.stringify({ status, error: text, requestId: 'req-1' }), headers);
const ok = (result: unknown) => answerText(200, JSON.stringify({ status: 200, result }));

/** Writes this again and again, as long as somebody reads. */
function endlessly(head: string, text: string): Answer {
  return (socket) => {
    socket.write(head);
    const timer = setInterval(() => socket.write(text), 20);
    socket.on('close', () => clearInterval(timer));
  };
}

const ZEROS = gzipSync(Buffer.alloc(64 * 1024 * 1024));
const BOMB = `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${ZEROS.length}\r\n\r\n`;

/** What one of each sort comes to, and what is too much of it: the rest is in tables. */
const ANSWERS: readonly Row[] = [
  ['as-declared', ok({ engine_max_threads: 8 }), APPLIED, /accepted the declared setting/],
  ['left-out', ok({}), APPLIED, /response omitted it, see status\.notReported/],
  ['odd-words', error(400, 'a\u0000b\u001b[31mc\r\n\u202ed\u2028e'), REJECTED, /a.?b.*c.*d.*e/],
  ['silent', () => undefined, LOST, /no answer within 8s/],
  [
    'endless',
    endlessly('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n', ' '.repeat(600_000)),
    UNEXPECTED,
    /larger than 1 MiB/,
  ],
  [
    'bomb',
    (socket) => socket.end(Buffer.concat([Buffer.from(BOMB), ZEROS])),
    UNEXPECTED,
    /not JSON|larger than 1 MiB/,
  ],
  ['two-answers', error(400, 'the first') + ok({ engine_max_threads: 8 }), REJECTED, /the first/],
];

/** The key, wherever a reply can say it back. */
const ECHOES: readonly Row[] = [
  ['echo', error(400, ECHO), REJECTED, /key \*\*\* with \*\*\* as Basic \*\*\*/],
  ['echo-in-html', answerText(502, `<html><body>${ECHO}</body></html>`), LOST, /HTTP 502/],
  [
    'echo-in-ids',
    answerText(404, JSON.stringify({ requestId: SECRET }), { 'x-request-id': KEY_ID }),
    'NotFound Stalled',
    /404/,
  ],
  [
    'echo-in-result',
    ok({ [SECRET]: BASIC, engine_max_threads: ECHO, note: [ECHO, { deep: SECRET }] }),
    NOT_CONFIRMED,
    /engine_max_threads is .*\*\*\*/,
  ],
  ['echo-in-head', (socket) => socket.end(`HTTP/1.1 ${SECRET}\r\n\r\n`), LOST, /not HTTP/],
  [
    'echo-in-redirect',
    answerText(302, ECHO, { location: `/v1/taken?key=${KEY_ID}` }),
    'UnexpectedResponse Stalled',
    /redirected .*never follow/,
  ],
];

export const ROWS = [...ANSWERS, ...ECHOES];

const SOON = { 'retry-after': '1' };
/** Each keeps back all calls with the key for a while. */
export const PAUSING: readonly Row[] = [
  ['echo-limited', error(429, ECHO, SOON), 'RateLimited Reconciling', /HTTP 429/],
  ['echo-unavailable', error(503, ECHO, SOON), LOST, /HTTP 503/],
  ['echo-unauthorized', error(401, ECHO), 'Unauthorized Stalled', /HTTP 401/],
];

const ODD = `a\u0000b\u001b[31mc\u2028d\ud800e\r\n\u202e${SECRET}`;
const LONG = 'x'.repeat(20_000);
const LONGEST = { id: LONG, region: LONG, description: LONG };
const listing = (...privateEndpoints: readonly unknown[]) =>
  ok({ name: 'Acme', privateEndpoints: [endpoint('a'), ...privateEndpoints] });

/** What an API may report of an organization, whose object declares a name and lists `a`. */
export const ORGANIZATIONS: readonly Row[] = [
  [
    'secret-for-a-name',
    ok({ name: SECRET, privateEndpoints: [] }),
    NOT_CONFIRMED,
    /not in the list yet: a|reports the name "\*\*\*"/,
  ],
  ['no-entries', listing(5, null, [], {}, { id: {} }, 'text'), APPLIED, /1 private endpoint/],
  [
    'ten-thousand',
    listing(LONGEST, ...Array.from({ length: 10_000 }, (_, n) => endpoint(`psc-${n}`))),
    APPLIED,
    /1 private endpoint/,
  ],
  ['odd', listing(endpoint(ODD), { id: 'b', description: ODD }), APPLIED, /1 private endpoint/],
  ['keys', listing(endpoint(KEY_ID), endpoint(SECRET), endpoint(BASIC)), APPLIED, /1 private/],
];
