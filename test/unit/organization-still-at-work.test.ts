import { describe, expect, test } from 'vitest';
import {
  afterLeaving,
  type Notes,
  settlingAt,
  withOpen,
} from '../../src/kinds/organization/attempt/notes.ts';
import { sessionOf, workOf } from '../../src/kinds/organization/attempt/session.ts';
import { tupleKey } from '../../src/kinds/organization/endpoints/endpoints.ts';
import { goalOf } from '../../src/kinds/organization/goal.ts';
import { endAttempt } from '../../src/kinds/organization/readiness/attempt-end.ts';
import type { Organization, OrganizationStatus } from '../../src/kinds/organization/resource.ts';
import { T0 } from '../support/objects.ts';
import { at, e, entry, listing } from '../support/organization-entries.ts';
import { AT_WORK, book, open, PENDING, stored } from '../support/organization-intent.ts';
import { anOrganization, factsOf, parsedSpec, planned } from '../support/organization-objects.ts';

const MINUTE = 60_000;

describe('a change that another process sent', () => {
  test.each([
    ['an intent', { pendingChange: PENDING }],
    ['an Unconfirmed entry', { privateEndpoints: [entry('a', { state: 'Unconfirmed' })] }],
    ['a Removing entry', { privateEndpoints: [entry('a', { state: 'Removing' })] }],
  ] as const)('counts from when this one first saw %s, whatever time it bears', (_, status) => {
    const notebook = book();
    expect(notebook.of(stored(status), 5_000).atWork.settlesAt).toBe(5_000 + AT_WORK);
    expect(notebook.of(stored(status), 80_000).atWork.settlesAt).toBe(5_000 + AT_WORK);
  });

  test('counts anew where another one is seen, and where the object is another one under the same name', () => {
    const notebook = book();
    notebook.of(open, 0);
    const later = stored({ pendingChange: { ...PENDING, time: at(MINUTE) } });
    expect(notebook.of(later, MINUTE).atWork.settlesAt).toBe(MINUTE + AT_WORK);
    const notes = notebook.of(later, MINUTE);
    notebook.set(later, { ...notes, atWork: { ...notes.atWork, looks: 2 } });
    const theirs = stored({
      lastRequest: { operation: 'x', outcome: 'Unknown', time: at(90_000) },
      pendingChange: PENDING,
    });
    expect(notebook.of(theirs, 90_000), 'and is looked at as early').toMatchObject({
      atWork: { looks: 0 },
    });
    const anew: Organization = { ...later, metadata: { ...later.metadata, uid: 'uid-2' } };
    expect(notebook.of(anew, 2 * MINUTE).atWork.settlesAt).toBe(2 * MINUTE + AT_WORK);
  });

  test.each(['Unknown', 'Busy', 'Succeeded'] as const)(
    'may have been another name: %s tells of the last request only',
    (outcome) => {
      const lastRequest = { operation: 'UpdateOrganization', outcome, time: at(0) } as const;
      const created = anOrganization({ spec: { name: 'Acme' }, status: { lastRequest } });
      const edited = { ...created, metadata: { ...created.metadata, generation: 2 } };
      expect(book().of(edited, 0).lostNames).toEqual([{ settlesAt: AT_WORK }]);
      expect(book().of(created, 0).lostNames).toEqual([{ name: 'Acme', settlesAt: AT_WORK }]);
    },
  );

  test('has settled before what was applied', () => {
    const lastRequest = {
      operation: 'UpdateOrganization',
      outcome: 'Succeeded',
      time: at(0),
    } as const;
    const { time } = lastRequest;
    const applied = stored({
      lastRequest,
      applied: { time, generation: 1, requestHash: 'sha256:one', keys: ['name'] },
    });
    const edited = { ...applied, metadata: { ...applied.metadata, generation: 2 } };
    expect(book().of(edited, 0).lostNames).toEqual([]);
  });
});

test('that the API does not know the organization is over with what another process was answered since', () => {
  const notebook = book();
  const failed = {
    operation: 'UpdateOrganization',
    outcome: 'Rejected',
    httpStatus: 404,
    time: at(0),
  } as const;
  const object = stored({ lastRequest: failed });
  const deletion = { notFoundSince: 0, isGone: true };
  notebook.set(object, { ...notebook.of(object, 0), deletion });
  expect(notebook.of(object, MINUTE)).toMatchObject({ deletion });
  const others = stored({
    lastRequest: { operation: 'UpdateOrganization', outcome: 'Succeeded', time: at(MINUTE) },
  });
  const later = notebook.of(others, 2 * MINUTE);
  expect(later.deletion).toEqual({});
});

