import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  anOrganization,
  CLEANUP_DEADLINE,
  type Crash,
  HOUR_MS,
  ID,
  organizationLoop,
} from '../support/organization-model.ts';
import { behaviour, endpoints, othersEntries, spec } from '../support/organization-model-arbitraries.ts';
import { checkBody, expectQuiet, keyOf, lifeLaws, mostCallsAnHour } from '../support/organization-model-laws.ts';
import { type Behaviour, type Entry, PLAIN } from '../support/organization-model-server.ts';

const crashes = fc.array(
  fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, fc.constantFrom<Crash[]>('before', 'after')),
  { maxLength: 8 },
);
const e = (id: string, region = 'r1') => ({ id, cloudProvider: 'gcp', region });
const others = (id: string, region = 'r1'): Entry => ({ ...e(id, region), description: '', by: 'others' });

describe('deletion with RemovePrivateEndpoints', () => {
  test.each([8, 9])('takes away what the object added, and nothing else, in time (seed %i)', (seed) => {
    fc.assert(
      fc.property(
        behaviour,
        othersEntries,
        fc.record({ privateEndpoints: endpoints, adoptPrivateEndpoints: fc.boolean() }),
        fc.constantFrom({}, { suspend: true }, { mode: 'Plan' as const }, { maxPrivateEndpointRemovals: 0 }),
        fc.nat({ max: 6 }),
        crashes,
        (behaves, entries, first, more, passes, stops) => {
          const adopted = new Set<string>();
          const loop = organizationLoop({
            behaviour: { ...behaves, ignoredAdds: 0 },
            entries,
            object: anOrganization({ ...first, deletionPolicy: 'RemovePrivateEndpoints' }),
            watch: (pass, self) => {
              checkBody(pass);
              for (const entry of self.status().privateEndpoints ?? []) {
                if (entry.origin === 'Adopted') adopted.add(keyOf(entry));
              }
            },
          });
          for (let count = 0; count < passes; count += 1) loop.pass(stops[count]);
          loop.edit(more);
          for (let count = 0; count < passes; count += 1) loop.pass();
          loop.remove();
          const deletedAt = loop.now();
          loop.run({ crashes: stops });
          expect(loop.gone()).toBe(true);
          loop.server.finish(loop.now() + HOUR_MS);
          expect(loop.server.entries().filter(({ by }) => by === 'operator')).toEqual([]);
          expect(
            loop.server
              .entries()
              .filter(({ by }) => by === 'others')
              .map(keyOf),
          ).toEqual(entries.map(keyOf));
          expect(loop.now() - deletedAt).toBeLessThan(CLEANUP_DEADLINE);
        },
      ),
      { numRuns: 400, seed },
    );
  });

  test.each([
    ['400 for ever', { refused: { ids: new Set(['-a']), status: 400, text: 'generic' } }],
    ['409 for ever', { refused: { ids: new Set(['-a']), status: 409, text: 'generic' } }],
    ['every change and every question refused', { refusesAll: 422, emptyLists: 400 }],
    ['no answer at all', { fate: Array<'lost-undone'>(400).fill('lost-undone') }],
  ] satisfies [string, Partial<Behaviour>][])('lets go at the deadline: %s', (_, behaves) => {
    const added = organizationLoop({
      object: anOrganization({ privateEndpoints: [e('a')], deletionPolicy: 'RemovePrivateEndpoints' }),
    });
    added.run();
    const loop = organizationLoop({
      behaviour: behaves,
      entries: [{ ...others('a'), by: 'operator' }],
      object: added.object(),
      watch: checkBody,
    });
    loop.remove();
    const start = loop.now();
    loop.run({ forMs: HOUR_MS });
    expect(loop.gone()).toBe(true);
    expect(loop.now() - start).toBeGreaterThanOrEqual(CLEANUP_DEADLINE - 1_000);
    expect(loop.now() - start).toBeLessThan(CLEANUP_DEADLINE + 60_000);
    expect(loop.server.calls.length).toBeLessThan(400);
  });

  test('is not given up before one attempt has failed since, however late it is', () => {
    const object = anOrganization({ privateEndpoints: [e('a')], deletionPolicy: 'RemovePrivateEndpoints' });
    const loop = organizationLoop({ object });
    loop.run();
    loop.remove();
    loop.wait(2 * CLEANUP_DEADLINE);
    loop.run();
    expect(loop.gone()).toBe(true);
    expect(loop.server.entries()).toEqual([]);
  });

  test('lets go at once where nothing was added, and without a call where nothing is held', () => {
    for (const deletionPolicy of ['Retain', 'RemovePrivateEndpoints'] as const) {
      const loop = organizationLoop({
        entries: [others('a')],
        object: anOrganization({ privateEndpoints: [e('a')], deletionPolicy }),
      });
      loop.run();
      const calls = loop.server.calls.length;
      loop.remove();
      loop.run();
      expect(loop.gone()).toBe(true);
      expect(loop.server.calls.length).toBe(calls);
      expect(loop.server.entries()).toHaveLength(1);
    }
  });
});

