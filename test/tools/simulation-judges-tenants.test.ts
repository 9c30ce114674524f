import { describe, expect, it } from 'vitest';
import type { Account, Left } from '../simulation/tenants/account.ts';
import { differences } from '../simulation/tenants/beside.ts';

const LOOK = 'PATCH {"privateEndpoints":{"add":[],"remove":[]}}';
const PIPE = 'pipe o/service/p';

function account(calls: readonly Left[], more: Partial<Account> = {}): Account {
  const none = new Map<string, string>();
  return { objects: none, api: none, events: none, calls: new Map([[PIPE, calls]]), ...more };
}

function rules(alone: Account, beside: Account): string[] {
  return differences(alone, beside).map(({ rule }) => rule);
}

/** Calls that leave at these seconds. */
function left(...all: readonly (readonly [string, number])[]): Left[] {
  return all.map(([text, seconds]) => ({ text, at: seconds * 1_000 }));
}

describe('beside another tenant', () => {
  const ONE = left(['PUT 1', 1], ['PUT 2', 60]);

  it.each(['objects', 'api', 'events'] as const)(
    'what B has of %s is as it is without him, and nothing is more or less',
    (part) => {
      const as = (...entries: [string, string][]): Account =>
        account(ONE, { [part]: new Map(entries) });
      expect(rules(as(['o1', 'is']), as(['o1', 'is']))).toEqual([]);
      expect(rules(as(['o1', 'is']), as(['o1', 'was']))).toEqual([`tenants ${part}`]);
      expect(rules(as(['o1', 'is']), as())).toEqual([`tenants ${part}`]);
      expect(rules(as(), as(['o1', 'is']))).toEqual([`tenants ${part}`]);
    },
  );

  it('B changes the same in the same order; what is sent again at once, and looks, change nothing', () => {
    const again = left(['PUT 1', 1], [LOOK, 2], ['PUT 1', 3], ['PUT 2', 60]);
    expect(rules(account(ONE), account(again))).toEqual([]);
    const other = left(['PUT 2', 1], ['PUT 1', 60]);
    expect(rules(account(ONE), account(other))).toContain('tenants calls');
    const back = left(['PUT 1', 1], ['PUT 2', 60], ['PUT 1', 61]);
    expect(rules(account(ONE), account(back))).toEqual(['tenants calls']);
    expect(rules(account(ONE), account([]))).toContain('tenants calls');
  });

  it('B sends three calls more at most, and none less', () => {
    const looks = (count: number): Left[] => [
      ...ONE,
      ...left(...Array.from({ length: count }, () => [LOOK, 61] as const)),
    ];
    expect(rules(account(ONE), account(looks(3)))).toEqual([]);
    expect(rules(account(ONE), account(looks(4)))).toEqual(['tenants pace']);
    expect(rules(account(looks(1)), account(ONE))).toEqual(['tenants pace']);
  });

  it('B waits for twelve seconds at most, where calls come between too', () => {
    const at = (seconds: number): Account =>
      account(left([LOOK, 1], ['PUT 1', 1], ['PUT 2', seconds]));
    expect(rules(account(ONE), at(72))).toEqual([]);
    expect(rules(account(ONE), at(72.001))).toEqual(['tenants late']);
    expect(rules(account(ONE), at(30))).toEqual([]);
  });
});
