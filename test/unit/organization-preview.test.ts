import { expect, test } from 'vitest';
import { LIMITS } from '../../src/kinds/organization/limits.ts';
import type { Facts } from '../../src/kinds/organization/load.ts';
import type { Preview } from '../../src/kinds/organization/preview.ts';
import { changeBody, LOOK_BODY } from '../../src/kinds/organization/remote.ts';
import {
  FINALIZER,
  type LedgerEntry,
  type OrganizationStatus,
} from '../../src/kinds/organization/resource.ts';
import { T0 } from '../support/objects.ts';
import { at, e, entry } from '../support/organization-entries.ts';
import { aClaim, anOrganization, factsOf, planned } from '../support/organization-objects.ts';

/**
 * The bodies that are shown as what would be sent, for this ledger and the list of the last reply.
 */
function shown(ids: readonly string[], ledger: LedgerEntry, list: readonly string[]): string[] {
  const reported = list.map((id) => e(id));
  const organization = {
    id: 'o',
    privateEndpoints: reported,
    privateEndpointsTotal: reported.length,
  };
  const object = anOrganization({
    ids,
    spec: { mode: 'Plan' },
    status: { organization, privateEndpoints: [{ ...ledger, nextAttemptTime: at(60_000) }] },
  });
  const plan = planned(object);
  if (plan.do !== 'preview') throw new Error(`${plan.do} is planned`);
  return plan.plan.requests.map(({ body }) => body ?? '');
}

test('what was sent and not seen yet would be looked for, not be sent once more', () => {
  expect(shown(['a'], entry('a', { state: 'Unconfirmed' }), []), 'an add').toHaveLength(1);
  expect(shown([], entry('a', { state: 'Removing' }), ['a']), 'a removal').toHaveLength(1);
});

const MANY = ['m1', 'm2', 'm3', 'm4', 'm5', 'm6'];

interface Given {
  readonly ids: readonly string[];
  readonly ledger: readonly LedgerEntry[];
  /** Of the last reply. */
  readonly list: readonly {
    readonly id: string;
    readonly cloudProvider: string;
    readonly region: string;
  }[];
  readonly total?: number;
  /** As declared; the API has `Before`. */
  readonly name?: string;
  readonly lastRequest?: OrganizationStatus['lastRequest'];
  readonly pendingChange?: OrganizationStatus['pendingChange'];
  readonly isDeleted?: true;
  readonly adopt?: true;
  readonly facts?: Partial<Facts>;
}

/** What is shown, with `--plan-only` where it is being deleted. */
function preview(given: Given): Preview {
  const { ids, ledger, list, total = list.length, name = 'After', isDeleted, adopt } = given;
  const { lastRequest, pendingChange, facts } = given;
  const organization = {
    id: 'o',
    name: 'Before',
    privateEndpoints: [...list],
    privateEndpointsTotal: total,
  };
  const object = anOrganization({
    ids,
    spec: {
      name,
      mode: isDeleted ? 'Apply' : 'Plan',
      deletionPolicy: 'RemovePrivateEndpoints',
      ...(adopt && { adoptPrivateEndpoints: adopt }),
    },
    status: {
      organization,
      privateEndpoints: [...ledger],
      ...(lastRequest && { lastRequest }),
      ...(pendingChange && { pendingChange }),
    },
    metadata: { finalizers: [FINALIZER], ...(isDeleted && { deletionTimestamp: at(0) }) },
  });
  const plan = planned(object, { planOnly: isDeleted ?? false, ...facts });
  if (plan.do !== 'preview') throw new Error(`${plan.do} is planned`);
  return plan;
}

const fields = ({ plan }: Preview): string[] =>
  plan.changes.map(({ field, to }) => `${to === undefined ? '-' : '+'}${field}`);

test('of one that is being deleted only what is ours goes, and neither its name nor its list is sent', () => {
  const known = preview({ ids: ['a'], ledger: [entry('a')], list: [e('a')], isDeleted: true });
  expect(fields(known)).toEqual(['-privateEndpoints[a]']);
  expect(known.plan.requests).toHaveLength(2);
  expect(known.summary.message).toContain('before this object is deleted');
  const unknown = preview({
    ids: ['a', 'b'],
    ledger: [entry('a')],
    list: [e('a')],
    total: 300,
    isDeleted: true,
  });
  expect(fields(unknown)).toEqual(['-privateEndpoints[a]']);
});

