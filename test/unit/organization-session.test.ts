import { describe, expect, test } from 'vitest';
import { isUnsent } from '../../src/kinds/organization/attempt/notes.ts';
import { anchorOf, sessionOf } from '../../src/kinds/organization/attempt/session.ts';
import type { Organization, OrganizationStatus } from '../../src/kinds/organization/resource.ts';
import { at } from '../support/organization-entries.ts';
import { AT_WORK, book, open, PENDING, stored } from '../support/organization-intent.ts';
import { API_HASH, anOrganization, parsedSpec } from '../support/organization-objects.ts';

describe('an intent of this process', () => {
  test('is unsent until its first byte leaves, and settles from then on', () => {
    const notebook = book();
    notebook.set(open, { ...notebook.of(open, 0), unsent: [{ pending: PENDING, at: 0 }] });
    expect(isUnsent(notebook.of(open, 1_000), PENDING)).toBe(true);
    expect(isUnsent(notebook.of(open, 1_000), { ...PENDING, time: at(1_000) })).toBe(false);
    notebook.leaves(open, 3_000);
    expect(notebook.of(open, 4_000)).toMatchObject({
      atWork: { settlesAt: 3_000 + AT_WORK, looks: 0 },
    });
    expect(isUnsent(notebook.of(open, 4_000), PENDING)).toBe(false);
  });

  test('that did not leave within 5 s does not any more: a new attempt begins without it', () => {
    const notebook = book();
    const notes = { ...notebook.of(open, 0), unsent: [{ pending: PENDING, at: 0 }] };
    const session = {
      ...sessionOf(open, notes, 0),
      anchor: anchorOf(open, open.status),
      draft: { ...open.status },
    };
    const kept = { ...notes, session };
    expect(sessionOf(open, kept, 5_000)).toBe(session);
    const late = sessionOf(open, kept, 5_001);
    expect(late).not.toBe(session);
    expect(late.draft.pendingChange).toBeUndefined();
  });

  test('that may have left stays on record in a new attempt', () => {
    expect(sessionOf(open, book().of(open, 0), 0).draft.pendingChange).toEqual(PENDING);
  });
});

describe('an attempt goes on', () => {
  const status: OrganizationStatus = {
    lastRequest: { operation: 'UpdateOrganization', outcome: 'Succeeded', time: at(0) },
    proof: { time: at(0), apiHash: API_HASH },
  };
  const object = stored(status);
  const goesOn = (changed: Organization): boolean => {
    const notes = book().of(object, 0);
    const session = sessionOf(object, notes, 0);
    return sessionOf(changed, { ...notes, session }, 1_000) === session;
  };

  test.each<[string, Organization]>([
    ['labels', { ...object, metadata: { ...object.metadata, resourceVersion: '8' } }],
    [
      'conditions and the time of the next attempt',
      stored({ ...status, conditions: [], nextAttemptTime: at(1) }),
    ],
    [
      'the note since when its key is of no use',
      stored({ ...status, proof: { time: at(0), apiHash: API_HASH, unusableSince: at(0) } }),
    ],
  ])('after a change of %s', (_, changed) => {
    expect(goesOn(changed)).toBe(true);
  });

  test.each<[string, Organization]>([
    ['an edit', { ...object, metadata: { ...object.metadata, generation: 2 } }],
    [
      'another spec that a restore has given the number of a generation',
      { ...object, spec: { ...parsedSpec(object), name: 'B' } },
    ],
    ['another object of that name', { ...object, metadata: { ...object.metadata, uid: 'uid-2' } }],
    [
      'a request to try now',
      {
        ...object,
        metadata: {
          ...object.metadata,
          annotations: { 'pipewright.dev/reconcile-requested-at': 'x' },
        },
      },
    ],
    ['an intent of somebody else', stored({ ...status, pendingChange: PENDING })],
    [
      'another last request',
      stored({ ...status, lastRequest: { operation: 'x', outcome: 'Unknown', time: at(1) } }),
    ],
    ['another proof', stored({ ...status, proof: { time: at(0), apiHash: 'sha256:other' } })],
  ])('not after %s', (_, changed) => {
    expect(goesOn(changed)).toBe(false);
  });

  test('and ends with whatever else is done, but not what is remembered of the object', () => {
    const notebook = book();
    const notes = notebook.of(object, 0);
    const looks = { ...notes.looks, failedInRow: 2 };
    notebook.set(object, { ...notes, looks, session: sessionOf(object, notes, 0) });
    notebook.endSession(object);
    notebook.finalizerRemoved(object, 0);
    expect(notebook.of(object, 0)).toMatchObject({
      looks: { failedInRow: 2 },
      deletion: { finalizerRemovedUntil: 60_000 },
    });
    expect(notebook.of(object, 0).session).toBeUndefined();
    notebook.forget('ingest/acme');
    expect(notebook.of(object, 0).deletion).toEqual({});
  });

  test.each([
    ['Unavailable', 503, 2, 2],
    ['Unavailable', undefined, 2, 0],
    ['OutcomeUnknown', 500, 2, 0],
    ['Unavailable', 500, undefined, 0],
  ])(
    'and looks that failed for another process count: %s, %s, %s times',
    (reason, httpStatus, attempts, failedInRow) => {
      const ready = {
        type: 'Ready',
        status: 'False',
        message: 'm',
        lastTransitionTime: at(0),
      } as const;
      const conditions = [{ ...ready, reason, observedGeneration: 1 }];
      const lastRequest = {
        operation: 'x',
        outcome: 'Unavailable',
        time: at(0),
        httpStatus,
      } as const;
      const theirs = anOrganization({ status: { conditions, lastRequest, attempts } });
      expect(book().of(theirs, 0)).toMatchObject({ looks: { failedInRow } });
    },
  );

  test('and leaves alone what is known of another object that has come under its name meanwhile', () => {
    const notebook = book();
    const next = { ...object, metadata: { ...object.metadata, uid: 'uid-2' } };
    notebook.of(object, 0);
    notebook.of(next, 0);
    notebook.endSession(object);
    notebook.finalizerRemoved(object, 0);
    expect(notebook.of(next, 0).deletion).toEqual({});
  });

  test('and what its status told of the last request by then is still of this process', () => {
    const notebook = book();
    const notes = notebook.of(object, 0);
    const own = { operation: 'UpdateOrganization', outcome: 'Succeeded', time: at(1_000) } as const;
    const session = { ...sessionOf(object, notes, 0), draft: { ...status, lastRequest: own } };
    notebook.set(object, { ...notes, lostNames: [], session });
    const told = stored({ ...status, lastRequest: own });
    notebook.of(told, 1_000);
    notebook.endSession(told);
    expect(notebook.of(told, 2_000).lostNames).toEqual([]);
  });
});
