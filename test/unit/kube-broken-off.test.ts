import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { Incoming } from '../../src/kube/client/incoming.ts';
import { createTransport } from '../../src/kube/client/transport.ts';

const PROGRAM = 'test/support/calls-broken-off.ts';
/** So many showed each of the two faults in every run but one of twelve. */
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
  onTestFinished(() => createTransport(`http://127.0.0.1:${port}`).close());
  const session = connect(`http://127.0.0.1:${port}`).on('error', () => {});
  const unknown = session.request();
  expect(unknown.listenerCount('error')).toBe(1);
  const closed = new Promise((resolve) => unknown.once('close', resolve));
  session.destroy(new Error('the connection has ended'));
  await closed;
});
