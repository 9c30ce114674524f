import { describe, expect, it } from 'vitest';
import { PIPE, PIPE_PATH } from '../../../simulator/caller.ts';
import type { Rate, RateHeader } from '../../../simulator/types.ts';
import { type Laws, testLaws } from './laws.ts';
import { type Answer, type Ask, KEY, type ManagementUnderTest, type Open } from './under-test.ts';

const BODY = { engine_max_threads: 9 };
const PUT: Ask = { method: 'PUT', path: PIPE_PATH, body: BODY };
const OTHER = { id: 'other', secret: 'secret' };
const LONG = 3_600_000;

async function limited(open: Open, rate: Rate): Promise<ManagementUnderTest> {
  const api = await open();
  api.setKey(OTHER.id, OTHER.secret);
  api.play({ rate });
  return api;
}

async function statuses(api: ManagementUnderTest, ...asks: Ask[]): Promise<number[]> {
  const all: number[] = [];
  for (const ask of asks) all.push((await api.send(ask)).status);
  return all;
}

interface Refused {
  readonly headers: Answer['headers'];
  /** what its clock said */
  readonly now: number;
}

/**
 * The limit is one call in an hour, and was used up just now. What is told in whole seconds is
 * rounded up.
 */
function expectWait(seconds: number): void {
  expect(seconds).toBeGreaterThan(3_500);
  expect(seconds).toBeLessThanOrEqual(3_601);
}

const HEADERS: Laws<RateHeader, Refused> = {
  'reset-seconds': [
    'says in how many whole seconds',
    async ({ headers }) => {
      expect(headers['x-ratelimit-reset']).toMatch(/^\d+$/);
      expectWait(Number(headers['x-ratelimit-reset']));
      expect(headers).not.toHaveProperty('retry-after');
    },
  ],
  'reset-epoch': [
    'says at which second since 1970',
    async ({ headers, now }) => {
      expect(headers['x-ratelimit-reset']).toMatch(/^\d{10}$/);
      expectWait(Number(headers['x-ratelimit-reset']) - now / 1000);
      expect(headers).not.toHaveProperty('retry-after');
    },
  ],
  'reset-epoch-ms': [
    'says at which millisecond since 1970',
    async ({ headers, now }) => {
      expect(headers['x-ratelimit-reset']).toMatch(/^\d{13}$/);
      expectWait((Number(headers['x-ratelimit-reset']) - now) / 1000);
      expect(headers).not.toHaveProperty('retry-after');
    },
  ],
  'retry-after': [
    'says in how many whole seconds',
    async ({ headers }) => {
      expect(headers['retry-after']).toMatch(/^\d+$/);
      expectWait(Number(headers['retry-after']));
      expect(headers).not.toHaveProperty('x-ratelimit-reset');
    },
  ],
  'retry-after-date': [
    'says the time as HTTP does',
    async ({ headers, now }) => {
      expect(headers['retry-after']).toMatch(
        /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/,
      );
      expectWait((Date.parse(headers['retry-after'] ?? '') - now) / 1000);
      expect(headers).not.toHaveProperty('x-ratelimit-reset');
    },
  ],
  none: [
    'says nothing',
    async ({ headers }) => {
      expect(headers).not.toHaveProperty('x-ratelimit-reset');
      expect(headers).not.toHaveProperty('retry-after');
    },
  ],
};

/** How many calls a key may make, and what is said of one more. */
export function limitCases(open: Open): void {
  describe('a limit', () => {
    it('is for each key on its own; past it 429 and nothing is stored', async () => {
      const api = await limited(open, { calls: 2, perMs: LONG });
      expect(await statuses(api, PUT, PUT)).toEqual([200, 200]);
      const { status, headers, text } = await api.send({ ...PUT, body: { engine_max_threads: 3 } });
      expect([status, text]).toEqual([429, '{"error":"TOO_MANY_REQUESTS"}']);
      expect(headers['content-type']).toBe('application/json');
      expect(api.settingsOf(PIPE)).toEqual(BODY);
      expect(await statuses(api, { ...PUT, key: OTHER }, PUT)).toEqual([200, 429]);
    });

    it('counts a call that its operation refuses, and one for what does not exist', async () => {
      const api = await limited(open, { calls: 2, perMs: LONG });
      expect(await statuses(api, { ...PUT, body: {} }, { ...PUT, path: '/v1' }, PUT)).toEqual([
        400, 404, 429,
      ]);
    });

    it('counts no call that its key does not let through; such a one is 401 past the limit too', async () => {
      const api = await limited(open, { calls: 1, perMs: LONG });
      const wrong = { ...PUT, key: { id: KEY.id, secret: 'wrong' } };
      expect(await statuses(api, wrong, wrong, PUT, wrong, PUT)).toEqual([401, 401, 200, 401, 429]);
    });

    it('lets a key in again when its oldest call is long enough ago, however often it was refused', async () => {
      const api = await limited(open, { calls: 1, perMs: 40 });
      expect(await statuses(api, PUT)).toEqual([200]);
      await api.later(40, async () => expect(await statuses(api, PUT)).toEqual([200]));
    });

    it('is lifted and set while it runs, and begins anew', async () => {
      const api = await limited(open, { calls: 1, perMs: LONG });
      expect(await statuses(api, PUT, PUT)).toEqual([200, 429]);
      api.play({ settings: {} });
      expect(await statuses(api, PUT)).toEqual([429]);
      api.play({ rate: undefined });
      expect(await statuses(api, PUT, PUT)).toEqual([200, 200]);
      api.play({ rate: { calls: 1, perMs: LONG } });
      expect(await statuses(api, PUT, PUT)).toEqual([200, 429]);
    });
  });

  describe('a refusal past the limit', () => {
    testLaws(HEADERS, async (header) => {
      const api = await limited(open, { calls: 1, perMs: LONG, header });
      expect(await statuses(api, PUT)).toEqual([200]);
      const { status, headers } = await api.send(PUT);
      expect(status).toBe(429);
      return { headers, now: api.now() };
    });

    it('says in how many seconds where nothing else is asked for', async () => {
      const api = await limited(open, { calls: 1, perMs: LONG });
      await statuses(api, PUT);
      expect((await api.send(PUT)).headers).toHaveProperty('x-ratelimit-reset');
    });
  });
}
