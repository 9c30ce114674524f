import { describe, expect, test } from 'vitest';
import { awaitChange } from '../../src/controller/outcome.ts';
import type { Notes } from '../../src/kinds/organization/attempt/notes.ts';
import { sessionOf } from '../../src/kinds/organization/attempt/session.ts';
import type { Facts } from '../../src/kinds/organization/load.ts';
import { report, reportUnproven } from '../../src/kinds/organization/report.ts';
import type {
  Organization,
  OrganizationStatus,
  PendingChange,
} from '../../src/kinds/organization/resource.ts';
import { T0 } from '../support/objects.ts';
import { at, e, entry, listing } from '../support/organization-entries.ts';
import {
  aClaim,
  anOrganization,
  carriedOut,
  factsOf,
  planned,
} from '../support/organization-objects.ts';

const AT_WORK_MS = 95_000;
const PENDING: PendingChange = { time: at(0), add: [e('b')], remove: [] };
const stored = anOrganization({
  ids: ['a', 'b'],
  status: { privateEndpoints: [entry('a', { origin: 'Added' })], pendingChange: PENDING },
});

/** What comes of it where an older object is proven too. */
function yielded(
  object: Organization,
  more: Partial<Facts> & { readonly know?: Partial<Notes> } = {},
) {
  const older = aClaim({ uid: 'uid-0', namespace: 'elsewhere', created: at(-7_200_000) });
  const standing = { ...factsOf(object).standing, others: [older] };
  const { atWork } = factsOf(object).notes;
  const know = { ...more.know, atWork: { ...atWork, settlesAt: AT_WORK_MS } };
  const plan = planned(object, { ...more, standing, know });
  expect(plan.do).toBe('yield');
  const { status, notices = [], outcome } = report(object, carriedOut(plan), T0);
  const written: OrganizationStatus | undefined = status;
  const notes = notices.map(({ note }) => note);
  return { status: written, events: notices.map(({ reason }) => reason), notes, outcome };
}

test('an intent stays on record until it is settled, although another object holds: that one waits for it', () => {
  const { status, events, outcome } = yielded(stored, { monotonic: 5_000 });
  expect(status).toMatchObject({
    pendingChange: PENDING,
    privateEndpoints: stored.status?.privateEndpoints,
  });
  expect(status?.conditions?.[0]?.reason).toBe('TargetConflict');
  expect(events).not.toContain('OwnershipLost');
  expect(outcome).toEqual({ next: 'recheck', at: T0 + AT_WORK_MS - 5_000 });
});

test.each<[string, Parameters<typeof yielded>[1]]>([
  ['is settled', { monotonic: AT_WORK_MS }],
  ['never left', { know: { unsent: [{ pending: PENDING, at: 0 }] } }],
])('where it %s, what was this object’s is so no more', (_, more) => {
  const { status, events } = yielded(stored, more);
  expect(status).not.toHaveProperty('pendingChange');
  expect(status?.privateEndpoints).toMatchObject([{ id: 'a', origin: 'Found' }]);
  expect(events).toContain('OwnershipLost');
});

test('whose turn is over between two steps says first what it has been answered', () => {
  const { notes, standing } = factsOf(stored);
  const begun = sessionOf(stored, notes, 0);
  const lastRequest = {
    operation: 'UpdateOrganization',
    outcome: 'Succeeded',
    time: at(0),
  } as const;
  const { pendingChange: _, ...answered } = {
    ...begun.draft,
    privateEndpoints: [entry('a'), entry('b')],
    lastRequest,
  };
  const told = { type: 'Normal', reason: 'Applied', note: 'added b' } as const;
  const fresh = { list: listing('a', 'b'), responseHash: '', secretVersion: '', at: 0 };
  const session = { ...begun, draft: answered, fresh, notices: [told], drift: 1 };
  const plan = planned(stored, {
    standing: { ...standing, unsettledMs: 5_000 },
    know: { session },
  });
  expect(plan).toMatchObject({ do: 'yield', to: { why: 'unsettled' } });
  const { status, notices, counts } = report(stored, carriedOut(plan), T0);
  expect(status).toMatchObject({ privateEndpoints: answered.privateEndpoints, lastRequest });
  expect(status).not.toHaveProperty('pendingChange');
  expect([notices, counts]).toEqual([[told], { drift: 1 }]);
});

test('what was lost, and is in the ledger by now, is named once', () => {
  const privateEndpoints = [entry('b', { state: 'Unconfirmed' })];
  const object = { ...stored, status: { ...stored.status, privateEndpoints } };
  const notes = yielded(object, { monotonic: AT_WORK_MS }).notes.filter((note) =>
    note.includes('no longer tracked'),
  );
  expect(notes).toEqual([expect.stringMatching(/^[^(]*: b \(gcp\/r1\)\. /)]);
});

test('what another API had shown is forgotten, also where nothing there is this object’s', () => {
  const proof = { time: at(0), apiHash: 'sha256:other-api' };
  const organization = { name: 'Acme', privateEndpoints: [e('theirs')], privateEndpointsTotal: 1 };
  const object = anOrganization({ ids: [], status: { proof, organization } });
  const plan = planned(object);
  expect(plan).toEqual({ do: 'disown', lost: [] });
  const { status, notices } = report(object, carriedOut(plan), T0);
  expect(status).not.toHaveProperty('organization');
  expect(notices).toEqual([]);
  expect(planned(anOrganization({ ids: [], status: status ?? {} })).do).toBe('step');
});

describe('an add that no list has shown when the hold ends', () => {
  const unseen = entry('b', { state: 'Unconfirmed', nextAttemptTime: at(0) });
  const privateEndpoints = [entry('a', { state: 'Missing', nextAttemptTime: at(0) }), unseen];
  const proof = { time: at(0), apiHash: 'sha256:other-api' };
  const stillOpen = [
    { id: 'a', origin: 'Found', state: 'Present' },
    { ...unseen, origin: 'Found' },
  ];

  test('stays open where another object is proven, so that it counts when it was in vain', () => {
    const { status } = yielded(anOrganization({ ids: ['a', 'b'], status: { privateEndpoints } }));
    expect(status?.privateEndpoints).toMatchObject(stillOpen);
  });

  test('stays open where the proof has ended', () => {
    const object = anOrganization({ ids: ['a', 'b'], status: { privateEndpoints } });
    const { status, notices = [] } = reportUnproven(
      { status: { privateEndpoints }, outcome: awaitChange, did: 'step' },
      object,
    );
    expect(status).toMatchObject({ privateEndpoints: stillOpen });
    expect(notices.map(({ note }) => note).join()).toContain('a (gcp/r1), b (gcp/r1)');
  });

  test('is of no interest at another API, but is named', () => {
    const object = anOrganization({ ids: ['a', 'b'], status: { privateEndpoints, proof } });
    const { status, notices = [] } = report(object, carriedOut(planned(object)), T0);
    expect(status).toMatchObject({ privateEndpoints: stillOpen.slice(0, 1) });
    expect(notices.map(({ note }) => note).join()).toContain('a (gcp/r1), b (gcp/r1)');
  });
});
