import { expect, test } from 'vitest';
import type { Attempt } from '../../src/kinds/engine/api-call.ts';
import { Notebook } from '../../src/kinds/organization/attempt/notebook.ts';
import { progress } from '../../src/kinds/organization/attempt/progress.ts';
import { workOf } from '../../src/kinds/organization/attempt/session.ts';
import { goalOf } from '../../src/kinds/organization/goal.ts';
import { reportFailed, type Unmade } from '../../src/kinds/organization/readiness/failed-step.ts';
import { reportStep } from '../../src/kinds/organization/readiness/report-step.ts';
import type { OrganizationStatus } from '../../src/kinds/organization/resource.ts';
import { T0 } from '../support/objects.ts';
import { at, e, entry } from '../support/organization-entries.ts';
import { anOrganization, factsOf, parsedSpec } from '../support/organization-objects.ts';

const MINUTE = 60_000;
const LOST = {
  ok: false,
  failure: 'OutcomeUnknown',
  outcome: 'Unknown',
  message: 'no answer',
} as const;
type CallResult = Extract<Attempt, { got: 'success' | 'failure' }>;

const problem = { reason: 'SecretNotFound', message: 'no Secret' } as const;
const added: OrganizationStatus = {
  pendingChange: { time: at(-10 * MINUTE), add: [e('a')], remove: [] },
  privateEndpoints: [entry('a', { state: 'Unconfirmed' })],
};

/**
 * How an attempt fails at its next step, when a look has shown nothing, and so that what was added
 * is not there.
 */
function failedAfterLook(attempt: Unmade, status = added): ReturnType<typeof reportFailed> {
  const object = anOrganization({ ids: ['a'], spec: { name: 'Acme' }, status });
  const spec = parsedSpec(object);
  const facts = factsOf(object);
  const settled = { ...facts, monotonic: facts.notes.atWork.settlesAt };
  const work = workOf(object, settled, { spec, goal: goalOf(spec), now: T0 });
  const result = { name: 'Other', privateEndpoints: [] };
  const verdict = { ok: true, httpStatus: 200, outcome: 'Succeeded', result } as const;
  const look = { step: 'look', by: 'list', body: '{}' } as const;
  const { session, notes } = progress({
    object,
    work,
    call: look,
    verdict,
    secretVersion: '1',
    now: T0,
  });
  const step = { step: 'name', name: 'Acme', body: '{}' } as const;
  return reportFailed(object, { work: { ...work, notes, session }, step, attempt }, T0);
}

test.each<[string, Unmade]>([
  [
    'fails',
    {
      got: 'failure',
      verdict: LOST,
    },
  ],
  ['is called off: or the next attempt would count it in vain once more', { got: 'called-off' }],
])('what an attempt has settled stays so where its next step %s', (_, attempt) => {
  const failed = failedAfterLook(attempt);
  expect(failed.notices?.map(({ reason }) => reason)).toContain('AddNotConfirmed');
  expect(failed.status).toBeDefined();
  expect(failed.status).not.toHaveProperty('pendingChange');
  expect(failed.status).not.toHaveProperty('privateEndpoints');
});

test.each([
  ['another one', 'Other', ['Other', 'Acme']],
  ['the same one', 'Acme', ['Acme']],
] as const)(
  'a lost name is waited for beside %s that was lost shortly before',
  (_, before, waitedFor) => {
    const object = anOrganization({ spec: { name: 'Acme' } });
    const spec = parsedSpec(object);
    const facts = factsOf(object);
    const notes = { ...facts.notes, lostNames: [{ name: before, settlesAt: MINUTE }] };
    const work = workOf(object, { ...facts, notes }, { spec, goal: goalOf(spec), now: T0 });
    const step = { step: 'name', name: 'Acme', body: '{}' } as const;
    const failed = reportFailed(
      object,
      { work, step, attempt: { got: 'failure', verdict: LOST } },
      T0,
    );
    expect(failed.notes?.lostNames?.map(({ name }) => name)).toEqual(waitedFor);
    expect(failed.notes?.lostNames?.at(-1)?.settlesAt).toBeGreaterThan(MINUTE);
  },
);

test.each<[string, CallResult]>([
  ['gets no answer', { got: 'failure', verdict: LOST }],
  [
    'is not shown by its answer',
    {
      got: 'success',
      secretVersion: '1',
      verdict: {
        ok: true,
        httpStatus: 200,
        outcome: 'Succeeded',
        result: { name: 'Before', privateEndpoints: [] },
      },
    },
  ],
])('a name that %s settles from when it left, which its Secret may have held up', (_, result) => {
  const object = anOrganization({ spec: { name: 'Acme' } });
  const spec = parsedSpec(object);
  const facts = factsOf(object);
  const work = workOf(object, facts, { spec, goal: goalOf(spec), now: T0 });
  const step = { step: 'name', name: 'Acme', body: '{}' } as const;
  const leftAt = facts.monotonic + 20_000;
  const came = { ...result, leftAt };
  const said = reportStep(object, { do: 'call', work, step, came }, T0);
  expect(said.notes?.lostNames).toEqual([
    { name: 'Acme', settlesAt: leftAt + facts.standing.atWorkMs },
  ]);
});

test('what is gone without this object is counted where the next step fails, too', () => {
  const lost = entry('a', { state: 'Missing', nextAttemptTime: at(-MINUTE) });
  const { counts, notices, status } = failedAfterLook(
    { got: 'no-credential', problem },
    { privateEndpoints: [lost] },
  );
  expect(notices?.map(({ reason }) => reason)).toContain('DriftDetected');
  expect(status).toHaveProperty('drift');
  expect(counts).toEqual({ drift: 1 });
});

test('looks fail in a row only until a look of another process has worked', () => {
  const notebook = new Notebook(95_000);
  const object = anOrganization({ ids: ['a'], status: {} });
  const notes = notebook.of(object, 0);
  notebook.set(object, { ...notes, looks: { ...notes.looks, failedInRow: 2 } });
  const lastRequest = {
    operation: 'UpdateOrganization',
    httpStatus: 200,
    outcome: 'Succeeded',
    time: at(0),
  } as const;
  expect(notebook.of({ ...object, status: { ...object.status, lastRequest } }, 0)).toMatchObject({
    looks: { failedInRow: 0 },
  });
});
