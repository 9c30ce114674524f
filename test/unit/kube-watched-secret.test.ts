import { expect, test } from 'vitest';
import type { SecretRead } from '../../src/kube/secrets/secret-state.ts';
import { WatchedSecret } from '../../src/kube/secrets/watched-secret.ts';
import { FakeClock } from '../support/fake-clock.ts';

const KEYS = ['keyId'];
const PRESENT: SecretRead = {
  state: 'present',
  resourceVersion: '5',
  type: 'Opaque',
  data: { keyId: 'b25l' },
  keyNames: KEYS,
  keyCount: 1,
};

function watched(answer: () => SecretRead) {
  const clock = new FakeClock();
  let gets = 0;
  const get = (): Promise<SecretRead> => {
    gets += 1;
    return Promise.resolve(answer());
  };
  let changes = 0;
  const onChange = (): void => {
    changes += 1;
  };
  const secret = new WatchedSecret({ namespace: 'ingest', name: 'api', clock, get, onChange });
  return { clock, secret, gets: () => gets, changes: () => changes };
}

const listed = {
  metadata: {
    name: 'api',
    namespace: 'ingest',
    uid: 'u',
    resourceVersion: '5',
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
};

test('one read serves everybody also between the list and the open watch', async () => {
  const { secret, gets } = watched(() => PRESENT);
  await secret.read(KEYS);
  secret.watchTurned('listing');
  secret.replace([listed], '7');
  expect(await secret.read(KEYS)).toEqual(PRESENT);
  expect(await secret.read(KEYS)).toEqual(PRESENT);
  secret.watchTurned('watching');
  await secret.read(KEYS);
  expect(gets()).toBe(1);
});

test('who asks after the first read waits for the watch to confirm it, instead of reading again', async () => {
  const { secret, gets } = watched(() => PRESENT);
  await secret.read(KEYS);
  const later = [secret.read(KEYS), secret.read(KEYS)];
  secret.replace([listed], '7');
  expect(await Promise.all(later)).toEqual([PRESENT, PRESENT]);
  expect(gets()).toBe(1);
});

test('a watch that does not answer is waited for two seconds at most', async () => {
  const { clock, secret, gets } = watched(() => PRESENT);
  await secret.read(KEYS);
  const later = secret.read(KEYS);
  await clock.advance(1_999);
  expect(gets()).toBe(1);
  await clock.advance(1);
  expect(await later).toEqual(PRESENT);
  expect(gets()).toBe(2);
});

test('a value is read anew while the watch does not work', async () => {
  const { secret, gets } = watched(() => PRESENT);
  secret.replace([listed], '7');
  await secret.read(KEYS);
  secret.watchTurned('waiting');
  await secret.read(KEYS);
  await secret.read(KEYS);
  expect(gets()).toBe(3);
});

test('a refused read is asked for again after a second, not before', async () => {
  let answer: SecretRead = { state: 'forbidden', message: 'no' };
  const { clock, secret, gets } = watched(() => answer);
  secret.replace([listed], '7');
  await secret.read(KEYS);
  answer = PRESENT;
  await clock.advance(999);
  expect(await secret.read(KEYS)).toMatchObject({ state: 'forbidden' });
  expect(gets()).toBe(1);
  await clock.advance(1);
  expect(await secret.read(KEYS)).toEqual(PRESENT);
});

test('a read under way when the watch first speaks serves those who come after, and is made again when it is too old', async () => {
  const answers: SecretRead[] = [{ state: 'absent' }, PRESENT];
  const { secret, gets } = watched(() => answers.shift() ?? PRESENT);
  const early = secret.read(KEYS);
  secret.replace([listed], '7');
  expect(await Promise.all([early, secret.read(KEYS)])).toEqual([PRESENT, PRESENT]);
  expect(gets()).toBe(2);
});

test('what was read before the cluster was restored is no longer served, though its version is given once more', async () => {
  const restored: SecretRead = { ...PRESENT, data: { keyId: 'another' } };
  const answers = [PRESENT, restored];
  const { secret, gets, changes } = watched(() => answers.shift() ?? restored);
  secret.replace([listed], '7');
  await secret.read(KEYS);
  expect(changes()).toBe(0);
  secret.replace([listed], '7', true);
  expect(changes()).toBe(1);
  expect(await secret.read(KEYS)).toEqual(restored);
  expect(gets()).toBe(2);
});
