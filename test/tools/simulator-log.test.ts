import { Agent, request } from 'node:http';
import { expect, it } from 'vitest';
import {
  basic,
  caller,
  ORGANIZATION,
  ORGANIZATION_PATH,
  PIPE,
  PIPE_PATH,
} from '../simulator/caller.ts';
import type { Call } from '../simulator/simulator.ts';
import { openSimulator } from '../support/open-simulator.ts';

const BODY = { engine_max_threads: 9 };

it('records each call with its body and what became of it', async () => {
  const { simulator, send } = await openSimulator();
  const before = Date.now();
  const { body } = await send('PUT', PIPE_PATH, BODY);
  expect(simulator.log).toEqual([
    {
      seq: 1,
      receivedAt: expect.any(Number),
      answeredAt: expect.any(Number),
      method: 'PUT',
      path: PIPE_PATH,
      keyId: 'key',
      body: BODY,
      text: '{"engine_max_threads":9}',
      status: 200,
      requestId: body.requestId,
      applied: true,
      connection: 1,
    },
  ]);
  expect(simulator.log[0]?.receivedAt).toBeGreaterThanOrEqual(before);
});

it('says of each call whether it changed anything', async () => {
  const { simulator, send } = await openSimulator({
    organization: { refusedIds: ['bad'], onError: 'partial' },
  });
  simulator.setActivity(ORGANIZATION, { id: 'a' });
  await send('PUT', PIPE_PATH, { unknown: 1 });
  await send('GET', `${ORGANIZATION_PATH}/activities/a`);
  const add = [{ id: 'bad', cloudProvider: 'gcp', region: 'r' }];
  await send('PATCH', ORGANIZATION_PATH, { name: 'New', privateEndpoints: { add } });
  simulator.play({ organization: { onError: 'all-or-nothing' } });
  await send('PATCH', ORGANIZATION_PATH, { name: 'Newer', privateEndpoints: { add } });
  simulator.next({ status: 504, applied: true });
  await send('PUT', PIPE_PATH, BODY);
  expect(simulator.log.map(({ status, applied }) => [status, applied])).toEqual([
    [400, false],
    [200, false],
    [400, true],
    [400, false],
    [504, true],
  ]);
});

it('has no trace of what somebody else does without a call; the state has all of it', async () => {
  const { simulator } = await openSimulator();
  const endpoint = { id: 'e', cloudProvider: 'gcp', region: 'r' };
  simulator.setSettings(PIPE, BODY);
  simulator.setOrganization(ORGANIZATION, { name: 'Theirs', add: [endpoint] });
  simulator.setActivity(ORGANIZATION, { id: 'a' });
  expect(simulator.log).toEqual([]);
  expect(simulator.dump()).toMatchObject({
    pipes: { [PIPE]: BODY },
    organizations: { [ORGANIZATION]: { name: 'Theirs', privateEndpoints: [endpoint] } },
    activities: { [`${ORGANIZATION}/a`]: { id: 'a' } },
  });
});

it('names no key that is none, and never a secret', async () => {
  const { simulator, send } = await openSimulator();
  await caller(simulator.url, 'Basic %%%')('PUT', PIPE_PATH, BODY);
  await send('PUT', PIPE_PATH, BODY);
  expect(simulator.log.map(({ status, keyId }) => [status, keyId])).toEqual([
    [401, undefined],
    [200, 'key'],
  ]);
  expect(JSON.stringify([simulator.log, simulator.dump()])).not.toContain('secret');
});

