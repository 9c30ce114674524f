import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inheritance } from '../../src/kinds/organization/inheritance.ts';
import type { OrganizationStatus } from '../../src/kinds/organization/resource.ts';
import { API_TIMEOUT, anOrganization, CLEANUP_DEADLINE, organizationLoop } from '../support/organization-model.ts';
import { behaviour, othersEntries, spec } from '../support/organization-model-arbitraries.ts';
import { type Entry, PLAIN } from '../support/organization-model-server.ts';

const e = (id: string, description?: string) => ({
  id,
  cloudProvider: 'gcp',
  region: 'r1',
  ...(description !== undefined && { description }),
});
const entry = (id: string, by: Entry['by'], description = ''): Entry => ({ ...e(id, description), description, by });

describe('Plan mode', () => {
  test('shows byte for byte what Apply then sends', () => {
    const seen = { changes: 0, two: 0, none: 0 };
    fc.assert(
      fc.property(behaviour, othersEntries, spec, spec, (behaves, entries, first, second) => {
        const api = { ...PLAIN, match: behaves.match, order: behaves.order, list: behaves.list };
        const loop = organizationLoop({ behaviour: api, entries, object: anOrganization(first) });
        loop.run({ until: () => true });
        loop.replace({ ...second, mode: 'Plan' });
        loop.run();
        const shown = loop.status().plan;
        expect(loop.reason()).toBe('Planned');
        const before = loop.server.calls.length;
        loop.replace(second);
        loop.run({ until: () => true });
        const sent = loop.server.calls.slice(before).map(({ text }) => text);
        const planned = shown?.requests.map(({ body }) => body) ?? [];
        const isKnown = shown?.basis === 'LastResponse';
        expect(planned).toEqual(isKnown ? sent : sent.slice(0, 1));
        seen[planned.length === 0 ? 'none' : planned.length === 1 ? 'changes' : 'two'] += 1;
      }),
      { numRuns: 1500, seed: 50 },
    );
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(5);
  });

  test('keeps its time while it stays the same, and writes nothing then', () => {
    const loop = organizationLoop({ object: anOrganization({ privateEndpoints: [e('a')], mode: 'Plan' }) });
    loop.run();
    const before = { plan: loop.status().plan, writes: loop.writes().status };
    loop.wait(60_000);
    loop.request('again');
    loop.run();
    expect(loop.status().plan).toEqual(before.plan);
    loop.wait(60_000);
    loop.pass();
    expect(loop.writes().status).toBe(before.writes + 1);
  });
});

describe('a waiting object', () => {
  const holder = (status: OrganizationStatus) => anOrganization({ privateEndpoints: [] }, { uid: 'uid-0', status });
  const waiting = anOrganization({ privateEndpoints: [e('a'), e('b'), e('c'), e('d')] });
  const held = { cloudProvider: 'gcp', region: 'r1', state: 'Present' } as const;

  test('takes over what the holder added or adopted of what it lists, with its origin, and nothing it found', () => {
    const privateEndpoints = [
      { id: 'a', origin: 'Added', ...held } as const,
      { id: 'b', origin: 'Adopted', ...held } as const,
      { id: 'c', origin: 'Found', ...held } as const,
      { id: 'z', origin: 'Added', ...held } as const,
    ];
    expect(inheritance(waiting, holder({ privateEndpoints }), API_TIMEOUT)).toEqual(privateEndpoints.slice(0, 2));
  });

  test('takes what is on its way for ours until a list decides', () => {
    const pendingChange = { time: '2026-03-01T12:00:00Z', add: [e('a'), e('z')], remove: [e('b')] };
    expect(inheritance(waiting, holder({ pendingChange }), API_TIMEOUT)).toEqual([
      { ...e('a'), origin: 'Added', state: 'Unconfirmed', nextAttemptTime: '2026-03-01T12:00:40Z' },
    ]);
  });

  test('another tuple under the same id is another endpoint', () => {
    const elsewhere = { ...held, id: 'a', region: 'r2', origin: 'Added' } as const;
    expect(inheritance(waiting, holder({ privateEndpoints: [elsewhere] }), API_TIMEOUT)).toEqual([]);
  });

  test('keeps what the holder added when it takes over, and may remove it then', () => {
    const old = organizationLoop({ object: anOrganization({ privateEndpoints: [e('a')] }, { uid: 'uid-0' }) });
    old.run();
    const next = organizationLoop({
      entries: [entry('a', 'operator')],
      object: anOrganization({ privateEndpoints: [e('a')] }),
    });
    next.rivals = [old.object()];
    next.run({ forMs: 1_000 });
    next.rivals = [];
    next.run();
    expect(next.status().privateEndpoints).toMatchObject([{ id: 'a', origin: 'Added', state: 'Present' }]);
    next.edit({ privateEndpoints: [] });
    next.run();
    expect(next.server.entries()).toEqual([]);
  });

  test('spares the holder’s deletion what it lists', () => {
    const loop = organizationLoop({
      object: anOrganization({ privateEndpoints: [e('a'), e('b')], deletionPolicy: 'RemovePrivateEndpoints' }),
    });
    loop.run();
    const rival = anOrganization({ privateEndpoints: [e('b')] }, { uid: 'uid-2' });
    const inherited = inheritance(rival, loop.object(), API_TIMEOUT);
    loop.rivals = [{ ...rival, status: { privateEndpoints: [...inherited] } }];
    loop.remove();
    loop.run({ forMs: CLEANUP_DEADLINE });
    expect(loop.gone()).toBe(true);
    expect(loop.server.entries().map(({ id }) => id)).toEqual(['b']);
  });
});

