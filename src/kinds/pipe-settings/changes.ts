import { plainLine } from '../../api/reply/text.ts';
import type { Comparison, Echo } from './echo.ts';
import type { PipeSettingsStatus } from './resource.ts';
import { LIMITS, type SettingName, type Settings, settingNames } from './settings.ts';

type Value = number | boolean;

export interface Change {
  readonly field: string;
  readonly from?: Value;
  readonly to?: Value;
}

/**
 * What Apply would change, measured against the last reply; a value that is not known is left out
 * of `from`.
 */
export function plannedChanges(declared: Settings, reported: Settings | undefined): Change[] {
  return settingNames.flatMap((field) => {
    const to = declared[field];
    const from = reported?.[field];
    return to === undefined || to === from ? [] : [change(field, from, to)];
  });
}

/**
 * What a confirmed write changed. Where the reply was silent about a declared key, the declared
 * value counts, but only when the request was another one than the last confirmed: the same request
 * again changes nothing.
 */
export function confirmedChanges(options: {
  readonly declared: Settings;
  readonly before: Settings | undefined;
  readonly after: Settings;
  readonly sameRequest: boolean;
}): Change[] {
  const { declared, before, after, sameRequest } = options;
  return settingNames.flatMap((field) => {
    const want = declared[field];
    if (want === undefined) return [];
    const from = before?.[field];
    const to = after[field] ?? (sameRequest ? from : want);
    return to === undefined || to === from ? [] : [change(field, from, to)];
  });
}

/** Settings nobody declared, now or in the request before, that differ between two replies. */
export function driftBetween(options: {
  readonly declared: Settings;
  readonly declaredBefore: readonly string[];
  readonly before: Settings | undefined;
  readonly after: Settings;
}): Change[] {
  const { declared, declaredBefore, before, after } = options;
  return settingNames.flatMap((field) => {
    const from = before?.[field];
    const to = after[field];
    if (from === undefined || to === undefined || from === to) return [];
    return declared[field] !== undefined || declaredBefore.includes(field)
      ? []
      : [change(field, from, to)];
  });
}

/** `a 1 → 2, b → true`, for events and messages. */
export function describeChanges(changes: readonly Change[]): string {
  return changes
    .map(({ field, from, to }) =>
      from === undefined ? `${field} → ${String(to)}` : `${field} ${String(from)} → ${String(to)}`,
    )
    .join(', ');
}

/** How many differences a message names; the status has them all. */
const NAMED_DIFFERENCES = 4;

/**
 * `a is 5, not 8`, for the message about an echo that differs; one line, whatever the API calls a
 * value.
 */
export function describeDifferences(differences: Comparison['differences']): string {
  const named = differences
    .slice(0, NAMED_DIFFERENCES)
    .map(
      ({ field, declared, reported }) => `${field} is ${shown(reported)}, not ${String(declared)}`,
    );
  const more = differences.length - named.length;
  return more > 0
    ? `${named.join(', ')} and ${more} more, see status.differences`
    : named.join(', ');
}

function shown(value: string | number | boolean): string {
  return plainLine(String(value), LIMITS.value, (text) => text);
}

/** The fields of a status that a reply's result decides. */
export function reportedFields(echo: Echo, comparison: Comparison): Partial<PipeSettingsStatus> {
  const { settings, otherSettings } = echo;
  const { differences, notReported } = comparison;
  return {
    settings: Object.keys(settings).length > 0 ? settings : undefined,
    otherSettings: otherSettings.length > 0 ? otherSettings : undefined,
    differences: differences.length > 0 ? differences : undefined,
    notReported: notReported.length > 0 ? ([...notReported] as SettingName[]) : undefined,
  };
}

/** `status.drift` with what was found now, newest last. */
export function withDrift(
  before: PipeSettingsStatus['drift'],
  found: readonly Change[],
  time: string,
): PipeSettingsStatus['drift'] {
  if (found.length === 0) return before;
  const entries = found.slice(0, LIMITS.drift).map((entry) => ({ ...entry, time }));
  return [...(before ?? []), ...entries].slice(-LIMITS.drift);
}

function change(field: string, from: Value | undefined, to: Value): Change {
  return from === undefined ? { field, to } : { field, from, to };
}
