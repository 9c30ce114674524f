import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { targetOf } from '../../src/kinds/pipe-settings/load.ts';
import { holderOf } from '../../src/kinds/target.ts';
import { aPipeSettings } from '../support/objects.ts';

const at = (uid: string, created = '2026-01-01T00:00:00Z') => aPipeSettings({ name: uid, uid, created });
const nobody = (): boolean => false;

describe('who holds a target', () => {
  test('is nobody where there is no object, and the only one where there is one', () => {
    expect(holderOf([], nobody)).toBeUndefined();
    const only = at('a');
    expect(holderOf([only], nobody)).toBe(only);
  });

  test('is the oldest', () => {
    expect(holderOf([at('a', '2026-01-01T00:00:01Z'), at('b')], nobody)?.metadata.uid).toBe('b');
  });

  test('is the smaller uid among those of one second', () => {
    expect(holderOf([at('b'), at('a'), at('c')], nobody)?.metadata.uid).toBe('a');
  });

  test('is one that has acted, however young, and among several of those the oldest', () => {
    const acted = new Set(['y', 'z']);
    const objects = [at('a'), at('z', '2026-01-03T00:00:00Z'), at('y', '2026-01-02T00:00:00Z')];
    expect(holderOf(objects, ({ metadata }) => acted.has(metadata.uid))?.metadata.uid).toBe('y');
  });

  test('is the same in whatever order the objects are seen', () => {
    const objects = fc.uniqueArray(
      fc.record({ uid: fc.string(), day: fc.integer({ min: 1, max: 3 }), acted: fc.boolean() }),
      { minLength: 1, selector: ({ uid }) => uid },
    );
    fc.assert(
      fc.property(
        objects.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
        ([all, shuffled]) => {
          const acted = new Set(all.filter((one) => one.acted).map(({ uid }) => uid));
          const holder = (list: typeof all) =>
            holderOf(
              list.map(({ uid, day }) => at(uid, `2026-01-0${day}T00:00:00Z`)),
              ({ metadata }) => acted.has(metadata.uid),
            )?.metadata.uid;
          expect(holder(shuffled)).toBe(holder(all));
        },
      ),
    );
  });
});

describe('the pipe of an object', () => {
  const ids = (organizationId: unknown, serviceId: unknown, pipeId: unknown) =>
    targetOf(aPipeSettings({ rawSpec: { organizationId, serviceId, pipeId } }));

  test('is the same for the same ids, whatever else the spec says and whether or not it is valid', () => {
    expect(targetOf(aPipeSettings())).toBe(
      targetOf(aPipeSettings({ namespace: 'far', spec: { settings: { engine_max_threads: 1 } } })),
    );
    expect(ids('org', 'service', 'pipe')).toBe(targetOf(aPipeSettings()));
  });

  test('is another where any id is, also where the ids only look alike when put together', () => {
    const targets = [
      ids('a', 'b', 'c'),
      ids('a', 'b', 'd'),
      ids('a', 'd', 'c'),
      ids('d', 'b', 'c'),
      ids('a","b', 'c', ''),
      ids('a', 'b","c', ''),
    ];
    expect(new Set(targets).size).toBe(targets.length);
  });

  test('is none without a spec', () => {
    expect(targetOf(aPipeSettings({ rawSpec: undefined }))).toBeUndefined();
  });
});
