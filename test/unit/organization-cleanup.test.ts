import { expect, test } from 'vitest';
import { cleanUp } from '../../src/kinds/organization/deletion.ts';
import { Ways } from '../../src/kinds/organization/remote.ts';
import { FINALIZER } from '../../src/kinds/organization/resource.ts';
import type { Setup } from '../../src/kinds/organization/work.ts';
import type { NoCall } from '../../src/kinds/shared/calls.ts';
import { API_HASH, BASE_URL, MINUTE, readyIn, SECOND } from '../support/objects.ts';
import { type AttemptRig, type AttemptWish, attemptOn } from '../support/organization-attempt.ts';
import { appliedStatus, at, entry } from '../support/organization-entries.ts';
import { SETTLE_MS } from '../support/settlement.ts';

/** What comes of the wait for the first permit. */
interface Line {
  readonly ms?: number;
  readonly none?: NoCall;
}

/** A deleted object that has added `a` and `b`; its deadline is 10 min after T0. */
function deleted(wish: AttemptWish = {}, planOnly = false, line: Line = {}) {
  const announced: string[] = [];
  const warned: object[] = [];
  const rig = attemptOn({
    held: ['a', 'b', 'theirs'],
    status: appliedStatus([entry('a'), entry('b')]),
    metadata: { deletionTimestamp: at(0), finalizers: [FINALIZER] },
    isCleanup: true,
    ...wish,
    spec: { deletionPolicy: 'RemovePrivateEndpoints', ...wish.spec },
  });
  const setup = {
    kind: {
      planOnly,
      cleanupDeadlineMs: 10 * MINUTE,
      announce: ({ reason }: { readonly reason: string }) => void announced.push(reason),
      api: { baseUrl: BASE_URL },
      log: { warn: (fields: object) => void warned.push(fields) },
    },
    caller: {
      factsOf: () => ({ secret: { state: 'unknown' }, triedSecret: undefined, isHeld: true }),
      perform(_object: unknown, _context: unknown, _wish: unknown, act: Act) {
        rig.now += line.ms ?? 0;
        return act(rig.calls(), line.none);
      },
    },
    others: () => [],
    apiHash: API_HASH,
    settleMs: SETTLE_MS,
    ways: new Ways(),
  } as unknown as Setup;
  const reconcile = async (afterMs = 0) => {
    rig.now += afterMs;
    rig.log.length = 0;
    const result = await cleanUp(rig.object, rig.context(), setup);
    if (result.status) rig.object = { ...rig.object, status: result.status };
    return result;
  };
  return { rig, reconcile, announced, warned };
}

type Act = (calls: ReturnType<AttemptRig['calls']>, none?: NoCall) => Promise<unknown>;

const message = ({ object }: AttemptRig) => readyIn(object.status).message;
const refused = Array.from({ length: 50 }, () => 400);
const STUCK = { mishaps: { '-a -b': refused, '-a': refused, '-b': refused } };

test('removes what is its own, one change for all, and is let go at once', async () => {
  const { rig, reconcile } = deleted();
  const { did } = await reconcile();
  expect(rig.steps).toEqual(['observe', 'save -a -b', '-a -b', 'finalizer']);
  expect(did).toBe('release');
  expect(rig.held.map(({ id }) => id)).toEqual(['theirs']);
  expect(rig.emitted).not.toContain('CleanupAbandoned');
});

test('without our finalizer does nothing', async () => {
  const { rig, reconcile } = deleted({ metadata: { deletionTimestamp: at(0) } });
  expect(await reconcile()).toEqual({ next: 'on-change', did: 'nothing' });
  expect(rig.log).toEqual([]);
});

test('that waits says so, with what is left, how it ends, and what is in the way', async () => {
  const { rig, reconcile } = deleted(STUCK);
  await reconcile();
  expect(message(rig)).toBe(
    'Being deleted: still to be removed: 2 private endpoints (a, b); let go at 2026-03-01T12:10:00Z at the latest, or at once with spec.deletionPolicy: Retain. In the way: The API refused the removal of a, b: HTTP 400: no 400 (request r-5). The operator tries again by itself',
  );
});

