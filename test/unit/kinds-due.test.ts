import { describe, expect, test } from 'vitest';
import { timestamp } from '../../src/kinds/shared/canonical.ts';
import { type CallFacts, type Due, whenDue } from '../../src/kinds/shared/due.ts';
import type { KubeObject } from '../../src/kube/resource.ts';
import type { SecretState } from '../../src/kube/secrets.ts';
import { HOUR, MINUTE, REQUESTED_AT, T0 } from '../support/objects.ts';

interface Wanted {
  readonly reason?: string;
  readonly status?: 'True' | 'False' | 'Unknown';
  /** In milliseconds from now. */
  readonly next?: number;
  readonly appliedAgo?: number;
  readonly generation?: number;
  readonly requested?: string;
  readonly handled?: string;
}

function object({ reason, next, appliedAgo, ...wanted }: Wanted): KubeObject {
  const { status = reason === 'Applied' || reason === 'Fetched' ? 'True' : 'False' } = wanted;
  const condition = {
    type: 'Ready',
    status,
    reason,
    message: 'm',
    observedGeneration: 1,
    lastTransitionTime: timestamp(T0 - HOUR),
  };
  return {
    metadata: {
      name: 'o',
      namespace: 'n',
      uid: 'u',
      resourceVersion: '1',
      creationTimestamp: timestamp(T0 - HOUR),
      generation: wanted.generation ?? 1,
      ...(wanted.requested && { annotations: { [REQUESTED_AT]: wanted.requested } }),
    },
    status: {
      ...(reason && { conditions: [condition] }),
      ...(next !== undefined && { nextAttemptTime: timestamp(T0 + next) }),
      ...(appliedAgo !== undefined && { applied: { time: timestamp(T0 - appliedAgo) } }),
      ...(wanted.handled && { lastHandledReconcileAt: wanted.handled }),
    },
  };
}

const present = (resourceVersion: string): SecretState => ({
  state: 'present',
  resourceVersion,
});
const tried = { secret: present('1'), triedSecret: '1' };
const now = (priority: 'user' | 'scheduled'): Due => ({ type: 'now', priority });
const later = (at?: number): Due =>
  at === undefined ? { type: 'later' } : { type: 'later', at: T0 + at };

function due(
  wanted: Wanted,
  facts: Partial<CallFacts> = {},
  asked: { confirmed?: boolean; reassertInterval?: string } = {},
) {
  return whenDue(
    object(wanted),
    { ...tried, isHeld: true, ...facts },
    { confirmed: true, now: T0, ...asked },
  );
}

describe('an object is due', () => {
  test.for<[string, Due, Due]>([
    ['at once for a person, where nobody has visited it', due({}), now('user')],
    [
      'at once for a person, where it was edited',
      due({ reason: 'Applied', generation: 2 }),
      now('user'),
    ],
    ['at once on request', due({ reason: 'Applied', requested: 'x' }), now('user')],
    [
      'not for a request that was acted on',
      due({ reason: 'Applied', requested: 'x', handled: 'x' }),
      later(),
    ],
    ['never, where what is declared is confirmed', due({ reason: 'Applied' }), later()],
    [
      'at once, where something else is confirmed',
      due({ reason: 'Applied' }, {}, { confirmed: false }),
      now('scheduled'),
    ],
    [
      'at once, where it was suspended or planned before',
      due({ reason: 'Planned' }),
      now('scheduled'),
    ],
    [
      'at once, where it waited for its permit before a start',
      due({ reason: 'Pending', status: 'Unknown' }),
      now('scheduled'),
    ],
    [
      'at once, where the other object is gone',
      due({ reason: 'TargetConflict', next: MINUTE }),
      now('scheduled'),
    ],
    ['at the time of the status', due({ reason: 'Unavailable', next: MINUTE }), later(MINUTE)],
    [
      'and at that time, where its key was refused',
      due({ reason: 'Unauthorized', next: 0 }),
      now('scheduled'),
    ],
    [
      'no later than its class allows, whatever a clock has written',
      due({ reason: 'Unavailable', next: 48 * HOUR }),
      later(15 * MINUTE),
    ],
    [
      'when the limiter has woken it, where its key was refused',
      due({ reason: 'Unauthorized', next: MINUTE }, { isHeld: false }),
      now('scheduled'),
    ],
    [
      'to ask for its turn, where the key was refused for another',
      due({ reason: 'Unauthorized' }),
      now('scheduled'),
    ],
    [
      'not by that, for any other failure',
      due({ reason: 'Rejected', next: MINUTE }, { isHeld: false }),
      later(MINUTE),
    ],
  ])('%s', ([, found, expected]) => {
    expect(found).toEqual(expected);
  });

  test('for its next assertion, spread over a tenth of its interval', () => {
    const reassertInterval = '1h';
    const asked = { reassertInterval };
    const next = due({ reason: 'Applied', appliedAgo: 0 }, {}, asked);
    expect(next).toMatchObject({ type: 'later' });
    const at = next.type === 'later' ? (next.at ?? 0) : 0;
    expect(at).toBeGreaterThanOrEqual(T0 + HOUR);
    expect(at).toBeLessThanOrEqual(T0 + 1.1 * HOUR + 1_000);
    const over = due({ reason: 'Applied', appliedAgo: at - T0 }, {}, asked);
    expect(over).toEqual(now('scheduled'));
    // A clock that jumped has written that it was confirmed in a year.
    expect(due({ reason: 'Applied', appliedAgo: -8760 * HOUR }, {}, asked)).toEqual(next);
  });
});

