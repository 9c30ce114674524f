import type { Result } from '../../controller/kind.ts';
import * as checks from '../shared/checks.ts';
import { currentReady, isRequested } from '../shared/common-status.ts';
import type { Decision } from '../shared/declared.ts';
import { type CallFacts, whenDue } from '../shared/due.ts';
import { fetched } from './record.ts';
import { type Activity, type ActivitySpec, parseSpec } from './resource.ts';

/** The order of the checks is the order of precedence. */
export function decide(object: Activity, facts: CallFacts, now: number): Decision<ActivitySpec> {
  const deleted = checks.refuseDeleted(object);
  if (deleted) return done(deleted);
  const parsed = parseSpec(object);
  if (!parsed.ok) return done(checks.refuseSpec(object, parsed.message, now));
  const { spec } = parsed;
  const record = object.status?.activity;
  if (spec.suspend) {
    const says = record
      ? 'The record is in status.activity'
      : 'The record has not been fetched. Set spec.suspend to false to fetch it';
    return done(checks.refuseSuspended(object, { ready: record !== undefined, says, now }));
  }
  // Make sure the record is not there already: it is fetched once, and again only on request.
  if (record && !isRequested(object)) {
    if (currentReady(object, object.status)?.reason === 'Fetched')
      return done(checks.notDue({ type: 'later' }));
    const { outcome, requestId } = object.status?.lastRequest ?? {};
    // Of the call that brought the record, where it was the last one.
    const summary = fetched(spec, record, outcome === 'Succeeded' ? requestId : undefined);
    return done(checks.showing(object, summary, now, 'keep'));
  }
  const due = whenDue(object, facts, { confirmed: false, now });
  return due.type === 'later' ? done(checks.notDue(due)) : { type: 'act', spec, due };
}

function done(result: Result): Decision<never> {
  return { type: 'done', result };
}
