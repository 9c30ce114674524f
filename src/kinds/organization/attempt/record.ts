import { timestamp } from '../../status/canonical.ts';
import { generationOf } from '../../status/common-status.ts';
import { LIMITS } from '../limits.ts';
import type { OrganizationStatus } from '../resource.ts';
import type { confirmedChanges, nameDrift } from './changes.ts';
import type { Replied } from './progress.ts';

/** `status.history` holds this many confirmed changes. */
const HISTORY = 10;

export function withHistory(
  status: OrganizationStatus,
  changes: ReturnType<typeof confirmedChanges>,
  { object, verdict, now }: Replied,
): OrganizationStatus {
  if (changes.length === 0) return status;
  const { requestId } = verdict;
  const entry = {
    time: timestamp(now),
    generation: generationOf(object),
    changes: changes.slice(0, LIMITS.historyChanges),
  };
  return {
    ...status,
    history: [
      ...(status.history ?? []),
      { ...entry, ...(requestId !== undefined && { requestId }) },
    ].slice(-HISTORY),
  };
}

export function withDrift(
  status: OrganizationStatus,
  drift: readonly ReturnType<typeof nameDrift>[number][],
  now: number,
): OrganizationStatus {
  if (drift.length === 0) return status;
  const time = timestamp(now);
  return {
    ...status,
    drift: [...(status.drift ?? []), ...drift.map((one) => ({ ...one, time }))].slice(
      -LIMITS.drift,
    ),
  };
}
