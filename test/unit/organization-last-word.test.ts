import { expect, test } from 'vitest';
import { Notebook } from '../../src/kinds/organization/attempt/notebook.ts';
import type { Notes } from '../../src/kinds/organization/attempt/notes.ts';
import { workOf } from '../../src/kinds/organization/attempt/session.ts';
import { goalOf } from '../../src/kinds/organization/goal.ts';
import type { NotedReport } from '../../src/kinds/organization/readiness/attempt-end.ts';
import { reportStep } from '../../src/kinds/organization/readiness/report-step.ts';
import type { Organization, OrganizationStatus } from '../../src/kinds/organization/resource.ts';
import { T0 } from '../support/objects.ts';
import { at, e, entry } from '../support/organization-entries.ts';
import {
  API_TIMEOUT_MS,
  anOrganization,
  factsOf,
  parsedSpec,
} from '../support/organization-objects.ts';

const AT_WORK = API_TIMEOUT_MS + 60_000;
const PENDING = { time: at(-AT_WORK), add: [e('a')], remove: [] };

/**
 * What comes of a look that shows these, when what stands open in the status was sent so long ago
 * that it is over.
 */
function looked(
  object: Organization,
  shown: readonly string[],
): NotedReport & { readonly notes: Notes } {
  const spec = parsedSpec(object);
  const notes = new Notebook(AT_WORK).of(object, 0);
  const facts = factsOf(object, { notes, monotonic: AT_WORK });
  const work = workOf(object, facts, { spec, goal: goalOf(spec), now: T0 });
  const step = { step: 'look', by: 'list', body: '{}' } as const;
  const result = { privateEndpoints: shown.map((id) => e(id)) };
  const verdict = { ok: true, httpStatus: 200, outcome: 'Succeeded', result } as const;
  const came = { got: 'success', verdict, secretVersion: '1' } as const;
  const report = reportStep(object, { do: 'call', work, step, came }, T0);
  if (!report.notes) throw new Error('the attempt is over');
  return { ...report, notes: report.notes };
}

test.each<[string, OrganizationStatus]>([
  ['an intent', { pendingChange: PENDING }],
  [
    'an Unconfirmed entry',
    { privateEndpoints: [entry('a', { state: 'Unconfirmed', nextAttemptTime: at(0) })] },
  ],
])(
  'what a look has settled of %s is told where its attempt ends before the next status: or it is given up, and counted, once more',
  (_, status) => {
    const {
      outcome,
      notes,
      status: written,
      lastWord,
    } = looked(anOrganization({ ids: ['a'], status }), []);
    expect([outcome.next, written]).toEqual(['go-on', undefined]);
    expect([...notes.unconfirmedChanges.counts.values()]).toEqual([1]);
    const told: OrganizationStatus | undefined = lastWord?.status;
    expect([told?.pendingChange, told?.privateEndpoints]).toEqual([undefined, undefined]);
    expect(lastWord?.notices).toHaveLength(1);
  },
);

test('a look that has settled nothing is told with its attempt', () => {
  const status = { privateEndpoints: [entry('b')] };
  expect(looked(anOrganization({ ids: ['a', 'b'], status }), ['b'])).not.toHaveProperty('lastWord');
});
