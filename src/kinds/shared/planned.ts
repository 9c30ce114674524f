import type { Result } from '../../controller/kind.ts';
import type { KubeObject } from '../../kube/resource.ts';
import { timestamp } from './canonical.ts';
import { showing } from './checks.ts';
import { readyOf } from './common-status.ts';
import type { Preview } from './preview.ts';

/** `isEmpty`: the API is known to hold the declared state, so that Apply would change nothing. */
export type EmptyOrNot = Preview & { readonly isEmpty: boolean };

/** What `Plan` mode, or `--plan-only`, shows. */
export interface Plan {
  readonly preview: Preview;
  /** `status.applied.requestHash` once it is confirmed. */
  readonly hash: string;
  readonly isEmpty: boolean;
  /** Ends the message: how it comes to be sent. */
  readonly how: string;
  readonly now: number;
}

const COMPARED = {
  LastResponse: 'compared with the last response',
  Unknown: 'the state at the API is not known yet',
} as const;

/**
 * Ready only where nothing is left to apply. Nothing else waits for a plan, or gives up over it: it
 * neither goes on by itself nor fails.
 */
export function showPlan(object: KubeObject, plan: Plan): Result {
  const { preview, hash, isEmpty, how, now } = plan;
  const { basis, requests, changes, says } = preview;
  const notSent = says.charAt(0).toLowerCase() + says.slice(1);
  const message = `${headline(changes.length, isEmpty)}; not sent: ${notSent}; ${COMPARED[basis]}. See status.plan; ${how}`;
  const summary = { ready: isEmpty ? 'True' : 'False', reason: 'Planned', message } as const;
  const { plan: before, ...shown }: { plan?: { hash: string; time: string } } = object.status ?? {};
  // The time stays while what it is about stays.
  const isSame = before?.hash === hash && readyOf(shown)?.message === message;
  const time = isSame ? before.time : timestamp(now);
  const shows = { time, basis, hash, requests, changes };
  return showing(object, summary, now, 'plan', { plan: shows });
}

function headline(changes: number, isEmpty: boolean): string {
  if (isEmpty) return 'No changes';
  if (changes === 0) return 'No changes planned, but the declared state is not confirmed';
  return changes === 1 ? '1 change planned' : `${changes} changes planned`;
}
