import { describe, expect, test } from 'vitest';
import type { Failure } from '../../src/api/reply/verdict.ts';
import { takeFailure } from '../../src/kinds/organization/attempt/failure.ts';
import type { Call } from '../../src/kinds/organization/attempt/next-step.ts';
import { type Work, workOf } from '../../src/kinds/organization/attempt/session.ts';
import { goalOf } from '../../src/kinds/organization/goal.ts';
import type { OrganizationSpec } from '../../src/kinds/organization/resource.ts';
import { T0 } from '../support/objects.ts';
import { at, e } from '../support/organization-entries.ts';
import { anOrganization, factsOf, parsedSpec } from '../support/organization-objects.ts';

const pending = { time: at(0), add: [e('a')], remove: [] };
const LOOK: Call = { step: 'look', by: 'list', body: '{}' };
const SEND: Call = { step: 'send', pending, body: '{}' };

/** What follows from this answer, where so many looks before it were answered with 5xx. */
function after(
  call: Call,
  httpStatus: number,
  {
    spec = {},
    failedInRow = 0,
  }: Partial<{ spec: Partial<OrganizationSpec>; failedInRow: number }> = {},
) {
  const object = anOrganization({ ids: ['a'], spec, status: { pendingChange: pending } });
  const parsed = parsedSpec(object);
  const given = { spec: parsed, goal: goalOf(parsed), now: T0 };
  const first = workOf(object, factsOf(object), given);
  const looks = { ...first.notes.looks, failedInRow };
  const work: Work = { ...first, notes: { ...first.notes, looks } };
  const verdict: Failure = {
    ok: false,
    failure: 'Rejected',
    outcome: httpStatus >= 500 ? 'Unknown' : 'Rejected',
    httpStatus,
    message: `HTTP ${httpStatus}`,
  };
  return takeFailure(object, { work, call }, verdict, T0);
}

describe('a change that the API answers with', () => {
  test.each([401, 403, 404, 410, 423, 424, 425, 429])(
    '%i did not happen, and nobody is to blame for it',
    (httpStatus) => {
      expect(after(SEND, httpStatus).follows).toBe('fail');
    },
  );

  test.each([400, 402, 405, 409, 413, 415, 422, 451])(
    '%i was refused, which is put on record',
    (httpStatus) => {
      const { follows, work } = after(SEND, httpStatus);
      expect(follows).toBe('record-refusal');
      expect(work.session.draft.pendingChange).toEqual({ ...pending, refused: { httpStatus } });
    },
  );
});

describe('a look that the API answers with', () => {
  test.each([400, 405, 422])('%i is tried by the declared name', (httpStatus) => {
    expect(after(LOOK, httpStatus, { spec: { name: 'Acme' } }).follows).toBe('next-step');
    expect(after(LOOK, httpStatus).hint).toContain('Declare spec.name');
  });

  test.each([401, 403, 404, 409, 423, 424, 429])('%i is not', (httpStatus) => {
    const taken = after(LOOK, httpStatus, { spec: { name: 'Acme' }, failedInRow: 2 });
    expect(taken.follows).toBe('fail');
    expect(taken.hint).toBeUndefined();
  });

  test('5xx is tried by the declared name the third time in a row, or said what helps', () => {
    const name = { spec: { name: 'Acme' } };
    expect(after(LOOK, 500, { ...name, failedInRow: 1 }).follows).toBe('fail');
    expect(after(LOOK, 500, { ...name, failedInRow: 2 }).follows).toBe('next-step');
    expect(after(LOOK, 503, { failedInRow: 1 }).hint).toBeUndefined();
    expect(after(LOOK, 503, { failedInRow: 2 }).hint).toContain('Declare spec.name');
  });
});
