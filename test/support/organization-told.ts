import { expect } from 'vitest';
import type { AttemptRig } from './organization-attempt.ts';
import { appliedStatus, entry } from './organization-entries.ts';

/** What a user sees after an attempt. */
export interface Told {
  readonly ready: string;
  /** `Reconciling`, `Stalled` or neither. */
  readonly side: string | undefined;
  readonly message: string;
  /** Ms from the end of the attempt; undefined: no time. */
  readonly wait: number | undefined;
}

/** Makes an attempt, and checks that status and schedule say the same. */
export async function told(rig: AttemptRig): Promise<Told> {
  const { result } = await rig.run();
  const { conditions = [], nextAttemptTime } = rig.object.status ?? {};
  const [ready, beside] = conditions;
  const wait = nextAttemptTime === undefined ? undefined : Date.parse(nextAttemptTime) - rig.now;
  expect(result.next).toEqual(wait === undefined ? 'on-change' : { at: rig.now + wait });
  expect(beside?.message ?? ready?.message).toBe(ready?.message);
  const { status, reason, message = '' } = ready ?? {};
  return { ready: `${status} ${reason}`, side: beside?.type, message, wait };
}

/** These were added by the object, and are there. */
export const ours = (...ids: readonly string[]) => ({
  held: ids,
  status: appliedStatus(ids.map((id) => entry(id))),
});
