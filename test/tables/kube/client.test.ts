import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createKubeClient } from '../../../src/kube/client.ts';
import { eventually } from '../../support/eventually.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { answers, type Behaviour, refuses, startServer } from './server.ts';

const GET = { method: 'GET', path: '/api/v1/x' } as const;
const silent: Behaviour = () => undefined;

async function start(behave: Behaviour) {
  const server = await startServer(behave);
  const clock = new FakeClock();
  const client = createKubeClient(server.cluster, clock);
  onTestFinished(() => client.close());
  const fails = (): Promise<unknown> => client.request(GET).catch((error: unknown) => error);
  return { ...server, clock, client, fails };
}

test.each([
  ['PUT', 'application/json'],
  ['PATCH', 'application/merge-patch+json'],
] as const)(
  '%s goes out with what it says, and the answer comes back parsed',
  async (method, type) => {
    const seen: unknown[] = [];
    const { requests, client } = await start((request, response) => {
      const { authorization, accept, 'content-type': sent } = request.headers;
      seen.push({ authorization, accept, sent });
      void text(request).then((body) => response.end(body));
    });
    const call = { method, path: '/apis/x', query: { a: 'b c' }, body: { text: 'ä€𝄞' } };
    expect(await client.request(call)).toEqual({ text: 'ä€𝄞' });
    expect(requests).toEqual([`${method} /apis/x?a=b+c`]);
    expect(seen).toEqual([{ authorization: 'Bearer t', accept: 'application/json', sent: type }]);
  },
);

const sends =
  (status: number, body: string): Behaviour =>
  (_, response) =>
    void response.writeHead(status, { 'retry-after': '3', location: '/y' }).end(body);

test.each<[string, Behaviour, RegExp, number]>([
  ['a Status object', refuses(409, 'Conflict'), /: 409 Conflict: Conflict it is$/, 409],
  ['HTML', sends(502, '<h1>x</h1>'), /: 502 BadGateway$/, 502],
  ['a redirect, which is not followed', sends(302, ''), /: 302 Found$/, 302],
  ['an empty success', sends(200, ''), /: 200 Unreadable: the answer is empty or no JSON; is/, 200],
  ['a reset', (request) => request.socket.destroy(), /: NoAnswer: other side closed$/, 0],
])('what is answered by %s fails in words', async (_what, behave, message, status) => {
  const { fails, requests } = await start(behave);
  expect(await fails()).toMatchObject({ name: 'KubeError', status });
  expect(String(await fails())).toMatch(/^KubeError: GET \/api\/v1\/x: /);
  expect(String(await fails())).toMatch(message);
  expect(requests).toHaveLength(3);
});

test.each<[string, Behaviour]>([
  ['answer', silent],
  ['end of its answer', (_, response) => response.writeHead(200).write('{')],
])('a call without an %s ends by its deadline, and its connection with it', async (_, behave) => {
  const { requests, open, clock, fails } = await start(behave);
  const failed = fails();
  await eventually(() => expect(requests).toHaveLength(1));
  await clock.advance(19_999);
  expect(open.size).toBe(1);
  await clock.advance(1);
  const body = 'not over within 20 s';
  expect(await failed).toMatchObject({ status: 0, reason: 'Timeout', body });
  await eventually(() => expect(open.size).toBe(0));
  expect(clock.pending).toBe(0);
});

test('a call does not wait for a credential for ever', async () => {
  const { cluster, requests, clock, client } = await start(silent);
  vi.spyOn(cluster, 'access').mockReturnValue(new Promise(() => undefined));
  const failed = vi.fn<(error: unknown) => void>();
  client.request({ ...GET, timeoutMs: 5_000 }).catch(failed);
  await clock.advance(5_000);
  expect(failed).toHaveBeenCalledWith(expect.objectContaining({ reason: 'Timeout' }));
  expect(requests).toEqual([]);
});

test('calls one after another share their connections', async () => {
  const { accepted, client } = await start(answers({}));
  for (let count = 0; count < 20; count += 1) await client.request(GET);
  expect(accepted()).toBeLessThanOrEqual(2);
});
