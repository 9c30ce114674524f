import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  basic,
  caller,
  ORGANIZATION,
  ORGANIZATION_PATH,
  PIPE,
  PIPE_PATH,
  type Send,
} from '../simulator/caller.ts';
import {
  type RateHeader,
  type Simulator,
  type SimulatorOptions,
  startSimulator,
} from '../simulator/simulator.ts';

const BODY = { engine_max_threads: 9 };

let simulator: Simulator | undefined;
afterEach(() => simulator?.stop());

async function start(
  options: SimulatorOptions = {},
): Promise<{ simulator: Simulator; send: Send }> {
  const started = await startSimulator(options);
  simulator = started;
  return { simulator: started, send: caller(started.url) };
}

const statusOf = async (send: Send): Promise<number> => (await send('PUT', PIPE_PATH, BODY)).status;

describe('rate', () => {
  it('answers 429 past the limit of one key, and nobody else', async () => {
    const { simulator, send } = await start({ rate: { calls: 2, perMs: 60_000 } });
    expect([await statusOf(send), await statusOf(send)]).toEqual([200, 200]);
    const refused = await send('PUT', PIPE_PATH, { engine_max_threads: 3 });
    expect(refused).toMatchObject({ status: 429, text: '{"error":"TOO_MANY_REQUESTS"}' });
    expect(simulator.settingsOf(PIPE)).toEqual(BODY);
    expect(await statusOf(caller(simulator.url, basic('other', 'secret')))).toBe(200);
  });

  it('lets a key in again when the oldest of its calls has left the window', async () => {
    const { send } = await start({ rate: { calls: 1, perMs: 60_000 } });
    expect([await statusOf(send), await statusOf(send)]).toEqual([200, 429]);
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);
    onTestFinished(() => void vi.restoreAllMocks());
    expect(await statusOf(send)).toBe(200);
  });

  it.each<[RateHeader, string | undefined, (value: string) => number]>([
    ['reset-seconds', 'x-ratelimit-reset', Number],
    ['reset-epoch', 'x-ratelimit-reset', (value) => Number(value) - Date.now() / 1000],
    ['reset-epoch-ms', 'x-ratelimit-reset', (value) => (Number(value) - Date.now()) / 1000],
    ['retry-after', 'retry-after', Number],
    ['retry-after-date', 'retry-after', (value) => (Date.parse(value) - Date.now()) / 1000],
    ['none', undefined, Number],
  ])('%s says when to come back', async (header, name, secondsIn) => {
    const { send } = await start({ rate: { calls: 1, perMs: 20_000, header } });
    await statusOf(send);
    const { headers } = await send('PUT', PIPE_PATH, BODY);
    const present = ['x-ratelimit-reset', 'retry-after'].filter((known) => headers.has(known));
    expect(present).toEqual(name === undefined ? [] : [name]);
    if (name === undefined) return;
    const seconds = secondsIn(headers.get(name) ?? '');
    expect(seconds).toBeGreaterThan(18);
    expect(seconds).toBeLessThanOrEqual(21);
  });

  it('is lifted and set while it runs', async () => {
    const { simulator, send } = await start({ rate: { calls: 1, perMs: 60_000 } });
    expect([await statusOf(send), await statusOf(send)]).toEqual([200, 429]);
    simulator.play({ latencyMs: 0 });
    expect(await statusOf(send)).toBe(429);
    simulator.play({ rate: undefined });
    expect([await statusOf(send), await statusOf(send)]).toEqual([200, 200]);
    simulator.play({ rate: { calls: 1, perMs: 60_000 } });
    expect([await statusOf(send), await statusOf(send)]).toEqual([200, 429]);
  });
});

describe('keys', () => {
  it.each([
    ['an unknown id', basic('nobody', 'secret')],
    ['a wrong secret', basic('key', 'Secret')],
    ['a secret with a newline', basic('key', 'secret\n')],
  ])('answers 401 without a request id to %s', async (_, authorization) => {
    const { simulator } = await start({ keys: { key: 'secret' } });
    const { status, body } = await caller(simulator.url, authorization)('PUT', PIPE_PATH, BODY);
    expect(status).toBe(401);
    expect(body).toEqual({ error: 'UNAUTHORIZED: Key is not found', status: 401 });
    expect(simulator.settingsOf(PIPE)).toBeUndefined();
  });

  it.each([
    '',
    'Bearer abc',
    'Basic',
    'Basic %%%',
    `Basic ${Buffer.from('no colon').toString('base64')}`,
  ])('answers 401 to the header %j, also where every key is good', async (authorization) => {
    const { simulator } = await start();
    expect(await statusOf(caller(simulator.url, authorization))).toBe(401);
    expect(simulator.log[0]).not.toHaveProperty('keyId');
  });

  it('keeps a colon that is part of a secret', async () => {
    const { simulator } = await start({ keys: { key: 'a:b' } });
    expect(await statusOf(caller(simulator.url, basic('key', 'a:b')))).toBe(200);
  });

  it('takes away, disables, narrows and gives back a key', async () => {
    const { simulator, send } = await start({ keys: { key: 'secret' } });
    simulator.setKey('key', undefined);
    expect(await statusOf(send)).toBe(401);
    simulator.setKey('key', 'secret', { disabled: true });
    expect((await send('PUT', PIPE_PATH, BODY)).body).toMatchObject({
      error: 'UNAUTHORIZED: Key is not active',
      requestId: expect.any(String),
    });
    simulator.setKey('key', 'secret', { readOnly: true });
    expect(await statusOf(send)).toBe(403);
    expect((await send('GET', `${ORGANIZATION_PATH}/activities/none`)).status).toBe(404);
    simulator.setKey('key', 'secret', { organizations: [ORGANIZATION] });
    expect((await send('PUT', PIPE_PATH, BODY)).body.error).toBe('NOT_FOUND');
    expect((await send('PATCH', ORGANIZATION_PATH, { name: 'x' })).status).toBe(200);
    simulator.setKey('key', 'secret');
    expect(await statusOf(send)).toBe(200);
  });

  it('shows a secret nowhere', async () => {
    const { simulator, send } = await start({ keys: { key: 'secret' } });
    await send('PUT', PIPE_PATH, BODY);
    expect(JSON.stringify([simulator.log, simulator.dump()])).not.toContain('secret');
  });
});
