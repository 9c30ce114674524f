import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';

/** Characters that look different in base64, in a URL and in JSON. */
export const KEY_ID = 'canary-id-4d8e1f6a';
export const KEY_SECRET = 'Canary/+= &"secret~7f3a';
const PAIR = `${KEY_ID}:${KEY_SECRET}`;

const base64 = [KEY_ID, KEY_SECRET, PAIR].flatMap((text) => {
  const bytes = Buffer.from(text);
  return [bytes.toString('base64'), bytes.toString('base64url')];
});
const inUrl = encodeURIComponent(KEY_SECRET);

/** The key as an API may repeat what it was called with, by mistake or not. */
export const SPELLINGS: readonly string[] = [
  ...new Set([
    KEY_ID,
    KEY_SECRET,
    PAIR,
    ...base64,
    inUrl,
    inUrl.replace(/%../g, (escape) => escape.toLowerCase()),
    inUrl.replaceAll('%20', '+'),
    JSON.stringify(KEY_SECRET).slice(1, -1),
  ]),
];

const NAMES = [
  'result',
  'error',
  'requestId',
  'status',
  'id',
  'name',
  'privateEndpoints',
  'engine_max_threads',
  'type',
  'createdAt',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  '',
  ...SPELLINGS,
];

const NUMBERS = [
  '0',
  '-0',
  '8',
  '1e400',
  '-1e-400',
  '1E5',
  '9'.repeat(40),
  '0.1',
  '9007199254740993',
];

const word = fc.oneof(
  fc.constantFrom(
    ...NAMES,
    'id-1',
    'gcp',
    '\ud800',
    '\u202e',
    'a\r\nb\u001b[31m',
    'x'.repeat(3_000),
  ),
  fc.constantFrom(...SPELLINGS).map((form) => `key ${form} is wrong`),
  fc.string({ unit: 'binary', maxLength: 20 }),
);

/** The text of JSON, also with a name twice in an object, and numbers that no double holds. */
const jsonText = fc.letrec<{ any: string; object: string }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(...NUMBERS, 'true', 'null'),
    word.map((text) => JSON.stringify(text)),
    fc.array(tie('any'), { maxLength: 4 }).map((all) => `[${all.join(',')}]`),
    tie('object'),
    fc.integer({ min: 1, max: 3_000 }).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
  ),
  object: fc
    .array(fc.tuple(fc.oneof(fc.constantFrom(...NAMES), word), tie('any')), { maxLength: 6 })
    .map((all) => `{${all.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`),
}));

const reply = fc
  .record(
    { result: jsonText.any, error: jsonText.any, requestId: jsonText.any, more: jsonText.any },
    { requiredKeys: [] },
  )
  .map(
    (parts) =>
      `{${Object.entries(parts)
        .map(([name, value]) => `"${name}":${value}`)
        .join(',')}}`,
  );
/** With a result that a kind will read. */
const plausible = jsonText.object.map((result) => `{"requestId":"r","result":${result}}`);

const BOMB = Buffer.alloc(2 * 2 ** 20, '{"result":{}}');
const BODIES: readonly Buffer[] = [
  gzipSync(BOMB),
  brotliCompressSync(BOMB, { params: { 1: 1 } }),
  deflateSync(BOMB),
  Buffer.from([0xff, 0xfe, 0x00, 0x7b, 0xc0, 0x80]),
  Buffer.alloc(2 ** 20 + 1, ' '),
  Buffer.from(`{"result":{"x":"${'ü'.repeat(400_000)}"}}`),
  Buffer.from(
    `{"result":{${Array.from({ length: 9_000 }, (_, n) => `"k${n}":"${'v'.repeat(20)}"`).join(',')}}}`,
  ),
  Buffer.from(
    `{"result":{"privateEndpoints":[${Array.from({ length: 5_000 }, (_, n) => `{"id":"${'\\u0001'.repeat(20)}${n}","description":"d","cloudProvider":"gcp","region":"r"}`).join(',')}]}}`,
  ),
  Buffer.alloc(0),
];

