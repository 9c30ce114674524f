import { describe, expect, test } from 'vitest';
import { goalOf } from '../../src/kinds/organization/goal.ts';
import { reportStep } from '../../src/kinds/organization/report-step.ts';
import { type Organization, type OrganizationStatus, parseSpec } from '../../src/kinds/organization/resource.ts';
import { workOf } from '../../src/kinds/organization/work.ts';
import { T0 } from '../support/objects.ts';
import { at, e } from '../support/organization-entries.ts';
import { API_HASH, anOrganization, factsOf } from '../support/organization-objects.ts';

const PROOF = { time: at(0), apiHash: API_HASH };
const PENDING = { time: at(-1_000), add: [e('a')], remove: [] };

/** The status that is written when an attempt that has learned this gets no slot for its next change. */
function writtenWithoutSlot(object: Organization, learned: OrganizationStatus): object | undefined {
  const parsed = parseSpec(object);
  if (!parsed.ok) throw new Error(parsed.message);
  const work = workOf(object, factsOf(object), { spec: parsed.spec, goal: goalOf(parsed.spec), now: T0 });
  const session = { ...work.session, draft: learned };
  const step = { step: 'intend', pending: PENDING } as const;
  const plan = { do: 'step', work: { ...work, session }, step, lane: 'user', probe: false } as const;
  return reportStep(object, plan, { got: 'no-slot' }, T0).status;
}

describe('before an attempt waits for a slot', () => {
  test('the first proof is on record: or another object without one is tried meanwhile, and both look in turn for ever', () => {
    expect(writtenWithoutSlot(anOrganization({ ids: ['a'] }), { proof: PROOF })).toMatchObject({ proof: PROOF });
  });

  test('a change that has been answered is on record as open no more', () => {
    const object = anOrganization({ ids: ['a'], status: { pendingChange: PENDING } });
    expect(writtenWithoutSlot(object, { proof: PROOF })).not.toHaveProperty('pendingChange');
  });

  test('nothing is written otherwise', () => {
    const object = anOrganization({ ids: ['a'], status: {} });
    expect(writtenWithoutSlot(object, { proof: { ...PROOF, time: at(1_000) } })).toBeUndefined();
  });
});
