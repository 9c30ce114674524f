import type { IncomingMessage } from 'node:http';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { writeFinalizers } from '../../src/controller/finalizers.ts';
import { createKubeClient, getObject } from '../../src/kube/client.ts';
import { KubeError } from '../../src/kube/errors.ts';
import type { KubeObject } from '../../src/kube/resource.ts';
import { eventually } from '../support/eventually.ts';
import { FakeClock } from '../support/fake-clock.ts';
import {
  anObject,
  aStatus,
  type Behaviour,
  sendJson,
  startKubeServer,
} from '../support/kube-server.ts';

const GET = { method: 'GET', path: '/api/v1/x' } as const;

async function setUp(behaviour: Behaviour) {
  const server = await startKubeServer(behaviour);
  const clock = new FakeClock();
  const client = createKubeClient(server.cluster, clock);
  onTestFinished(() => server.close());
  onTestFinished(() => client.close());
  return { server, clock, client };
}

async function failure(promise: Promise<unknown>): Promise<KubeError> {
  const error: unknown = await promise.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  expect(error).toBeInstanceOf(KubeError);
  return error as KubeError;
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as unknown;
}

describe('a call', () => {
  test.each([
    ['PUT', 'application/json'],
    ['PATCH', 'application/merge-patch+json'],
  ] as const)(
    '%s goes out with what it says, and the answer comes back parsed',
    async (method, type) => {
      const seen: unknown[] = [];
      const { server, client } = await setUp((request, response) => {
        const {
          authorization,
          accept,
          'content-type': sent,
          'user-agent': agent,
        } = request.headers;
        seen.push({ authorization, accept, sent, agent });
        void bodyOf(request).then((body) => sendJson(response, 200, { got: body }));
      });
      const call = { method, path: '/apis/x', query: { a: 'b c' }, body: { text: 'ä€𝄞' } };
      expect(await client.request(call)).toEqual({ got: { text: 'ä€𝄞' } });
      expect(server.requests).toEqual([`${method} /apis/x?a=b+c`]);
      const [authorization, accept, agent] = ['Bearer t', 'application/json', 'pipewright'];
      expect(seen).toEqual([{ authorization, accept, sent: type, agent }]);
    },
  );

  test('one after another share their connections', async () => {
    const { server, client } = await setUp((_, response) => sendJson(response, 200, {}));
    for (let count = 0; count < 20; count += 1) await client.request(GET);
    expect(server.connections.accepted).toBeLessThanOrEqual(2);
  });

  test.each([
    [
      'a Status object',
      409,
      JSON.stringify(aStatus(409, 'AlreadyExists', 'x is there')),
      { status: 409, reason: 'AlreadyExists', body: 'x is there' },
    ],
    ['HTML', 502, '<h1>secret</h1>', { status: 502, reason: 'BadGateway', body: '' }],
    ['null', 404, 'null', { status: 404, reason: 'NotFound', body: '' }],
    ['a redirect', 302, '', { status: 302, reason: 'Found' }],
    ['an empty success', 200, '', { status: 200, reason: 'Unreadable' }],
    ['HTML with 200', 200, '<html>', { status: 200, reason: 'Unreadable' }],
    ['a long message', 500, JSON.stringify(aStatus(500, 'X', 'm'.repeat(5_000))), { status: 500 }],
  ])('that is answered by %s fails in words', async (_, status, text, expected) => {
    const { client } = await setUp((_request, response) => response.writeHead(status).end(text));
    const error = await failure(client.request(GET));
    expect(error).toMatchObject(expected);
    expect(error.message).toMatch(/^GET \/api\/v1\/x: /);
    expect(error.message).not.toContain('secret');
    expect(error.message.length).toBeLessThan(1_200);
  });

  test('is told for how long to wait', async () => {
    const { client } = await setUp((_, response) =>
      sendJson(response, 429, aStatus(429, 'TooManyRequests'), { 'retry-after': '3' }),
    );
    expect(await failure(client.request(GET))).toMatchObject({ status: 429, retryAfterMs: 3_000 });
  });

  test.each<[string, Behaviour]>([
    ['has no answer', () => {}],
    [
      'has no end of its answer',
      (_, response) => response.writeHead(200, { 'content-length': '9' }).write('{'),
    ],
  ])('that %s ends by its deadline, and its connection with it', async (_, behaviour) => {
    const { server, clock, client } = await setUp(behaviour);
    const failed = failure(client.request(GET));
    await eventually(() => expect(server.requests).toHaveLength(1));
    await clock.advance(19_999);
    expect(server.connections.open.size).toBe(1);
    await clock.advance(1);
    expect(await failed).toMatchObject({
      status: 0,
      reason: 'Timeout',
      body: 'not over within 20 s',
    });
    await eventually(() => expect(server.connections.open.size).toBe(0));
    expect(clock.pending).toBe(0);
  });

  test('ends where the client is closed', async () => {
    const { server, clock, client } = await setUp(() => {});
    const failed = failure(client.request(GET));
    await eventually(() => expect(server.requests).toHaveLength(1));
    await client.close();
    expect(await failed).toMatchObject({ status: 0, reason: 'NoAnswer' });
    expect(clock.pending).toBe(0);
  });

  test('whose connection is reset or refused has no answer', async () => {
    const { server, client } = await setUp((request) => request.socket.destroy());
    expect(await failure(client.request(GET))).toMatchObject({ status: 0, reason: 'NoAnswer' });
    await server.close();
    expect((await failure(client.request(GET))).message).toContain('ECONNREFUSED');
  });

  test('does not wait for a credential for ever', async () => {
    const { server, clock, client } = await setUp((_, response) => sendJson(response, 200, {}));
    vi.spyOn(server.cluster, 'access').mockReturnValue(new Promise(() => {}));
    const failed = vi.fn<(error: unknown) => void>();
    client.request({ ...GET, timeoutMs: 5_000 }).catch(failed);
    await clock.advance(5_000);
    expect(failed).toHaveBeenCalledWith(expect.objectContaining({ reason: 'Timeout' }));
    expect(server.requests).toEqual([]);
  });

  test('that is answered by more than 64 MiB is broken off', async () => {
    const { server, client } = await setUp((_, response) => {
      const more = (): void => {
        while (response.write(Buffer.alloc(2 ** 20, ' ')));
      };
      response.on('drain', more);
      more();
    });
    expect(await failure(client.request(GET))).toMatchObject({ status: 0, reason: 'NoAnswer' });
    await eventually(() => expect(server.connections.open.size).toBe(0));
  });
});

