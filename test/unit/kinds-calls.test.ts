import { describe, expect, test } from 'vitest';
import type { Calls } from '../../src/kinds/shared/calls.ts';
import { REQUESTED_AT } from '../../src/kinds/shared/common-status.ts';
import type { KubeObject } from '../../src/kube/resource.ts';
import {
  type AttemptRig,
  aKey,
  anyObject,
  attemptRig,
  type Started,
} from '../support/attempt-rig.ts';
import { settle } from '../support/fake-clock.ts';

const ONE_AT_ONCE = { inFlight: 1 };
const PUT = { operation: 'Put', method: 'PUT', path: ['v1'], write: true, of: 'pipe' } as const;
const READY = { conditions: [{ type: 'Ready', status: 'True', observedGeneration: 1 }] };
const refused = { answered: true, httpStatus: 401 } as const;

/** A permit that may not be there yet; `now` has what came of it so far. */
function asking({ calls }: Started) {
  const asked = { now: 'waits' as 'waits' | Awaited<ReturnType<Calls['permit']>> };
  void calls.permit().then((answer) => {
    asked.now = answer;
  });
  return asked;
}

/** A whole attempt with one call. */
async function whole(rig: AttemptRig, name: string) {
  const { calls } = rig.start(anyObject(name));
  try {
    return (await calls.permit()) ?? (await calls.send(PUT));
  } finally {
    calls.end();
  }
}

describe('a permit', () => {
  test('is there at once where nothing limits', async () => {
    const rig = attemptRig();
    expect(await whole(rig, 'a')).toMatchObject({ type: 'success' });
    expect(rig.sent).toHaveLength(1);
  });

  test('is waited for holding no worker, and granted when another call ends', async () => {
    const rig = attemptRig(ONE_AT_ONCE);
    const first = rig.start(anyObject('a'));
    await first.calls.permit();
    const second = rig.start(anyObject('b'));
    const asked = asking(second);
    await settle();
    expect(asked.now).toBe('waits');
    expect(second.parked()).toBe(1);
    await first.calls.send(PUT);
    await settle();
    expect(asked.now).toBeUndefined();
    expect(second.parked()).toBe(0);
    expect(rig.enqueued).toEqual([]);
  });

  test('that is given back unused goes to the next', async () => {
    const rig = attemptRig(ONE_AT_ONCE);
    const first = rig.start(anyObject('a'));
    await first.calls.permit();
    const asked = asking(rig.start(anyObject('b')));
    await settle();
    first.calls.end();
    await settle();
    expect(asked.now).toBeUndefined();
  });

  test('is no longer waited for once the object is edited, which then counts as a minute older', async () => {
    const rig = attemptRig(ONE_AT_ONCE);
    const first = rig.start(anyObject('a'));
    await first.calls.permit();
    const second = rig.start(anyObject('b'));
    const asked = asking(second);
    await settle();
    second.edit();
    await settle();
    expect(asked.now).toEqual({ type: 'not-wanted' });
    second.calls.end();
    const third = asking(rig.start(anyObject('c'), { priority: 'scheduled' }));
    await rig.clock.advance(29_000);
    const again = asking(rig.start(anyObject('b')));
    await settle();
    await first.calls.send(PUT);
    await settle();
    expect([again.now, third.now]).toEqual([undefined, 'waits']);
  });

  test('that comes after the object has stopped asking is nobody’s loss', async () => {
    const rig = attemptRig(ONE_AT_ONCE);
    const first = rig.start(anyObject('a'));
    await first.calls.permit();
    const second = rig.start(anyObject('b'));
    asking(second);
    await settle();
    second.edit();
    await settle();
    second.calls.end();
    const third = asking(rig.start(anyObject('c')));
    await first.calls.send(PUT);
    await settle();
    expect(third.now).toBeUndefined();
  });

  test('of a later call of the same attempt goes ahead of all that wait', async () => {
    const rig = attemptRig(ONE_AT_ONCE);
    const first = rig.start(anyObject('a'));
    await first.calls.permit();
    const other = rig.start(anyObject('b'));
    asking(other);
    await first.calls.send(PUT);
    // `b` has it now; `c` was there before `a` asked once more.
    const late = asking(rig.start(anyObject('c')));
    await settle();
    const again = asking(first);
    await settle();
    expect([late.now, again.now]).toEqual(['waits', 'waits']);
    await other.calls.send(PUT);
    await settle();
    expect([late.now, again.now]).toEqual(['waits', undefined]);
  });

  test('reads the Secret again after a wait', async () => {
    const rig = attemptRig(ONE_AT_ONCE);
    const first = rig.start(anyObject('a'));
    await first.calls.permit();
    const second = rig.start(anyObject('b'));
    const asked = asking(second);
    await settle();
    rig.key = {
      ok: false,
      problem: { reason: 'SecretNotFound', message: 'gone' },
    };
    await first.calls.send(PUT);
    await settle();
    expect(asked.now).toMatchObject({ type: 'no-credential' });
  });
});

