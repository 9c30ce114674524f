import { describe, expect, test } from 'vitest';
import { goOnWithSlot } from '../../src/controller/outcome.ts';
import { Notebook } from '../../src/kinds/organization/attempt/notebook.ts';
import { isUnsent, notingOpen, settlingAt } from '../../src/kinds/organization/attempt/notes.ts';
import { sessionOf, workOf } from '../../src/kinds/organization/attempt/session.ts';
import { goalOf } from '../../src/kinds/organization/goal.ts';
import type { Facts } from '../../src/kinds/organization/load.ts';
import type { NotedReport } from '../../src/kinds/organization/readiness/attempt-end.ts';
import { reportStep } from '../../src/kinds/organization/readiness/report-step.ts';
import type {
  Organization,
  OrganizationStatus,
  PendingChange,
} from '../../src/kinds/organization/resource.ts';
import { T0 } from '../support/objects.ts';
import { at, e, entry } from '../support/organization-entries.ts';
import {
  API_TIMEOUT_MS,
  anOrganization,
  factsOf,
  parsedSpec,
} from '../support/organization-objects.ts';

const PENDING: PendingChange = { time: at(0), add: [e('a')], remove: [] };

/** What comes of putting an intent on record, once there is a slot for it. */
function intended(object: Organization, facts: Facts, pending: PendingChange): NotedReport {
  const spec = parsedSpec(object);
  const work = workOf(object, facts, { spec, goal: goalOf(spec), now: T0 });
  const step = { step: 'intend', pending } as const;
  return reportStep(object, { do: 'intend', work, step, came: { got: 'slot' } }, T0);
}

test('an intent on record has its slot: its step goes ahead of what its namespace has waiting', () => {
  const object = anOrganization({ ids: ['a'] });
  expect(intended(object, factsOf(object), PENDING).outcome).toEqual(goOnWithSlot);
});

test('an intent that the process does not live to send is taken back, unless somebody has answered it meanwhile', () => {
  const object = anOrganization({ ids: ['a'] });
  const { status, lastWord } = intended(object, factsOf(object), PENDING);
  expect(status).toMatchObject({ pendingChange: PENDING });
  expect(lastWord?.status).not.toHaveProperty('pendingChange');
  expect(lastWord?.isOnTop?.({ ...object, status })).toBe(true);
  const answered = { pendingChange: { ...PENDING, refused: { httpStatus: 400 } } };
  expect(lastWord?.isOnTop?.({ ...object, status: answered })).toBe(false);
});

test('an intent is not taken back over what another process has recorded since, while it stands there still', () => {
  const object = anOrganization({ ids: ['a', 'b'], status: { privateEndpoints: [entry('b')] } });
  const { status, lastWord } = intended(object, factsOf(object), PENDING);
  const lastRequest = {
    operation: 'UpdateOrganization',
    outcome: 'Succeeded',
    time: at(20_000),
  } as const;
  // A look of that one has missed what the draft of this one has as Present.
  const privateEndpoints = [entry('b', { state: 'Missing', nextAttemptTime: at(80_000) })];
  expect(
    lastWord?.isOnTop?.({ ...object, status: { ...status, lastRequest, privateEndpoints } }),
  ).toBe(false);
});

test('an intent that stands on record unsent is still known as that when the next one is not put there', () => {
  const fresh = anOrganization({ ids: ['a'] });
  const facts = factsOf(fresh);
  const { notes: first = facts.notes } = intended(fresh, facts, PENDING);
  const object = { ...fresh, status: { ...fresh.status, pendingChange: PENDING } };
  const next = { ...PENDING, time: at(12_000) };
  const { notes = facts.notes } = intended(
    object,
    factsOf(object, { notes: first, monotonic: 12_000 }),
    next,
  );
  expect(isUnsent(notes, next)).toBe(true);
  expect(isUnsent(notes, PENDING)).toBe(true);
  const { draft } = sessionOf(object, notes, 20_000);
  expect(draft).not.toHaveProperty('pendingChange');
});

test('what another process has noted as being removed by an intent that never left is there as before', () => {
  const fresh = anOrganization({ ids: [], status: { privateEndpoints: [entry('a'), entry('b')] } });
  const facts = factsOf(fresh);
  const pending = { ...PENDING, add: [], remove: [e('a')] };
  const { notes = facts.notes } = intended(fresh, facts, pending);
  const [removing, other] = [entry('a'), entry('b')].map((one) => ({
    ...one,
    state: 'Removing',
    nextAttemptTime: at(95_000),
  }));
  const object = {
    ...fresh,
    status: { ...fresh.status, pendingChange: pending, privateEndpoints: [removing, other] },
  };
  const { draft } = sessionOf(object as Organization, notes, 20_000);
  expect(draft.privateEndpoints).toEqual([entry('a'), other]);
});

test('what another process has taken for added by an intent that never left is nobody’s, and an event says so', () => {
  const fresh = anOrganization({
    ids: ['a', 'b', 'c'],
    status: { privateEndpoints: [entry('c')] },
  });
  const facts = factsOf(fresh);
  const pending = { ...PENDING, add: [e('a'), e('b')] };
  const { notes = facts.notes } = intended(fresh, facts, pending);
  const unseen = entry('b', { state: 'Unconfirmed', nextAttemptTime: at(95_000) });
  const privateEndpoints = [entry('A'), unseen, entry('c')];
  const object = {
    ...fresh,
    status: { ...fresh.status, pendingChange: pending, privateEndpoints },
  };
  const { draft, notices } = sessionOf(object, notes, 20_000);
  expect(draft.privateEndpoints).toEqual([entry('A', { origin: 'Found' }), entry('c')]);
  expect(notices).toMatchObject([
    { reason: 'OwnershipUnknown', note: expect.stringMatching(/: A .*, b /) },
  ]);
});