describe('a description', () => {
  const applied = (declared: string | undefined, there: string) => {
    const loop = organizationLoop({
      entries: [entry('a', 'others', there)],
      object: anOrganization({ privateEndpoints: [e('a', declared)] }),
    });
    loop.run();
    return loop;
  };

  test.each([
    [undefined, ''],
    [undefined, 'other'],
    ['', ''],
    ['mine', 'mine'],
  ])('declared as %o and reported as %o is no difference', (declared, there) => {
    expect(applied(declared, there).status().differences).toBeUndefined();
  });

  test.each([
    ['mine', 'other'],
    ['mine', ''],
    ['', 'other'],
  ])('declared as %o and reported as %o is reported and never sent', (declared, there) => {
    const loop = applied(declared, there);
    expect(loop.status().differences).toEqual([
      { field: 'privateEndpoints[a].description', declared, reported: there },
    ]);
    expect(loop.status().conditions).toMatchObject([{ type: 'Ready', status: 'True', reason: 'Applied' }]);
    expect(loop.server.calls.map(({ text }) => text)).toEqual(['{"privateEndpoints":{"add":[],"remove":[]}}']);
  });

  test('that is empty leaves its key out of an add', () => {
    const loop = organizationLoop({ object: anOrganization({ privateEndpoints: [e('a', ''), e('b', 'text')] }) });
    loop.run();
    expect(loop.server.calls.at(-1)?.body.privateEndpoints?.add).toEqual([e('a'), e('b', 'text')]);
  });
});

describe('drift', () => {
  test('is an undeclared name that changed and an endpoint of ours that is gone, which is put back; others’ are none', () => {
    const loop = organizationLoop({
      entries: [entry('x', 'others')],
      object: anOrganization({ privateEndpoints: [e('a'), e('x')] }),
    });
    loop.run();
    loop.server.byOthers(() => []);
    loop.request('look');
    loop.run();
    expect(loop.status().drift).toMatchObject([{ field: 'privateEndpoints[a]', from: 'gcp/r1' }]);
    expect(loop.server.entries().map(({ id }) => id)).toEqual(['a', 'x']);
    expect(loop.status().privateEndpoints).toMatchObject([
      { id: 'a', origin: 'Added' },
      { id: 'x', origin: 'Added' },
    ]);
  });

  test('is told once, and put back without the name, which was confirmed', () => {
    const loop = organizationLoop({ object: anOrganization({ name: 'Acme', privateEndpoints: [e('a')] }) });
    loop.run();
    loop.server.byOthers(() => []);
    for (const value of ['one', 'two']) {
      loop.request(value);
      loop.run();
    }
    expect(loop.status().drift).toHaveLength(1);
    const putBack = '{"privateEndpoints":{"add":[{"cloudProvider":"gcp","id":"a","region":"r1"}]}}';
    expect(loop.server.calls.map(({ text }) => text).filter((text) => text === putBack)).toHaveLength(1);
  });
});

test.each([404, 410] as const)('a second %i of the organization lets go; the first one waits', (gone) => {
  const object = anOrganization({ privateEndpoints: [e('a')], deletionPolicy: 'RemovePrivateEndpoints' });
  const added = organizationLoop({ object });
  added.run();
  const loop = organizationLoop({ entries: [], behaviour: { gone }, object: added.object() });
  loop.remove();
  const start = loop.now();
  loop.run({ until: () => true });
  expect(loop.gone()).toBe(false);
  expect([loop.reason(), loop.status().attempts]).toEqual(['NotFound', 1]);
  const calls = loop.server.calls.length;
  loop.run();
  expect(loop.server.calls.length).toBeGreaterThan(calls);
  expect(loop.gone()).toBe(true);
  expect(loop.now() - start).toBeGreaterThan(40_000);
  expect(loop.now() - start).toBeLessThan(CLEANUP_DEADLINE / 2);
});