test('what was refused, and is due again, is shown as sent', () => {
  const refused = entry('b', { state: 'Refused', lastError: {}, nextAttemptTime: at(-60_000) });
  const shows = preview({
    ids: ['a', 'b'],
    ledger: [entry('a'), refused],
    list: [e('a')],
  });
  expect(shows.plan.requests.at(-1)?.body).toContain('"b"');
  expect(fields(shows)).toEqual(['+name', '+privateEndpoints[b]']);
});

test('what was refused is shown as sent before its time too, as the edit to Apply makes it due', () => {
  const refused = entry('b', { state: 'Refused', lastError: {}, nextAttemptTime: at(60_000) });
  const organization = { id: 'o', privateEndpoints: [e('a')], privateEndpointsTotal: 1 };
  const object = anOrganization({
    ids: ['a', 'b'],
    spec: { mode: 'Plan' },
    status: { organization, privateEndpoints: [entry('a'), refused] },
  });
  // As it stands once the plan is in the status: nobody has asked for anything since.
  const plan = planned({
    ...object,
    status: {
      ...object.status,
      conditions: [
        {
          type: 'Ready',
          status: 'False',
          reason: 'Planned',
          message: '',
          observedGeneration: object.metadata.generation ?? 0,
          lastTransitionTime: at(0),
        },
      ],
    },
  });
  if (plan.do !== 'preview') throw new Error(`${plan.do} is planned`);
  expect(plan.plan.requests.at(-1)?.body).toContain('"b"');
});

test('an endpoint whose id the API has elsewhere is named as not touched', () => {
  const { summary } = preview({ ids: ['c'], ledger: [], list: [{ ...e('c'), region: 'r9' }] });
  expect(summary.message).toContain('not touched: c');
});

test('where the list is longer than what is kept of it, the ledger tells what is there', () => {
  const shows = preview({
    ids: ['x', 'z'],
    ledger: [entry('x'), entry('y')],
    list: [e('x')],
    total: 300,
  });
  expect(shows.plan.basis).toBe('Unknown');
  expect(fields(shows)).toEqual(['+name', '+privateEndpoints[z]', '-privateEndpoints[y]']);
});

const SUPERSEDED: Facts['standing'] = {
  ...factsOf(anOrganization()).standing,
  own: aClaim({ appliedAt: T0 - 3_600_000 }),
  others: [aClaim({ uid: 'uid-2', created: at(-1_800_000), appliedAt: T0 - 600_000 })],
};

test.each<[string, Partial<Given>, boolean]>([
  ['everything is there', {}, true],
  ['the name is another one', { name: 'After' }, false],
  ['one is missing', { ids: ['a', 'b'] }, false],
  ['one of ours is too many', { ids: [] }, false],
  ['the list is not known whole', { total: 300 }, false],
  [
    'the id of one is there in another region',
    { list: [e('a'), { ...e('c'), region: 'r9' }], ids: ['a', 'c'] },
    false,
  ],
  [
    'one was refused and is not due yet',
    {
      ids: ['a', 'b'],
      ledger: [
        entry('a'),
        entry('b', { state: 'Refused', lastError: {}, nextAttemptTime: at(60_000) }),
      ],
    },
    false,
  ],
  [
    'the removal of one was refused and is not due yet',
    { ids: [], ledger: [entry('a', { lastError: {}, nextAttemptTime: at(60_000) })] },
    false,
  ],
  [
    'the last request has no known outcome',
    { lastRequest: { operation: 'UpdateOrganization', outcome: 'Unknown', time: at(0) } },
    false,
  ],
  ['a write is in no status', { facts: { hasUnrecordedWrite: true } }, false],
  ['another object has been confirmed since', { facts: { standing: SUPERSEDED } }, false],
])('whether the plan is empty where %s', (_, given, isEmpty) => {
  const all = { ids: ['a'], ledger: [entry('a')], list: [e('a')], name: 'Before', ...given };
  expect(preview(all).summary.ready).toBe(isEmpty ? 'True' : 'False');
});

