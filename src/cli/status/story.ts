import type { OrganizationStatus } from '../../kinds/organization/resource.ts';
import type { PipeSettingsStatus } from '../../kinds/pipe-settings/resource.ts';
import { OUTCOMES } from '../../kinds/schema/status-fields.ts';
import * as common from '../../kinds/shared/common-status.ts';
import { type Found, fetchedField } from '../objects.ts';
import { type ObjectState, stateOf } from '../state.ts';
import { ago, changeText, counted, until } from '../words.ts';
import { inventoryLines } from './inventory.ts';

/** The fields of the kinds that write; each has its own of them. */
export type AnyStatus = Partial<PipeSettingsStatus & OrganizationStatus>;

/** One object in plain sentences: what is wanted, what is known, what was tried, what follows. */
export function story(found: Found, now: number): readonly string[] {
  const { definition, object } = found;
  const status: AnyStatus = object.status ?? {};
  const { state, reason, message, who, todo, next } = stateOf(object);
  const { namespace, name } = object.metadata;
  return [
    `${definition.type.kind} ${namespace}/${name}: ${state} (${reason}).`,
    `  ${message}`,
    ...section('Declared', declaredLines(found)),
    ...section('Confirmed', confirmedLines(found, now)),
    ...section('Differs', differenceLines(status)),
    ...section('Planned', planLines(status, now)),
    ...section('Tried last', triedLines(status, now)),
    ...section('Who must act', [who === 'nobody' ? 'Nobody.' : `${sentence(who)}. ${todo}`]),
    ...section('Next', [nextLine(next, now), ...requestedLines(found)]),
    ...section('Private endpoints', inventoryLines(status, now)),
    ...section('History, newest first', historyLines(status, now)),
    ...section('Drift, newest first', driftLines(status, now)),
  ];
}

function sentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`)];
}

function declaredLines({ object }: Found): readonly string[] {
  const spec = (object.spec ?? {}) as Readonly<Record<string, unknown>>;
  const entries = Object.entries(spec).flatMap(([field, value]) => {
    if (field === 'credentialsSecretRef' || Array.isArray(value)) return [];
    return typeof value === 'object' && value !== null ? Object.entries(value) : [[field, value]];
  });
  const secret = (spec['credentialsSecretRef'] as { readonly name?: string } | undefined)?.name;
  const endpoints = spec['privateEndpoints'] as readonly unknown[] | undefined;
  return [
    `Generation ${common.generationOf(object)}, with the key in the Secret ${JSON.stringify(secret)}.`,
    ...entries.map(([field, value]) => `${String(field)}: ${JSON.stringify(value)}`),
    ...(endpoints ? [`privateEndpoints: ${counted(endpoints.length, 'entry', 'entries')}`] : []),
  ];
}

function confirmedLines(found: Found, now: number): readonly string[] {
  const { applied, notReported = [] }: AnyStatus = found.object.status ?? {};
  const fetched = fetchedField(found);
  if (fetched !== undefined) return [`It was fetched; see status.${fetched}.`];
  if (!applied) return ['Nothing yet.'];
  const which =
    applied.generation === common.generationOf(found.object) ? 'this generation' : 'an earlier one';
  return [
    `The API confirmed generation ${applied.generation}, ${which}, ${ago(applied.time, now)} (${applied.time})${request(applied.requestId)}: ${applied.keys.join(', ')}.`,
    ...(notReported.length > 0 ? [`The response omitted ${notReported.join(', ')}.`] : []),
  ];
}

function request(id: string | undefined): string {
  return id === undefined ? '' : `, request ${id}`;
}

function differenceLines({ differences = [] }: AnyStatus): readonly string[] {
  return differences.map(
    ({ field, declared, reported }) =>
      `${field} is declared as ${JSON.stringify(declared)}, but the API reports ${JSON.stringify(reported)}.`,
  );
}

function planLines({ plan }: AnyStatus, now: number): readonly string[] {
  if (!plan) return [];
  return [
    `Made ${ago(plan.time, now)}; nothing of it was sent.`,
    ...plan.changes.map(changeText),
    ...plan.requests.map(({ method, path, body = '' }) => `${method} ${path} ${body}`.trimEnd()),
  ];
}

function triedLines(
  { lastRequest, attempts }: common.CommonStatus,
  now: number,
): readonly string[] {
  if (!lastRequest) return ['No call was made yet.'];
  const { operation, time, outcome, httpStatus, requestId, message } = lastRequest;
  const meaning = outcome in OUTCOMES ? ` (${OUTCOMES[outcome as keyof typeof OUTCOMES]})` : '';
  const answer = httpStatus === undefined ? '' : `, HTTP ${httpStatus}`;
  return [
    `${operation} ${ago(time, now)} (${time}): ${outcome}${meaning}${answer}${request(requestId)}.`,
    ...(message === undefined ? [] : [`Reported: ${message}`]),
    ...(attempts === undefined ? [] : [`It has failed ${counted(attempts, 'time')} in a row.`]),
  ];
}

function nextLine(next: ObjectState['next'], now: number): string {
  if (typeof next === 'object')
    return `The operator acts by itself ${until(next.time, now)} (${next.time}).`;
  return NEXT[next];
}

const NEXT = {
  operator: 'It is the operator’s turn. If nothing happens: kubectl pipewright check',
  person: 'Nothing, until a person corrects the cause.',
  change: 'Nothing, until the object is changed.',
} as const;

function requestedLines({ object }: Found): readonly string[] {
  if (!common.isRequested(object)) return [];
  return [`A retry was asked for (${common.requestedAt(object)}), and is not answered yet.`];
}

function historyLines({ history = [] }: AnyStatus, now: number): readonly string[] {
  return history
    .toReversed()
    .flatMap(({ time, generation, requestId, changes }) => [
      `${ago(time, now)}, generation ${generation}${request(requestId)}:`,
      ...changes.map((change) => `  ${changeText(change)}`),
    ]);
}

function driftLines({ drift = [] }: AnyStatus, now: number): readonly string[] {
  return drift.toReversed().map((change) => `${ago(change.time, now)}: ${changeText(change)}`);
}
