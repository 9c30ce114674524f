import type { Forecast, PlannedChange } from '../../kinds/engine/forecast.ts';
import { timestamp } from '../../kinds/status/canonical.ts';
import { ago, counted } from '../words.ts';
import { type Planned, requestCount, withFate } from './planned.ts';

/** `2 of 40 objects send 3 requests, 1 is not valid, …`. */
export function headline(planned: Planned): string {
  const { objects, absent, strays, skipped } = planned;
  const sends = withFate(planned, 'sends').length;
  const stopped = withFate(planned, 'stopped').length;
  const invalid = withFate(planned, 'invalid').length + strays.length;
  const unchanged = withFate(planned, 'unchanged').length;
  const requests = requestCount(planned);
  const parts = [
    `${sends} ${sends === 1 ? 'sends' : 'send'} something`,
    ...(stopped > 0 ? [`${stopped} ${stopped === 1 ? 'is' : 'are'} stopped`] : []),
    ...(invalid > 0 ? [`${invalid} ${invalid === 1 ? 'is' : 'are'} not valid`] : []),
    ...(unchanged > 0 ? [`${unchanged} ${unchanged === 1 ? 'stays' : 'stay'} as confirmed`] : []),
    ...(absent.length > 0 ? [`${counted(absent.length, 'object')} would be deleted`] : []),
  ];
  const others = skipped > 0 ? ` (${counted(skipped, 'document')} of other kinds skipped)` : '';
  const all = objects.length + strays.length;
  return `${counted(all, 'object')}: ${parts.join(', ')}; ${counted(requests, 'request')} in all${others}`;
}

/** From which reply the old values are known, and how old it is. */
export function basisOf({ known }: Forecast, now: number): string {
  if (!known) return 'no response has shown the present values yet';
  const request = known.requestId === undefined ? '' : `, request ${known.requestId}`;
  return `compared with the response of ${known.time} (${ago(known.time, now)}${request})`;
}

/** What stands over the changes. */
export function changesHeading({ does }: Forecast): string {
  return does === 'stop' ? 'Changes that are not made' : 'Changes';
}

/**
 * `engine_max_threads: 4 → 8`, with `?` for a value that is not known; of an endpoint, which has no
 * value but comes or goes, `add privateEndpoints[psc-1] "gcp/r1"`.
 */
export function changeText({ field, from, to }: PlannedChange): string {
  if (field.startsWith('privateEndpoints[')) {
    if (from === undefined && to !== undefined) return `add ${field} ${valueText(to)}`;
    if (to === undefined && from !== undefined) return `remove ${field} ${valueText(from)}`;
  }
  return `${field}: ${from === undefined ? '?' : valueText(from)} → ${to === undefined ? '?' : valueText(to)}`;
}

function valueText(value: string | number | boolean): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

/** Until when it waits, or may have to, and for what. */
export function timeText({ at, waits, requests }: Forecast): readonly string[] {
  return [
    ...(at === undefined || requests.length === 0
      ? []
      : [`Not before ${timestamp(at)}, or as soon as what it waits for is there`]),
    ...(waits === undefined ? [] : [`It may have to wait: ${waits}`]),
  ];
}
