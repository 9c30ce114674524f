import { expect, test } from 'vitest';
import { goalOf } from '../../src/kinds/organization/goal.ts';
import { reportStep } from '../../src/kinds/organization/report-step.ts';
import { type PendingChange, parseSpec } from '../../src/kinds/organization/resource.ts';
import { workOf } from '../../src/kinds/organization/work.ts';
import { T0 } from '../support/objects.ts';
import { at, e } from '../support/organization-entries.ts';
import { anOrganization, factsOf } from '../support/organization-objects.ts';

const PENDING: PendingChange = { time: at(0), add: [e('a')], remove: [] };

test('an intent that the process does not live to send is taken back, unless somebody has answered it meanwhile', () => {
  const object = anOrganization({ ids: ['a'] });
  const parsed = parseSpec(object);
  if (!parsed.ok) throw new Error(parsed.message);
  const work = workOf(object, factsOf(object), { spec: parsed.spec, goal: goalOf(parsed.spec), now: T0 });
  const step = { step: 'intend', pending: PENDING } as const;
  const { status, lastWord } = reportStep(
    object,
    { do: 'step', work, step, lane: 'user', probe: false },
    { got: 'slot' },
    T0,
  );
  expect(status).toMatchObject({ pendingChange: PENDING });
  expect(lastWord?.status).not.toHaveProperty('pendingChange');
  expect(lastWord?.isOnTop?.({ ...object, status })).toBe(true);
  const answered = { pendingChange: { ...PENDING, refused: { httpStatus: 400 } } };
  expect(lastWord?.isOnTop?.({ ...object, status: answered })).toBe(false);
});