describe('an entry that was left open', () => {
  const ledger = [entry('a', { state: 'Unconfirmed', nextAttemptTime: at(0) })];
  const [unconfirmed] = ledger;
  const status: OrganizationStatus = {
    privateEndpoints: ledger,
    pendingChange: { ...PENDING, add: [e('b')] },
  };
  const lastRequest = {
    operation: 'UpdateOrganization',
    outcome: 'Succeeded',
    time: at(25_000),
  } as const;
  const until = (notes: Notes) => unconfirmed && settlingAt(notes.atWork, unconfirmed);

  test('settles when what left it open does, whatever is sent after it', () => {
    const notebook = book();
    const notes = notebook.of(stored({ privateEndpoints: ledger }), 5_000);
    notebook.set(stored(status), withOpen(notes, status));
    notebook.leaves(stored(status), 20_000);
    const later = notebook.of(stored(status), 30_000);
    expect([until(later), later.atWork.settlesAt]).toEqual([5_000 + AT_WORK, 20_000 + AT_WORK]);
  });

  test('settles so too where an edit ends the attempt, and the last word of that is written', () => {
    const notebook = book();
    const notes = notebook.of(stored({ privateEndpoints: ledger }), 5_000);
    notebook.set(stored(status), withOpen(notes, status));
    notebook.leaves(stored(status), 20_000);
    const draft = {
      privateEndpoints: [...ledger, entry('b', { state: 'Unconfirmed' })],
      lastRequest,
    };
    const sent = notebook.of(stored(status), 25_000);
    notebook.set(stored(status), {
      ...sent,
      session: { ...sessionOf(stored(status), sent, 25_000), draft },
    });
    const told = notebook.of(stored(draft), 30_000);
    expect([until(told), told.atWork.settlesAt]).toEqual([5_000 + AT_WORK, 20_000 + AT_WORK]);
    const intent = stored({ ...draft, pendingChange: PENDING });
    expect(notebook.of(intent, 40_000).atWork.settlesAt).toBe(40_000 + AT_WORK);
  });

  test('counts anew where another process has recorded a request of its own since', () => {
    const notebook = book();
    notebook.of(stored(status), 5_000);
    expect(until(notebook.of(stored({ privateEndpoints: ledger, lastRequest }), 30_000))).toBe(
      30_000 + AT_WORK,
    );
  });

  test('takes its time from the send that left it open, and not from one before that', () => {
    const notebook = book();
    const notes = notebook.of(stored({ privateEndpoints: ledger }), 0);
    const sent = afterLeaving(withOpen(notes, { pendingChange: PENDING }), MINUTE, AT_WORK);
    expect(until(withOpen(sent, { privateEndpoints: ledger }))).toBe(MINUTE + AT_WORK);
  });

  test('is looked at when it settles, and not only when all do', () => {
    const object = stored({ privateEndpoints: ledger });
    const spec = parsedSpec(object);
    const facts = factsOf(object, { monotonic: MINUTE });
    const notes = {
      ...facts.notes,
      atWork: {
        ...facts.notes.atWork,
        settlesAt: 3 * MINUTE,
        entriesSettleAt: new Map([[tupleKey(e('a')), 2 * MINUTE]]),
        looks: 2,
      },
    };
    const work = workOf(object, { ...facts, notes }, { spec, goal: goalOf(spec), now: T0 });
    const fresh = { list: listing(), responseHash: '', secretVersion: '1', at: MINUTE };
    const { outcome } = endAttempt(
      object,
      { ...work, session: { ...work.session, fresh } },
      T0,
      'look',
    );
    expect(outcome).toEqual({ next: 'recheck', at: T0 + MINUTE });
  });

  test('is looked at once more when it settles for this process, where endpoints are not managed and its time is past', () => {
    const object = anOrganization({ spec: { name: 'Acme' }, status: { privateEndpoints: ledger } });
    const facts = factsOf(object);
    const { notes } = facts;
    const now = T0 + MINUTE;
    const spec = parsedSpec(object);
    const work = workOf(object, { ...facts, monotonic: MINUTE }, { spec, goal: goalOf(spec), now });
    const fresh = {
      list: listing(),
      name: 'Acme',
      responseHash: '',
      secretVersion: '1',
      at: MINUTE,
    };
    const { status, outcome } = endAttempt(
      object,
      { ...work, session: { ...work.session, fresh } },
      now,
      'look',
    );
    const settlesAt = T0 + AT_WORK;
    const { conditions = [] }: OrganizationStatus = status ?? {};
    expect([conditions[0]?.reason, outcome]).toEqual([
      'Applied',
      { next: 'recheck', at: settlesAt },
    ]);
    const after = { ...object, status: { ...object.status, ...status } };
    expect(planned(after, { know: notes, monotonic: MINUTE }, now)).toEqual({
      do: 'nothing',
      at: settlesAt,
    });
    expect(planned(after, { know: notes, monotonic: AT_WORK }, settlesAt).do).toBe('step');
  });
});
