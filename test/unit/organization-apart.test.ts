import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Apart, afterAcceptance, afterRefusal, nextPart } from '../../src/kinds/organization/apart.ts';
import { NO_CHANGE } from '../../src/kinds/organization/change.ts';
import { tupleKey } from '../../src/kinds/organization/endpoints.ts';
import { nextChange } from '../../src/kinds/organization/next-change.ts';

const e = (id: string) => ({ id, cloudProvider: 'gcp', region: 'r1' });
const many = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => e(`${prefix}${index}`));
type Wanted = { readonly add: readonly ReturnType<typeof e>[]; readonly remove: readonly ReturnType<typeof e>[] };

/** Sends what is left, part after part, to an API that says what it refuses, until there is nothing more to send. */
function takeApart(wanted: Wanted, says: (ids: readonly string[]) => string | undefined, name?: string) {
  let left = wanted;
  let apart: Apart | undefined;
  const calls: string[][] = [];
  for (let sent: Wanted = wanted; sent.add.length + sent.remove.length > 0 && calls.length < 1_000; ) {
    const ids = [...sent.remove, ...sent.add].map(({ id }) => id);
    calls.push(ids);
    const message = says(ids);
    const pending = {
      time: '',
      ...(apart === undefined && name !== undefined && { name }),
      ...sent,
      add: [...sent.add],
      remove: [...sent.remove],
    };
    if (message === undefined) {
      const done = new Set(ids);
      left = { add: left.add.filter(({ id }) => !done.has(id)), remove: left.remove.filter(({ id }) => !done.has(id)) };
      if (apart) apart = afterAcceptance(apart);
      if (!apart) break;
    } else apart = afterRefusal(apart, pending, { httpStatus: 400, message }, 1);
    const next = nextPart(apart, left);
    apart = next.apart;
    sent = { add: [], remove: [], ...(next.part && { [next.part.op]: next.part.endpoints }) };
  }
  return { calls, left: [...left.remove, ...left.add].map(({ id }) => id), apart };
}
const naming = (bad: ReadonlySet<string>) => (ids: readonly string[]) => {
  const first = ids.find((id) => bad.has(id));
  return first === undefined ? undefined : `${first} is not valid`;
};

describe('a refused change', () => {
  test('is taken apart until only the refused ones are left, each named, in k log n calls', () => {
    fc.assert(
      fc.property(
        fc.nat(100),
        fc.nat(100),
        fc.uniqueArray(fc.nat(199), { maxLength: 8 }),
        fc.boolean(),
        (adds, removes, picks, named) => {
          const wanted = { add: many('a', adds), remove: many('r', removes) };
          const all = [...wanted.remove, ...wanted.add].map(({ id }) => id);
          const bad = new Set(picks.map((pick) => all[pick]).filter((id) => id !== undefined));
          const { calls, left, apart } = takeApart(wanted, naming(bad), named ? 'Acme' : undefined);
          expect(left.toSorted()).toEqual([...bad].toSorted());
          const refused = apart?.refused.map(({ key, refusal }) => [key, refusal.message]) ?? [];
          expect(Object.fromEntries(refused)).toEqual(
            Object.fromEntries([...bad].map((id) => [tupleKey(e(id)), `${id} is not valid`])),
          );
          expect(refused).toHaveLength(bad.size);
          const depth = Math.ceil(Math.log2(Math.max(adds, removes, 2))) + 1;
          expect(calls.length).toBeLessThanOrEqual(4 + 2 * depth * bad.size);
          // Adds and removes are never asked for together again.
          for (const ids of calls.slice(1)) expect(new Set(ids.map(([letter]) => letter)).size).toBe(1);
        },
      ),
      { numRuns: 500, seed: 40 },
    );
  });

  test.each([3, 4, 7, 50, 100])(
    'whose halves are refused alike is no endpoint’s fault: a handful of calls for %i',
    (count) => {
      const { calls, left, apart } = takeApart({ add: many('a', count), remove: [] }, () => 'validation failed');
      expect(calls.length).toBeLessThanOrEqual(4);
      expect(apart?.stopped).toMatchObject({ op: 'add', refusal: { message: 'validation failed' } });
      expect(left).toHaveLength(count);
    },
  );

  test('of two names both, although they are refused alike', () => {
    const { apart } = takeApart({ add: many('a', 2), remove: [] }, () => 'validation failed');
    expect(apart?.stopped).toBeUndefined();
    expect(apart?.refused.map(({ key }) => key)).toEqual(many('a', 2).map(tupleKey));
  });

  test('stops for adds alone where removes are fine', () => {
    const says = (ids: readonly string[]) => (ids.some((id) => id.startsWith('a')) ? 'no adds here' : undefined);
    const { left, apart } = takeApart({ add: many('a', 8), remove: many('r', 8) }, says);
    expect(left).toEqual(many('a', 8).map(({ id }) => id));
    expect(apart?.stopped?.op).toBe('add');
  });

  test('with another HTTP status in the other half goes on', () => {
    const wanted = { time: '', add: many('a', 4), remove: [] };
    let apart = afterRefusal(undefined, wanted, { httpStatus: 400, message: 'HTTP 400' }, 1);
    apart = afterRefusal(apart, { ...wanted, add: many('a', 2) }, { httpStatus: 400, message: 'HTTP 400' }, 1);
    apart = afterRefusal(apart, { ...wanted, add: wanted.add.slice(2) }, { httpStatus: 409, message: 'HTTP 409' }, 1);
    expect(apart.stopped).toBeUndefined();
    expect(apart.parts).toHaveLength(4);
  });

  test('sends the first half first', () => {
    const { calls } = takeApart({ add: many('a', 4), remove: [] }, naming(new Set(['a3'])));
    expect(calls).toEqual([['a0', 'a1', 'a2', 'a3'], ['a0', 'a1'], ['a2', 'a3'], ['a2'], ['a3']]);
  });

  test('of another generation starts anew', () => {
    const old = afterRefusal(
      undefined,
      { time: '', add: many('a', 2), remove: many('r', 1) },
      { httpStatus: 400, message: 'x' },
      1,
    );
    const anew = afterRefusal(old, { time: '', add: many('b', 1), remove: [] }, { httpStatus: 400, message: 'y' }, 2);
    expect(anew).toMatchObject({ generation: 2, refused: [{ key: tupleKey(e('b0')) }] });
  });

  test('skips what turned out to be done', () => {
    const apart = afterRefusal(
      undefined,
      { time: '', add: many('a', 2), remove: many('r', 2) },
      { httpStatus: 400, message: 'x' },
      1,
    );
    const next = nextPart(apart, { add: many('a', 2), remove: [] });
    expect(next.part).toMatchObject({ op: 'add', endpoints: many('a', 2) });
  });
});

test('what goes next is one endpoint where the API cannot be asked, and else all of it', () => {
  const change = { ...NO_CHANGE, add: many('a', 2), remove: many('r', 2) };
  expect(nextChange(undefined, change, { oneAtATime: false }).left).toMatchObject({
    add: change.add,
    remove: change.remove,
  });
  expect(nextChange(undefined, change, { oneAtATime: true }).left).toEqual({ add: many('a', 1), remove: [] });
  const apart: Apart = {
    generation: 1,
    refused: [{ op: 'add', key: tupleKey(e('a0')), refusal: { httpStatus: 400, message: 'x' } }],
  };
  expect(nextChange(apart, change, { oneAtATime: false }).left).toMatchObject({
    add: [e('a1')],
    remove: change.remove,
  });
});
