import { describe, expect, it } from 'vitest';
import {
  basic,
  caller,
  ORGANIZATION,
  ORGANIZATION_PATH,
  PIPE,
  PIPE_PATH,
  type Send,
} from '../simulator/caller.ts';
import type { Fault } from '../simulator/simulator.ts';
import type { CallBehaviour } from '../simulator/types.ts';
import { openSimulator } from '../support/open-simulator.ts';

const BODY = { engine_max_threads: 9 };

const statusOf = async (send: Send): Promise<number> => (await send('PUT', PIPE_PATH, BODY)).status;

describe('turns', () => {
  it('come in the order said, then what always holds, the one said last first, until cleared', async () => {
    const { simulator, send } = await openSimulator();
    simulator.always({ status: 500 });
    simulator.always({ status: 503 });
    simulator.next({ status: 401 }, { times: 2 });
    simulator.next({ status: 409 });
    const statuses: number[] = [];
    for (let n = 0; n < 5; n += 1) statuses.push(await statusOf(send));
    expect(statuses).toEqual([401, 401, 409, 503, 503]);
    simulator.clear();
    expect(await statusOf(send)).toBe(200);
  });

  it('of a behaviour hold for that call alone, with a fault of the transport too', async () => {
    const { simulator, send } = await openSimulator();
    const clampTo = (most: number): CallBehaviour => ({
      settings: { clamp: { engine_max_threads: [0, most] } },
    });
    simulator.next({ transport: 'reset-after', play: clampTo(4) });
    await expect(send('PUT', PIPE_PATH, BODY)).rejects.toThrow('fetch failed');
    expect(simulator.settingsOf(PIPE)).toEqual({ engine_max_threads: 4 });
    simulator.next({ status: 504, appliesAfterMs: 5, play: clampTo(3) });
    expect(await statusOf(send)).toBe(504);
    await expect.poll(() => simulator.settingsOf(PIPE)).toEqual({ engine_max_threads: 3 });
  });
});

describe('a match', () => {
  it.each([
    [{ method: 'GET' }, 200],
    [{ method: 'PUT' }, 500],
    [{ pathIncludes: '/pipes/pipe/' }, 500],
    [{ pathIncludes: '/pipes/other/' }, 200],
    [{ bodyIncludes: '_max_threads' }, 500],
    [{ bodyIncludes: '_insert_threads' }, 200],
    [{ keyId: 'key' }, 500],
    [{ keyId: 'other' }, 200],
    [{ method: 'PUT', keyId: 'other' }, 200],
  ])('of %o leaves a PUT of key to pipe with %d', async (match, status) => {
    const { simulator, send } = await openSimulator();
    simulator.always({ status: 500 }, match);
    expect(await statusOf(send)).toBe(status);
  });

  it('picks a turn and a behaviour that always holds as it picks a fault', async () => {
    const { simulator, send } = await openSimulator();
    simulator.next({ status: 500 }, { match: { bodyIncludes: '_insert_threads' } });
    simulator.always({ play: { settings: { echo: 'none' } } }, { keyId: 'other' });
    const other = caller(simulator.url, basic('other', 'secret'));
    expect((await other('PUT', PIPE_PATH, BODY)).body.result).toEqual({});
    expect((await send('PUT', PIPE_PATH, BODY)).body.result).toMatchObject(BODY);
    expect((await send('PUT', PIPE_PATH, { engine_max_insert_threads: 1 })).status).toBe(500);
    expect(simulator.callCount({ bodyIncludes: '_insert_threads' })).toBe(1);
  });
});

describe('a turn that the operation itself plays', () => {
  const operations: Fault[] = [
    { status: 200, body: 'empty' },
    { status: 202 },
    { status: 404, by: 'operation' },
    { transport: 'no-answer', by: 'operation' },
    { play: { settings: { echo: 'none' } } },
  ];
  it.each(operations)('waits for a call that gets through: %j', async (fault) => {
    const { simulator, send } = await openSimulator({ keys: { key: 'secret' } });
    simulator.next(fault);
    const stranger = caller(simulator.url, basic('key', 'wrong'));
    expect([await statusOf(stranger), await statusOf(stranger)]).toEqual([401, 401]);
    expect(simulator.settingsOf(PIPE)).toBeUndefined();
    const signal = AbortSignal.timeout(200);
    const answered = await send('PUT', PIPE_PATH, BODY, signal).catch(() => undefined);
    const isOrdinary = answered?.status === 200 && answered.text.includes('engine_max_threads');
    expect(isOrdinary).toBe(false);
    expect(await statusOf(send)).toBe(200);
  });

  it('does nothing late for a wrong secret', async () => {
    const { simulator, send } = await openSimulator({ keys: { key: 'secret' } });
    simulator.next({ status: 504, appliesAfterMs: 5 }, { times: 2 });
    await caller(simulator.url, basic('key', 'wrong'))('PUT', PIPE_PATH, { engine_max_threads: 1 });
    await statusOf(send);
    await expect.poll(() => simulator.log[1]?.applied).toBe(true);
    expect(simulator.log[0]?.applied).toBe(false);
  });
});

describe('calls at the same time', () => {
  it("end with the connection: one that was reset stands in nobody's way", async () => {
    const { simulator, send } = await openSimulator({ organization: { concurrent: 'conflict' } });
    const rename = (name: string) => send('PATCH', ORGANIZATION_PATH, { name });
    simulator.next({ transport: 'reset-after' });
    await expect(rename('one')).rejects.toThrow('fetch failed');
    expect((await rename('two')).status).toBe(200);
  });

  it('count what one of them loses by the other as removed', async () => {
    const { simulator, send } = await openSimulator({
      organization: { concurrent: 'lost-update' },
    });
    const add = (id: string, by: Send) =>
      by('PATCH', ORGANIZATION_PATH, {
        privateEndpoints: { add: [{ id, cloudProvider: 'gcp', region: 'r' }] },
      });
    simulator.next({ hold: true }, { match: { keyId: 'theirs' } });
    const theirs = add('t', caller(simulator.url, basic('theirs', 'secret')));
    await simulator.waitForCalls(1);
    await add('m', send);
    simulator.release();
    expect((await theirs).status).toBe(200);
    expect(simulator.endpointCounts(ORGANIZATION)).toEqual({
      'gcp/r/t': { add: 1, added: 1, remove: 0, removed: 1 },
      'gcp/r/m': { add: 1, added: 1, remove: 0, removed: 0 },
    });
  });
});
