import type { Context, Result } from '../../controller/kind.ts';
import type { KindContext } from '../shared/context.ts';
import type { Due } from '../shared/due.ts';
import type { Shared } from '../shared/objects.ts';
import { Attempt } from './attempt.ts';
import type { Goal } from './goal.ts';
import { type Attempted, begin, notAttempted } from './known.ts';
import { addressOf } from './remote.ts';
import { report } from './report.ts';
import type { Organization, OrganizationSpec } from './resource.ts';
import type { Ways } from './ways.ts';

/** What the reconciles of all Organizations share. */
export interface Setup extends Shared<Organization> {
  readonly context: KindContext;
  readonly apiHash: string;
  readonly settleMs: number;
  readonly waysOf: (object: Organization) => Ways;
  /** Uids of which this process has tried a cleanup in vain. */
  readonly failedCleanups: Set<string>;
}

/** One attempt, and what decides about it. */
export interface Wanted {
  readonly spec: OrganizationSpec;
  readonly goal: Goal;
  readonly due: Extract<Due, { type: 'now' }>;
  /** Epoch ms: when the next attempt is made at the latest. */
  readonly latest?: number | undefined;
  readonly stillWanted: () => boolean;
  /** Asked once more with the permit in hand: what was true before the wait may not be. */
  readonly refuse: (object: Organization) => Result | undefined;
}

/** Waits for the first permit, makes the attempt, and reports it. */
export function perform(
  object: Organization,
  context: Context<Organization>,
  setup: Setup,
  { spec, goal, due, latest, stillWanted, refuse }: Wanted,
): Promise<{ readonly result: Result; readonly attempted?: Attempted }> {
  const { caller, apiHash, settleMs, waysOf } = setup;
  const { segments, hash } = addressOf(setup.context.api.baseUrl, spec.organizationId, goal);
  const wish = { ref: spec.credentialsSecretRef, ...due };
  return caller.perform(object, context, wish, async (calls, none) => {
    const began = context.object();
    const refusal = none ? undefined : refuse(began);
    if (refusal) return { result: refusal };
    const mayRemove = spec.deletionPolicy === 'RemovePrivateEndpoints';
    const known = begin(began, apiHash);
    const wanted = { goal, segments, apiHash, settleMs, mayRemove, stillWanted };
    const attempted = none
      ? notAttempted(known, none)
      : await new Attempt({ context, calls, ways: waysOf(object), ...wanted }, known).run();
    const times = { settleMs, latest, now: context.now(), isWanted: stillWanted() };
    return { result: report(attempted, { object: began, spec, goal, hash, ...times }), attempted };
  });
}