describe('a wait of more than 30 s', () => {
  test('is shown once, with how many calls are before it', async () => {
    const rig = attemptRig({ rate: { calls: 1, perMs: 100_000 } });
    await whole(rig, 'a');
    asking(rig.start(anyObject('b')));
    const third = rig.start(anyObject('c'));
    const asked = asking(third);
    await rig.clock.advance(29_999);
    expect(third.saved).toEqual([]);
    await rig.clock.advance(5_001);
    const says = expect.stringContaining('1 call is before it');
    expect(third.saved).toMatchObject([{ conditions: [{ message: says }, {}] }]);
    await rig.clock.advance(60_000);
    expect(asked.now).toBe('waits');
    expect(third.saved).toHaveLength(1);
  });

  test('is not shown of what is Ready', async () => {
    const rig = attemptRig({ rate: { calls: 1, perMs: 100_000 } });
    await whole(rig, 'a');
    const second = rig.start({ ...anyObject('b'), status: READY });
    const asked = asking(second);
    await rig.clock.advance(100_000);
    expect([asked.now, second.saved]).toEqual([undefined, []]);
  });
});

describe('a target', () => {
  const rival = { ...anyObject('b'), spec: { ...(anyObject('a').spec as object) } };

  test('that another attempt has is not waited for; its object is reconciled when it is left', async () => {
    const rig = attemptRig();
    const first = rig.start(anyObject('a'));
    await first.calls.permit();
    const second = rig.start(rival);
    expect(await second.calls.permit()).toEqual({ type: 'target-busy' });
    second.calls.end();
    await first.calls.send(PUT);
    expect(rig.enqueued).toEqual([]);
    first.calls.end();
    await settle();
    expect(rig.enqueued).toEqual(['Kind/ingest/b']);
  });

  test('is not held by one that waits for its permit', async () => {
    const rig = attemptRig(ONE_AT_ONCE);
    const other = rig.start(anyObject('c'));
    await other.calls.permit();
    const first = asking(rig.start(anyObject('a')));
    const second = asking(rig.start(rival));
    await settle();
    expect([first.now, second.now]).toEqual(['waits', 'waits']);
    other.calls.end();
    await settle();
    // The first has both; the second found the permit only, and has dropped it.
    expect([first.now, second.now]).toEqual([undefined, 'waits']);
  });

  test('that is dropped for want of it gives its permit to the next', async () => {
    const rig = attemptRig({ inFlight: 2 });
    await rig.start(anyObject('a')).calls.permit();
    expect(await rig.start(rival).calls.permit()).toEqual({ type: 'target-busy' });
    expect(await rig.start(anyObject('c')).calls.permit()).toBeUndefined();
  });
});

describe('right before the first byte', () => {
  test.for<[string, (started: Started) => Parameters<Calls['send']>]>([
    ['it is asked whether it is too late', () => [PUT, () => true]],
    [
      'it is asked whether it is still wanted',
      (started) => {
        started.edit();
        return [PUT];
      },
    ],
  ])('%s', async ([, before]) => {
    const rig = attemptRig();
    const started = rig.start(anyObject('a'));
    await started.calls.permit();
    expect(await started.calls.send(...before(started))).toEqual({ type: 'called-off' });
    expect(rig.sent).toEqual([]);
  });

  test('it is asked whether the key was paused since', async () => {
    const rig = attemptRig();
    const started = rig.start(anyObject('a'));
    await started.calls.permit();
    const since = rig.clock.now();
    expect(started.calls.pausedSince(since)).toBe(false);
    rig.answer = () => ({ answered: true, httpStatus: 429, retryAfterMs: 60_000 });
    expect(await whole(rig, 'b')).toMatchObject({ type: 'failure', pausedMs: 60_000 });
    expect(started.calls.pausedSince(since)).toBe(true);
    expect(started.calls.pausedSince(since + 1)).toBe(false);
    expect(await started.calls.send(PUT)).toEqual({ type: 'called-off' });
    expect(rig.sent).toHaveLength(1);
  });
});

