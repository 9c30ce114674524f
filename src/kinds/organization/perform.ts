import type { Context, Result } from '../../controller/kind.ts';
import type { Caller } from '../shared/calls.ts';
import type { KindContext } from '../shared/context.ts';
import type { Due } from '../shared/due.ts';
import { longWaitStatus } from '../shared/waiting.ts';
import { Attempt } from './attempt.ts';
import type { Goal } from './goal.ts';
import { type Attempted, begin, notAttempted } from './known.ts';
import { addressOf } from './remote.ts';
import { report } from './report.ts';
import type { Organization, OrganizationSpec } from './resource.ts';
import type { Ways } from './ways.ts';

/** What the reconciles of all Organizations share. */
export interface Setup {
  readonly context: KindContext;
  readonly caller: Caller<Organization>;
  /** The other objects for the same organization. */
  readonly others: (object: Organization) => readonly Organization[];
  readonly apiHash: string;
  readonly settleMs: number;
  readonly waysOf: (object: Organization) => Ways;
  /** Uids of which this process has tried a cleanup in vain. */
  readonly failedCleanups: Set<string>;
}

/** One attempt, and what decides about it. */
export interface Wish {
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
export async function perform(
  object: Organization,
  context: Context<Organization>,
  setup: Setup,
  wish: Wish,
): Promise<{ readonly result: Result; readonly attempted?: Attempted }> {
  const { spec, goal, due, latest, stillWanted } = wish;
  const { caller, apiHash, settleMs } = setup;
  const { segments, hash } = addressOf(setup.context.api.baseUrl, spec.organizationId, goal);
  const reported = (attempted: Attempted, began: Organization) => {
    const isWanted = stillWanted();
    const now = context.now();
    const reporting = { object: began, spec, goal, hash, settleMs, now, isWanted, latest };
    return { result: report(attempted, reporting), attempted };
  };
  const calls = caller.open(object, context, {
    ref: spec.credentialsSecretRef,
    priority: due.priority,
    halfOpen: due.halfOpen,
    onLongWait: (ahead) => longWaitStatus(context.object(), ahead, context.now()),
  });
  try {
    const answer = await calls.permit();
    const began = context.object();
    if (answer) return reported(notAttempted(begin(began, apiHash), answer), began);
    const refusal = wish.refuse(began);
    if (refusal) return { result: refusal };
    const ways = setup.waysOf(object);
    const mayRemove = spec.deletionPolicy === 'RemovePrivateEndpoints';
    const wanted = { goal, segments, apiHash, settleMs, mayRemove, ways, stillWanted };
    const attempt = new Attempt({ context, calls, ...wanted }, begin(began, apiHash));
    return reported(await attempt.run(), began);
  } finally {
    calls.end();
  }
}
