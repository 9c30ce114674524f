import { describe, expect, it, onTestFinished } from 'vitest';
import { InMemory } from '../simulation/conformance/management/in-memory.ts';
import { overHttp } from '../simulation/conformance/management/over-http.ts';
import { togetherCases } from '../simulation/conformance/management/together.ts';
import {
  type Ask,
  type Existing,
  KEY,
  type ManagementUnderTest,
  type Open,
} from '../simulation/conformance/management/under-test.ts';
import { managementCases } from '../simulation/conformance/management.ts';
import { ORGANIZATION, ORGANIZATION_PATH, PIPE_PATH } from '../simulator/caller.ts';
import type { RateHeader } from '../simulator/types.ts';

async function openOverHttp(existing?: Existing): Promise<ManagementUnderTest> {
  const api = await overHttp(existing);
  onTestFinished(() => api.stop());
  return api;
}

describe.each<[string, Open]>([
  ['in memory', (existing) => Promise.resolve(new InMemory(existing))],
  ['over HTTP', openOverHttp],
])('%s', (_, open) => {
  managementCases(open);
});

describe('together', () => {
  togetherCases(async () => [new InMemory(), await openOverHttp()]);
});

describe('in memory, to the millisecond', () => {
  const put: Ask = { method: 'PUT', path: PIPE_PATH, body: { engine_max_threads: 9 } };
  const get: Ask = { method: 'GET', path: `${ORGANIZATION_PATH}/activities/late` };
  const look: Ask = { method: 'PATCH', path: ORGANIZATION_PATH, body: { privateEndpoints: {} } };
  const statusOf = async (api: InMemory, ask: Ask): Promise<number> => (await api.send(ask)).status;

  it('no stretch of time has more calls of a key than its limit', async () => {
    const api = new InMemory();
    api.play({ rate: { calls: 2, perMs: 10_000 } });
    const admitted: number[] = [];
    for (let now = 0; now < 25_000; now += 1) {
      const calls = now === 10 || now >= 2_000;
      if (calls && (await statusOf(api, put)) === 200) admitted.push(now);
      api.advance(1);
    }
    expect(admitted).toEqual([10, 2_000, 10_010, 12_000, 20_010, 22_000]);
  });

  it.each<[RateHeader, Record<string, string>]>([
    ['reset-seconds', { 'x-ratelimit-reset': '19' }],
    ['reset-epoch', { 'x-ratelimit-reset': '1767312020' }],
    ['reset-epoch-ms', { 'x-ratelimit-reset': '1767312020000' }],
    ['retry-after', { 'retry-after': '19' }],
    ['retry-after-date', { 'retry-after': 'Fri, 02 Jan 2026 00:00:20 GMT' }],
  ])('%s is never early', async (header, shown) => {
    const api = new InMemory();
    api.play({ rate: { calls: 1, perMs: 20_000, header } });
    await api.send(put);
    api.advance(1_500);
    expect((await api.send(put)).headers).toMatchObject(shown);
  });

  it('a key is new, an activity late and a change unseen for as long as was said', async () => {
    const api = new InMemory();
    api.setKey(KEY.id, KEY.secret, { newForMs: 120_000 });
    api.advance(119_999);
    expect(await statusOf(api, put)).toBe(401);
    api.advance(1);
    expect(await statusOf(api, put)).toBe(200);

    api.setActivity(ORGANIZATION, { id: 'late' }, { lateMs: 30_000 });
    api.play({ organization: { staleForMs: 30_000 } });
    api.setOrganization(ORGANIZATION, { name: 'Before' });
    api.advance(30_000);
    api.setActivity(ORGANIZATION, { id: 'late' }, { lateMs: 30_000 });
    api.setOrganization(ORGANIZATION, { name: 'After' });
    api.advance(29_999);
    expect([await statusOf(api, get), (await api.send(look)).body.result?.name]).toEqual([
      404,
      'Before',
    ]);
    api.advance(1);
    expect([await statusOf(api, get), (await api.send(look)).body.result?.name]).toEqual([
      200,
      'After',
    ]);
  });
});