test('is tried for the last time 30 s before the deadline, and let go at it', async () => {
  const { rig, reconcile } = deleted({ mishaps: { observe: refused } });
  await reconcile();
  await reconcile(9 * MINUTE);
  expect((await reconcile(20 * SECOND)).next).toEqual({ at: Date.parse(at(9.5 * MINUTE)) });
  expect((await reconcile(10 * SECOND)).next).toEqual({ at: Date.parse(at(10 * MINUTE)) });
  expect(rig.requests).toEqual(['observe']);
});

test('held back with the refused key of another object has a time of its own all the same, at which it may try that key', async () => {
  const { rig, reconcile } = deleted({ permits: () => ({ type: 'key-refused' }) });
  const { next } = await reconcile();
  expect(readyIn(rig.object.status).reason).toBe('Unauthorized');
  expect(rig.object.status?.nextAttemptTime).toBe(at(9.5 * MINUTE));
  expect(next).toEqual({ at: Date.parse(at(9.5 * MINUTE)) });
});

test('waits no longer than to the deadline also after an attempt that was longer than the time to the last try', async () => {
  const on: AttemptWish['on'] = (step, rig) => {
    if (step === 'observe') rig.now += 10 * SECOND;
  };
  const { reconcile } = deleted({ mishaps: { observe: refused }, on });
  expect((await reconcile(9.4 * MINUTE)).next).toEqual({ at: Date.parse(at(10 * MINUTE)) });
});

test('is let go at the deadline, and everybody is told what may be left', async () => {
  const { rig, reconcile, announced, warned } = deleted(STUCK);
  await reconcile();
  const { did, counts } = await reconcile(10 * MINUTE);
  expect(rig.requests, 'no call').toEqual([]);
  expect([did, counts]).toEqual(['abandon', { abandoned: 2 }]);
  expect(rig.emitted.at(-1)).toBe('CleanupAbandoned');
  expect(announced).toEqual(['CleanupAbandoned']);
  expect(warned).toMatchObject([{ name: 'acme', left: 'a (gcp/r1), b (gcp/r1)' }]);
});

test('is tried once after the deadline by a process that has not tried', async () => {
  const { rig, reconcile } = deleted(STUCK);
  const { did } = await reconcile(60 * MINUTE);
  expect(rig.requests[0]).toBe('observe');
  expect(did).toBe('abandon');
});

test('whose turn comes after the deadline is tried all the same', async () => {
  const { rig, reconcile } = deleted({}, false, { ms: 11 * MINUTE });
  expect((await reconcile()).did).toBe('release');
  expect(rig.held.map(({ id }) => id)).toEqual(['theirs']);
});

test('whose wait is ended so that it begins anew is not let go, and has not been tried', async () => {
  const line: Line = { ms: 11 * MINUTE, none: { type: 'not-wanted' } };
  const { rig, reconcile } = deleted({}, false, line);
  expect((await reconcile()).did).toBe('stopped');
  expect((await reconcile()).did).toBe('stopped');
  expect(rig.steps).toEqual([]);
});

test('sends nothing more once the deadline has passed in the midst of an attempt', async () => {
  const on: AttemptWish['on'] = (step, rig) => {
    if (step === 'permit') rig.now += MINUTE;
  };
  const { rig, reconcile } = deleted({ on });
  const { did } = await reconcile(9.5 * MINUTE);
  expect(rig.requests).toEqual(['observe']);
  expect(did).toBe('abandon');
});

test('whose finalizer does not go off is not released', async () => {
  const { reconcile } = deleted({ finalizer: false });
  expect((await reconcile()).did).toBe('nothing');
});

test('under --plan-only sends nothing, waits without deadline, and names Retain', async () => {
  const { rig, reconcile } = deleted({}, true);
  const { next } = await reconcile(60 * MINUTE);
  expect([rig.log, next]).toEqual([[], 'on-change']);
  expect(message(rig)).toMatch(/waits without deadline; set spec.deletionPolicy to Retain/);
});
