import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Claim,
  judgeTarget,
  type Standing,
  type Verdict,
} from '../../src/kinds/target/target.ts';
import { SECOND, T0 } from '../support/objects.ts';

/** A claim of an object that could act and that the API has never answered; its name is its uid. */
function a(uid: string, more: Partial<Claim> = {}): Claim {
  return {
    uid,
    namespace: 'here',
    name: uid,
    created: '2026-03-01T11:00:00Z',
    proven: false,
    able: true,
    refused: false,
    answered: false,
    appliedAt: undefined,
    provenAt: undefined,
    unknownAt: undefined,
    calledAt: undefined,
    ...more,
  };
}

const CALM = {
  waits: false,
  unlisted: false,
  atWorkMs: 5 * SECOND,
  unsettledMs: undefined,
  courtesyMs: 0,
};

function judged(own: Claim, others: readonly Claim[], more: Partial<Standing> = {}): Verdict {
  return judgeTarget({ own, others, ...CALM, ...more }, T0);
}

/** The uids of those that may act, however long they may have to wait for it. */
function holders(claims: readonly Claim[]): string[] {
  return claims
    .filter(
      (own) =>
        judged(
          own,
          claims.filter((one) => one !== own),
        ).holds,
    )
    .map(({ uid }) => uid);
}

const early = { created: '2026-03-01T10:00:00Z' };
const late = { created: '2026-03-01T11:30:00Z' };
const far = { namespace: 'far' };
const proven = { proven: true };

describe('who may act', () => {
  test.for<[string, Claim[], string[]]>([
    ['the only one', [a('x')], ['x']],
    ['the oldest of a namespace', [a('x'), a('y', early)], ['y']],
    ['the smaller uid among those of one second', [a('y'), a('x'), a('z')], ['x']],
    ['the proven one, however young', [a('x', early), a('y', { ...late, ...proven })], ['y']],
    [
      'the oldest of several proven ones, as after two shards became one',
      [a('x', proven), a('y', { ...proven, ...early })],
      ['y'],
    ],
    [
      'a proven one that could not act now: suspended, planned, invalid, without Secret, being deleted',
      [a('x', { ...proven, able: false }), a('y', early)],
      ['x'],
    ],
    ['a proven one of another namespace', [a('x', early), a('y', { ...proven, ...far })], ['y']],
    [
      'a proven one whose key is refused, while its proof lasts',
      [a('x', { ...proven, refused: true }), a('y', early)],
      ['x'],
    ],
    [
      'the first that could act',
      [a('x', { able: false, ...early }), a('y'), a('z', late)],
      ['x', 'y'],
    ],
    [
      'the next, and the oldest, whose key was refused, at its own waits',
      [a('x', { refused: true, ...early }), a('y'), a('z', late)],
      ['x', 'y'],
    ],
    [
      'all whose keys were refused, at their own waits, where there is nobody else',
      [a('x', { refused: true }), a('y', { refused: true })],
      ['x', 'y'],
    ],
    [
      'one of each namespace, where nobody is proven',
      [a('x', early), a('y'), a('z', far), a('zz', { ...far, ...late })],
      ['x', 'z'],
    ],
  ])('%s', ([, claims, uids]) => {
    expect(holders(claims)).toEqual(uids);
  });

  test('does not depend on the order in which the objects were seen, and is at most one of a namespace where keys were not refused', () => {
    const claim = fc.record({
      uid: fc.string(),
      namespace: fc.constantFrom('here', 'far'),
      created: fc.constantFrom(early.created, late.created),
      proven: fc.boolean(),
    });
    const claims = fc.uniqueArray(claim, { minLength: 1, selector: ({ uid }) => uid });
    fc.assert(
      fc.property(
        claims.chain((all) =>
          fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
        ),
        ([all, shuffled]) => {
          const made = (list: typeof all): string[] =>
            holders(list.map(({ uid, ...more }) => a(uid, more))).toSorted();
          expect(made(shuffled)).toEqual(made(all));
          const most = all.some((one) => one.proven)
            ? 1
            : new Set(all.map(({ namespace }) => namespace)).size;
          expect(made(all)).toHaveLength(most);
        },
      ),
    );
  });
});

describe('who waits', () => {
  test('is told who holds the target, but not of objects of another namespace', () => {
    const holder = { uid: 'y', namespace: 'here', name: 'y' };
    expect(judged(a('x'), [a('y', proven)])).toEqual({ holds: false, why: 'held', holder });
    expect(judged(a('x'), [a('y', early)])).toEqual({ holds: false, why: 'turn', holder });
    expect(judged(a('x'), [a('y', { ...proven, ...far })])).toEqual({ holds: false, why: 'held' });
  });

  test('goes on waiting while a namespace is out of sight, also when nobody else is seen', () => {
    expect(judged(a('x', proven), [], { waits: true, unlisted: true })).toEqual({
      holds: false,
      why: 'unlisted',
    });
    expect(judged(a('x'), [], { unlisted: true })).toEqual({ holds: true });
    expect(judged(a('x'), [], { waits: true })).toEqual({ holds: true });
  });
});

