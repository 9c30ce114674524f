import { expect, onTestFinished, test } from 'vitest';
import { createKubeClient } from '../../src/kube/client/client.ts';
import { eventually } from '../support/eventually.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { startKubeServer } from '../support/kube-server.ts';

/** A call that was refused with 401, of which half the body is still to come. */
async function halfRefused() {
  let isWritten = false;
  const server = await startKubeServer((_, response) => {
    response.writeHead(401, { 'content-length': '100' });
    response.write('half', () => {
      isWritten = true;
    });
  });
  let renewals = 0;
  let answers = 0;
  const renew = async (): Promise<void> => void (renewals += 1);
  const clock = new FakeClock();
  const client = createKubeClient(
    { ...server.cluster, renew },
    { clock, onRequest: () => (answers += 1) },
  );
  onTestFinished(() => server.close());
  onTestFinished(() => client.close());
  const call = client
    .request({ method: 'GET', path: '/x', timeoutMs: 200 })
    .catch((error: unknown) => error);
  await eventually(() => expect([isWritten, answers]).toEqual([true, 1]));
  return { call, client, clock, renewals: () => renewals };
}

test('a client that is closed during a refusal asks for no new identity', async () => {
  const { call, client, renewals } = await halfRefused();
  await client.close();
  expect(await call).toMatchObject({ status: 0 });
  expect(renewals()).toBe(0);
});

test('a refusal that does not end is a call without an answer', async () => {
  const { call, clock, renewals } = await halfRefused();
  await clock.advance(200);
  expect(await call).toMatchObject({
    status: 0,
    reason: 'Timeout',
    body: 'nothing within 0.2 s',
  });
  expect(renewals()).toBe(0);
});
