import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anOrganization, type Crash, HOUR_MS, type Loop, organizationLoop } from '../support/organization-model.ts';
import { behaviour, othersEntries, spec } from '../support/organization-model-arbitraries.ts';
import { expectReached, lifeLaws } from '../support/organization-model-laws.ts';
import type { Behaviour } from '../support/organization-model-server.ts';

const crash = fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, fc.constantFrom<Crash[]>('before', 'after'));
const edit = fc.record({ spec, passes: fc.nat({ max: 6 }), crashes: fc.array(crash, { maxLength: 8 }) });
const life = fc.array(edit, { minLength: 1, maxLength: 3 });

/** Looks once an hour and can do nothing more. */
function isStuck(loop: Loop): boolean {
  return loop.reason() === 'EndpointConflict' || loop.reason() === 'RemovalBlocked';
}

/** The edits one after another, each so many passes after the one before, and then to the end. Gives the calls since the last edit. */
function live(loop: Loop, edits: readonly (typeof edit extends fc.Arbitrary<infer T> ? T : never)[]): number {
  const [first, ...more] = edits;
  let calls = 0;
  let { crashes } = first ?? { crashes: [] };
  for (const next of more) {
    for (let count = 0; count < next.passes; count += 1) loop.pass(crashes[count]);
    loop.replace(next.spec);
    crashes = next.crashes;
    calls = loop.server.calls.length;
  }
  loop.run({ crashes, until: () => isStuck(loop) });
  return loop.server.calls.length - calls;
}

describe('whatever the API does that wears off', () => {
  const disturbances = ({ fate, ignoredAdds, stale, listless }: Behaviour): number =>
    fate.length + ignoredAdds + stale + listless.count;

  test.each([1, 2, 3])(
    'the declared state is reached in a bounded number of calls, and then there is silence (seed %i)',
    (seed) => {
      fc.assert(
        fc.property(behaviour, othersEntries, life, (behaves, entries, edits) => {
          const object = anOrganization(edits[0]?.spec);
          const loop = organizationLoop({
            behaviour: behaves,
            entries,
            object,
            watch: lifeLaws({ trustworthy: true }),
          });
          const calls = live(loop, edits);
          expectReached(loop);
          expect(calls).toBeLessThan(8 + 3 * disturbances(behaves) + 8);
          if (isStuck(loop)) return;
          const before = loop.writes();
          for (const wait of [0, 60_000, HOUR_MS / 2]) {
            loop.wait(wait);
            loop.pass();
          }
          expect(loop.writes()).toEqual(before);
        }),
        { numRuns: 400, seed },
      );
    },
  );
});

const e = (id: string) => ({ id, cloudProvider: 'gcp', region: 'r1' });

test('more endpoints than the status keeps are asked for again before anything is decided', () => {
  const others = Array.from({ length: 230 }, (_, index) => ({
    ...e(`o${index}`),
    description: '',
    by: 'others' as const,
  }));
  const loop = organizationLoop({ entries: others, object: anOrganization({ privateEndpoints: [e('o225')] }) });
  loop.run();
  expect(loop.reason()).toBe('Applied');
  loop.edit({ privateEndpoints: [e('o225'), e('o226'), e('a')] });
  loop.run();
  expect(loop.server.calls.map(({ text }) => text).slice(-2)).toEqual([
    '{"privateEndpoints":{"add":[],"remove":[]}}',
    '{"privateEndpoints":{"add":[{"cloudProvider":"gcp","id":"a","region":"r1"}]}}',
  ]);
});

test('what a reply without a list leaves open is ours when a list shows it', () => {
  const behaviour = { listless: { how: 'absent' as const, count: 1 } };
  const known = organizationLoop({ object: anOrganization({ privateEndpoints: [] }) });
  known.run();
  const next = organizationLoop({ object: known.object(), behaviour });
  next.edit({ privateEndpoints: [e('a'), e('b')] });
  next.pass();
  next.pass();
  expect(next.status().pendingChange?.add).toHaveLength(2);
  next.run();
  expect(next.status().privateEndpoints?.map(({ origin }) => origin)).toEqual(['Added', 'Added']);
  expect(next.server.calls.filter(({ body }) => body.privateEndpoints?.add?.length === 2)).toHaveLength(1);
});
