import type { Socket } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApiClient } from '../../src/api/call.ts';
import { systemClock } from '../../src/clock.ts';
import { definitions } from '../../src/kinds/definitions.ts';
import { createMask } from '../../src/telemetry/mask.ts';
import { put } from '../support/api-client.ts';
import { leaks } from '../support/canary.ts';
import { FakeClock } from '../support/fake-clock.ts';
import {
  type HostileAnswer,
  hostileAnswer,
  KEY_ID,
  KEY_SECRET,
  SPELLINGS,
} from '../support/hostile-bytes.ts';
import { lifeOf, SPECS } from '../support/one-life.ts';
import { type RawServer, startRawServer } from '../support/raw-server.ts';

/** Whatever comes back over a real socket in answer to a call of ours. */

const TIMEOUT_MS = 35_000;
const credential = {
  id: 'c',
  authorization: `Basic ${Buffer.from(`${KEY_ID}:${KEY_SECRET}`).toString('base64')}`,
  mask: createMask(KEY_ID, KEY_SECRET),
};

let server: RawServer;
let answer: (socket: Socket) => void = () => undefined;

beforeAll(async () => {
  server = await startRawServer((_request, socket) => answer(socket));
});
afterAll(() => server.stop());

function clientAt(clock: FakeClock) {
  return createApiClient({
    baseUrl: new URL(server.url),
    timeoutMs: TIMEOUT_MS,
    clock,
    version: 'test',
    stop: new AbortController().signal,
  });
}

/** Sends it in pieces of this size; when all is out, the call's time runs out. */
function sends({ bytes, atEnd }: HostileAnswer, size: number, clock: FakeClock) {
  return async (socket: Socket): Promise<void> => {
    for (let at = 0; at < bytes.length && socket.writable; at += size)
      await new Promise((resolve) => socket.write(bytes.subarray(at, at + size), resolve));
    if (atEnd === 'end') socket.end();
    if (atEnd === 'destroy') socket.destroy();
    // What was sent may arrive before that, or after it.
    if (atEnd === 'stay') await clock.advance(TIMEOUT_MS);
  };
}

test('an answer of any bytes is a reply on one line each, in time and without the key', async () => {
  await fc.assert(
    fc.asyncProperty(hostileAnswer, fc.constantFrom(7, 4_096, 2 ** 24), async (hostile, size) => {
      const clock = new FakeClock();
      const api = clientAt(clock);
      const bySize = hostile.bytes.length > 5_000 ? 2 ** 24 : size;
      answer = (socket) => void sends(hostile, bySize, clock)(socket);
      const reply = await api.call({ ...put, credential });
      const texts = reply.answered
        ? { error: reply.error ?? '', id: reply.requestId ?? '' }
        : { cause: reply.cause };
      for (const text of Object.values(texts)) {
        expect([...text].length).toBeLessThanOrEqual(512);
        expect(text).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
      }
      expect(leaks(texts, SPELLINGS)).toEqual([]);
      expect(Object.keys(Object.prototype)).toEqual([]);
      const wait = (reply.answered ? reply.retryAfterMs : undefined) ?? 0;
      expect(wait >= 0 && wait <= 900_000).toBe(true);
      await api.close();
    }),
    { numRuns: 150 },
  );
}, 60_000);

describe.each(definitions.map((definition) => [definition.type.kind, definition] as const))(
  '%s',
  (kind, definition) => {
    test('makes a lawful status without the key of any answer', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(hostileAnswer, { minLength: 1, maxLength: 3 }), async (all) => {
          const clock = new FakeClock('2026-03-01T12:00:00.000Z');
          const api = clientAt(clock);
          let calls = 0;
          answer = (socket) => {
            const hostile = all[calls % all.length];
            calls += 1;
            if (hostile) void sends(hostile, 2 ** 24, clock)(socket);
          };
          const spec = SPECS[kind as keyof typeof SPECS];
          const said = await lifeOf({ definition, spec, clock, api, credential });
          expect(calls).toBeGreaterThan(0);
          const texts = { said: JSON.stringify(said) };
          expect(leaks(texts, SPELLINGS)).toEqual([]);
          for (const status of said.written)
            expect(Buffer.byteLength(JSON.stringify(status))).toBeLessThan(256 * 1024);
          await api.close();
        }),
        { numRuns: 50 },
      );
    }, 60_000);
  },
);

const BODIES = ['HTTP/1.1 200 OK\r\n\r\n', 'HTTP/1.1 500 X\r\ncontent-length: 99999999999\r\n\r\n'];

test('what never ends is read no further than its bound, and ends in time', async () => {
  const endless = fc.record({
    begin: fc.constantFrom('', ...BODIES, 'HTTP/1.1 200 OK\r\nx: '),
    drop: fc.constantFrom(
      'HTTP/1.1 102 X\r\n\r\n',
      'HTTP/1.1 103 X\r\nlink: x\r\n\r\n',
      'x: y\r\n',
      '400\r\n' + 'z'.repeat(0x400) + '\r\n',
      '\r\n',
      '{',
      '\0',
    ),
  });
  await fc.assert(
    fc.asyncProperty(endless, async ({ begin, drop }) => {
      const isBody = BODIES.includes(begin);
      const api = createApiClient({
        baseUrl: new URL(server.url),
        // Where nothing but the deadline ends it.
        timeoutMs: isBody ? 20_000 : 200,
        clock: systemClock,
        version: 'test',
        stop: new AbortController().signal,
      });
      const piece = drop.repeat(Math.ceil(16_384 / drop.length));
      let written = 0;
      const gone = Promise.withResolvers<void>();
      answer = (socket) => {
        socket.on('close', () => gone.resolve());
        socket.write(begin);
        const more = (): void => {
          while (socket.writable && socket.write(piece)) written += piece.length;
          if (socket.writable) socket.once('drain', () => setImmediate(more));
        };
        more();
      };
      const reply = await api.call({ ...put, credential });
      await gone.promise;
      const defect = (reply.answered && reply.defect) || 'none';
      expect(defect).toMatch(isBody ? /larger/ : /^none$|broke off|larger/);
      // An endless row of heads is read on until the deadline, and not kept.
      expect(defect.includes('larger') ? written : 0).toBeLessThan(32 * 2 ** 20);
      await api.close();
    }),
    { numRuns: 20 },
  );
}, 60_000);
