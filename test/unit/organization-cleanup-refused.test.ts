import { expect, test } from 'vitest';
import { goOn } from '../../src/controller/outcome.ts';
import { workOf } from '../../src/kinds/organization/attempt/session.ts';
import { cleanupGoal } from '../../src/kinds/organization/goal.ts';
import { reportStep } from '../../src/kinds/organization/readiness/report-step.ts';
import { FINALIZER } from '../../src/kinds/organization/resource.ts';
import { T0 } from '../support/objects.ts';
import { at, e, entry, refusedEntry } from '../support/organization-entries.ts';
import { anOrganization, factsOf, parsedSpec } from '../support/organization-objects.ts';

test('a deleted object is let go when nothing of its own is left, also where the API had refused another one that it lists', () => {
  const pending = { time: at(0), add: [], remove: [e('a')] };
  const object = anOrganization({
    ids: ['a', 'b'],
    spec: { deletionPolicy: 'RemovePrivateEndpoints' },
    status: {
      privateEndpoints: [entry('a'), refusedEntry('b', at(6 * 3_600_000))],
      pendingChange: pending,
    },
    metadata: { generation: 2, deletionTimestamp: at(0), finalizers: [FINALIZER] },
  });
  const given = {
    spec: parsedSpec(object),
    goal: cleanupGoal(parsedSpec(object), []),
    now: T0,
    deadline: T0 + 600_000,
  };
  const work = workOf(object, factsOf(object), given);
  const step = { step: 'send', pending, body: '{}' } as const;
  const verdict = {
    ok: true,
    httpStatus: 200,
    outcome: 'Succeeded',
    result: { privateEndpoints: [] },
  } as const;
  const came = { got: 'success', verdict, secretVersion: '1', leftAt: 0 } as const;
  const said = reportStep(object, { do: 'call', work, step, came }, T0);
  expect(said.outcome).toEqual(goOn);
  expect(said.status).not.toHaveProperty('privateEndpoints');
});

test('two answers that there is no such organization are three minutes apart also where the first was long in coming', () => {
  const object = anOrganization({
    ids: ['a'],
    spec: { deletionPolicy: 'RemovePrivateEndpoints' },
    status: { privateEndpoints: [entry('a')] },
    metadata: { generation: 2, deletionTimestamp: at(0), finalizers: [FINALIZER] },
  });
  const given = {
    spec: parsedSpec(object),
    goal: cleanupGoal(parsedSpec(object), []),
    now: T0,
    deadline: T0 + 600_000,
  };
  const verdict = {
    ok: false,
    httpStatus: 404,
    failure: 'NotFound',
    outcome: 'Rejected',
    message: 'no',
  } as const;
  const step = { step: 'look', by: 'list', body: '{}' } as const;
  /** A look that is planned at this time, and whose answer takes so long. */
  const missedAt = (monotonic: number, tookMs: number, notes = factsOf(object).notes) => {
    const work = workOf(object, { ...factsOf(object), monotonic, notes }, given);
    const came = { got: 'failure', verdict, leftAt: monotonic } as const;
    const answeredAt = monotonic + tookMs;
    return reportStep(object, { do: 'call', work, step, came, answeredAt }, T0).notes;
  };
  const first = missedAt(0, 120_000);
  expect(missedAt(299_999, 0, first)).toMatchObject({ deletion: { isGone: false } });
  expect(missedAt(300_000, 0, first)).toMatchObject({ deletion: { isGone: true } });
});