test.each(['as it stood', 'with it'])(
  'an intent adds no time to what was sent before: the object is read %s',
  (read) => {
    const atWorkMs = API_TIMEOUT_MS + 60_000;
    const [over, left] = [
      entry('a', { state: 'Unconfirmed' }),
      entry('b', { state: 'Unconfirmed' }),
    ];
    const object = anOrganization({ ids: ['a', 'b'], status: { privateEndpoints: [over, left] } });
    const notebook = new Notebook(atWorkMs);
    const first = notebook.of(object, 0);
    // The look of this attempt has settled the one.
    const session = sessionOf(object, first, 0);
    const draft = { ...session.draft, privateEndpoints: [left] };
    const facts = factsOf(object, {
      notes: { ...first, session: { ...session, draft } },
      monotonic: atWorkMs,
    });
    const { status, notes = first } = intended(object, facts, PENDING);
    notebook.set(object, notes);
    const now =
      read === 'with it' ? { ...object, status: { ...object.status, ...status } } : object;
    const later = notebook.of(now, atWorkMs + 1_000);
    expect([later.atWork.settlesAt, settlingAt(later.atWork, left)]).toEqual([atWorkMs, atWorkMs]);
    expect(notingOpen(later.atWork, now.status)).toEqual(later.atWork);
  },
);

test('an intent that is withdrawn before it has left adds no time to what was sent before', () => {
  const left = entry('b', { state: 'Unconfirmed' });
  const object = anOrganization({ ids: ['a', 'b'], status: { privateEndpoints: [left] } });
  const notebook = new Notebook(API_TIMEOUT_MS + 60_000);
  const first = notebook.of(object, 0);
  const {
    status,
    lastWord,
    notes = first,
  } = intended(object, factsOf(object, { notes: first }), PENDING);
  notebook.set(object, notes);
  notebook.of({ ...object, status: { ...object.status, ...status } }, 20_000);
  // As the engine writes it where an edit comes first.
  const withdrawn = { ...object, status: { ...object.status, ...lastWord?.status } };
  expect(settlingAt(notebook.of(withdrawn, 30_000).atWork, left)).toBe(API_TIMEOUT_MS + 60_000);
});

describe('an intent that did not get on record', () => {
  const KEY = 'ingest/acme';
  const AT_WORK = API_TIMEOUT_MS + 60_000;
  const left = entry('b', { state: 'Unconfirmed' });
  const lastRequest = { operation: 'UpdateOrganization', outcome: 'Unknown', time: at(0) } as const;
  const sent = anOrganization({
    ids: ['a', 'b'],
    spec: { name: 'Acme' },
    status: { privateEndpoints: [left], lastRequest },
    metadata: { generation: 2 },
  });

  /**
   * What is known of an object once its intent has been lost, where the call before it has learned
   * this.
   */
  const lost = (
    object: Organization,
    standing: Organization,
    {
      before,
      learned,
    }: { readonly before?: PendingChange; readonly learned?: OrganizationStatus } = {},
  ) => {
    const notebook = new Notebook(AT_WORK);
    const first = notebook.of(object, 0);
    const unsent = before && [{ pending: before, at: 0 }];
    const notes = { ...first, ...(unsent && { unsent }) };
    const session = sessionOf(object, notes, AT_WORK);
    const draft = {
      ...session.draft,
      ...learned,
      lastRequest: { ...lastRequest, outcome: 'Succeeded', time: at(AT_WORK) },
    } as const;
    const facts = factsOf(object, {
      notes: { ...notes, session: { ...session, draft } },
      monotonic: AT_WORK,
    });
    notebook.set(object, intended(object, facts, PENDING).notes ?? first);
    notebook.lost(KEY, standing, AT_WORK);
    return { notebook, notes: notebook.of(standing, AT_WORK), draft };
  };
  const edited = { ...sent, metadata: { ...sent.metadata, resourceVersion: '8' } };

  test('leaves what stands there the word of this process, with the time that it had', () => {
    const { notes } = lost(sent, edited);
    expect([notes.atWork.settlesAt, settlingAt(notes.atWork, left)]).toEqual([AT_WORK, AT_WORK]);
    expect(notes.lostNames).toEqual([{ settlesAt: AT_WORK }]);
  });

  test('leaves what the SEND before it has left open, where that is written after all, the word of this process too', () => {
    const privateEndpoints = [left, entry('a', { state: 'Unconfirmed' })];
    const { notebook, draft } = lost(sent, edited, { learned: { privateEndpoints } });
    const notes = notebook.of({ ...edited, status: draft }, AT_WORK + 1_000);
    expect([notes.atWork.settlesAt, settlingAt(notes.atWork, left)]).toEqual([AT_WORK, AT_WORK]);
    expect(notes.lostNames).toEqual([{ settlesAt: AT_WORK }]);
  });

  test('leaves the one before it, which stands there, unsent', () => {
    const before = { ...PENDING, time: at(-1_000) };
    const object = { ...sent, status: { ...sent.status, pendingChange: before } };
    const { notes } = lost(object, object, { before });
    expect([isUnsent(notes, before), isUnsent(notes, PENDING)]).toEqual([true, false]);
  });

  test('and that stands there to the letter, by another process, takes no time from what was open before it', () => {
    const { notes } = lost(sent, { ...edited, status: { ...sent.status, pendingChange: PENDING } });
    expect([notes.atWork.settlesAt, settlingAt(notes.atWork, left)]).toEqual([
      2 * AT_WORK,
      AT_WORK,
    ]);
  });
});