const body = fc.oneof(
  { weight: 6, arbitrary: plausible.map((text) => Buffer.from(text)) },
  { weight: 4, arbitrary: reply.map((text) => Buffer.from(text)) },
  { weight: 2, arbitrary: jsonText.any.map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
  { weight: 1, arbitrary: fc.constantFrom(...BODIES) },
);

const HEADER_NAMES = [
  'retry-after',
  'x-ratelimit-reset',
  'x-request-id',
  'request-id',
  'x-correlation-id',
  'location',
  'content-encoding',
  'connection',
  'upgrade',
  'trailer',
  'set-cookie',
  '__proto__',
  'x-other',
];
const HEADER_VALUES = [
  '1',
  '-1',
  '1e9',
  'NaN',
  '99999999999999999999',
  'Thu, 01 Jan 2099 00:00:20 GMT',
  'gzip',
  'br',
  'close',
  'websocket',
  '//[',
  '',
  '\x01\x7f\xff',
  'x'.repeat(9_000),
];
const header = fc.tuple(
  fc.constantFrom(...HEADER_NAMES),
  fc.oneof(
    fc.constantFrom(...HEADER_VALUES),
    fc.constantFrom(...SPELLINGS),
    fc.constantFrom(...SPELLINGS).map((form) => `https://${form}.example/${form}`),
  ),
);

const STATUS = [
  200, 200, 200, 200, 201, 204, 302, 307, 400, 401, 403, 404, 409, 429, 500, 503, 599, 999,
];
const FRAMINGS = [
  'length',
  'short',
  'long',
  'chunked',
  'broken chunks',
  'both',
  'until the end',
] as const;

/** The bytes of an answer as it may come over the wire, and what the server does after them. */
export interface HostileAnswer {
  readonly bytes: Buffer;
  readonly atEnd: 'end' | 'destroy' | 'stay';
}

function framed(bytes: Buffer, how: (typeof FRAMINGS)[number]): readonly [string, Buffer] {
  const chunk = (size: number): Buffer =>
    Buffer.concat([Buffer.from(`${size.toString(16)}\r\n`), bytes, Buffer.from('\r\n0\r\n\r\n')]);
  switch (how) {
    case 'length':
      return [`content-length: ${bytes.length}\r\n`, bytes];
    case 'short':
      return [`content-length: ${Math.max(0, bytes.length - 3)}\r\n`, bytes];
    case 'long':
      return [`content-length: ${bytes.length + 3}\r\n`, bytes];
    case 'chunked':
      return ['transfer-encoding: chunked\r\n', chunk(bytes.length)];
    case 'broken chunks':
      return ['transfer-encoding: chunked\r\n', chunk(bytes.length + 1)];
    case 'both':
      return [`content-length: 5\r\ntransfer-encoding: chunked\r\n`, chunk(bytes.length)];
    case 'until the end':
      return ['', bytes];
  }
}

/** Mostly HTTP, with anything in it. */
export const hostileAnswer: fc.Arbitrary<HostileAnswer> = fc
  .record({
    before: fc.constantFrom(
      '',
      '',
      '',
      '',
      'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n'.repeat(9),
      '\0',
    ),
    status: fc.constantFrom(...STATUS),
    headers: fc.array(header, { maxLength: 6 }),
    framing: fc.constantFrom(...FRAMINGS, 'length', 'length', 'length'),
    body,
    after: fc.constantFrom(
      '',
      '',
      '',
      'garbage',
      'HTTP/1.1 200 OK\r\ncontent-length: 13\r\n\r\n{"result":{}}',
    ),
    atEnd: fc.constantFrom('end', 'destroy', 'stay'),
  })
  .map(({ before, status, headers, framing, body: sent, after, atEnd }) => {
    const [ofFraming, bytes] = framed(sent, framing);
    const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    const head = `${before}HTTP/1.1 ${status} X\r\n${lines}${ofFraming}\r\n`;
    const all = [Buffer.from(head, 'latin1'), bytes, Buffer.from(after)];
    return { bytes: Buffer.concat(all), atEnd };
  });
