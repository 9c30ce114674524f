import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { OrganizationSpec } from '../../src/kinds/organization/resource.ts';
import { anOrganization, HOUR_MS, type Loop, organizationLoop } from '../support/organization-model.ts';
import { behaviour, endpoints, othersEntries } from '../support/organization-model-arbitraries.ts';
import { keyOf, lifeLaws, mostCallsAnHour } from '../support/organization-model-laws.ts';
import { type Behaviour, PLAIN } from '../support/organization-model-server.ts';

const many = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `psc-${index}`, cloudProvider: 'gcp', region: 'r1' }));

/** One object against an API, until it waits for minutes at least. */
function once(spec: Partial<OrganizationSpec>, behaves: Partial<Behaviour>): Loop {
  const object = anOrganization(spec);
  const loop = organizationLoop({ behaviour: behaves, object, watch: lifeLaws({ trustworthy: true }) });
  loop.run({ until: () => loop.reason() !== '' && loop.reason() !== 'Pending' });
  return loop;
}

const refusing = (ids: readonly string[], more: Partial<Behaviour['refused']> = {}): Partial<Behaviour> => ({
  refused: { ids: new Set(ids), status: 400, text: 'naming', ...more },
});

describe('a refused change', () => {
  test('is taken apart: what is good gets in, each bad one is named, in about k log n calls', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.uniqueArray(fc.nat(59), { maxLength: 6 }),
        fc.constantFrom(400 as const, 404 as const, 409 as const, 410 as const, 422 as const),
        fc.boolean(),
        fc.boolean(),
        (count, picks, status, partial, named) => {
          const all = many(count);
          const bad = picks.filter((index) => index < count).map((index) => `psc-${index}`);
          const spec = { privateEndpoints: all, ...(named && { name: 'Acme' }) };
          const loop = once(spec, { partial, ...refusing(bad, { status }) });
          const there = loop.server.entries().map(({ id }) => id);
          expect(there.toSorted()).toEqual(
            all
              .map(({ id }) => id)
              .filter((id) => !bad.includes(id))
              .toSorted(),
          );
          const ledger = loop.status().privateEndpoints ?? [];
          const refused = ledger.filter(({ state }) => state === 'Refused');
          expect(refused.map(({ id }) => id).toSorted()).toEqual(bad.toSorted());
          for (const { lastError, nextAttemptTime, id } of refused) {
            expect(lastError).toMatchObject({
              httpStatus: status,
              message: expect.stringContaining(`endpoint ${id} `),
            });
            expect(Date.parse(nextAttemptTime ?? '')).toBeGreaterThan(loop.now());
          }
          expect(loop.reason()).toBe(bad.length === 0 ? 'Applied' : status === 409 ? 'Conflict' : 'Rejected');
          const each = 2 * Math.ceil(Math.log2(count)) + 2;
          expect(loop.server.calls.length).toBeLessThanOrEqual(6 + bad.length * 2 * each);
        },
      ),
      { numRuns: 40, seed: 4 },
    );
  });

  test.each([2, 3, 10, 100])(
    'that is no endpoint’s fault is recognised in a handful of calls (%i endpoints)',
    (count) => {
      const loop = once({ name: 'Acme', privateEndpoints: many(count) }, { refusesAll: 400 });
      expect(loop.reason()).toBe('Rejected');
      expect(loop.server.calls.length).toBeLessThanOrEqual(12);
      expect(loop.server.name()).toBe('Acme');
      const loopForADay = loop.server.calls.length;
      loop.run({ forMs: 24 * HOUR_MS });
      expect(loop.server.calls.length - loopForADay).toBeLessThan(12 * 12);
    },
  );

  test('of endpoints to remove is taken apart as well, and what cannot go stays ours', () => {
    const loop = organizationLoop({
      behaviour: refusing(['-psc-1', '-psc-3']),
      object: anOrganization({ privateEndpoints: many(5) }),
      watch: lifeLaws({ trustworthy: true }),
    });
    loop.run();
    loop.edit({ privateEndpoints: [] });
    loop.run({ until: () => loop.reason() !== 'Pending' });
    expect(loop.server.entries().map(({ id }) => id)).toEqual(['psc-1', 'psc-3']);
    expect(loop.status().privateEndpoints).toMatchObject([
      { id: 'psc-1', origin: 'Added', state: 'Removing', lastError: { httpStatus: 400 } },
      { id: 'psc-3', origin: 'Added', state: 'Removing', lastError: { httpStatus: 400 } },
    ]);
    expect(loop.reason()).toBe('Rejected');
  });

  test('a name that is refused does not keep the endpoints out, and is named', () => {
    const loop = once({ name: 'Acme', privateEndpoints: many(3) }, { name: 400 });
    expect(loop.server.entries()).toHaveLength(3);
    expect(loop.reason()).toBe('Rejected');
    expect(loop.status().conditions?.[0]?.message).toContain('The API refused the name');
  });

  test('a name that was refused in an attempt is sent again when the user asks in the midst of it', () => {
    const object = anOrganization({ name: 'Acme', privateEndpoints: many(3) });
    const loop = organizationLoop({ behaviour: { name: 400 }, object });
    for (let left = 10; !loop.pass().report.memo?.apart?.name; left -= 1) expect(left).toBeGreaterThan(0);
    expect(loop.peek()).not.toMatchObject({ reads: 'name' });
    loop.request('now');
    expect(loop.peek()).toMatchObject({ do: 'step', step: 'read', reads: 'name' });
    loop.run({ until: () => loop.reason() === 'Rejected' });
    expect(loop.status().lastHandledReconcileAt).toBe('now');
  });

  test('a refused endpoint’s wait grows also where something else is foremost', () => {
    const spec = { name: ' Acme ', privateEndpoints: many(2) };
    for (const [status, most] of [
      [400, 60],
      [409, 200],
    ] as const) {
      const loop = once(spec, { name: 'trimmed', ...refusing(['psc-1'], { status }) });
      loop.run({ forMs: HOUR_MS });
      expect(loop.reason()).toBe('NotConfirmed');
      expect(loop.server.calls.length).toBeLessThan(most);
    }
  });

  test('a quota lets in what has room, in a bounded number of calls', () => {
    const loop = once({ privateEndpoints: many(16) }, { quota: 5 });
    expect(loop.server.calls.length).toBeLessThan(20);
    expect(loop.reason()).toBe('Rejected');
  });
});

