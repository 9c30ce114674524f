import { describe, expect, test } from 'vitest';
import { nextChange, nextStep, type Step } from '../../src/kinds/organization/attempt/next-step.ts';
import type { Notes } from '../../src/kinds/organization/attempt/notes.ts';
import {
  type FreshReply,
  type Session,
  workOf,
} from '../../src/kinds/organization/attempt/session.ts';
import type { Listing } from '../../src/kinds/organization/endpoints/endpoints.ts';
import { goalOf } from '../../src/kinds/organization/goal.ts';
import type { Organization, OrganizationSpec } from '../../src/kinds/organization/resource.ts';
import { T0 } from '../support/objects.ts';
import { at, e, entry, listing } from '../support/organization-entries.ts';
import { anOrganization, factsOf, parsedSpec } from '../support/organization-objects.ts';

const MINUTE = 60_000;
const LOOK = { step: 'look', by: 'list', body: '{"privateEndpoints":{"add":[],"remove":[]}}' };

interface Given {
  readonly object?: Organization;
  readonly know?: Partial<Notes>;
  /** Of the session. */
  readonly so?: Partial<Session>;
  /** The list of the last look, and what it was named. */
  readonly fresh?: Partial<FreshReply>;
  readonly monotonic?: number;
}

/** Of an object with a status of its own generation, unless it is given. */
function step({
  object = known(['a']),
  know = {},
  so = {},
  fresh,
  monotonic = 0,
}: Given = {}): Step {
  const spec = parsedSpec(object);
  const facts = factsOf(object, { monotonic });
  const work = workOf(
    object,
    { ...facts, notes: { ...facts.notes, ...know } },
    { spec, goal: goalOf(spec), now: T0 },
  );
  const seen = fresh && { responseHash: '', secretVersion: '', at: 0, ...fresh };
  return nextStep({ ...work, session: { ...work.session, ...(seen && { fresh: seen }), ...so } });
}

function known(
  ids: readonly string[] | undefined,
  spec: Partial<OrganizationSpec> = {},
  more: Organization['status'] = {},
) {
  const summary = {
    type: 'Ready',
    status: 'False',
    reason: 'NotConfirmed',
    message: 'm',
    lastTransitionTime: at(0),
  } as const;
  const status = { conditions: [{ ...summary, observedGeneration: 1 }], ...more };
  return anOrganization({ ...(ids && { ids }), spec, status });
}

const lookingByNameUntil = (byNameUntil: number) => ({
  looks: { missedAt: new Map(), failedInRow: 0, byNameUntil },
});
const seen = (list: Listing, name?: string) => ({ list, ...(name !== undefined && { name }) });
const named = known(['a'], { name: 'Acme' });

describe('the first step', () => {
  test.each([
    ['of a new object', anOrganization({ ids: ['a'], spec: { name: 'Acme' } })],
    [
      'after a crash with an intent',
      known(['a'], {}, { pendingChange: { time: at(0), add: [e('a')], remove: [] } }),
    ],
    ['where only a name is declared', known(undefined, { name: 'Acme' })],
  ])('is a look, %s', (_, object) => {
    expect(step({ object })).toEqual(LOOK);
  });

  test('is the declared name where that is the look for an hour, and then the look again', () => {
    const know = lookingByNameUntil(60 * MINUTE);
    expect(step({ object: named, know })).toEqual({
      step: 'look',
      by: 'name',
      body: '{"name":"Acme"}',
    });
    expect(step({ object: named, know, monotonic: 60 * MINUTE })).toEqual(LOOK);
    expect(step({ know })).toEqual(LOOK);
  });

  test('makes no call by name under RemovalBlocked, until somebody says something', () => {
    const ledger = { privateEndpoints: ['a', 'b'].map((id) => entry(id)) };
    const spec = { name: 'Acme', maxPrivateEndpointRemovals: 1 };
    const know = lookingByNameUntil(MINUTE);
    const object = known([], spec, ledger);
    expect(step({ object, know })).toEqual({ step: 'end' });
    expect(step({ object })).toEqual(LOOK);
    const edited = { ...object, metadata: { ...object.metadata, generation: 2 } };
    expect(step({ object: edited, know })).toMatchObject({ step: 'look', by: 'name' });
  });

  test('is made by name where the API keeps with another region what is declared: that is not to be removed', () => {
    const privateEndpoints = ['a', 'b'].map((id) => entry(id, { region: 'R-1' }));
    const differences = [{ field: 'privateEndpoints[a].region', declared: 'r1', reported: 'R-1' }];
    const spec = { name: 'Acme', maxPrivateEndpointRemovals: 1 };
    const know = lookingByNameUntil(MINUTE);
    const kept = known(['a', 'b'], spec, { privateEndpoints, differences });
    expect(step({ object: kept, know })).toMatchObject({ step: 'look', by: 'name' });
    const untold = known(['a', 'b'], spec, { privateEndpoints });
    expect(step({ object: untold, know })).toEqual({ step: 'end' });
  });

  test('is followed by another look where a minute went by since, three times at most', () => {
    const fresh = seen(listing());
    expect(step({ fresh, monotonic: MINUTE })).toMatchObject({ step: 'intend' });
    expect(step({ fresh, monotonic: MINUTE + 1 })).toEqual(LOOK);
    expect(step({ fresh, monotonic: MINUTE + 1, so: { looksAgain: 2 } })).toEqual(LOOK);
    expect(step({ fresh, monotonic: MINUTE + 1, so: { looksAgain: 3 } })).toMatchObject({
      step: 'intend',
    });
  });
});

