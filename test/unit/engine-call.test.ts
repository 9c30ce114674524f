import { describe, expect, test } from 'vitest';
import type { RateLimiter } from '../../src/api/limiter/contract.ts';
import { createRateLimiter } from '../../src/api/limiter/rate-limiter.ts';
import type { Credential, Reply } from '../../src/api/reply/reply.ts';
import { type Attempt, attempt, type Memory } from '../../src/kinds/engine/api-call.ts';
import type { CredentialRead } from '../../src/kinds/shared/credentials.ts';
import type { PipeSettingsStatus } from '../../src/kinds/pipe-settings/resource.ts';
import { whenDue } from '../../src/kinds/status/due.ts';
import { secretFactsOf } from '../../src/kinds/status/tried-secret.ts';
import { Locks } from '../../src/kinds/target/locks.ts';
import { hasWorked } from '../../src/kinds/target/proof.ts';
import { Unrecorded } from '../../src/kinds/target/unrecorded.ts';
import { anActivity } from '../support/activity-objects.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { anAnswer, aPipeSettings, T0 } from '../support/objects.ts';

const credential: Credential = {
  id: 'credential-1',
  authorization: 'Basic x',
  mask: (text) => text.replaceAll('canary', '***'),
};
const usable: CredentialRead = { ok: true, credential, resourceVersion: '7' };
const ok = anAnswer(200, { result: {} });
const KEY = 'ingest/orders';

interface SetUp {
  readonly read?: CredentialRead;
  readonly stillWanted?: () => boolean;
  readonly rate?: number;
}

/** A process that makes attempts for objects; `calls` has what was sent. */
function setUp({ read = usable, rate = 0, stillWanted = () => true }: SetUp = {}) {
  const clock = new FakeClock();
  const woken: string[] = [];
  const limiter: RateLimiter = createRateLimiter({
    rate: { calls: rate, perMs: 10_000 },
    rateTotal: { calls: 0, perMs: 10_000 },
    inFlight: 4,
    clock,
    wake: (key) => void woken.push(key),
  });
  const memory: Memory = {
    openCalls: new Map(),
    triedSecret: new Map(),
    unrecorded: new Unrecorded(() => undefined),
  };
  const locks = new Locks({
    monotonic: () => clock.monotonic(),
    apiTimeoutMs: 35_000,
    onFree: () => undefined,
  });
  const calls: { readonly credential: Credential; readonly openCalls: readonly string[] }[] = [];
  const attemptFor = async (
    name: string,
    answer: () => Reply | Promise<Reply>,
    more: {
      readonly begin?: boolean;
      readonly probe?: boolean;
      readonly isTooLate?: () => boolean;
      readonly status?: PipeSettingsStatus;
    } = {},
  ): Promise<Attempt> => {
    const object = aPipeSettings({ name, ...(more.status && { status: more.status }) });
    const done = await attempt(
      {
        object,
        ref: { name: 'api' },
        target: name,
        lane: 'user',
        write: true,
        of: 'pipe',
        ...(more.probe && { probe: true }),
        ...(more.isTooLate && { isTooLate: more.isTooLate }),
        request: { operation: 'Try', method: 'PUT', path: ['a'] },
      },
      {
        api: {
          async call({ credential: used, begin }) {
            const aborted = more.begin === false ? undefined : begin?.();
            if (aborted) return { answered: false, sent: false, cause: 'c', aborted };
            calls.push({ credential: used, openCalls: [...memory.openCalls.keys()] });
            return answer();
          },
        },
        limiter,
        hasWorked: (one, secretVersion) => hasWorked(one, { secretVersion, apiHash: 'api' }),
        memory,
        locks,
        readCredential: () => Promise.resolve(read),
        monotonic: () => clock.monotonic(),
        limiterKey: (key) => `PipeSettings/${key}`,
        stillWanted,
      },
    );
    limiter.release(`PipeSettings/ingest/${name}`);
    return done;
  };
  return { clock, limiter, locks, memory, calls, woken, attemptFor };
}

const answers = (reply: Reply) => (): Reply => reply;