describe('a key that was refused', () => {
  test('is not tried for the others, whether they wait or come later', async () => {
    const rig = attemptRig(ONE_AT_ONCE);
    const first = rig.start(anyObject('a'));
    await first.calls.permit();
    const second = asking(rig.start(anyObject('b')));
    await settle();
    rig.answer = () => refused;
    await first.calls.send(PUT);
    first.calls.end();
    await settle();
    expect(second.now).toEqual({ type: 'key-refused' });
    expect(await whole(rig, 'c')).toEqual({ type: 'key-refused' });
    expect(rig.sent).toHaveLength(1);
  });

  test('wakes all that were held back when a trial call works', async () => {
    const rig = attemptRig();
    rig.answer = () => refused;
    await whole(rig, 'a');
    await whole(rig, 'b');
    rig.answer = () => ({ answered: true, httpStatus: 200, result: {} });
    expect(rig.caller.factsOf(anyObject('b')).isHeld).toBe(true);
    // At its time the limiter wakes who has waited longest.
    for (let second = 0; second < 36 && rig.enqueued.length === 0; second += 1)
      await rig.clock.advance(1_000);
    expect(rig.enqueued).toEqual(['Kind/ingest/a']);
    expect(await whole(rig, 'a')).toMatchObject({ type: 'success' });
    expect(rig.enqueued).toContain('Kind/ingest/b');
    expect(rig.caller.factsOf(anyObject('b')).isHeld).toBe(false);
  });

  test.for<[string, Partial<KubeObject['metadata']>, string]>([
    ['a person asks for it', { annotations: { [REQUESTED_AT]: 'now' } }, '1'],
    ['the object is being deleted', { deletionTimestamp: '2026-01-01T00:00:00Z' }, '1'],
    ['its Secret was written since', {}, '2'],
  ])('is tried before its time where %s', async ([, metadata, resourceVersion]) => {
    const rig = attemptRig();
    rig.answer = () => refused;
    await whole(rig, 'a');
    expect(await whole(rig, 'b')).toEqual({ type: 'key-refused' });
    rig.key = aKey('key', resourceVersion);
    expect(await rig.start(anyObject('b', metadata)).calls.permit()).toBeUndefined();
    expect(await whole(rig, 'c')).toEqual({ type: 'key-refused' });
  });

  test('is told with what can be seen of it', async () => {
    const rig = attemptRig();
    const read = aKey('key');
    rig.key = { ...read, doubt: 'they may be swapped' } as typeof read;
    rig.answer = () => refused;
    expect(await whole(rig, 'a')).toMatchObject({ type: 'failure', doubt: 'they may be swapped' });
    rig.answer = () => ({ ...refused, httpStatus: 403 });
  });
});

describe('the key of an object that is being deleted', () => {
  const finalizers = ['pipewright.dev/remove-private-endpoints'];
  const deletionTimestamp = '2026-01-01T00:00:00Z';
  const gone = { ok: false, problem: { reason: 'SecretNotFound', message: 'gone' } } as const;

  test.for<[string, Partial<ReturnType<typeof anyObject>['metadata']>, string | undefined]>([
    ['is the last one that was usable', { finalizers, deletionTimestamp }, undefined],
    ['is not remembered before its deletion', { finalizers }, 'no-credential'],
    ['is not remembered without a finalizer', { deletionTimestamp }, 'no-credential'],
  ])('%s', async ([, metadata, answer]) => {
    const rig = attemptRig();
    await rig.caller.remember(anyObject('a', metadata));
    rig.key = gone;
    const { calls } = rig.start(anyObject('a', metadata));
    expect((await calls.permit())?.type).toBe(answer);
  });

  test('is remembered with each call, and between two of one attempt', async () => {
    const rig = attemptRig();
    const object = anyObject('a', { finalizers, deletionTimestamp });
    const { calls } = rig.start(object);
    await calls.permit();
    await calls.send(PUT);
    rig.key = gone;
    expect(await calls.permit()).toBeUndefined();
  });

  test('is not remembered of calls without a finalizer', async () => {
    const rig = attemptRig();
    const { calls } = rig.start(anyObject('a', { deletionTimestamp }));
    await calls.permit();
    await calls.send(PUT);
    rig.key = gone;
    expect(await calls.permit()).toMatchObject({ type: 'no-credential' });
  });

  test('is forgotten with its object', async () => {
    const rig = attemptRig();
    const object = anyObject('a', { finalizers, deletionTimestamp });
    await rig.caller.remember(object);
    rig.caller.forget('ingest/a');
    rig.key = gone;
    expect(await rig.start(object).calls.permit()).toMatchObject({ type: 'no-credential' });
  });
});

test('the version that was tried is known for the Secret it is of, until the object is gone', async () => {
  const rig = attemptRig();
  rig.secret = { state: 'present', resourceVersion: '2' };
  const tried = () => rig.caller.factsOf(anyObject('a')).triedSecret;
  expect(tried()).toBeUndefined();
  rig.key = aKey('key', '2');
  await whole(rig, 'a');
  expect(tried()).toBe('2');
  const other = { ...anyObject('a'), spec: { credentialsSecretRef: { name: 'another' } } };
  expect(rig.caller.factsOf(other).triedSecret).toBeUndefined();
  rig.caller.forget('ingest/a');
  expect(tried()).toBeUndefined();
});