describe('what an API refuses for ever', () => {
  const stubborn: fc.Arbitrary<Behaviour> = fc
    .record({
      base: behaviour,
      ids: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', '-a', '-b', '-c'), { maxLength: 4 }),
      status: fc.constantFrom(400 as const, 404 as const, 409 as const, 410 as const, 422 as const),
      text: fc.constantFrom('naming' as const, 'generic' as const),
      refusesAll: fc.constantFrom(undefined, undefined, 400 as const, 422 as const),
      quota: fc.constantFrom(0, 2, 4, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY),
      name: fc.constantFrom('kept' as const, 'trimmed' as const, 400 as const),
      emptyLists: fc.constantFrom(200 as const, 400 as const, 422 as const),
    })
    .map(({ base, ids, status, text, ...more }) => ({
      ...base,
      ...more,
      refused: { ids: new Set(ids), status, text },
    }));

  test.each([5, 6, 7])('costs a bounded number of calls an hour, and takes nothing from others (seed %i)', (seed) => {
    const spec = fc.record(
      { name: fc.constantFrom(' Acme ', 'Acme'), privateEndpoints: endpoints },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(
        stubborn,
        othersEntries,
        fc.array(spec, { minLength: 1, maxLength: 3 }),
        (behaves, entries, specs) => {
          const wanted = specs.map((one) => ((one.name ?? one.privateEndpoints) ? one : { name: 'Acme' }));
          // Where the API cannot be asked, an endpoint goes out before anybody knows that it is there.
          const trustworthy = behaves.emptyLists === 200;
          const loop = organizationLoop({
            behaviour: behaves,
            entries,
            object: anOrganization(wanted[0]),
            watch: lifeLaws({ trustworthy, visits: 'may ask' }),
          });
          for (const next of wanted.slice(1)) {
            loop.run({ forMs: HOUR_MS / 4 });
            loop.replace(next);
          }
          loop.run({ forMs: HOUR_MS });
          const early = loop.server.calls.length;
          expect(early).toBeLessThan(150 + 2 * mostCallsAnHour(loop));
          loop.run({ forMs: 6 * HOUR_MS });
          expect(loop.server.calls.length - early).toBeLessThan(6 * mostCallsAnHour(loop));
          expect(loop.reason()).not.toBe('Pending');
          const declared = new Set(((loop.object().spec as OrganizationSpec).privateEndpoints ?? []).map(keyOf));
          const ledger = loop.status().privateEndpoints ?? [];
          const idle = ledger.filter(({ origin, ...entry }) => origin === 'Found' && !declared.has(keyOf(entry)));
          expect(loop.object().metadata.generation === 1 ? idle : []).toEqual([]);
        },
      ),
      { numRuns: 60, seed },
    );
  });
});

test('a server that behaves costs no more than it must', () => {
  const calls = (spec: Partial<OrganizationSpec>) => once(spec, PLAIN).server.calls.map(({ text }) => text);
  expect(calls({ name: 'Acme' })).toEqual(['{"name":"Acme"}']);
  expect(calls({ privateEndpoints: many(1) })).toEqual([
    '{"privateEndpoints":{"add":[],"remove":[]}}',
    '{"privateEndpoints":{"add":[{"cloudProvider":"gcp","id":"psc-0","region":"r1"}]}}',
  ]);
  expect(calls({ privateEndpoints: [] })).toEqual(['{"privateEndpoints":{"add":[],"remove":[]}}']);
});