describe('on a fresh list', () => {
  test('a name that differs goes by itself, once, before the endpoints', () => {
    const fresh = seen(listing(), 'Other');
    expect(step({ object: named, fresh })).toEqual({
      step: 'name',
      name: 'Acme',
      body: '{"name":"Acme"}',
    });
    expect(step({ object: named, fresh, so: { isNamed: true } })).toMatchObject({ step: 'intend' });
    expect(step({ object: named, fresh: seen(listing('a'), 'Acme') })).toEqual({
      step: 'end',
    });
  });

  test('what is to be added and removed is put on record, with the tuples alone', () => {
    const pending = { time: at(0), add: [e('a')], remove: [e('b')] };
    const object = known(
      [],
      { privateEndpoints: [{ ...e('a'), description: 'VPC' }] },
      { privateEndpoints: [entry('b')] },
    );
    expect(step({ object, fresh: seen(listing('b')) })).toEqual({ step: 'intend', pending });
  });

  test('and what this process has put on record is sent, with the description, and nothing that is empty', () => {
    const pending = { time: at(0), add: [e('a')], remove: [] };
    const object = known(
      [],
      { privateEndpoints: [{ ...e('a'), description: 'VPC' }] },
      { pendingChange: pending },
    );
    const fresh = seen(listing());
    const know = { unsent: [{ pending, at: 0 }] };
    expect(step({ object, fresh, know, so: { draft: { pendingChange: pending } } })).toEqual({
      step: 'send',
      pending,
      body: '{"privateEndpoints":{"add":[{"cloudProvider":"gcp","description":"VPC","id":"a","region":"r1"}]}}',
    });
    expect(
      step({ object, fresh, so: { draft: { pendingChange: pending } } }),
      'of another process',
    ).toEqual({
      step: 'end',
    });
  });

  test('nothing at all is sent where more would be removed than is allowed, not the name either', () => {
    const object = known(
      [],
      { name: 'Acme', maxPrivateEndpointRemovals: 0 },
      { privateEndpoints: [entry('a')] },
    );
    expect(step({ object, fresh: seen(listing('a'), 'Other') })).toEqual({ step: 'end' });
    expect(
      step({ object, fresh: { name: 'Other' } }),
      'by the ledger where no list is shown',
    ).toEqual({
      step: 'end',
    });
  });

  test('nothing is added or removed where it is unknown, and the name goes all the same', () => {
    expect(step({ fresh: {} })).toEqual({ step: 'end' });
    expect(step({ object: named, fresh: { name: 'Other' } })).toMatchObject({ step: 'name' });
  });
});

describe('after a refusal', () => {
  const adds = [e('a'), e('b')];
  const removes = [entry('x'), entry('y')];
  const retries = [{ add: [e('c')], remove: [] }];
  const decision = { add: adds, remove: removes, retries, conflicts: [], exhausted: [] };
  const session = (more: Partial<Session>): Session => ({
    anchor: '',
    draft: {},
    refusalsInRow: 0,
    drift: 0,
    notices: [],
    ...more,
  });

  test.each<[string, Partial<Session>, Partial<typeof decision>, unknown]>([
    ['that named some, the rest goes at once', {}, {}, { add: adds, remove: removes }],
    [
      'that named nobody, the removals go together',
      { isSplit: true },
      {},
      { add: [], remove: removes },
    ],
    [
      'then one add after another',
      { isSplit: true },
      { remove: [] },
      { add: [adds[0]], remove: [] },
    ],
    ['and at last what was refused before, by itself', {}, { add: [], remove: [] }, retries[0]],
    ['two in a row go on', { refusalsInRow: 2 }, {}, { add: adds, remove: removes }],
    ['three in a row stop it', { refusalsInRow: 3 }, {}, undefined],
  ])('%s', (_, so, more, change) => {
    expect(nextChange({ ...decision, ...more }, session(so))).toEqual(change);
  });
});