describe('an attempt', () => {
  test('makes one call with the credential, known to be under way before it leaves', async () => {
    const { attemptFor, calls, memory } = setUp();
    expect(await attemptFor('orders', answers(ok))).toMatchObject({
      got: 'success',
      secretVersion: '7',
    });
    expect(calls).toEqual([{ credential, openCalls: [KEY] }]);
    expect(memory.triedSecret.get(KEY)).toEqual({ name: 'api', resourceVersion: '7' });
  });

  test('judges a failure as that of a write, and says when it left and how long everybody pauses', async () => {
    const { attemptFor, clock } = setUp();
    expect(await attemptFor('a', answers(anAnswer(500)))).toEqual({
      got: 'failure',
      verdict: expect.objectContaining({ failure: 'OutcomeUnknown' }),
      leftAt: clock.monotonic(),
    });
    const limited = await attemptFor('b', answers(anAnswer(429, { retryAfterMs: 60_000 })));
    expect(limited).toMatchObject({
      got: 'failure',
      verdict: { failure: 'RateLimited' },
      pausedMs: 60_000,
    });
  });

  test('masks what the API echoes of the credential, before anything is made of it', async () => {
    const { attemptFor } = setUp();
    const got = await attemptFor(
      'a',
      answers(anAnswer(200, { result: { echo: ['Basic canary'], canary: 1, n: 8 } })),
    );
    expect(got).toMatchObject({ verdict: { result: { echo: ['Basic ***'], '***': 1, n: 8 } } });
  });

  test('gives the slot back and passes the error on when the client breaks', async () => {
    const { attemptFor, limiter } = setUp();
    const broken = new Error('a bug');
    await expect(
      attemptFor('a', () => {
        throw broken;
      }),
    ).rejects.toBe(broken);
    limiter.release('PipeSettings/ingest/a');
    expect(limiter.snapshot()).toMatchObject({ inFlight: 0, waiting: 0 });
    expect(await attemptFor('a', answers(ok))).toMatchObject({ got: 'success' });
  });
});

test.each([
  ['api', '7'],
  ['another', undefined],
])(
  'the version of one Secret that was tried says nothing of another: %s',
  async (name, triedSecret) => {
    const { attemptFor, memory } = setUp();
    await attemptFor('orders', answers(anAnswer(401)));
    const object = anActivity({ spec: { credentialsSecretRef: { name } } });
    const now = { ...object, metadata: { ...object.metadata, ...aPipeSettings().metadata } };
    const secrets = { state: () => ({ state: 'unknown' }) as const };
    expect(secretFactsOf(now, { secrets, memory })).toMatchObject({ triedSecret });
  },
);

describe('without a usable key', () => {
  const problem = { reason: 'SecretInvalid', message: 'The Secret "api" cannot be used' } as const;

  test('nothing is called, no slot is taken, and the version is known to be of no use', async () => {
    const { attemptFor, calls, memory, limiter } = setUp({
      read: { ok: false, problem, resourceVersion: '7' },
    });
    expect(await attemptFor('orders', answers(ok))).toEqual({ got: 'no-credential', problem });
    expect(calls).toEqual([]);
    expect(limiter.snapshot().credentials).toBe(0);
    expect(memory.triedSecret.get(KEY)).toEqual({ name: 'api', resourceVersion: '7' });
    expect(memory.openCalls.size).toBe(0);
  });

  test('no version is tried where there is none', async () => {
    const { attemptFor, memory } = setUp({
      read: { ok: false, problem: { ...problem, reason: 'SecretNotFound' } },
    });
    await attemptFor('orders', answers(ok));
    expect(memory.triedSecret.size).toBe(0);
  });
});

describe('without a slot', () => {
  test('nothing is called or remembered, and the key is woken when there is one', async () => {
    const { attemptFor, calls, memory, clock, woken } = setUp({ rate: 1 });
    await attemptFor('first', answers(ok));
    expect(await attemptFor('orders', answers(ok))).toEqual({ got: 'no-slot' });
    expect(calls).toHaveLength(1);
    expect(memory.openCalls.has(KEY)).toBe(false);
    await clock.advance(10_000);
    expect(woken).toEqual([`PipeSettings/${KEY}`]);
    expect(await attemptFor('orders', answers(ok))).toMatchObject({ got: 'success' });
  });

  test('a new Secret still counts as untried, so that the wake-up finds something to do', async () => {
    const { attemptFor, memory } = setUp({ rate: 1 });
    memory.triedSecret.set(KEY, { name: 'api', resourceVersion: '6' });
    await attemptFor('first', answers(ok));
    await attemptFor('orders', answers(ok));
    const time = new Date(T0).toISOString();
    const waiting = {
      ...aPipeSettings(),
      status: {
        nextAttemptTime: new Date(T0 + 60_000).toISOString(),
        conditions: [
          {
            type: 'Ready',
            status: 'False',
            reason: 'Unauthorized',
            message: 'm',
            observedGeneration: 1,
            lastTransitionTime: time,
          },
        ],
      },
    };
    const secret = {
      state: 'present',
      resourceVersion: '7',
      type: undefined,
      changedAt: undefined,
    } as const;
    const triedSecret = memory.triedSecret.get(KEY)?.resourceVersion;
    const due = whenDue(waiting, { secret, triedSecret }, { confirmed: false, now: T0 });
    expect(due).toMatchObject({ do: 'call' });
  });
});

