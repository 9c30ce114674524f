import { describe, expect, it } from 'vitest';
import { PIPE, PIPE_PATH } from '../../../simulator/caller.ts';
import type { BodyKind, ScriptedAnswer } from '../../../simulator/types.ts';
import { expectRefusal } from './document.ts';
import { type Laws, testLaws } from './laws.ts';
import { type Answer, type Ask, KEY, type ManagementUnderTest, type Open } from './under-test.ts';

const BODY = { engine_max_threads: 9 };
const LONG = 3_600_000;

const STATUSES = [
  400, 401, 403, 404, 408, 409, 410, 422, 423, 424, 425, 429, 500, 502, 503, 504, 418,
];
const REDIRECTS = [301, 302, 307, 308];

const put = (answer?: ScriptedAnswer, more: Partial<Ask> = {}): Ask => ({
  method: 'PUT',
  path: PIPE_PATH,
  body: BODY,
  ...(answer && { once: { answer } }),
  ...more,
});

/** The answers to one call, with 200 and with 500. */
type Both = Readonly<Record<'good' | 'bad', Answer>>;

const keysOf = ({ body }: Answer): string => Object.keys(body).toSorted().join(' ');

const BODIES: Laws<BodyKind, Both> = {
  envelope: [
    'the envelope, with what was done or with an error',
    async ({ good, bad }) => {
      expect(keysOf(good)).toBe('requestId result status');
      expect(good.body.result).toMatchObject(BODY);
      expectRefusal(bad, 500);
    },
  ],
  'no-request-id': [
    'the envelope without `requestId`',
    async ({ good, bad }) => {
      expect([keysOf(good), keysOf(bad)]).toEqual(['result status', 'error status']);
    },
  ],
  'no-status': [
    'the envelope without `status`',
    async ({ good, bad }) => {
      expect([keysOf(good), keysOf(bad)]).toEqual(['requestId result', 'error requestId']);
    },
  ],
  text: [
    'a plain text',
    async ({ good, bad }) => {
      expect([good.text, bad.text]).toEqual([
        'INTERNAL_ERROR: simulated',
        'INTERNAL_ERROR: simulated',
      ]);
      expect(bad.headers['content-type']).toBe('text/plain');
    },
  ],
  html: [
    'a page',
    async ({ good, bad }) => {
      for (const { text, headers } of [good, bad]) {
        expect(text).toMatch(/^<!DOCTYPE html>.*INTERNAL_ERROR: simulated/);
        expect(headers['content-type']).toBe('text/html');
      }
    },
  ],
  empty: ['nothing', async ({ good, bad }) => expect([good.text, bad.text]).toEqual(['', ''])],
  truncated: [
    'the first half of the envelope',
    async ({ good, bad }) => {
      expect([good.text, bad.text]).toEqual([
        expect.stringMatching(/^\{"status":200,/),
        expect.stringMatching(/^\{"req/),
      ]);
      for (const { text } of [good, bad]) expect(() => JSON.parse(text)).toThrow('JSON');
    },
  ],
  null: ['null', async ({ good, bad }) => expect([good.text, bad.text]).toEqual(['null', 'null'])],
  'wrong-type': [
    'the envelope with other types',
    async ({ good, bad }) => {
      const odd = { requestId: 7, error: { code: expect.any(Number) }, result: ['done'] };
      expect([good.body, bad.body]).toEqual([
        { ...odd, status: '200' },
        { ...odd, status: '500' },
      ]);
    },
  ],
  'no-result': [
    'the envelope without `result`',
    async ({ good, bad }) => {
      expect([keysOf(good), keysOf(bad)]).toEqual(['requestId status', 'requestId status']);
    },
  ],
  'error-with-200': [
    'the envelope of an error',
    async ({ good }) => {
      expect(keysOf(good)).toBe('error requestId status');
      expect(good.body).toMatchObject({ status: 200, error: 'INTERNAL_ERROR: simulated' });
    },
  ],
  'result-and-error': [
    'the envelope with an error that is an object beside',
    async ({ good, bad }) => {
      for (const { body } of [good, bad])
        expect(body.error).toMatchObject({ code: 'INTERNAL_ERROR' });
      expect(keysOf(good)).toBe('error requestId result status');
    },
  ],
  'proto-keys': [
    'the envelope with `__proto__` and `constructor`',
    async ({ good, bad }) => {
      for (const { body } of [good, bad]) {
        expect(Object.hasOwn(body, '__proto__') && Object.hasOwn(body, 'constructor')).toBe(true);
        expect(Object.hasOwn(body.result ?? {}, '__proto__')).toBe(true);
      }
    },
  ],
  megabytes: [
    'the envelope with 8 MiB beside',
    async ({ good, bad }) => {
      for (const { text } of [good, bad]) expect(text.length).toBeGreaterThan(8 * 1024 * 1024);
      expect(good.body.result).toMatchObject(BODY);
    },
  ],
};

async function opened(open: Open): Promise<ManagementUnderTest> {
  const api = await open();
  api.setKey('other', 'secret');
  return api;
}

const statusOf = async (api: ManagementUnderTest, ask: Ask): Promise<number> =>
  (await api.send(ask)).status;
const wrong = { key: { id: KEY.id, secret: 'wrong' } };

/** What may stand in place of an answer of the API's own. */
export function answerCases(open: Open): void {
  describe('a status in place of the answer', () => {
    it.each(STATUSES)(
      '%d is an error in its envelope; nothing is done, and the next call is as ever',
      async (status) => {
        const api = await opened(open);
        const { body, ...answer } = await api.send(put({ status }));
        expect(answer.status).toBe(status);
        expect(body).toEqual({
          requestId: expect.any(String),
          status,
          error: expect.stringMatching(/^[A-Z_]+(?:_418)?: simulated$/),
        });
        expect(api.settingsOf(PIPE)).toBeUndefined();
        expect(await statusOf(api, put())).toBe(200);
      },
    );

    it.each(REDIRECTS)('%d points at the API itself', async (status) => {
      const api = await opened(open);
      const { headers, ...answer } = await api.send(put({ status }));
      expect(answer.status).toBe(status);
      expect(new URL(headers.location ?? '', 'http://here').pathname).toBe(
        `/redirected${PIPE_PATH}`,
      );
      expect(await statusOf(api, put(undefined, { path: `/redirected${PIPE_PATH}` }))).toBe(404);
      expect(api.settingsOf(PIPE)).toBeUndefined();
    });

    it('takes its words and headers from whoever asks for it', async () => {
      const api = await opened(open);
      const headers = {
        'retry-after': '7',
        location: 'nowhere',
        'content-type': 'application/problem+json',
      };
      const answer = await api.send(put({ status: 503, error: 'Service is idle', headers }));
      expect(answer.body.error).toBe('Service is idle');
      expect(answer.headers).toMatchObject(headers);
    });

    it.each([
      [{ status: 504 }, false],
      [{ status: 504, applied: true }, true],
      [{ status: 200, body: 'empty' }, true],
      [{ status: 201 }, true],
      [{ status: 200, body: 'empty', applied: false }, false],
    ] as const)('%o does the work: %s', async (answer, applied) => {
      const api = await opened(open);
      expect(await statusOf(api, put(answer))).toBe(answer.status);
      expect(api.settingsOf(PIPE)).toEqual(applied ? BODY : undefined);
    });

    it('goes with another behaviour of the same call', async () => {
      const api = await opened(open);
      const settings = {
        clamp: { engine_max_threads: [0, 4] as [number, number] },
        echo: 'only-set' as const,
      };
      const { body } = await api.send(
        put(undefined, { once: { answer: { status: 202 }, settings } }),
      );
      expect(body).toMatchObject({ status: 202, result: { engine_max_threads: 4 } });
      await api.send(
        put(undefined, { once: { answer: { status: 504, applied: true }, settings } }),
      );
      expect(api.settingsOf(PIPE)).toEqual({ engine_max_threads: 4 });
    });
  });

  describe('a body in place of the answer', () => {
    testLaws(BODIES, async (body) => {
      const api = await opened(open);
      const good = await api.send(put({ status: 200, body }));
      expect(good.status).toBe(200);
      expect(api.settingsOf(PIPE)).toEqual(BODY);
      const bad = await api.send(put({ status: 500, body }));
      expect(bad.status).toBe(500);
      expect(bad.text).not.toContain('engine_max_threads');
      return { good, bad };
    });
  });

  describe('who answers', () => {
    it.each<ScriptedAnswer>([{ status: 503 }, { status: 302 }, { status: 200, by: 'gateway' }])(
      '%j is for whoever calls, and does nothing for a wrong key',
      async (answer) => {
        const api = await opened(open);
        expect(await statusOf(api, put(answer, wrong))).toBe(answer.status);
        expect(await statusOf(api, put({ ...answer, applied: true }, wrong))).toBe(answer.status);
        expect(api.settingsOf(PIPE)).toBeUndefined();
      },
    );

    it.each<ScriptedAnswer>([
      { status: 200, body: 'empty' },
      { status: 202 },
      { status: 404, by: 'operation' },
      { status: 503, by: 'operation', applied: true },
    ])('%j is no answer to a wrong key or to a call past the limit', async (answer) => {
      const api = await opened(open);
      api.play({ rate: { calls: 1, perMs: LONG } });
      expect(await statusOf(api, put(answer, wrong))).toBe(401);
      expect(api.settingsOf(PIPE)).toBeUndefined();
      expect([await statusOf(api, put(answer)), await statusOf(api, put(answer))]).toEqual([
        answer.status,
        429,
      ]);
    });

    it("the operation's answers count toward the limit, a gateway's do not", async () => {
      const api = await opened(open);
      api.play({ rate: { calls: 2, perMs: LONG } });
      const asks = [
        put({ status: 503 }),
        put({ status: 404, by: 'operation' }),
        put({ status: 502 }),
        put(),
        put(),
      ];
      const statuses: number[] = [];
      for (const ask of asks) statuses.push(await statusOf(api, ask));
      expect(statuses).toEqual([503, 404, 502, 200, 429]);
    });

    it('a gateway answers past the limit too; work that is done behind it counts', async () => {
      const api = await opened(open);
      api.play({ rate: { calls: 1, perMs: LONG } });
      const asks = [
        put({ status: 504, applied: true }),
        put(),
        put({ status: 504, applied: true }),
        put({ status: 503 }),
      ];
      const statuses: number[] = [];
      for (const ask of asks)
        statuses.push(
          await statusOf(api, { ...ask, body: { engine_max_threads: statuses.length } }),
        );
      expect(statuses).toEqual([504, 429, 504, 503]);
      expect(api.settingsOf(PIPE)).toEqual({ engine_max_threads: 0 });
    });
  });
}
