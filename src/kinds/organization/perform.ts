import type { Context, Result } from '../../controller/kind.ts';
import type { Calls, NoCall } from '../shared/calls.ts';
import type { KindContext } from '../shared/context.ts';
import type { Wanted } from '../shared/declared.ts';
import type { Shared } from '../shared/objects.ts';
import { Attempt } from './attempt.ts';
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
import { Ways } from './ways.ts';

/** What the reconciles of all Organizations share. */
export interface Setup extends Shared<Organization> {
  readonly context: KindContext;
  readonly apiHash: string;
  readonly settleMs: number;
  /** By uid. */
  readonly ways: Map<string, Ways>;
  /** Uids of which this process has tried a cleanup in vain. */
  readonly failedCleanups: Set<string>;
}

/** One attempt, and what decides about it. */
interface Wish extends Wanted<OrganizationSpec> {
  readonly goal: Goal;
  /** Epoch ms: when the next attempt is made at the latest. */
  readonly latest?: number;
  readonly stillWanted: () => boolean;
}

/** Makes the attempt for which there is a permit, or reports why there is none. */
export async function tryOnce(
  began: Organization,
  context: Context<Organization>,
  { context: { api }, apiHash, settleMs, ways: known }: Setup,
  { spec, goal, due, latest, stillWanted }: Wish,
  calls: Calls,
  none?: NoCall,
): Promise<{ readonly result: Result; readonly draft: OrganizationStatus }> {
  const { segments, hash } = addressOf(api.baseUrl, spec.organizationId, goal);
  const { uid } = began.metadata;
  const ways = known.get(uid) ?? new Ways();
  known.set(uid, ways);
  const { draft, events } = ofThisApi(began.status ?? {}, apiHash);
  const made = { context, calls, goal, segments, apiHash, settleMs, ways, stillWanted };
  const status = due.priority === 'user' ? dueNow(draft, context.now()) : draft;
  const attempt = new Attempt({ ...made, mayRemove: mayRemove(began) }, status, events);
  const end = await attempt.run(none);
  const reporting = { object: began, spec, goal, hash, settleMs, latest, now: context.now() };
  return { result: report(attempt, end, reporting), draft: attempt.draft };
}
