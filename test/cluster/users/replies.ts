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

const error = (status: number, text = 'the pipe is on fire') =>
  answerText(status, JSON.stringify({ status, error: text, requestId: 'req-1' }));
const saying = (body: unknown, type = 'application/json') =>
  answerText(400, typeof body === 'string' ? body : JSON.stringify(body), { 'content-type': type });
const ok = (result: unknown) => answerText(200, JSON.stringify({ status: 200, result }));
const html = `<html><body>${ECHO} the pipe is on fire</body></html>`;
const FIRE = /the pipe is on fire/;

/** Writes this again and again, as long as somebody reads. */
function endlessly(head: string, text: string): Answer {
  return (socket) => {
    socket.write(head);
    const timer = setInterval(() => socket.write(text), 20);
    socket.on('close', () => clearInterval(timer));
  };
}

const HTTP: readonly Row[] = [
  ['bad-request', error(400), REJECTED, /HTTP 400.*on fire.*Change spec\.settings/],
  ['not-found', error(404), 'NotFound Stalled', /Check organizationId, serviceId and pipeId/],
  ['server-error', error(500), LOST, /HTTP 500.*sending them again is safe/],
];

/** Where an error says its reason, and that HTML is not shown. */
const WORDS: readonly Row[] = [
  ['in-error', saying({ error: 'the pipe is on fire' }), REJECTED, FIRE],
  ['in-an-object', saying({ error: { message: 'the pipe is on fire' } }), REJECTED, FIRE],
  ['in-errors', saying({ errors: ['the pipe is on fire'] }), REJECTED, FIRE],
  ['in-text', saying('the pipe is on fire', 'text/plain'), REJECTED, FIRE],
  ['in-html', saying(html, 'text/html'), REJECTED, /^((?!on fire).)*$/],
  ['long', error(400, 'x'.repeat(5_000)), REJECTED, /x{400,600}…?[^x]/],
  ['odd', error(400, 'a\u0000b\u001b[31mc\r\n\u202ed\u2028e'), REJECTED, /a.?b.*c.*d.*e/],
];

const DEEP = `{"result":{"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`;
const PROTO = '{"result":{"__proto__":{"engine_max_threads":1},"engine_max_threads":8}}';

const SUCCESS: readonly Row[] = [
  ['as-declared', ok({ engine_max_threads: 8 }), APPLIED, /accepted the declared setting/],
  ['left-out', ok({}), APPLIED, /response omitted it, see status\.notReported/],
  ['another', ok({ engine_max_threads: 5 }), NOT_CONFIRMED, /threads is 5, not 8/],
  ['no-result', ok(undefined), UNEXPECTED, /only 200 with a result/],
  ['page', answerText(200, html), UNEXPECTED, /not JSON/],
  ['nothing', answerText(200, ''), UNEXPECTED, /its body is empty/],
  ['error-with-200', error(200), UNEXPECTED, FIRE],
  [
    'many-keys',
    ok(Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`k${n}`, 'v'.repeat(20)]))),
    APPLIED,
    /response omitted/,
  ],
  ['proto', answerText(200, PROTO), APPLIED, /accepted the declared setting/],
  ['deep', answerText(200, DEEP), UNEXPECTED, /not JSON/],
];

const ZEROS = gzipSync(Buffer.alloc(64 * 1024 * 1024));
const BOMB = `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${ZEROS.length}\r\n\r\n`;

const TRANSPORT: readonly Row[] = [
  ['garbage', '\0\0 what is this\r\n\r\n', LOST, /not HTTP/],
  ['silent', () => undefined, LOST, /no answer within 8s/],
  ['half-a-head', 'HTTP/1.1 200 OK\r\ncon', LOST, /no answer within 8s/],
  ['closed', (socket) => socket.end(), LOST, /closed the connection/],
  ['reset', (socket) => socket.resetAndDestroy(), LOST, /closed the conn/],
  [
    'long-head',
    `HTTP/1.1 200 OK\r\nx-long: ${'h'.repeat(64 * 1024)}\r\ncontent-length: 2\r\n\r\n{}`,
    LOST,
    /headers larger than 32 KiB/,
  ],
  [
    'cut-off',
    (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"resu'),
    UNEXPECTED,
    /broke off/,
  ],
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
  ['echo-in-html', answerText(502, html), LOST, /HTTP 502/],
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
];

/** To where the key would be seen. */
const REDIRECTS = [301, 302, 307, 308].map((status): Row => {
  const answer = answerText(status, ECHO, { location: `/v1/taken?key=${KEY_ID}` });
  return [`redirect-${status}`, answer, 'UnexpectedResponse Stalled', /redirected .*never follow/];
});

export const ROWS = [...HTTP, ...WORDS, ...SUCCESS, ...TRANSPORT, ...ECHOES, ...REDIRECTS];

const ODD = `a\u0000b\u001b[31mc\u2028d\ud800e\r\n\u202e${SECRET}`;
const LONG = 'x'.repeat(20_000);
const listing = (...privateEndpoints: readonly unknown[]) =>
  ok({ name: 'Acme', privateEndpoints: [endpoint('a'), ...privateEndpoints] });

/** What an API may report of an organization, whose object declares a name and lists `a`. */
export const ORGANIZATIONS: readonly Row[] = [
  ['no-list', ok({ name: 'Acme' }), NOT_CONFIRMED, /no readable list/],
  [
    'secret-for-a-name',
    ok({ name: SECRET, privateEndpoints: [] }),
    NOT_CONFIRMED,
    /not in the list yet: a|reports the name "\*\*\*"/,
  ],
  ['no-entries', listing(5, null, [], {}, { id: {} }, 'text'), APPLIED, /1 private endpoint/],
  [
    'ten-thousand',
    listing(...Array.from({ length: 10_000 }, (_, n) => endpoint(`psc-${n}`))),
    APPLIED,
    /1 private endpoint/,
  ],
  ['long', listing({ id: LONG, region: LONG, description: LONG }), APPLIED, /1 private endpoint/],
  ['odd', listing(endpoint(ODD), { id: 'b', description: ODD }), APPLIED, /1 private endpoint/],
  ['keys', listing(endpoint(KEY_ID), endpoint(SECRET), endpoint(BASIC)), APPLIED, /1 private/],
];
