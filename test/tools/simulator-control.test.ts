import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  type Answered,
  caller,
  ORGANIZATION,
  ORGANIZATION_PATH,
  PIPE,
  PIPE_PATH,
  type Send,
} from '../simulator/caller.ts';
import type { Simulator, SimulatorOptions } from '../simulator/simulator.ts';
import { openSimulator } from '../support/open-simulator.ts';

const BODY = { engine_max_threads: 9 };

interface Scene {
  readonly simulator: Simulator;
  readonly send: Send;
  control(verb: string, body?: unknown): Promise<Answered>;
}

async function start(options: SimulatorOptions = {}): Promise<Scene> {
  const { simulator, send } = await openSimulator({ control: true, ...options });
  return {
    simulator,
    send,
    control: (verb, body) => send(body === undefined ? 'GET' : 'POST', `/_control/${verb}`, body),
  };
}

const statusOf = async (send: Send): Promise<number> => (await send('PUT', PIPE_PATH, BODY)).status;

it('is not there unless asked for', async () => {
  const { control } = await start({ control: false });
  expect((await control('state')).status).toBe(404);
  expect((await control('clear', {})).status).toBe(404);
});

it('leaves no trace: neither logged nor limited nor delayed nor spoilt', async () => {
  const { simulator, control } = await start({ rate: { calls: 1, perMs: 60_000 } });
  simulator.always({ transport: 'no-answer' });
  for (let n = 0; n < 3; n += 1) expect((await control('clear', {})).status).toBe(200);
  expect(simulator.log).toEqual([]);
});

describe('reading', () => {
  it('gives the log, whole, from a call on, and by what fits', async () => {
    const { simulator, send, control } = await start();
    await send('PUT', PIPE_PATH, BODY);
    await send('PATCH', ORGANIZATION_PATH, { name: 'x' });
    expect((await control('log')).body).toEqual(structuredClone(simulator.log));
    expect((await control('log?after=1')).body).toMatchObject([{ seq: 2 }]);
    expect((await control('log?method=PUT&pathIncludes=/pipes/&keyId=key')).body).toMatchObject([
      { seq: 1 },
    ]);
  });

  it('gives counts, over all and by key', async () => {
    const { simulator, send, control } = await start();
    await send('PUT', PIPE_PATH, BODY);
    await caller(simulator.url, '')('PUT', PIPE_PATH, BODY);
    expect((await control('counts')).body).toEqual({
      calls: 2,
      byKey: { key: 1, '': 1 },
      inFlight: { now: 0, highest: 1 },
    });
    expect((await control('counts?keyId=key')).body).toMatchObject({ calls: 1 });
  });

  it('gives the state', async () => {
    const { send, control } = await start();
    await send('PUT', PIPE_PATH, BODY);
    expect((await control('state')).body).toEqual({
      pipes: { [PIPE]: BODY },
      organizations: {},
      activities: {},
    });
  });
});

it('gives what happened to each endpoint, over all and for one key', async () => {
  const { send, control } = await start();
  const add = [{ id: 'e', cloudProvider: 'gcp', region: 'r' }];
  await send('PATCH', ORGANIZATION_PATH, { privateEndpoints: { add } });
  const counted = { 'gcp/r/e': { add: 1, added: 1, remove: 0, removed: 0 } };
  expect((await control(`endpoint-counts?organization=${ORGANIZATION}`)).body).toEqual(counted);
  expect((await control(`endpoint-counts?organization=${ORGANIZATION}&keyId=key`)).body).toEqual(
    counted,
  );
  expect((await control(`endpoint-counts?organization=${ORGANIZATION}&keyId=other`)).body).toEqual(
    {},
  );
  expect(await control('endpoint-counts')).toMatchObject({
    status: 400,
    body: { error: 'organization is missing; it must be a string' },
  });
});