test('what would remove more than is allowed shows the look and nothing else, as Apply sends it', () => {
  const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
  const shows = preview({
    ids: [],
    ledger: ids.map((id) => entry(id)),
    list: ids.map((id) => e(id)),
  });
  expect(shows.plan.requests.map(({ body }) => body)).toEqual([LOOK_BODY]);
  expect(shows.plan.changes).toHaveLength(7);
  expect(shows.summary.message).toContain('and nothing else: 6 private endpoints would be removed');
});

test('what may be on its way is asked for before anything else, as Apply does', () => {
  const pendingChange = { time: at(0), add: [e('b')], remove: [] };
  const shows = preview({ ids: ['a', 'b'], ledger: [entry('a')], list: [e('a')], pendingChange });
  expect(shows.plan.basis).toBe('Unknown');
  expect(shows.plan.requests.map(({ body }) => body)).toEqual([LOOK_BODY]);
});

test('what has to make room goes first, and what follows it is shown as a request of its own', () => {
  const moved = { ...e('a'), region: 'r9' };
  const shows = preview({ ids: ['a'], ledger: [entry('a', moved)], list: [moved] });
  expect(shows.plan.requests.slice(2).map(({ body }) => body)).toEqual([
    changeBody({ add: [], remove: [moved] }, {}),
    changeBody({ add: [e('a')], remove: [] }, {}),
  ]);
});

test('a plan is cut to what its schema takes', () => {
  const longest = (letter: string) => (_: unknown, number: number) =>
    `${letter}${number}-${'x'.repeat(400)}`;
  const ids = Array.from({ length: LIMITS.endpoints }, longest('a'));
  const gone = Array.from({ length: LIMITS.ledger }, longest('b'));
  const ledger = gone.map((id) => entry(id));
  const exchanged = preview({ ids, ledger, list: gone.map((id) => e(id)) });
  expect(exchanged.plan.changes).toHaveLength(LIMITS.planChanges);
  const { requests } = preview({ ids, ledger: [], list: [] }).plan;
  expect(Math.max(...requests.map(({ body }) => body?.length ?? 0))).toBe(LIMITS.body);
});

test.for<[string, Given, string]>([
  [
    'what was found',
    {
      ids: ['a', 'b'],
      ledger: [entry('a', { origin: 'Found' }), entry('b')],
      list: [e('a'), e('b')],
    },
    'the owner of a:',
  ],
  ['a list that is not known', { ids: ['a'], ledger: [], list: [], total: 300 }, 'already there:'],
  [
    'removals that are too many',
    {
      ids: ['a'],
      ledger: [entry('a', { origin: 'Found' }), ...MANY.map((id) => entry(id))],
      list: ['a', ...MANY].map((id) => e(id)),
    },
    'the owner of a:',
  ],
])('a plan that adopts says so: %s', ([, given, owner]) => {
  expect(preview({ ...given, adopt: true }).summary.message).toContain(owner);
  expect(preview(given).summary.message).not.toContain('owner');
});

test('a plan says nothing of what is adopted already, or is being added', () => {
  const adopted = entry('a', { origin: 'Adopted' });
  const { summary } = preview({ ids: ['a', 'b'], ledger: [adopted], list: [e('a')], adopt: true });
  expect(summary.message).toContain('add 1 private endpoint');
  expect(summary.message).not.toContain('owner');
});

test('a plan that takes an endpoint over is not empty, and one that has taken it over is', () => {
  const given = { ids: ['a'], list: [e('a')], name: 'Before', adopt: true } as const;
  const takes = preview({ ...given, ledger: [entry('a', { origin: 'Found' })] });
  expect(takes.summary).toMatchObject({ ready: 'False', reason: 'Planned' });
  const has = preview({ ...given, ledger: [entry('a', { origin: 'Adopted' })] });
  expect(has.summary).toMatchObject({ ready: 'True', reason: 'Planned' });
});
