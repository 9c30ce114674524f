import { describe, expect, test } from 'vitest';
import { cutText } from '../../src/controller/conditions.ts';
import type { Notes } from '../../src/kinds/organization/attempt/notes.ts';
import { progress, type Replied } from '../../src/kinds/organization/attempt/progress.ts';
import { type Work, workOf } from '../../src/kinds/organization/attempt/session.ts';
import { goalOf } from '../../src/kinds/organization/goal.ts';
import { LIMITS } from '../../src/kinds/organization/limits.ts';
import type { OrganizationStatus } from '../../src/kinds/organization/resource.ts';
import { T0 } from '../support/objects.ts';
import { at, e, entry } from '../support/organization-entries.ts';
import { anOrganization, factsOf, parsedSpec } from '../support/organization-objects.ts';

const SECOND = 1_000;
const LOOK = { step: 'look', by: 'list', body: '{}' } as const;
const NAME = { step: 'name', name: 'Acme', body: '{}' } as const;

/**
 * An attempt for an object that declares the name Acme, whose calls are answered with these results
 * so long after T0.
 */
function attempt(status: OrganizationStatus, know: Partial<Notes> = {}) {
  const object = anOrganization({ ids: ['a'], spec: { name: 'Acme' }, status });
  const spec = parsedSpec(object);
  const facts = factsOf(object);
  const given = { spec, goal: goalOf(spec), now: T0 };
  let work: Work = workOf(object, { ...facts, notes: { ...facts.notes, ...know } }, given);
  return (call: Replied['call'], result: Record<string, unknown>, ms = 0): OrganizationStatus => {
    const now = T0 + ms;
    const verdict = { ok: true, httpStatus: 200, outcome: 'Succeeded', result } as const;
    const replied = {
      object,
      work: { ...work, decidedAt: { now, monotonic: ms }, leftAt: ms, answeredAt: ms },
      call,
      verdict,
      now,
    };
    work = progress({ ...replied, secretVersion: '1' });
    return work.session.draft;
  };
}

test('the answer to a name that has no list proves nothing about endpoints that the look before it has not proven', () => {
  const privateEndpoints = [
    entry('a', { state: 'Missing', nextAttemptTime: at(60 * SECOND) }),
    entry('b', { state: 'Unconfirmed', nextAttemptTime: at(95 * SECOND) }),
  ];
  const answered = attempt({ privateEndpoints });
  const looked = answered(LOOK, { name: 'Other', privateEndpoints: [] }, 58 * SECOND);
  expect(looked.privateEndpoints).toEqual(privateEndpoints);
  expect(answered(NAME, { name: 'Acme' }, 100 * SECOND).privateEndpoints).toEqual(privateEndpoints);
});

describe('another name than the one that was there', () => {
  const lost = { operation: 'UpdateOrganization', outcome: 'Unknown', time: at(0) } as const;
  const before = { organization: { name: 'Acme' }, lastRequest: lost };
  const drift = [{ field: 'name', from: 'Acme', to: 'Theirs', time: at(0) }];

  test('is somebody else’s also while a change of endpoints is open', () => {
    const pendingChange = { time: at(0), add: [e('a')], remove: [] };
    const answered = attempt({ ...before, pendingChange });
    expect(answered(LOOK, { name: 'Theirs', privateEndpoints: [] }).drift).toEqual(drift);
  });

  test('may be this object’s where the answer to a name was lost', () => {
    const answered = attempt(before);
    expect(answered(LOOK, { name: 'Theirs', privateEndpoints: [] }).drift).toBeUndefined();
  });

  test('is this object’s where it was lost before another call that was refused', () => {
    const status = {
      ...before,
      lastRequest: { ...lost, outcome: 'RateLimited' as const, httpStatus: 429 },
    };
    const answered = attempt(status, { lostNames: [{ name: 'Before', settlesAt: 95 * SECOND }] });
    expect(answered(LOOK, { name: 'Before', privateEndpoints: [] }).drift).toBeUndefined();
    expect(attempt(status)(LOOK, { name: 'Theirs', privateEndpoints: [] }).drift).toEqual(drift);
  });
});

test.each([10, 64, 65, 256])(
  'that the API keeps its own name of %s letters, whatever it echoes, is no drift',
  (length) => {
    const theirs = 'x'.repeat(length);
    const answered = attempt({
      organization: { name: theirs },
      differences: [{ field: 'name', declared: 'Acme', reported: cutText(theirs, LIMITS.value) }],
    });
    answered(LOOK, { name: theirs, privateEndpoints: [] });
    answered(NAME, { name: 'Acme', privateEndpoints: [] });
    expect(answered(LOOK, { name: theirs, privateEndpoints: [] }).drift).toBeUndefined();
  },
);

test('a name that serves as the look is in the history where it has changed what was there, and only there', () => {
  const byName = { step: 'look', by: 'name', body: '{}' } as const;
  const shown = { name: 'Acme', privateEndpoints: [] };
  const answered = attempt({ organization: { name: 'Before' } });
  const changes = [{ field: 'name', from: 'Before', to: 'Acme' }];
  expect(answered(byName, shown).history).toMatchObject([{ changes }]);
  expect(answered(byName, shown).history, 'the second time').toHaveLength(1);
  expect(attempt({})(byName, shown).history, 'what was there is not known').toBeUndefined();
});
