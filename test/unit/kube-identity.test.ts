import { expect, test } from 'vitest';
import { rememberCredentials } from '../../src/kube/auth/remember-credentials.ts';
import type { Credentials } from '../../src/kube/client/cluster.ts';
import { FakeClock } from '../support/fake-clock.ts';

const bearer = (token: string): Credentials => ({ headers: { authorization: token }, tls: {} });

/** An identity whose every read ends when the test says so, if at all. */
function anIdentity() {
  const clock = new FakeClock();
  const reads: PromiseWithResolvers<Credentials>[] = [];
  const identity = rememberCredentials(clock, () => {
    const read = Promise.withResolvers<Credentials>();
    reads.push(read);
    return read.promise;
  });
  return { clock, reads, ...identity };
}

test('a read that hangs is given up after a minute, not before: who comes then starts another', async () => {
  const { clock, reads, credentials } = anIdentity();
  void credentials();
  await clock.advance(59_999);
  void credentials();
  expect(reads).toHaveLength(1);
  await clock.advance(1);
  const [one, two] = [credentials(), credentials()];
  expect(reads).toHaveLength(2);
  reads[1]?.resolve(bearer('second'));
  expect(await Promise.all([one, two])).toEqual([bearer('second'), bearer('second')]);
  expect(await credentials()).toEqual(bearer('second'));
});

test('a renewal waits no longer for a read that hangs', async () => {
  const { clock, reads, credentials, renew } = anIdentity();
  void credentials();
  await clock.advance(60_000);
  const renewed = renew();
  reads[1]?.resolve(bearer('second'));
  await renewed;
  expect(await credentials()).toEqual(bearer('second'));
});

test('what a read given up on says in the end counts while no later one has answered, and never after that', async () => {
  const { clock, reads, credentials } = anIdentity();
  const first = credentials();
  await clock.advance(60_000);
  const second = credentials();
  await clock.advance(60_000);
  const third = credentials();
  reads[0]?.resolve(bearer('first'));
  await first;
  expect(await credentials()).toEqual(bearer('first'));
  reads[2]?.resolve(bearer('third'));
  expect(await third).toEqual(bearer('third'));
  reads[1]?.resolve(bearer('second'));
  expect(await second).toEqual(bearer('third'));
  expect(await credentials()).toEqual(bearer('third'));
});

test('a read given up on that fails in the end takes nothing from the one that follows it', async () => {
  const { clock, reads, credentials } = anIdentity();
  const first = credentials();
  await clock.advance(60_000);
  const second = credentials();
  reads[0]?.reject(new Error('killed'));
  await expect(first).rejects.toThrow('killed');
  void credentials();
  expect(reads).toHaveLength(2);
  reads[1]?.resolve(bearer('second'));
  expect(await second).toEqual(bearer('second'));
});
