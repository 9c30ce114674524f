import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RequestOutcome } from '../../src/api/reply/verdict.ts';
import { settingsRequest } from '../../src/kinds/pipe-settings/remote.ts';
import { type PipeSettingsSpec, parseSpec } from '../../src/kinds/pipe-settings/resource.ts';
import { FAILURES } from '../../src/waits.ts';
import { aPipeSettings, BASE_URL, heldByAnother, planned, T0 } from '../support/objects.ts';

const elsewhere = heldByAnother();

describe('nothing is sent if, and only if, the rule says so', () => {
  /** Mostly the first, so that what is rare together comes up. */
  const mostly = <Value>(usual: Value, ...others: readonly Value[]) =>
    fc.oneof(
      { weight: 2, arbitrary: fc.constant(usual) },
      { weight: 1, arbitrary: fc.constantFrom(...others) },
    );
  const situations = fc.record({
    suspend: mostly<boolean | undefined>(undefined, false, true),
    mode: mostly<'Apply' | 'Plan' | undefined>(undefined, 'Apply', 'Plan'),
    rival: mostly(false, true),
    deleting: mostly(false, true),
    generation: fc.constantFrom(1, 2),
    appliedGeneration: fc.constantFrom(undefined, 1, 2),
    sameHash: mostly(true, false),
    outcome: mostly<RequestOutcome | undefined>(
      'Succeeded',
      undefined,
      'Rejected',
      'RateLimited',
      'Busy',
      'Unavailable',
      'Unknown',
    ),
    observed: fc.constantFrom(1, 2),
    reason: mostly<string>('Applied', 'Suspended', 'Planned', 'Pending', ...Object.keys(FAILURES)),
    requested: mostly<string | undefined>(undefined, 'a', 'b'),
    handled: fc.constantFrom(undefined, 'a', 'b'),
    reassert: fc.constantFrom(undefined, '10m'),
    /** Of what the status has scheduled: over, soon, or nothing. */
    scheduled: fc.constantFrom(undefined, -1, 60),
    secretChanged: fc.boolean(),
  });

  const spec = (more: Partial<PipeSettingsSpec>): PipeSettingsSpec => {
    const parsed = parseSpec(aPipeSettings({ spec: more }));
    if (!parsed.ok) throw new Error(parsed.message);
    return parsed.spec;
  };

  test('for any status and spec', () => {
    fc.assert(
      fc.property(situations, (is) => {
        const declared = spec({
          ...(is.suspend !== undefined && { suspend: is.suspend }),
          ...(is.mode && { mode: is.mode }),
          ...(is.reassert && { reassertInterval: is.reassert }),
        });
        const { hash, keys } = settingsRequest(BASE_URL, declared);
        const time = '2026-03-01T11:59:00Z';
        const object = aPipeSettings({
          spec: declared,
          generation: is.generation,
          requested: is.requested,
          deleting: is.deleting,
          status: {
            observedGeneration: is.observed,
            conditions: [
              {
                type: 'Ready',
                status: is.reason === 'Applied' ? 'True' : 'False',
                reason: is.reason,
                message: 'm',
                observedGeneration: is.observed,
                lastTransitionTime: time,
              },
            ],
            ...(is.appliedGeneration && {
              applied: {
                time,
                generation: is.appliedGeneration,
                requestHash: is.sameHash ? hash : 'sha256:other',
                keys: [...keys],
              },
            }),
            ...(is.outcome && {
              lastRequest: { operation: 'UpdatePipeSettings', outcome: is.outcome, time },
            }),
            ...(is.handled && { lastHandledReconcileAt: is.handled }),
            ...(is.scheduled && {
              nextAttemptTime: `${new Date(T0 + is.scheduled * 1000).toISOString().slice(0, 19)}Z`,
            }),
          },
        });
        const secret = {
          state: 'present',
          resourceVersion: '2',
          type: undefined,
          changedAt: undefined,
        } as const;
        const facts = {
          secret,
          triedSecret: is.secretChanged ? '1' : '2',
          ...(is.rival && elsewhere),
        };

        const forbidden = is.deleting || is.suspend === true || is.rival || is.mode === 'Plan';
        const owed = is.requested !== undefined && is.requested !== is.handled;
        const unseen = is.observed !== is.generation;
        const confirmed =
          is.appliedGeneration === is.generation && is.sameHash && is.outcome === 'Succeeded';
        const over = is.scheduled === -1;
        const reassertDue = is.reassert !== undefined && over;
        const keyMatters =
          ['SecretInvalid', 'Unauthorized', 'Forbidden'].includes(is.reason) && is.secretChanged;
        const keyThere = is.reason === 'SecretNotFound' || is.reason === 'SecretForbidden';
        const waits = ![
          'Applied',
          'Suspended',
          'Planned',
          'Pending',
          'SpecInvalid',
          'TargetConflict',
        ].includes(is.reason);
        const failureDue = is.scheduled === undefined || over || keyMatters || keyThere;
        const settled = is.reason === 'Applied' && confirmed && !reassertDue;
        const put = !forbidden && (unseen || owed || (waits ? failureDue : !settled));

        expect(planned(object, facts).do === 'call').toBe(put);
      }),
      { numRuns: 3000 },
    );
  });
});
