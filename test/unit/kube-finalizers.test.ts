import type { IncomingMessage } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { createKubeClient } from '../../src/kube/client/client.ts';
import { createFinalizerWriter, type WriteFinalizers } from '../../src/kube/client/finalizers.ts';
import { KubeError } from '../../src/kube/client/kube-error.ts';
import type { KubeObject } from '../../src/kube/resource.ts';
import {
  aStatus,
  type Behaviour,
  type KubeServer,
  sendJson,
  startKubeServer,
} from '../support/kube-server.ts';

const TYPE = { group: 'example.test', version: 'v1', plural: 'things', kind: 'Thing' };
const PATH = '/apis/example.test/v1/namespaces/here/things/one';
const OURS = 'example.test/ours';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function setUp(
  behaviour: Behaviour,
): Promise<{ readonly server: KubeServer; readonly write: WriteFinalizers }> {
  const server = await startKubeServer(behaviour);
  const client = createKubeClient(server.cluster);
  ends.push(
    () => server.close(),
    () => client.close(),
  );
  return { server, write: createFinalizerWriter(client) };
}

function thing(more: Partial<KubeObject['metadata']> = {}): KubeObject {
  const metadata = { name: 'one', namespace: 'here', uid: 'uid-1', resourceVersion: '7' };
  return { metadata: { ...metadata, creationTimestamp: '2026-01-01T00:00:00Z', ...more } };
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as unknown;
}

/** Answers the PATCH with a refusal and the GET after it with `read`. */
function refusing(status: number, reason: string, read?: KubeObject): Behaviour {
  return (request, response) => {
    if (request.method === 'PATCH') sendJson(response, status, aStatus(status, reason));
    else if (read) sendJson(response, 200, read);
    else sendJson(response, 404, aStatus(404, 'NotFound'));
  };
}

describe('writing finalizers', () => {
  test.each([
    {
      what: 'some',
      finalizers: ['example.test/theirs', OURS],
      sent: ['example.test/theirs', OURS],
    },
    { what: 'none, which takes the field away', finalizers: [], sent: null },
  ])(
    'sends $what, nothing else, and the version that was read as precondition',
    async ({ finalizers, sent }) => {
      const bodies: Promise<unknown>[] = [];
      const { server, write } = await setUp((request, response) => {
        bodies.push(bodyOf(request));
        sendJson(response, 200, thing({ resourceVersion: '8', finalizers }));
      });
      const written = await write(TYPE, thing({ finalizers: ['example.test/theirs'] }), finalizers);
      expect(await Promise.all(bodies)).toEqual([
        { metadata: { resourceVersion: '7', finalizers: sent } },
      ]);
      expect(server.requests).toEqual([`PATCH ${PATH}`]);
      expect(written?.metadata).toMatchObject({ resourceVersion: '8', finalizers });
    },
  );

  test('gives the newest version, and writes no second time, where somebody was quicker', async () => {
    const newest = thing({ resourceVersion: '9', finalizers: ['example.test/theirs'] });
    const { server, write } = await setUp(refusing(409, 'Conflict', newest));
    expect(await write(TYPE, thing(), [OURS])).toEqual(newest);
    expect(server.requests).toEqual([`PATCH ${PATH}`, `GET ${PATH}`]);
  });

  test.each([
    { what: 'the object is gone', behaviour: refusing(404, 'NotFound') },
    { what: 'it went after somebody was quicker', behaviour: refusing(409, 'Conflict') },
    {
      what: 'another one has its name by now',
      behaviour: refusing(409, 'Conflict', thing({ uid: 'uid-2' })),
    },
  ])('gives nothing where $what', async ({ behaviour }) => {
    const { write } = await setUp(behaviour);
    expect(await write(TYPE, thing(), [OURS])).toBeUndefined();
  });

  test('names the rule that is missing, with all that is needed', async () => {
    const said =
      'things.example.test "one" is forbidden: User "system:serviceaccount:here:operator" cannot patch resource "things" in API group "example.test" in the namespace "here"';
    const { write } = await setUp((_, response) =>
      sendJson(response, 403, aStatus(403, 'Forbidden', said)),
    );
    const failed = write(TYPE, thing(), [OURS]);
    await expect(failed).rejects.toBeInstanceOf(KubeError);
    await expect(failed).rejects.toMatchObject({ status: 403, reason: 'Forbidden' });
    await expect(failed).rejects.toThrow(
      'system:serviceaccount:here:operator may not patch things in namespace "here"; add to a Role in namespace "here" bound to system:serviceaccount:here:operator the rule {apiGroups: ["example.test"], resources: ["things"], verbs: ["get", "list", "watch", "patch"]}',
    );
  });

  test.each([500, 422, 429])(
    'throws what else the server says (%i), for the pass to be made again',
    async (status) => {
      const { server, write } = await setUp(refusing(status, 'Whatever', thing()));
      await expect(write(TYPE, thing(), [OURS])).rejects.toMatchObject({ status });
      expect(server.requests).toEqual([`PATCH ${PATH}`]);
    },
  );

  test('throws where the newest version cannot be read either', async () => {
    const { write } = await setUp((request, response) => {
      const status = request.method === 'PATCH' ? 409 : 500;
      sendJson(response, status, aStatus(status, status === 409 ? 'Conflict' : 'InternalError'));
    });
    await expect(write(TYPE, thing(), [OURS])).rejects.toMatchObject({ status: 500 });
  });
});
