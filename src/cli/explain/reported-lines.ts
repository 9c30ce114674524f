import type { Shell } from '../shell.ts';
import { valueText } from './declared.ts';
import type { Facts } from './facts.ts';
import { byRequest, changeText, stamp } from './wording.ts';

export function confirmedLines(facts: Facts, now: number): string[] {
  const { confirmed, generation, kind, ready, state } = facts;
  if (!confirmed) return ['Nothing yet.'];
  const when = confirmed.time === undefined ? '' : ` ${stamp(confirmed.time, now)}`;
  if (kind === 'Activity') return [`Record fetched${when}${byRequest(confirmed.requestId)}.`];
  const isOlder = confirmed.generation !== generation && state !== 'Deleting';
  return [
    `Generation ${valueText(confirmed.generation)} confirmed${when}${byRequest(confirmed.requestId)}.`,
    ...(confirmed.fields.length === 0 ? [] : [`Confirmed fields: ${confirmed.fields.join(', ')}.`]),
    ...(isOlder
      ? [
          ready
            ? `Generation ${generation} declares the same.`
            : `Generation ${generation} is declared now, and is not confirmed.`,
        ]
      : []),
  ];
}

export function differenceLines({ differences = [], notReported = [] }: Facts): string[] {
  return [
    ...differences.map(
      ({ field, declared, reported }) =>
        `${field}: declared is ${JSON.stringify(declared)}, the API has ${JSON.stringify(reported)}`,
    ),
    ...notReported.map(
      (field) => `${field}: the response omitted it, so it is not known what the API has`,
    ),
  ];
}

export function driftLines({ drift = [] }: Facts, now: number): string[] {
  return drift
    .toReversed()
    .map(({ time, ...change }) => `${stamp(time, now)}  ${changeText(change)}`);
}

/** Nothing of the people in it. */
export function recordLines({ record, name, namespace, shortName }: Facts, shell: Shell): string[] {
  if (!record) return [];
  const { type = 'not reported', createdAt = 'not reported' } = record;
  return [
    `Type: ${type}. Created: ${createdAt}.`,
    `The rest is in status.activity. It has names and addresses of people, so it is not shown here: ${shell.kubectl('get', shortName, name, '-n', namespace, '-o', 'yaml')}`,
  ];
}
