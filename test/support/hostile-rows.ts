import type { Fault } from '../simulator/types.ts';
import { answerText } from './raw-server.ts';

/** What a user is to see after a hostile answer. */
export interface Row {
  readonly name: string;
  readonly reason: string;
  readonly says: RegExp;
}

export interface Hostile extends Row {
  readonly fault: Fault;
}

/** Characters that look different in base64, in a URL and in JSON. */
export const SECRET = 'canary/+= &"secret~7f3a9c2e5b1d';
export const KEY_ID = 'canary-id-4d8e1f6a2c9b';
const BASIC = Buffer.from(`${KEY_ID}:${SECRET}`).toString('base64');
const ECHO = `BAD_REQUEST: key ${KEY_ID} with ${SECRET} as Basic ${BASIC} or ${encodeURIComponent(SECRET)} at https://${KEY_ID}:${encodeURIComponent(SECRET)}@api`;

const odd = 'UnexpectedResponse';
const lost = 'OutcomeUnknown';

/** By the name of the pipe. `other` is the address of a server that must never see the key. */
export function hostileRows(other: string): Hostile[] {
  return [
    {
      name: 'html',
      fault: { status: 200, body: 'html', error: ECHO },
      reason: odd,
      says: /not JSON/,
    },
    {
      name: 'html-error',
      fault: { status: 502, body: 'html', error: ECHO },
      reason: lost,
      says: /HTTP 502/,
    },
    {
      name: 'nothing',
      fault: { status: 200, body: 'empty' },
      reason: odd,
      says: /its body is empty/,
    },
    {
      name: 'megabytes',
      fault: { status: 200, body: 'megabytes' },
      reason: odd,
      says: /larger than 1 MiB/,
    },
    { name: 'endless', fault: { transport: 'endless' }, reason: odd, says: /larger than 1 MiB/ },
    { name: 'bomb', fault: { transport: 'bomb' }, reason: odd, says: /not JSON|larger than 1 MiB/ },
    { name: 'truncated', fault: { transport: 'truncated' }, reason: odd, says: /broke off/ },
    { name: 'drip', fault: { transport: 'drip' }, reason: odd, says: /broke off/ },
    {
      name: 'no-answer',
      fault: { transport: 'no-answer' },
      reason: lost,
      says: /no answer within 4s/,
    },
    {
      name: 'reset-before',
      fault: { transport: 'reset-before' },
      reason: lost,
      says: /closed the connection/,
    },
    {
      name: 'reset-after',
      fault: { transport: 'reset-after' },
      reason: lost,
      says: /closed the connection/,
    },
    {
      name: 'wrong-type',
      fault: { status: 200, body: 'wrong-type' },
      reason: odd,
      says: /only 200 with a result/,
    },
    {
      name: 'error-with-200',
      fault: { status: 200, body: 'error-with-200', error: ECHO },
      reason: odd,
      says: /\*\*\*/,
    },
    {
      name: 'echo',
      fault: { status: 400, error: ECHO },
      reason: 'Rejected',
      says: /key \*\*\* with \*\*\* as Basic \*\*\*/,
    },
    {
      name: 'echo-in-header',
      fault: { status: 404, body: 'empty', headers: { 'x-request-id': SECRET } },
      reason: 'NotFound',
      says: /404/,
    },
    ...[301, 302, 307, 308].map((status) => ({
      name: `redirect-${status}`,
      fault: { status, headers: { location: `${other}/v1/taken?key=${KEY_ID}` } },
      reason: odd,
      says: /redirected .*never followed/,
    })),
  ];
}

/** What no HTTP server would answer, by the name of the pipe. */
export const RAW: readonly (Row & {
  readonly bytes: string | ((write: (text: string) => void) => void);
})[] = [
  { name: 'garbage', bytes: '\0\0 what is this\r\n\r\n', reason: lost, says: /not HTTP/ },
  {
    name: 'long-headers',
    bytes: `HTTP/1.1 200 OK\r\nx-long: ${'h'.repeat(64 * 1024)}\r\ncontent-length: 2\r\n\r\n{}`,
    reason: lost,
    says: /headers larger than 32 KiB/,
  },
  {
    name: 'endless-hints',
    bytes: (write) => write('HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'),
    reason: lost,
    says: /no answer within 4s/,
  },
  {
    name: 'half-a-head',
    bytes: 'HTTP/1.1 200 OK\r\ncontent-',
    reason: lost,
    says: /no answer within 4s/,
  },
  {
    name: 'two-answers',
    bytes:
      answerText(400, '{"error":"first"}') + answerText(200, '{"result":{"engine_max_threads":8}}'),
    reason: 'Rejected',
    says: /first/,
  },
  {
    name: 'echo-in-error',
    bytes: answerText(400, JSON.stringify({ error: ECHO, requestId: SECRET, status: 400 })),
    reason: 'Rejected',
    says: /\*\*\*/,
  },
  {
    name: 'echo-in-result',
    bytes: answerText(
      200,
      JSON.stringify({
        requestId: KEY_ID,
        result: { [SECRET]: BASIC, engine_max_threads: ECHO, note: [ECHO, { deep: SECRET }] },
      }),
    ),
    reason: 'NotConfirmed',
    says: /engine_max_threads is .*\*\*\*/,
  },
  {
    name: 'proto',
    bytes: answerText(
      200,
      '{"__proto__":{"result":{},"error":"x"},"result":{"__proto__":{"engine_max_threads":1},"constructor":{"prototype":{"a":1}},"engine_max_threads":8}}',
    ),
    reason: 'Applied',
    says: /accepted the declared setting/,
  },
  {
    name: 'proto-only',
    bytes: answerText(200, '{"__proto__":{"result":{"engine_max_threads":8}}}'),
    reason: odd,
    says: /only 200 with a result/,
  },
  {
    name: 'deep',
    bytes: answerText(200, `{"result":{"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`),
    reason: odd,
    says: /./,
  },
  {
    name: 'many-keys',
    bytes: answerText(
      200,
      `{"result":{${Array.from({ length: 20_000 }, (_, n) => `"k${n}":"${'v'.repeat(20)}"`).join(',')}}}`,
    ),
    reason: 'Applied',
    says: /response omitted/,
  },
  {
    name: 'lone-surrogate',
    bytes: answerText(
      400,
      String.raw`{"error":"half \ud800 a \u0000 character \u001b[31m\r\n and ‮ back"}`,
    ),
    reason: 'Rejected',
    says: /half/,
  },
  {
    name: 'huge-number',
    bytes: answerText(200, '{"result":{"engine_max_threads":1e400}}'),
    reason: 'NotConfirmed',
    says: /engine_max_threads/,
  },
];
