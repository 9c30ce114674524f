import type { Lane } from '../../controller/queue.ts';
import { currentReady, generationOf, requestedAt } from '../status/common-status.ts';
import { whenDue } from '../status/due.ts';
import type { Facts } from './load.ts';
import type { ActivityRecord } from './remote.ts';
import { type Activity, type ActivitySpec, parseSpec } from './resource.ts';

/** Everything the operator can do about an Activity object. */
export type Plan =
  /** The record is there and said to be, or the time has not come. */
  | { readonly do: 'nothing'; readonly at?: number }
  | { readonly do: 'refuse-spec'; readonly message: string }
  | { readonly do: 'suspend'; readonly fetched: boolean }
  /** The record is there, and the status has yet to say so of the present generation. */
  | { readonly do: 'keep'; readonly spec: ActivitySpec; readonly record: ActivityRecord }
  | { readonly do: 'reschedule'; readonly at: number }
  | {
      readonly do: 'fetch';
      readonly spec: ActivitySpec;
      readonly lane: Lane;
      readonly probe: boolean;
    };

/**
 * Decides. The order is the order of precedence: a spec that cannot be read, suspend, a record that
 * is there, time.
 */
export function plan(object: Activity, facts: Facts, now: number): Plan {
  if (object.metadata.deletionTimestamp) return { do: 'nothing' };
  const parsed = parseSpec(object);
  if (!parsed.ok) return { do: 'refuse-spec', message: parsed.message };
  const { spec } = parsed;
  const { status } = object;
  const record = status?.activity;
  if (spec.suspend) return { do: 'suspend', fetched: record !== undefined };
  if (record && !wantsAnother(object)) {
    return currentReady(object, status)?.reason === 'Fetched'
      ? { do: 'nothing' }
      : { do: 'keep', spec, record };
  }
  const due = whenDue({
    generation: generationOf(object),
    uid: object.metadata.uid,
    status,
    requested: requestedAt(object),
    confirmed: false,
    reassertMs: undefined,
    ...facts,
    now,
  });
  if (due.due === 'reschedule') return { do: 'reschedule', at: due.at };
  if (!due.due) return due.at === undefined ? { do: 'nothing' } : { do: 'nothing', at: due.at };
  return { do: 'fetch', spec, lane: due.lane, probe: due.probe };
}

/** Whether the user asked for the record once more, and no attempt has been made of it. */
function wantsAnother(object: Activity): boolean {
  const requested = requestedAt(object);
  return requested !== undefined && requested !== object.status?.lastHandledReconcileAt;
}
