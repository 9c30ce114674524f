import type { Success } from '../../api/reply/verdict.ts';
import type { Context } from '../../controller/kind.ts';
import type { Answer, Calls, NoCall } from '../shared/calls.ts';
import { lastRequestOf } from '../shared/common-status.ts';
import { type Decision, decide } from './decide.ts';
import type { Goal } from './goal.ts';
import { type Known, learn, type Replied } from './observation.ts';
import type { Refusal } from './refusal.ts';
import { organizationRequest, UPDATE_ORGANIZATION } from './remote.ts';
import type { Organization } from './resource.ts';
import type { Ways } from './ways.ts';

/** What one attempt is made with. */
export interface Work {
  readonly context: Context<Organization>;
  readonly calls: Calls;
  readonly goal: Goal;
  /** Path segments of the organization. */
  readonly segments: readonly string[];
  readonly apiHash: string;
  readonly settleMs: number;
  /** `deletionPolicy: RemovePrivateEndpoints`: the finalizer goes on before the first change. */
  readonly mayRemove: boolean;
  readonly ways: Ways;
  /** Nobody has changed what is wanted, and no deadline has passed. */
  readonly stillWanted: () => boolean;
}

/** An attempt in progress: what is known, and what it has done so far. */
export interface Progress {
  known: Known;
  hasPermit: boolean;
  observations: number;
  isNamed: boolean;
  nameRefusal?: Refusal;
  /** A change has been refused: each endpoint goes by itself. */
  oneByOne: boolean;
  refusalsInRow: number;
}

/** How an attempt ended. */
export type End =
  /** Nothing is left that could be asked or sent now; what is known says how it stands. */
  | { readonly type: 'done' }
  /** It is not wanted any more, or what has to be persisted is not known to be. */
  | { readonly type: 'stopped' }
  | {
      readonly type: 'failed';
      readonly answer: NoCall | Exclude<Answer, { type: 'success' }>;
      /** What the user can do beside what the class of the failure advises. */
      readonly hint?: string;
    };

export const DONE: End = { type: 'done' };
export const STOPPED: End = { type: 'stopped' };

export function decided({ goal, context }: Work, { known }: Progress): Decision {
  const { list, name, draft } = known;
  return decide({ goal, inventory: draft.privateEndpoints ?? [], list, name, now: context.now() });
}

/** A permit that an old observation has left unused serves the next request. */
export async function permit(work: Work, progress: Progress): Promise<End | undefined> {
  if (progress.hasPermit) return undefined;
  const answer = await work.calls.permit();
  if (answer) return answer.type === 'not-wanted' ? STOPPED : { type: 'failed', answer };
  progress.hasPermit = true;
  return undefined;
}

/** Makes the one call that a permit is for, and notes a failure in the draft. */
export async function send(
  work: Work,
  progress: Progress,
  request: {
    readonly body: string;
    readonly write: boolean;
    readonly isTooLate?: () => boolean;
  },
): Promise<Answer> {
  progress.hasPermit = false;
  const { body, write } = request;
  const isTooLate = (): boolean => !work.stillWanted() || request.isTooLate?.() === true;
  const answer = await work.calls.send(organizationRequest(work.segments, body, write), isTooLate);
  if (answer.type !== 'failure') return answer;
  const lastRequest = lastRequestOf(UPDATE_ORGANIZATION, answer.verdict, work.context.now());
  progress.known = { ...progress.known, draft: { ...progress.known.draft, lastRequest } };
  return answer;
}

/** Takes in what a reply shows. */
export function take(
  work: Work,
  progress: Progress,
  answer: { readonly verdict: Success; readonly sentAt: number },
  request: Replied['request'],
): void {
  const { goal, settleMs, apiHash, context } = work;
  progress.known = learn(progress.known, {
    object: context.object(),
    now: context.now(),
    verdict: answer.verdict,
    sentAt: answer.sentAt,
    goal,
    settleMs,
    apiHash,
    request,
  });
}
