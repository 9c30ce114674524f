import type { KubeObject } from '../../kube/resource.ts';
import { timestamp } from './canonical.ts';
import { generationOf } from './common-status.ts';
import type { FieldChange } from './preview.ts';

/** `status.drift` and `status.history` hold so many, newest last. */
const MOST_DRIFT = 12;
const MOST_HISTORY = 10;

type Timed = FieldChange & { readonly time: string };

/** `status.drift` with what was found now. */
export function withDrift(
  before: readonly Timed[] = [],
  found: readonly FieldChange[],
  now: number,
): readonly Timed[] | undefined {
  const time = timestamp(now);
  const all = [...before, ...found.map((change) => ({ ...change, time }))];
  return all.length > 0 ? all.slice(-MOST_DRIFT) : undefined;
}

interface HistoryEntry {
  readonly time: string;
  readonly generation: number;
  readonly requestId?: string | undefined;
  readonly changes: readonly FieldChange[];
}

/** `status.history` with what a reply has confirmed. */
export function withHistory(
  before: readonly HistoryEntry[] | undefined,
  changes: readonly FieldChange[],
  reply: {
    readonly object: KubeObject;
    readonly requestId: string | undefined;
    readonly now: number;
  },
): readonly HistoryEntry[] | undefined {
  if (changes.length === 0) return before;
  const { object, requestId, now } = reply;
  const entry = { time: timestamp(now), generation: generationOf(object), requestId, changes };
  return [...(before ?? []), entry].slice(-MOST_HISTORY);
}
