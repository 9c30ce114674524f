import { expect, test } from 'vitest';
import { betweenSteps } from '../../src/kinds/organization/readiness/report-step.ts';
import { T0 } from '../support/objects.ts';
import { at, e } from '../support/organization-entries.ts';
import { anOrganization } from '../support/organization-objects.ts';

const pendingChange = { time: at(0), add: [e('a')], remove: [] };

/**
 * Ready and how often it has failed, where an intent is put on record after it had failed so three
 * times.
 */
function afterFailing(reason: string) {
  const ready = {
    type: 'Ready',
    status: 'False',
    message: 'm',
    lastTransitionTime: at(0),
    observedGeneration: 1,
  } as const;
  const status = { conditions: [{ ...ready, reason }], attempts: 3, nextAttemptTime: at(0) };
  const { conditions, ...said } = betweenSteps(
    anOrganization({ ids: ['a'], status }),
    { ...status, pendingChange },
    T0,
  );
  return { ...said, reason: conditions?.find(({ type }) => type === 'Ready')?.reason };
}

test.each([
  'Forbidden',
  'NotFound',
  'Conflict',
  'DependencyNotReady',
  'RateLimited',
  'Rejected',
  'OutcomeUnknown',
])(
  '%s stays through a look that works, and is counted on where the change fails so again',
  (reason) => {
    expect(afterFailing(reason)).toEqual({ reason, attempts: 3, pendingChange });
  },
);

test.each(['Unauthorized', 'SecretNotFound', 'TargetConflict', 'Unavailable', 'RemovalBlocked'])(
  '%s is over once a look works',
  (reason) => {
    const said = afterFailing(reason);
    expect(said).toMatchObject({ reason: 'Pending', pendingChange });
    expect(said.attempts).toBeUndefined();
  },
);
