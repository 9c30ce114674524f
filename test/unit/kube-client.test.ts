import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { loadCluster } from '../../src/kube/auth/load-cluster.ts';
import { createKubeClient } from '../../src/kube/client/client.ts';
import type { RequestRecord } from '../../src/kube/client/exchange.ts';
import {
  isConflict,
  isExpired,
  isForbidden,
  isNotFound,
} from '../../src/kube/client/kube-error.ts';
import { eventually } from '../support/eventually.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { temporaryFolder } from '../support/folder.ts';
import { failure, GET, setUp } from '../support/kube-calls.ts';
import { aStatus, sendJson, startKubeServer } from '../support/kube-server.ts';

test('a refusal keeps status, reason and message of the Status object', async () => {
  const { client } = await setUp((_, response) =>
    sendJson(response, 409, aStatus(409, 'AlreadyExists', 'x is there')),
  );
  const error = await failure(client.request(GET));
  expect(error).toMatchObject({ status: 409, reason: 'AlreadyExists', body: 'x is there' });
  expect(error.message).toBe('GET /api/v1/x: 409 AlreadyExists: x is there');
  expect([isConflict(error), isNotFound(error), isForbidden(error), isExpired(error)]).toEqual([
    true,
    false,
    false,
    false,
  ]);
});

test('a refusal that is no Status object is named by its code and not quoted', async () => {
  const { client } = await setUp((_, response) =>
    response.writeHead(502).end('<html>token=secret</html>'),
  );
  expect((await failure(client.request(GET))).message).toBe('GET /api/v1/x: 502 BadGateway');
});

test.each([
  ['seconds', '7', 7000],
  ['a date', 'Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
  ['a date in the past', 'Thu, 01 Jan 2015 00:00:30 GMT', 0],
  ['nonsense', 'soon', undefined],
])('Retry-After as %s is passed on', async (_, header, expected) => {
  const { client } = await setUp(
    (_request, response) =>
      sendJson(response, 429, aStatus(429, 'TooManyRequests'), { 'retry-after': header }),
    { clock: new FakeClock() },
  );
  expect((await failure(client.request(GET))).retryAfterMs).toBe(expected);
});

test('query, body and content type go out as given, a patch as merge patch', async () => {
  const seen: unknown[] = [];
  const { client } = await setUp((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      seen.push([
        request.method,
        request.url,
        request.headers['content-type'],
        request.headers.authorization,
        body,
      ]);
      sendJson(response, 200, {});
    });
  });
  await client.request({ method: 'PATCH', path: '/a', query: { x: 'a=b,c' }, body: { é: 1 } });
  await client.request({
    method: 'POST',
    path: '/b',
    body: [],
    contentType: 'application/json-patch+json',
  });
  expect(seen).toEqual([
    ['PATCH', '/a?x=a%3Db%2Cc', 'application/merge-patch+json', 'Bearer t', '{"é":1}'],
    ['POST', '/b', 'application/json-patch+json', 'Bearer t', '[]'],
  ]);
});

test('a call without an answer ends at its deadline, and the next one gets another connection', async () => {
  const clock = new FakeClock();
  const { server, client } = await setUp(() => undefined, { clock });
  const failing = failure(client.request(GET));
  await eventually(() => expect(server.requests).toHaveLength(1));
  await clock.advance(20_000);
  expect(await failing).toMatchObject({
    status: 0,
    reason: 'Timeout',
    body: 'nothing within 20 s',
  });
  server.behave((_, response) => sendJson(response, 200, { fine: true }));
  expect(await client.request(GET)).toEqual({ fine: true });
  expect(server.connections.accepted).toBe(2);
  await eventually(() => expect(server.connections.open.size).toBe(1));
});

test('an answer that stops half-way ends at the deadline too', async () => {
  const clock = new FakeClock();
  const { server, client } = await setUp(
    (_, response) => void response.writeHead(200).write('{"half'),
    { clock },
  );
  const failing = failure(client.request({ ...GET, timeoutMs: 3000 }));
  await eventually(() => expect(server.requests).toHaveLength(1));
  await new Promise((resolve) => setImmediate(resolve));
  await clock.advance(3000);
  expect(await failing).toMatchObject({ status: 0, reason: 'Timeout' });
});

test('the caller can take a call back', async () => {
  const stop = new AbortController();
  const { server, client } = await setUp(() => undefined);
  const failing = failure(client.request({ ...GET, signal: stop.signal }));
  await eventually(() => expect(server.requests).toHaveLength(1));
  stop.abort();
  expect(await failing).toMatchObject({ status: 0, reason: 'Aborted' });
});

test('a read whose connection breaks under it is sent once more, a write is not', async () => {
  let calls = 0;
  const { client } = await setUp((request, response) => {
    calls += 1;
    if (calls === 1 || request.method !== 'GET') request.socket.destroy();
    else sendJson(response, 200, { calls });
  });
  expect(await client.request(GET)).toEqual({ calls: 2 });
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const)
    expect(await failure(client.request({ method, path: '/x', body: {} }))).toMatchObject({
      status: 0,
      reason: 'NoAnswer',
    });
  expect(calls).toBe(6);
});