describe('where a list does not say what there is', () => {
  const doubtful: fc.Arbitrary<Behaviour> = fc
    .record({
      base: behaviour,
      how: fc.constantFrom<Behaviour['listless']['how'][]>('absent', 'null', 'empty'),
      count: fc.constantFrom(1, 3, 10_000),
      list: fc.constantFrom<Behaviour['list'][]>('plain', 'without-places'),
      emptyLists: fc.constantFrom(200 as const, 400 as const),
      ignoredAdds: fc.constantFrom(0, 10_000),
      stale: fc.constantFrom(0, 10_000),
    })
    .map(({ base, how, count, ...more }) => ({ ...base, ...more, listless: { how, count } }));

  test.each([10, 11])('nothing found is removed, and there is no storm (seed %i)', (seed) => {
    fc.assert(
      fc.property(
        doubtful,
        othersEntries,
        fc.array(spec, { minLength: 1, maxLength: 3 }),
        crashes,
        (behaves, entries, specs, stops) => {
          const loop = organizationLoop({
            behaviour: behaves,
            entries,
            object: anOrganization(specs[0]),
            watch: lifeLaws({ trustworthy: false, visits: 'may ask' }),
          });
          for (const next of specs.slice(1)) {
            loop.run({ forMs: 120_000, crashes: stops });
            loop.replace(next);
          }
          loop.run({ forMs: HOUR_MS, crashes: stops });
          const early = loop.server.calls.length;
          expect(early).toBeLessThan(150 + 2 * mostCallsAnHour(loop));
          loop.run({ forMs: 3 * HOUR_MS, passes: 20_000 });
          expect(loop.server.calls.length - early).toBeLessThan(3 * mostCallsAnHour(loop));
        },
      ),
      { numRuns: 250, seed },
    );
  });
});

describe('no call', () => {
  test.each([
    ['suspend', { suspend: true }],
    ['Plan', { mode: 'Plan' as const }],
  ])('is made under %s, whatever came before', (_, more) => {
    fc.assert(
      fc.property(
        behaviour,
        othersEntries,
        spec,
        spec,
        fc.nat({ max: 6 }),
        (behaves, entries, first, second, passes) => {
          const loop = organizationLoop({ behaviour: behaves, entries, object: anOrganization(first) });
          for (let count = 0; count < passes; count += 1) loop.pass();
          loop.replace({ ...second, ...more });
          const calls = loop.server.calls.length;
          loop.run();
          loop.request('now');
          loop.run();
          expect(loop.server.calls.length).toBe(calls);
          const { status } = loop.writes();
          loop.pass();
          expect(loop.writes().status).toBe(status);
        },
      ),
      { numRuns: 200, seed: 12 },
    );
  });

  test('is made for another object of the same organization, and its end takes nothing away', () => {
    const holder = organizationLoop({ object: anOrganization({ privateEndpoints: [e('a')] }) });
    holder.run();
    const loser = anOrganization({ organizationId: ID, privateEndpoints: [e('a'), e('b')] }, { uid: 'uid-2' });
    const loop = organizationLoop({ object: loser, behaviour: PLAIN });
    loop.rivals = [holder.object()];
    loop.run();
    expect(loop.reason()).toBe('TargetConflict');
    expect(loop.status().privateEndpoints).toEqual([{ ...e('a'), origin: 'Added', state: 'Present' }]);
    loop.remove();
    loop.run();
    expect(loop.server.calls).toEqual([]);
  });
});

describe('a visit that nobody asked for', () => {
  test('makes no call while the time of what was sent is waited for', () => {
    const loop = organizationLoop({
      behaviour: { emptyLists: 400, listless: { how: 'absent', count: 1 } },
      object: anOrganization({ privateEndpoints: [e('a')] }),
    });
    const waits = () => loop.peek(loop.now()).do === 'nothing';
    for (let count = 0; count < 4; count += 1) loop.pass();
    loop.restart();
    for (let count = 0; count < 2; count += 1) loop.pass();
    const calls = loop.server.calls.length;
    for (let count = 0; count < 3; count += 1) loop.pass();
    expect(loop.server.calls.length - calls).toBe(0);
    expect(waits()).toBe(true);
  });

  test('makes no call for an object that says Applied', () => {
    const loop = organizationLoop({
      behaviour: { listless: { how: 'absent', count: 10_000 } },
      object: anOrganization({ privateEndpoints: [e('a')] }),
    });
    loop.run({ forMs: 2 * HOUR_MS });
    loop.replace({ name: 'Acme' });
    loop.run({ forMs: HOUR_MS });
    expect(loop.reason()).toBe('Applied');
    expectQuiet(loop);
  });
});