describe('setting', () => {
  it('play: settings, organization, activity, latency, rate and its end', async () => {
    const { send, control } = await start();
    await control('play', {
      settings: { echo: 'none', clamp: { engine_max_threads: [0, 4] } },
      organization: { name: 'trimmed' },
      activity: { anyActivity: true },
      latencyMs: 1,
      rate: { calls: 3, perMs: 60_000, header: 'none' },
    });
    expect((await send('PUT', PIPE_PATH, BODY)).body.result).toEqual({});
    expect((await send('PATCH', ORGANIZATION_PATH, { name: ' x ' })).body.result?.name).toBe('x');
    expect((await send('GET', `${ORGANIZATION_PATH}/activities/any`)).status).toBe(200);
    expect(await statusOf(send)).toBe(429);
    await control('play', { rate: null });
    expect(await statusOf(send)).toBe(200);
  });

  it('next, always and clear', async () => {
    const { send, control } = await start();
    await control('next', {
      fault: { status: 503, body: 'html', headers: { 'retry-after': '1' } },
      times: 2,
    });
    await control('always', { fault: { status: 500 }, match: { pathIncludes: '/pipes/pipe/' } });
    expect([await statusOf(send), await statusOf(send), await statusOf(send)]).toEqual([
      503, 503, 500,
    ]);
    await control('clear', {});
    expect(await statusOf(send)).toBe(200);
  });

  it('next with a play for one call, and who answers', async () => {
    const { send, control } = await start({ keys: { key: 'secret' } });
    const organization = {
      list: 'absent',
      refusedStatuses: { a: 409 },
      quotas: { [ORGANIZATION]: 0 },
      staleForMs: 0,
    };
    expect((await control('next', { fault: { play: { organization } } })).status).toBe(200);
    expect((await send('PATCH', ORGANIZATION_PATH, { name: 'x' })).body.result).not.toHaveProperty(
      'privateEndpoints',
    );
    expect((await send('PATCH', ORGANIZATION_PATH, { name: 'x' })).body.result).toHaveProperty(
      'privateEndpoints',
      [],
    );
    const fault = { status: 404, by: 'operation', play: { settings: { echo: 'none' } } };
    await control('next', { fault, match: { bodyIncludes: 'threads' } });
    expect([await statusOf(send), await statusOf(send)]).toEqual([404, 200]);
    expect((await control('log?bodyIncludes=threads')).body).toMatchObject([
      { seq: 3 },
      { seq: 4 },
    ]);
  });

  it('release', async () => {
    const { simulator, send, control } = await start();
    await control('next', { fault: { hold: true } });
    const answer = statusOf(send);
    await simulator.waitForCalls(1);
    await control('release', {});
    expect(await answer).toBe(200);
  });

  it('set-settings, set-organization and set-activity, as someone else', async () => {
    const { simulator, send, control } = await start();
    const endpoint = { id: 'e', cloudProvider: 'gcp', region: 'r' };
    const activity = { id: 'late', type: 'x' };
    await control('set-settings', { pipe: PIPE, settings: BODY });
    await control('set-organization', { id: ORGANIZATION, name: 'Theirs', add: [endpoint] });
    await control('set-activity', { organizationId: ORGANIZATION, activity, lateCalls: 1 });
    expect(simulator.dump()).toMatchObject({
      pipes: { [PIPE]: BODY },
      organizations: { [ORGANIZATION]: { name: 'Theirs', privateEndpoints: [endpoint] } },
      activities: { [`${ORGANIZATION}/late`]: activity },
    });
    const get = async (): Promise<number> =>
      (await send('GET', `${ORGANIZATION_PATH}/activities/late`)).status;
    expect([await get(), await get()]).toEqual([404, 200]);
  });

  it('set-key: another secret, none, and what a key may do', async () => {
    const { send, control } = await start({ keys: { key: 'old' } });
    expect(await statusOf(send)).toBe(401);
    await control('set-key', { id: 'key', secret: 'secret' });
    expect(await statusOf(send)).toBe(200);
    await control('set-key', { id: 'key', secret: 'secret', readOnly: true });
    expect(await statusOf(send)).toBe(403);
    const unknownYet = { newForMs: 600_000, newStatus: 404 };
    await control('set-key', { id: 'key', secret: 'secret', ...unknownYet });
    expect(await statusOf(send)).toBe(404);
    await control('set-key', { id: 'key' });
    expect(await statusOf(send)).toBe(401);
  });

  it('down: for a while', async () => {
    const { send, control } = await start();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    expect((await control('down', { forMs: 100 })).status).toBe(200);
    await expect.poll(() => statusOf(send).catch(() => 'refused')).toBe('refused');
    vi.advanceTimersByTime(100);
    await expect.poll(() => statusOf(send).catch(() => 'refused')).toBe(200);
  });

  it.each([
    [
      'play',
      { colour: 'red' },
      'body.colour is not known; there are settings, organization, activity, latencyMs, rate',
    ],
    [
      'play',
      { settings: { echo: 'loud' } },
      'body.settings.echo is "loud"; it must be one of all, only-set',
    ],
    [
      'play',
      { settings: { ranges: { engine_max_threads: 4 } } },
      'ranges.engine_max_threads is 4; it must be a pair',
    ],
    [
      'play',
      { rate: { calls: '10' } },
      'body.rate.calls is "10"; it must be a number of 0 or more',
    ],
    ['next', {}, 'fault is missing; it must be an object'],
    ['next', { fault: {} }, 'fault has none of status, transport, slowMs, hold'],
    [
      'next',
      { fault: { status: 500, body: 'poem' } },
      'fault.body is "poem"; it must be one of envelope',
    ],
    [
      'next',
      { fault: { status: 500, by: 'nobody' } },
      'fault.by is "nobody"; it must be one of gateway, operation',
    ],
    [
      'next',
      { fault: { play: { rate: null } } },
      'fault.play.rate is not known; there are settings, organization',
    ],
    [
      'play',
      { organization: { quotas: 3 } },
      'body.organization.quotas is 3; it must be an object',
    ],
    [
      'next',
      { fault: { transport: 'pigeon' } },
      'fault.transport is "pigeon"; it must be one of reset-before',
    ],
    [
      'always',
      { fault: { status: 500 }, match: { url: '/' } },
      'match.url is not known; there are method',
    ],
    ['set-settings', { settings: {} }, 'pipe is missing; it must be a string'],
    ['set-settings', { pipe: PIPE, settings: { threads: 1 } }, 'settings.threads is not known'],
    [
      'set-organization',
      { id: ORGANIZATION, add: {} },
      'body.add is {}; it must be a list of objects',
    ],
    ['set-key', { id: 'key', secret: 7 }, 'secret is 7; it must be a string'],
    ['set-key', { id: 'key', newStatus: 500 }, 'body.newStatus is 500; it must be one of 401, 404'],
    ['down', {}, 'forMs is missing; it must be a number'],
    ['next', '{"half', 'JSON'],
    [
      'sing',
      {},
      'no verb POST sing; there are GET log, counts, endpoint-counts, state; POST play, next',
    ],
  ])('%s refuses %j and says why', async (verb, body, text) => {
    const { control, send } = await start();
    const { status, body: answer } = await control(verb, body);
    expect(status).toBe(verb === 'sing' ? 404 : 400);
    expect(answer.error).toContain(text);
    expect(await statusOf(send)).toBe(200);
  });
});