describe('a turn', () => {
  test('does not come before the write of another is settled, whoever holds the target', () => {
    for (const own of [a('x'), a('x', proven)]) {
      expect(judged(own, [], { unsettledMs: 5 * SECOND })).toEqual({
        holds: true,
        turn: { why: 'unsettled', until: T0 + 5 * SECOND },
      });
    }
  });

  test('comes later for the younger of two that appear together in different namespaces', () => {
    const courtesy = { courtesyMs: 3 * SECOND };
    const waits = { holds: true, turn: { why: 'courtesy', until: T0 + 3 * SECOND } };
    expect(judged(a('x'), [a('y', { ...far, ...early })], courtesy)).toEqual(waits);
    expect(judged(a('y', { ...far, ...early }), [a('x')], courtesy)).toEqual({ holds: true });
    for (const no of [{ able: false }, { answered: true }, late]) {
      expect(judged(a('x'), [a('y', { ...far, ...early, ...no })], courtesy)).toEqual({
        holds: true,
      });
    }
    expect(judged(a('x', proven), [a('y', { ...far, ...early })], courtesy)).toEqual({
      holds: true,
    });
  });
});

describe('what was confirmed', () => {
  const at = (seconds: number): number => T0 + seconds * SECOND;
  const against = (own: number, rival: Partial<Claim>): number | undefined => {
    const verdict = judged(a('x', { ...proven, ...early, appliedAt: own }), [
      a('y', { ...proven, ...rival }),
    ]);
    return verdict.holds ? verdict.againAt : undefined;
  };

  test.for<[string, number, Partial<Claim>, number | undefined]>([
    [
      'stands against what a rival had confirmed long before',
      at(-10),
      { appliedAt: at(-16), provenAt: at(-16) },
      undefined,
    ],
    [
      'is sent again after a rival was confirmed',
      at(-10),
      { appliedAt: at(-5), provenAt: at(-5) },
      at(-4),
    ],
    [
      'is sent again after the second in which both were confirmed',
      at(0),
      { appliedAt: at(0) },
      at(1),
    ],
    [
      'is sent once more where what a rival had confirmed shortly before may have been carried out after it',
      at(-10),
      { appliedAt: at(-14), provenAt: at(-15) },
      at(-8),
    ],
    [
      'is sent again where the API took something of a rival and reported another value',
      at(-10),
      { provenAt: at(-5) },
      at(-4),
    ],
    [
      'is sent again after a write of a rival of which nobody knows what it did',
      at(-10),
      { unknownAt: at(-5) },
      at(-4),
    ],
    [
      'is sent again after a call of a rival that was refused, since that may hide a lost one',
      at(-10),
      { calledAt: at(-5) },
      at(-4),
    ],
    [
      'stands against what a rival was refused in the same second',
      at(-10),
      { calledAt: at(-10) },
      undefined,
    ],
    ['stands against what a rival was refused before', at(-10), { calledAt: at(-11) }, undefined],
    [
      'stands against a time in the future, which a wrong clock has written',
      at(-10),
      { appliedAt: at(60) },
      undefined,
    ],
    [
      'is sent again where a rival that came later was confirmed by a clock that was behind',
      at(-10),
      { created: '2026-03-01T11:59:55Z', appliedAt: at(-3_600), provenAt: at(-3_600) },
      at(-4),
    ],
    [
      'is sent again where a rival that came later was confirmed by a clock that was ahead',
      at(-10),
      { created: '2026-03-01T11:59:55Z', appliedAt: at(3_600), provenAt: at(3_600) },
      at(-4),
    ],
    ['stands against a rival that came later and was never answered', at(-10), late, undefined],
    ['is sent again where its own time lies in the future', at(60), { appliedAt: at(-5) }, at(-4)],
    [
      'is sent again at once where both lie in the future: a clock that has gone back says nothing of their order',
      at(70),
      { created: '2026-03-01T12:01:00Z', appliedAt: at(60) },
      1_001,
    ],
    ['stands in the future against a rival that was never answered', at(60), {}, undefined],
  ])('%s', ([, own, rival, expected]) => {
    expect(against(own, rival)).toBe(expected);
  });

  test.for([
    ['is sent again after a rival was confirmed that is gone', -5, -4],
    ['stands against what that one had confirmed long before', -16, undefined],
    ['stands against a time of that one that lies in the future by now', 5, undefined],
  ] as const)('%s', ([, departedAt, again]) => {
    const own = a('x', { ...proven, appliedAt: at(-10) });
    const { created, ...never } = a('y', { created: '2026-03-01T11:00:00Z' });
    const verdict = judged(own, [], {
      departed: [{ created, ...never, appliedAt: at(departedAt) }],
    });
    expect(verdict).toEqual({ holds: true, ...(again !== undefined && { againAt: at(again) }) });
  });

  test('is sent again after a call of one that is gone, also where another one that is gone has a time in the future', () => {
    const { created, ...never } = a('y', { created: '2026-03-01T11:00:00Z' });
    const departed = [at(70), at(-5)].map((appliedAt) => ({ created, ...never, appliedAt }));
    const verdict = judged(a('x', { ...proven, appliedAt: at(-10) }), [], { departed });
    expect(verdict).toEqual({ holds: true, againAt: at(-4) });
  });

  test('is nothing where nothing of it was', () => {
    expect(judged(a('x', proven), [a('y', { appliedAt: at(-5) })])).toEqual({ holds: true });
  });
});
