import type { Lane } from '../../controller/queue.ts';
import { type CommonPlan, type Done, readSpec, suspended } from '../engine/plan.ts';
import { currentReady, isRequested } from '../status/common-status.ts';
import { type CallFacts, whenDue } from '../status/due.ts';
import { fetched } from './record.ts';
import { type Activity, type ActivitySpec, parseSpec } from './resource.ts';

/** Everything the operator can do about an Activity object. */
export type Plan =
  | CommonPlan
  /** Fetches the record. */
  | {
      readonly do: 'call';
      readonly spec: ActivitySpec;
      readonly lane: Lane;
      readonly probe: boolean;
    };

export type ActivityDone = Done<Plan>;

/**
 * Decides. The order is the order of precedence: a spec that cannot be read, suspend, a record that
 * is there, time.
 */
export function plan(object: Activity, facts: CallFacts, now: number): Plan {
  const read = readSpec(object, parseSpec);
  if ('do' in read) return read;
  const { spec } = read;
  const { status } = object;
  const record = status?.activity;
  if (spec.suspend) {
    const missing = 'The record has not been fetched. Set spec.suspend to false to fetch it';
    return record ? suspended(true, 'The record is in status.activity') : suspended(false, missing);
  }
  if (record && !isRequested(object)) {
    if (currentReady(object, status)?.reason === 'Fetched') return { do: 'nothing' };
    // Of the call that brought the record, where it was the last one.
    const { outcome, requestId } = status.lastRequest ?? {};
    const brought = outcome === 'Succeeded' ? requestId : undefined;
    return { do: 'keep', summary: fetched(spec, record, brought) };
  }
  const due = whenDue(object, facts, { confirmed: false, now });
  return due.do === 'call' ? { ...due, spec } : due;
}
