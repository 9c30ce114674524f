import type { Context, Event } from '../../controller/kind.ts';
import type { Answer, Calls, NoCall } from '../shared/calls.ts';
import type { KindContext } from '../shared/context.ts';
import type { Shared } from '../shared/objects.ts';
import type { Listing } from './endpoints.ts';
import type { Goal } from './goal.ts';
import type { Refusal, Ways } from './refusal.ts';
import type { Organization, OrganizationSpec, OrganizationStatus } from './resource.ts';

/** What the reconciles of all Organizations share. */
export interface Setup extends Shared<Organization> {
  readonly kind: KindContext;
  readonly apiHash: string;
  /** So long after it was written a change may still be carried out. */
  readonly settleMs: number;
  /** By uid. */
  readonly ways: Map<string, Ways>;
  /** Uids of which this process has tried a cleanup in vain. */
  readonly failedCleanups: Set<string>;
}

/** What one attempt is to bring about. */
export interface Wish {
  /** As it was when the attempt began: by its status failures are counted. */
  readonly began: Organization;
  readonly context: Context<Organization>;
  readonly calls: Calls;
  readonly spec: OrganizationSpec;
  readonly goal: Goal;
  /** Nobody has changed what is wanted, and no deadline has passed. */
  readonly stillWanted: () => boolean;
  /** Epoch ms: when the next attempt is made at the latest. */
  readonly latest?: number | undefined;
}

/** The same, and what it is made with. */
export interface Work extends Wish, Pick<Setup, 'apiHash' | 'settleMs'> {
  readonly segments: readonly string[];
  readonly hash: string;
  readonly ways: Ways;
}

/** What an attempt has learned; it is gone with it, but for the draft and the events. */
export class Known {
  /** The status as it would be written now, but for what the end of the attempt decides. */
  draft: OrganizationStatus;
  events: readonly Event[];
  /** Undefined: not observed, or the reply had no list. */
  list: Listing | undefined;
  name: string | undefined;
  /** Epoch ms at which the request left whose reply showed this; undefined: none has. */
  observedAt: number | undefined;
  requestId: string | undefined;
  /** Differences between two replies that the operator did not make. */
  drift = 0;
  observations = 0;
  hasPermit = true;
  isNamed = false;
  nameRefusal: Refusal | undefined;
  refusalsInRow = 0;
  /** Something was refused: each endpoint goes by itself. */
  oneByOne: boolean;

  constructor(draft: OrganizationStatus, events: readonly Event[] = []) {
    this.draft = draft;
    this.events = events;
    this.oneByOne = draft.privateEndpoints?.some(({ lastError }) => lastError) === true;
  }
}

export type Failed = NoCall | Exclude<Answer, { type: 'success' }>;

/** How an attempt ended. */
export type End =
  /** Nothing is left that could be asked or sent now; what is known says how it stands. */
  | { readonly type: 'done' }
  /** It is not wanted any more, or what has to be persisted is not known to be. */
  | { readonly type: 'stopped' }
  /** `isUnreadable`: the API takes no request that shows the list. */
  | { readonly type: 'failed'; readonly answer: Failed; readonly isUnreadable: boolean };

/** What a report on an attempt is made from. */
export interface Ended extends Work {
  readonly now: number;
}
