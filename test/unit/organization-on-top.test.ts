import { expect, test } from 'vitest';
import type { Facts } from '../../src/kinds/organization/load.ts';
import type { Plan } from '../../src/kinds/organization/plan.ts';
import { report } from '../../src/kinds/organization/report.ts';
import type { OrganizationSpec } from '../../src/kinds/organization/resource.ts';
import { T0 } from '../support/objects.ts';
import { at, entry } from '../support/organization-entries.ts';
import {
  aClaim,
  anOrganization,
  carriedOut,
  factsOf,
  planned,
} from '../support/organization-objects.ts';

/** What a visit without a call is about, and what makes it so. */
const CASES: readonly {
  readonly does: Plan['do'];
  readonly spec?: Partial<OrganizationSpec>;
  readonly know?: Partial<Facts>;
}[] = [
  { does: 'suspend', spec: { suspend: true } },
  { does: 'preview', spec: { mode: 'Plan' } },
  { does: 'refuse-spec', spec: { organizationId: '' } },
  { does: 'disown', know: { apiHash: 'sha256:other-api' } },
  {
    does: 'yield',
    know: standingBehind(aClaim({ uid: 'uid-0', namespace: 'elsewhere', created: at(-7_200_000) })),
  },
];

function standingBehind(other: Facts['standing']['own']): Partial<Facts> {
  const { standing } = factsOf(anOrganization());
  return { standing: { ...standing, others: [other] } };
}

test.each(CASES)(
  'what $does says is not written over a ledger that it has not seen',
  ({ does, spec = {}, know }) => {
    const object = anOrganization({
      ids: ['a'],
      spec,
      status: { privateEndpoints: [entry('a', { origin: 'Found' })] },
    });
    const plan = planned(object, know);
    expect(plan.do).toBe(does);
    const { status, isOnTop } = report(object, carriedOut(plan), T0);
    expect(status).toBeDefined();
    const edited = { ...object, metadata: { ...object.metadata, resourceVersion: '8' } };
    expect(isOnTop?.(edited)).toBe(true);
    // As a restored backup has it: no attempt is newer than the one that was known.
    const restored = { ...object.status, privateEndpoints: [entry('a', { origin: 'Adopted' })] };
    expect(isOnTop?.({ ...edited, status: restored })).toBe(false);
  },
);
