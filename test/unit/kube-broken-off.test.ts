import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { createKubeClient } from '../../src/kube/client/client.ts';
import { Incoming } from '../../src/kube/client/incoming.ts';
import '../../src/kube/client/transport.ts';
import { startKubeServer } from '../support/kube-server.ts';

const PROGRAM = 'test/support/calls-broken-off.ts';
/** Without the turn of its own none of twelve runs of so many passed, without the listener five of six. */
const CLIENTS = 300;

test('clients that break off calls at any moment, and are closed, leave the process as it was', async () => {
  const run = promisify(execFile)(process.execPath, [PROGRAM, String(CLIENTS)], {
    timeout: 60_000,
    killSignal: 'SIGKILL',
  });
  await expect(run).resolves.toEqual({ stdout: '', stderr: '' });
}, 90_000);

test('a call is not broken off while Node is telling of another', async () => {
  const aborted: Error[] = [];
  const incoming = new Incoming();
  incoming.onRequestStart({
    paused: false,
    aborted: false,
    reason: null,
    rawHeaders: null,
    rawTrailers: null,
    pause: () => {},
    resume: () => {},
    abort: (reason) => aborted.push(reason),
  });
  incoming.abort(new Error('no longer wanted'));
  await expect(incoming.head).rejects.toThrow('no longer wanted');
  expect(aborted).toEqual([]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(aborted).toMatchObject([{ message: 'no longer wanted' }]);
});

test('an answer that comes when its call has been broken off, which Node gives to nobody, harms nobody', async () => {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  onTestFinished(() => void server.close());
  const session = connect(`http://127.0.0.1:${port}`).on('error', () => {});
  const unknown = session.request();
  expect(unknown.listenerCount('error')).toBe(1);
  const closed = new Promise((resolve) => unknown.once('close', resolve));
  session.destroy(new Error('the connection has ended'));
  await closed;
});

test('a client that is closed sends nothing any more, whether it has been used or not', async () => {
  let arrived = 0;
  const server = await startKubeServer((_, response) => {
    arrived += 1;
    response.end('{}');
  });
  onTestFinished(() => server.close());
  const credentials =
    Promise.withResolvers<Awaited<ReturnType<typeof server.cluster.credentials>>>();
  const client = createKubeClient({ ...server.cluster, credentials: () => credentials.promise });
  const early = client.request({ method: 'PUT', path: '/x', body: {} });
  await client.close();
  credentials.resolve(await server.cluster.credentials());
  const late = client.request({ method: 'PUT', path: '/x', body: {} });
  for (const call of [early, late])
    await expect(call).rejects.toMatchObject({ status: 0, body: 'the client is closed' });
  expect(arrived).toBe(0);
});