describe('a credential that was refused', () => {
  test('is not called with again, but by one that probes', async () => {
    const { attemptFor, calls } = setUp();
    expect(await attemptFor('a', answers(anAnswer(401)))).toMatchObject({
      verdict: { failure: 'Unauthorized' },
    });
    expect(await attemptFor('b', answers(ok))).toEqual({ got: 'circuit-open' });
    expect(calls).toHaveLength(1);
    expect(await attemptFor('a', answers(ok), { probe: true })).toMatchObject({ got: 'success' });
    expect(await attemptFor('b', answers(ok))).toMatchObject({ got: 'success' });
  });

  test('a thousand objects whose new Secret is wrong as well call with it once, not a thousand times', async () => {
    const { attemptFor, calls } = setUp();
    for (let index = 0; index < 1000; index += 1)
      await attemptFor(`o-${index}`, answers(anAnswer(401)));
    expect(calls).toHaveLength(1);
  });
});

test('a call that was called off is no attempt: nothing is remembered of it and the slot is free', async () => {
  const { attemptFor, memory, limiter } = setUp();
  const off: Reply = { answered: false, sent: false, cause: 'c', aborted: 'not-leader' };
  expect(await attemptFor('orders', answers(off), { begin: false })).toEqual({ got: 'called-off' });
  expect(memory.triedSecret.size).toBe(0);
  expect(limiter.snapshot()).toMatchObject({ inFlight: 0, waiting: 0 });
});

test('a call whose object has changed is called off before it counts as begun', async () => {
  const { attemptFor, calls, memory, limiter } = setUp({ rate: 1, stillWanted: () => false });
  expect(await attemptFor('orders', answers(ok))).toEqual({ got: 'called-off' });
  expect(calls).toEqual([]);
  expect(memory.triedSecret.size).toBe(0);
  expect(
    limiter.reserve({
      credential: credential.id,
      key: 'k',
      tenant: 'ingest',
      target: 't',
      lane: 'user',
    }),
  ).toEqual({ reserved: true });
});

test.each([
  {
    what: 'this version of the Secret and this generation',
    version: '7',
    generation: 1,
    got: 'success',
  },
  { what: 'another version of the Secret', version: '6', generation: 1, got: 'no-slot' },
  {
    what: 'another choice of keys in it, so another spec',
    version: '7',
    generation: 0,
    got: 'no-slot',
  },
  { what: 'no version', version: undefined, generation: 1, got: 'no-slot' },
  { what: 'another API', version: '7', generation: 1, api: 'another', got: 'no-slot' },
])('a key has a pace of its own where the status tells of $what: $got', async (row) => {
  const { attemptFor, limiter } = setUp({ rate: 1 });
  const bogus = { credential: 'bogus', key: 'bogus', tenant: 'one', target: 'bogus' };
  expect(limiter.tryStart({ ...bogus, lane: 'user' })).toHaveProperty('start');
  const applied = {
    time: new Date(T0).toISOString(),
    generation: row.generation,
    requestHash: 'sha256:1',
    responseHash: 'sha256:2',
    keys: [],
    ...(row.version !== undefined && { secretResourceVersion: row.version }),
  };
  const proof = { time: applied.time, apiHash: row.api ?? 'api' };
  const status = { observedGeneration: 1, conditions: [], applied, proof };
  expect(await attemptFor('orders', answers(ok), { status })).toMatchObject({ got: row.got });
});

test('a call that comes too late is called off before it counts as begun', async () => {
  const { attemptFor, calls } = setUp();
  const isTooLate = (): boolean => true;
  expect(await attemptFor('orders', answers(ok), { isTooLate })).toEqual({ got: 'called-off' });
  expect(calls).toEqual([]);
});

test('a call is called off while a write for another object of its target may be at work', async () => {
  const { attemptFor, calls, locks } = setUp();
  locks.begin('orders', 'uid-of-another');
  expect(await attemptFor('orders', answers(ok))).toEqual({ got: 'called-off' });
  expect(calls).toEqual([]);
});

test.each([
  ['after a success nothing', ok, false],
  ['after a refusal all', anAnswer(503), true],
  ['after one of which nobody knows what it did all', anAnswer(500), true],
])('what stays unrecorded of a write that no status tells of: %s', async (_, answer, stays) => {
  const { attemptFor, memory } = setUp();
  const { uid } = aPipeSettings({ name: 'orders' }).metadata;
  await attemptFor('orders', answers(ok));
  memory.unrecorded.lost(KEY);
  expect(memory.unrecorded.has('orders', uid)).toBe(true);
  await attemptFor('orders', answers(answer));
  memory.unrecorded.told(KEY);
  expect(memory.unrecorded.has('orders', uid)).toBe(stays);
});
