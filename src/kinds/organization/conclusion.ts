import type { Success } from '../../api/errors.ts';
import type { Notice, Report } from '../../runtime/kind.ts';
import type { FailureReason } from '../failures.ts';
import type { Change } from './change.ts';
import type { Memo } from './memo.ts';
import type { OrganizationReply } from './reply.ts';
import type { Organization, OrganizationStatus } from './resource.ts';
import type { Step } from './step.ts';
import type { Work } from './work.ts';

export type Call = Extract<Step, { step: 'read' | 'send' }>;

/** Everything a reply with a result is judged by. */
export interface Replied {
  readonly object: Organization;
  readonly work: Work;
  readonly call: Call;
  readonly verdict: Success;
  readonly secretVersion: string;
  readonly now: number;
}

/** What a reply, or the last list, comes to, after which nothing is to be sent at once. Without a call: nothing was asked. */
export interface Conclusion
  extends Pick<Replied, 'object' | 'work' | 'now'>,
    Partial<Pick<Replied, 'call' | 'verdict' | 'secretVersion'>> {
  readonly reply: OrganizationReply;
  /** All of the status but conditions and what goes with them. */
  readonly status: OrganizationStatus;
  readonly change: Change;
  readonly blocked: boolean;
  readonly memo: Memo;
  readonly notices: readonly Notice[];
  readonly facts: NonNullable<Report['facts']>;
}

/** One thing that keeps the declared state from being confirmed. */
export interface Problem {
  readonly reason: FailureReason;
  readonly message: string;
  readonly atLeastMs?: number;
}