test('a server that is not there is named', async () => {
  const { server, client } = await setUp(() => undefined);
  await server.close();
  const error = await failure(client.request(GET));
  expect(error.message).toContain(`ECONNREFUSED ${server.cluster.server.host}`);
});

test('no redirect is followed', async () => {
  const { server, client } = await setUp((_, response) =>
    response.writeHead(307, { location: '/elsewhere' }).end(),
  );
  expect(await failure(client.request(GET))).toMatchObject({ status: 307 });
  expect(server.requests).toHaveLength(1);
});

test('an answer that is not JSON is an error that does not quote it', async () => {
  const { client } = await setUp((_, response) => response.end('<html>hello</html>'));
  const error = await failure(client.request(GET));
  expect(error).toMatchObject({ status: 200, reason: 'Unreadable' });
  expect(error.message).not.toContain('hello');
});

test('every try is counted with its code', async () => {
  const records: RequestRecord[] = [];
  const { server, client } = await setUp(
    (_, response) => sendJson(response, 404, aStatus(404, 'NotFound')),
    {
      onRequest: (record) => records.push(record),
    },
  );
  await failure(client.request(GET));
  await server.close();
  await failure(client.request({ method: 'PUT', path: '/x', body: {} }));
  expect(records.map(({ verb, code }) => [verb, code])).toEqual([
    ['GET', '404'],
    ['PUT', '<error>'],
  ]);
});

test('an identity that cannot be renewed after a 401 holds a call no longer than its deadline', async () => {
  const server = await startKubeServer((_, response) =>
    sendJson(response, 401, aStatus(401, 'Unauthorized')),
  );
  const clock = new FakeClock();
  const renew = (): Promise<void> => {
    void clock.advance(200);
    return new Promise(() => {});
  };
  const client = createKubeClient({ ...server.cluster, renew }, { clock });
  onTestFinished(() => server.close());
  onTestFinished(() => client.close());
  expect(await failure(client.request({ ...GET, timeoutMs: 200 }))).toMatchObject({
    status: 0,
    reason: 'Timeout',
    body: "no credential from the kubeconfig's exec plugin within 0.2 s",
  });
});

test('after a 401 the token is read again and the call tried once more', async () => {
  const folder = await temporaryFolder();
  const token = (text: string) => writeFile(join(folder, 'token'), text);
  await Promise.all([
    token('old\n'),
    writeFile(join(folder, 'ca.crt'), 'ca'),
    writeFile(join(folder, 'namespace'), 'home\n'),
  ]);
  const seen: unknown[] = [];
  const { server } = await setUp((request, response) => {
    seen.push(request.headers.authorization);
    const known = request.headers.authorization === 'Bearer new';
    sendJson(response, known ? 200 : 401, known ? {} : aStatus(401, 'Unauthorized'));
  });
  const clock = new FakeClock();
  const cluster = await loadCluster({
    clock,
    serviceAccountFolder: folder,
    environment: { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: '1' },
  });
  expect(cluster).toMatchObject({
    namespace: 'home',
    server: new URL('https://127.0.0.1:1'),
  });
  const client = createKubeClient({ ...cluster, server: server.cluster.server }, { clock });
  onTestFinished(() => client.close());

  expect(await failure(client.request(GET))).toMatchObject({ status: 401 });
  expect(seen.splice(0)).toEqual(['Bearer old', 'Bearer old']);
  await token('new\n');
  await client.request(GET);
  expect(seen.splice(0)).toEqual(['Bearer old', 'Bearer new']);
  await token('newer');
  await clock.advance(10_000);
  await failure(client.request(GET));
  expect(seen[0]).toBe('Bearer newer');
});

test('a thousand calls leave no listener, no timer and few sockets', async () => {
  const clock = new FakeClock();
  const { server, client } = await setUp((_, response) => sendJson(response, 200, {}), { clock });
  const stop = new AbortController();
  const added = vi.spyOn(stop.signal, 'addEventListener');
  const removed = vi.spyOn(stop.signal, 'removeEventListener');
  const worker = async (): Promise<void> => {
    for (let i = 0; i < 100; i++) await client.request({ ...GET, signal: stop.signal });
  };
  await Promise.all(Array.from({ length: 10 }, worker));
  expect(server.requests).toHaveLength(1000);
  expect(removed.mock.calls.length).toBe(added.mock.calls.length);
  expect(clock.pending).toBe(0);
  expect(server.connections.accepted).toBeLessThan(30);
});

test('a 401 that breaks off half-way is a refusal of the identity all the same', async () => {
  const { server, client } = await setUp((_, response) => {
    if (server.requests.length > 1) return sendJson(response, 200, {});
    response.writeHead(401, { 'content-length': '100' });
    response.write('half', () => response.destroy());
  });
  expect(await client.request(GET)).toEqual({});
  expect(server.requests).toHaveLength(2);
});