test('an object that is not there is undefined, any other failure is thrown', async () => {
  const { server, client } = await setUp((_, response) =>
    sendJson(response, 404, aStatus(404, 'NotFound')),
  );
  expect(await getObject(client, '/x')).toBeUndefined();
  server.behave((_, response) => sendJson(response, 403, aStatus(403, 'Forbidden')));
  expect(await failure(getObject(client, '/x'))).toMatchObject({ status: 403 });
});

describe('writing finalizers', () => {
  const TYPE = { group: 'example.test', version: 'v1', plural: 'things', kind: 'Thing' };
  const PATH = '/apis/example.test/v1/namespaces/ns/things/one';

  /** Answers the PATCH with a refusal and the GET after it with `read`. */
  function refusing(status: number, read?: KubeObject, message?: string): Behaviour {
    return (request, response) => {
      const refusal = aStatus(status, 'Refused', message);
      if (request.method === 'PATCH') sendJson(response, status, refusal);
      else if (read) sendJson(response, 200, read);
      else sendJson(response, 404, aStatus(404, 'NotFound'));
    };
  }

  test.each([
    ['some', ['a', 'b'], ['a', 'b']],
    ['none, which takes the field away', [], null],
  ])('sends %s, nothing else, and the version that was read', async (_, finalizers, sent) => {
    const bodies: Promise<unknown>[] = [];
    const { server, client } = await setUp((request, response) => {
      bodies.push(bodyOf(request));
      sendJson(response, 200, anObject('one', '8'));
    });
    const written = await writeFinalizers(client, TYPE, anObject('one', '7'), finalizers);
    expect(await Promise.all(bodies)).toEqual([
      { metadata: { resourceVersion: '7', finalizers: sent } },
    ]);
    expect([server.requests, written?.metadata.resourceVersion]).toEqual([[`PATCH ${PATH}`], '8']);
  });

  const newest = anObject('one', '9');
  test.each([
    ['the newest version where somebody was quicker', refusing(409, newest), newest],
    ['nothing where it is gone', refusing(404), undefined],
    ['nothing where it went then', refusing(409), undefined],
    ['nothing of another one', refusing(409, anObject('one', '9', { uid: 'other' })), undefined],
  ])('gives %s', async (_, behaviour, expected) => {
    const { client } = await setUp(behaviour);
    expect(await writeFinalizers(client, TYPE, anObject('one', '7'), ['a'])).toEqual(expected);
  });

  test.each([403, 500])('throws what else the server says (%i)', async (status) => {
    const { client } = await setUp(refusing(status, undefined, 'User "op" cannot patch "things"'));
    const failed = failure(writeFinalizers(client, TYPE, anObject('one', '7'), ['a']));
    expect(await failed).toMatchObject({ status, body: 'User "op" cannot patch "things"' });
  });
});
