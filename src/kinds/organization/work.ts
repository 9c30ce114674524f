import type { Context, Event } from '../../controller/kind.ts';
import type { Priority } from '../../controller/queue.ts';
import type { Answer, Calls, NoCall } from '../shared/calls.ts';
import type { KindContext } from '../shared/context.ts';
import type { Shared } from '../shared/objects.ts';
import { type Decision, decide, type Goal } from './decide.ts';
import type { Listing } from './endpoints.ts';
import type { Refusal, Ways } from './remote.ts';
import type { Organization, OrganizationStatus } from './resource.ts';

export interface Setup extends Shared<Organization> {
  readonly kind: KindContext;
  readonly apiHash: string;
  /** So long after it was written a change may still be carried out. */
  readonly settleMs: number;
  readonly ways: Ways;
}

export interface Wish {
  /** As it was when the attempt began: by its status failures are counted. */
  readonly began: Organization;
  readonly context: Context<Organization>;
  readonly calls: Calls;
  readonly goal: Goal;
  /** `user`: a person wants it now. */
  readonly priority: Priority;
  /** Nobody has changed what is wanted, and no deadline has passed. */
  readonly stillWanted: () => boolean;
}

export type Work = Setup & Wish;
/** Of an attempt that has ended now, epoch ms. */
export type Ended = Work & { readonly now: number };

/** What an attempt has learned; it is gone with it, but for the draft and the events. */
export class Known {
  /** The status as it would be written now, but for what the end of the attempt decides. */
  draft: OrganizationStatus;
  events: readonly Event[] = [];
  list: Listing | undefined;
  name: string | undefined;
  /** Epoch ms at which the request left whose reply showed this; undefined: none has. */
  observedAt: number | undefined;
  requestId: string | undefined;
  /** Differences between two replies that the operator did not make. */
  drift = 0;
  observations = 0;
  isNamed = false;
  nameRefusal: Refusal | undefined;
  refusalsInRow = 0;
  /** Something was refused: each endpoint goes by itself. */
  oneByOne: boolean;

  constructor(draft: OrganizationStatus) {
    this.draft = draft;
    this.oneByOne = draft.privateEndpoints?.some(({ lastError }) => lastError) === true;
  }

  /** By what was due when the list was asked for: a lost change may land until the answer. */
  decide(goal: Goal, now: number): Decision {
    const { draft, list, name, observedAt = now } = this;
    return decide({ goal, inventory: draft.privateEndpoints ?? [], list, name, now: observedAt });
  }
}

export type Failed = NoCall | Exclude<Answer, { type: 'success' }>;

/**
 * `done`: nothing is left to be asked or sent now. `stopped`: not wanted any more, or not known to
 * be persisted. `isUnreadable`: the API takes no request that shows the list.
 */
export type End =
  | { readonly type: 'done' | 'stopped' }
  | { readonly type: 'failed'; readonly answer: Failed; readonly isUnreadable: boolean };
