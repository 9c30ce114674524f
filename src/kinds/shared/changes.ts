import type { KubeObject } from '../../kube/resource.ts';
import type { WriteStatus } from '../schema/status-fields.ts';
import { timestamp } from './canonical.ts';
import { generationOf } from './common-status.ts';
import type { FieldChange } from './preview.ts';

/** `status.drift` with what was found now; the newest that it holds. */
export function withDrift(
  before: WriteStatus['drift'] = [],
  found: readonly FieldChange[],
  now: number,
): WriteStatus['drift'] {
  const time = timestamp(now);
  const all = [...before, ...found.map((change) => ({ ...change, time }))];
  return all.length > 0 ? all.slice(-12) : undefined;
}

/** `status.history` with what a reply has confirmed; the newest that it holds. */
export function withHistory(
  before: WriteStatus['history'],
  changes: readonly FieldChange[],
  reply: { readonly object: KubeObject; readonly requestId: string | undefined; now: number },
): WriteStatus['history'] {
  if (changes.length === 0) return before;
  const { object, requestId, now } = reply;
  const entry = { time: timestamp(now), generation: generationOf(object), requestId, changes };
  return [...(before ?? []), entry].slice(-10);
}
