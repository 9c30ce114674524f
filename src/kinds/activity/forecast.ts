import { encodePath } from '../../api/http/path.ts';
import {
  atItsTime,
  type Forecast,
  nothingDue,
  stopped,
  type World,
  waitsFor,
} from '../engine/forecast.ts';
import { plan } from './plan.ts';
import { type Activity, pathOf } from './resource.ts';

/** What the operator does about an Activity as soon as it sees it. */
export function forecast(object: Activity, world: World): Forecast {
  const { now } = world;
  const planned = plan(object, { secret: { state: 'unknown' }, triedSecret: undefined }, now);
  switch (planned.do) {
    case 'call':
      return {
        does: 'send',
        says: 'One GET fetches the record into status.activity',
        requests: [{ method: 'GET', path: encodePath(pathOf(planned.spec)) }],
        changes: [],
        isOpen: false,
        waits: waitsFor(object, world, []),
      };
    case 'refuse-spec':
      return stopped(planned.message);
    case 'suspend':
      return stopped(planned.summary.message);
    case 'keep':
      return { ...nothingDue(object, undefined), says: 'The record was fetched before' };
    case 'nothing':
    case 'reschedule':
      return planned.at === undefined
        ? { ...nothingDue(object, undefined), says: 'The record was fetched before' }
        : atItsTime(object, planned.at, { world, forecast });
    case 'preview':
    case 'yield':
      throw new Error(`an Activity is never in the way of "${planned.do}"`);
  }
}

/** Deleting one makes no call. */
export function forecastDeletion(): Forecast {
  return stopped('Deleting it sends nothing; the fetched record goes with it');
}