it('keeps the order of calls, and tells connections apart', async () => {
  const { simulator } = await openSimulator();
  const { port } = new URL(simulator.url);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const put = (threads: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: basic('key', 'secret'), 'content-type': 'application/json' };
      request(
        { agent, port, host: '127.0.0.1', method: 'PUT', path: PIPE_PATH, headers },
        (response) => {
          response.on('end', resolve).resume();
        },
      )
        .on('error', reject)
        .end(JSON.stringify({ engine_max_threads: threads }));
    });
  for (const threads of [1, 2, 3]) await put(threads);
  agent.destroy();
  await put(4);
  expect(simulator.log.map(({ seq, body, connection }) => ({ seq, body, connection }))).toEqual([
    { seq: 1, body: { engine_max_threads: 1 }, connection: 1 },
    { seq: 2, body: { engine_max_threads: 2 }, connection: 1 },
    { seq: 3, body: { engine_max_threads: 3 }, connection: 1 },
    { seq: 4, body: { engine_max_threads: 4 }, connection: 2 },
  ]);
  agent.destroy();
});

it('keeps the text of a body that is no JSON', async () => {
  const { simulator, send } = await openSimulator();
  await send('PUT', PIPE_PATH, '{"half');
  expect(simulator.log[0]?.text).toBe('{"half');
  expect(simulator.log[0]).not.toHaveProperty('body');
});

it('drops the oldest past keepLog and still counts them', async () => {
  const { simulator, send } = await openSimulator({ keepLog: 8 });
  for (let n = 0; n < 11; n += 1) await send('PUT', PIPE_PATH, BODY);
  expect(simulator.log.map(({ seq }) => seq)).toEqual([4, 5, 6, 7, 8, 9, 10, 11]);
  expect(simulator.callCount()).toBe(11);
  expect(simulator.callCount({ method: 'PUT', keyId: 'key' })).toBe(11);
  expect(simulator.callCount({ method: 'PATCH' })).toBe(0);
  expect(simulator.callCount({ pathIncludes: '/pipes/pipe/' })).toBe(8);
});

it('keeps nothing when told so, and still counts and waits', async () => {
  const { simulator, send } = await openSimulator({ keepLog: false });
  const waiting = simulator.waitForCalls(2);
  await Promise.all([send('PUT', PIPE_PATH, BODY), send('PUT', PIPE_PATH, BODY)]);
  await expect(waiting).resolves.toEqual([]);
  expect(simulator.log).toEqual([]);
  expect(simulator.callCount()).toBe(2);
});

it('waits for calls that fit, for those alone, and for all of them', async () => {
  const { simulator, send } = await openSimulator();
  await send('PUT', PIPE_PATH, BODY);
  let calls: Call[] | undefined;
  const waiting = simulator
    .waitForCalls(3, { match: { pathIncludes: '/pipes/pipe/' } })
    .then((found) => {
      calls = found;
    });
  await send('PUT', PIPE_PATH.replace('/pipe/', '/other/'), BODY);
  await send('PUT', PIPE_PATH, BODY);
  expect(calls).toBeUndefined();
  await send('PUT', PIPE_PATH, BODY);
  await waiting;
  expect(calls?.map(({ seq }) => seq)).toEqual([1, 3, 4]);
});

it('says what came instead when a wait is over', async () => {
  const { simulator, send } = await openSimulator();
  await send('PUT', PIPE_PATH, BODY);
  await expect(
    simulator.waitForCalls(1, { match: { method: 'PATCH' }, timeoutMs: 10 }),
  ).rejects.toThrow(
    `0 of 1 calls fitting {"method":"PATCH"} arrived within 10 ms; the last calls of any kind:\n  PUT ${PIPE_PATH} 200`,
  );
});

it('tells onCall of each call once it is over', async () => {
  const told: Call[] = [];
  const { simulator, send } = await openSimulator({ onCall: (call) => told.push({ ...call }) });
  await send('PUT', PIPE_PATH, BODY);
  simulator.next({ transport: 'reset-before' });
  await expect(send('PUT', PIPE_PATH, BODY)).rejects.toThrow('fetch failed');
  expect(told.map(({ seq, status, fate }) => ({ seq, status, fate }))).toEqual([
    { seq: 1, status: 200, fate: undefined },
    { seq: 2, status: undefined, fate: 'reset-before' },
  ]);
});