describe('with another Secret', () => {
  const NEW: Partial<CallFacts> = { secret: present('2') };
  const FIRST: Partial<CallFacts> = { triedSecret: undefined };
  const is = (state: 'absent' | 'forbidden' | 'unknown'): Partial<CallFacts> => ({
    secret: { state },
  });
  const NOW = now('scheduled');
  const NOT = later(MINUTE);
  test.for<[string, string, Partial<CallFacts>, Due]>([
    ['a refused key is tried at once', 'Unauthorized', NEW, NOW],
    ['so is what was not found', 'NotFound', NEW, NOW],
    ['so is a refused request', 'Rejected', NEW, NOW],
    ['so is what was forbidden', 'Forbidden', NEW, NOW],
    ['so is whatever else had failed', 'Unavailable', NEW, NOW],
    ['a missing one that came is tried', 'SecretNotFound', {}, NOW],
    ['a missing one that is still missing is not', 'SecretNotFound', is('absent'), NOT],
    ['a missing one is not, as long as it is not known', 'SecretNotFound', is('unknown'), NOT],
    ['one that may be read now is tried', 'SecretForbidden', {}, NOW],
    ['one that may still not be read is not', 'SecretForbidden', is('forbidden'), NOT],
    ['one that cannot be used is tried when it was changed', 'SecretInvalid', NEW, NOW],
    ['and not before', 'SecretInvalid', {}, NOT],
    ['nothing is tried as long as it is not known', 'Unauthorized', is('unknown'), NOT],
    ['nothing is tried because it is gone', 'Unavailable', is('absent'), NOT],
    ['but of a refused key that it is gone is said', 'Unauthorized', is('absent'), NOW],
    ['or that it may not be read', 'SecretInvalid', is('forbidden'), NOW],
    ['after a start, a refused key is tried', 'Unauthorized', FIRST, NOW],
    ['after a start, what was not found is tried', 'NotFound', FIRST, NOW],
    ['after a start, a refused request is tried', 'Rejected', FIRST, NOW],
    ['after a start, what was forbidden is tried', 'Forbidden', FIRST, NOW],
    ['after a start, an API that was away is left its time', 'Unavailable', FIRST, NOT],
    ['after a start, an echo that differs is left its time', 'NotConfirmed', FIRST, NOT],
  ])('%s', ([, reason, facts, expected]) => {
    expect(due({ reason, next: MINUTE }, facts)).toEqual(expected);
  });

  test('nothing is sent again that is confirmed', () => {
    expect(due({ reason: 'Applied' }, NEW)).toEqual(later());
  });
});
