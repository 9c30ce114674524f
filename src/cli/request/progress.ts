import { plainLine } from '../../api/reply/text.ts';
import type { Condition } from '../../controller/conditions.ts';
import { type CommonStatus, currentReady } from '../../kinds/status/common-status.ts';
import type { KubeObject } from '../../kube/resource.ts';
import type { Action } from './verbs.ts';

/**
 * What the operator says of an object after it has acted on it; undefined: it has not yet, or is in
 * between two requests.
 */
export function answerOf(object: KubeObject, { isTakenUp }: Action): Condition | undefined {
  const ready = currentReady(object, object.status as CommonStatus | undefined);
  if (!ready || ready.reason === 'Pending') return undefined;
  // Nothing is sent, and nothing is written, until somebody corrects the spec.
  return ready.reason === 'SpecInvalid' || isTakenUp(object) ? ready : undefined;
}

/** Whether it ended as the user wished. */
export function isGood({ status, reason }: Condition, { verb }: Action): boolean {
  return verb === 'suspend' ? reason === 'Suspended' : status === 'True';
}

/** `Ready, Applied: The API accepted …`, one line. */
export function shownReady({ status, reason, message }: Condition): string {
  const ready = status === 'True' ? 'Ready' : 'not Ready';
  return plainLine(`${ready}, ${reason}: ${message}`, 1200, (same) => same);
}
