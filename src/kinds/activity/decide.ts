import { refuseSpec, refuseSuspended, showing } from '../shared/checks.ts';
import { currentReady, isRequested } from '../shared/common-status.ts';
import { type Decision, done, rest } from '../shared/declared.ts';
import { type CallFacts, whenDue } from '../shared/due.ts';
import { fetched } from './report.ts';
import { type Activity, type ActivitySpec, parseSpec } from './resource.ts';

/** The order of the checks is the order of precedence. */
export function decide(object: Activity, facts: CallFacts, now: number): Decision<ActivitySpec> {
  // Make sure it is not being deleted: its spec is nobody's wish any more
  if (object.metadata.deletionTimestamp !== undefined) return rest();
  // Make sure the stored spec can be read
  const parsed = parseSpec(object);
  if (!parsed.ok) return done(refuseSpec(object, parsed.message, now));
  const { spec } = parsed;
  // Make sure it is not suspended
  const { activity: record, lastRequest } = object.status ?? {};
  if (spec.suspend) {
    const says = record
      ? 'The record is in status.activity'
      : 'The record has not been fetched. Set spec.suspend to false to fetch it';
    return done(refuseSuspended(object, { isHeld: record !== undefined, says, now }));
  }
  // Make sure the record is not there already: it is fetched once, and again only on request
  if (record && !isRequested(object)) {
    if (currentReady(object)?.reason === 'Fetched') return rest();
    // Of the call that brought the record, where it was the last one.
    const requestId = lastRequest?.outcome === 'Succeeded' ? lastRequest.requestId : undefined;
    return done(showing(object, fetched(spec, record, requestId), now, 'keep'));
  }
  // Make sure its time has come
  const due = whenDue(object, facts, { confirmed: false, now });
  return due.type === 'now' ? { type: 'act', spec, due } : rest(due.at);
}
