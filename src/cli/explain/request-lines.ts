import { OUTCOMES, PLAN_BASES } from '../../kinds/schema/status-fields.ts';
import { table } from '../words.ts';
import type { Facts } from './facts.ts';
import { byRequest, changeText, stamp } from './wording.ts';

/** What the one operation of a kind does. */
const OPERATIONS: Readonly<Record<string, string>> = {
  PipeSettings: 'send the settings of the pipe',
  Organization: 'change the organization, or only look at it',
  Activity: 'read the record',
};

export function triedLines({ lastRequest, attempts, kind }: Facts, now: number): string[] {
  if (!lastRequest) return [];
  const { operation, outcome, httpStatus, requestId, time, message } = lastRequest;
  const means = outcome in OUTCOMES ? OUTCOMES[outcome as keyof typeof OUTCOMES] : undefined;
  const status = httpStatus === undefined ? 'no response' : `HTTP ${httpStatus}`;
  return table([
    ['Call', `${OPERATIONS[kind] ?? 'unknown'} (${operation})`],
    ['Ended', stamp(time, now)],
    ['Outcome', `${outcome}, ${status}${means === undefined ? '' : ` (${means})`}`],
    ...(requestId === undefined ? [] : [['Request', requestId]]),
    ...(message === undefined ? [] : [['Message', message]]),
    ...(attempts === undefined || attempts < 2 ? [] : [['Failed', `${attempts} times in a row`]]),
  ]);
}

export function planLines({ plan }: Facts, now: number): string[] {
  if (!plan) return [];
  const { time, basis, requests, changes } = plan;
  return [
    `Planned ${stamp(time, now)}, compared with ${PLAN_BASES[basis]}.`,
    ...requests.flatMap(({ method, path, body }) => [
      `${method} ${path}`,
      ...(body === undefined ? [] : [`  ${body}`]),
    ]),
    changes.length === 0 ? 'Nothing would change.' : 'Changes:',
    ...changes.map((change) => `  ${changeText(change)}`),
  ];
}

export function historyLines({ history = [] }: Facts, now: number): string[] {
  return history.flatMap(({ time, generation, requestId, changes }) => [
    `${stamp(time, now)}, generation ${generation}${byRequest(requestId)}`,
    ...changes.map((change) => `  ${changeText(change)}`),
  ]);
}
