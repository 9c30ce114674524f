import type { Context, Result } from '../../controller/kind.ts';
import type { KindContext } from '../shared/context.ts';
import type { Due } from '../shared/due.ts';
import type { Shared } from '../shared/objects.ts';
import { Attempt, type End } from './attempt.ts';
import type { Goal } from './goal.ts';
import { dueNow, ofThisApi } from './inventory.ts';
import { addressOf } from './remote.ts';
import { report } from './report.ts';
import {
  mayRemove,
  type Organization,
  type OrganizationSpec,
  type OrganizationStatus,
} from './resource.ts';
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
): Promise<{ readonly result: Result; readonly end?: End; readonly draft?: OrganizationStatus }> {
  const { apiHash, settleMs } = setup;
  const { segments, hash } = addressOf(setup.context.api.baseUrl, spec.organizationId, goal);
  const wish = { ref: spec.credentialsSecretRef, ...due };
  return setup.caller.perform(object, context, wish, async (calls, none) => {
    const began = context.object();
    const refusal = none ? undefined : refuse(began);
    if (refusal) return { result: refusal };
    const ways = setup.waysOf(object);
    const wanted = {
      mayRemove: mayRemove(began),
      goal,
      segments,
      apiHash,
      settleMs,
      ways,
      stillWanted,
    };
    const { draft: known, events } = ofThisApi(began.status ?? {}, apiHash);
    const draft = due.priority === 'user' ? dueNow(known, context.now()) : known;
    const attempt = new Attempt({ context, calls, ...wanted }, draft, events);
    const end = await attempt.run(none);
    const reporting = { object: began, spec, goal, hash, settleMs, latest, now: context.now() };
    return { result: report(attempt, end, reporting), end, draft: attempt.draft };
  });
}
