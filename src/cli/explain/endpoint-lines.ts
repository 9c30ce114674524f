import { withPlace } from '../../kinds/organization/endpoints/wording.ts';
import { counted, table } from '../words.ts';
import type { EndpointFacts } from './endpoints.ts';
import type { Facts } from './facts.ts';
import { byRequest, ended, stamp } from './wording.ts';

/** The ledger, with the reason why each endpoint is of this object or not. */
export function endpointLines(facts: Facts, now: number): string[] {
  const { endpoints = [], endpointsAtApi } = facts;
  return [
    ...(endpoints.length === 0 ? [] : ledgerLines(endpoints, now)),
    ...pendingLines(facts, now),
    ...(endpointsAtApi === undefined
      ? []
      : [`The API last listed ${counted(endpointsAtApi, 'private endpoint')} in all.`]),
  ];
}

function ledgerLines(endpoints: readonly EndpointFacts[], now: number): string[] {
  const [heading = '', ...rows] = table([
    ['ENDPOINT', 'LISTED', 'OURS', 'WHY', 'STATE'],
    ...endpoints.map((endpoint) => [
      withPlace(endpoint),
      endpoint.listed ? 'yes' : 'no',
      endpoint.ours ? 'yes' : 'no',
      endpoint.why,
      endpoint.state === undefined ? endpoint.means : `${endpoint.state}: ${endpoint.means}`,
    ]),
  ]);
  return [
    heading,
    ...endpoints.flatMap((endpoint, at) => [rows[at] ?? '', ...notesOn(endpoint, now)]),
  ];
}

function notesOn({ lastError, nextAttemptTime }: EndpointFacts, now: number): string[] {
  const { message, httpStatus, requestId } = lastError ?? {};
  const said = message ?? (httpStatus === undefined ? undefined : `HTTP ${httpStatus}`);
  return [
    ...(said === undefined ? [] : [`  ${said}${byRequest(requestId)}`]),
    ...(nextAttemptTime === undefined
      ? []
      : [`  Sent or looked for again at ${stamp(nextAttemptTime, now)}`]),
  ];
}

function pendingLines({ pendingChange }: Facts, now: number): string[] {
  if (!pendingChange) return [];
  const { time, add, remove, refused } = pendingChange;
  const parts = [
    ...(add.length === 0 ? [] : [`add ${add.map(withPlace).join(', ')}`]),
    ...(remove.length === 0 ? [] : [`remove ${remove.map(withPlace).join(', ')}`]),
  ];
  const answer = refused
    ? ` The API refused it (HTTP ${refused.httpStatus ?? 'unknown'}${byRequest(refused.requestId)}).`
    : ' Its outcome is not known yet.';
  return [`Being sent since ${stamp(time, now)}: ${ended(parts.join('; '))}${answer}`];
}
