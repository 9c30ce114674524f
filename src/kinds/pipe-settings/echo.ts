import { parseJson } from '../../api/reply/json.ts';
import { cutText } from '../../controller/conditions.ts';
import { canonicalJson } from '../shared/canonical.ts';
import { withoutUndefined } from '../shared/common-status.ts';
import type { PipeSettingsStatus } from './resource.ts';
import { LIMITS, SETTINGS, type SettingName, type Settings } from './settings.ts';

export type Value = string | number | boolean;
/** Declared settings, the additional ones among them. */
export type Declared = Readonly<Record<string, Value>>;
type Result = Readonly<Record<string, unknown>>;

/** What a reply's result says, brought to our types and bounds. */
export interface Echo {
  readonly settings: Settings;
  readonly otherSettings: NonNullable<PipeSettingsStatus['otherSettings']>;
}

/** What the reply says about what was declared. */
export interface Comparison {
  readonly differences: NonNullable<PipeSettingsStatus['differences']>;
  readonly notReported: readonly string[];
}

/**
 * Reads a result leniently: numbers also as text, booleans also as 0, 1 and text; null is as good
 * as absent.
 */
export function readEcho(result: Result): Echo {
  const settings: Record<string, number | boolean> = {};
  const other: { field: string; value: string }[] = [];
  for (const [name, value] of Object.entries(result)) {
    if (value === null) continue;
    const read = isSetting(name) ? readAs(SETTINGS[name].type, value) : undefined;
    if (typeof read === 'number' || typeof read === 'boolean') settings[name] = read;
    else
      other.push({
        field: cutText(name, LIMITS.otherName),
        value: cutText(canonicalJson(value), LIMITS.otherValue),
      });
  }
  other.sort((a, b) => (a.field < b.field ? -1 : 1));
  return { settings, otherSettings: other.slice(0, LIMITS.otherSettings) };
}

/** Compares by value, declared keys only: what was not declared is nobody's difference. */
export function compare(declared: Declared, result: Result): Comparison {
  const differences: Comparison['differences'][number][] = [];
  const notReported: string[] = [];
  for (const [name, want] of Object.entries(declared)) {
    const raw = Object.hasOwn(result, name) ? result[name] : undefined;
    const reported = readAs(typeof want, raw);
    if (raw === undefined || raw === null) notReported.push(name);
    else if (reported !== want)
      differences.push({
        field: name,
        declared: scalarOf(want),
        reported: scalarOf(reported ?? raw),
      });
  }
  return { differences, notReported };
}

/** What was reported of the twelve, and of those that are declared besides. */
export function reportedOf(
  declared: Declared,
  reported: Pick<PipeSettingsStatus, 'settings' | 'otherSettings'>,
): Declared {
  const additional = (reported.otherSettings ?? []).flatMap(({ field, value }) => {
    const want = isSetting(field) ? undefined : declared[field];
    const read = want === undefined ? undefined : readAs(typeof want, parseJson(value)?.value);
    return read === undefined ? [] : [[field, read] as const];
  });
  return withoutUndefined({ ...reported.settings, ...Object.fromEntries(additional) }) as Declared;
}

function isSetting(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name);
}

/** As the type that is wanted; undefined where it cannot be read so. */
function readAs(type: string, value: unknown): Value | undefined {
  if (type === 'boolean') return toBoolean(value);
  if (type === 'number' || type === 'integer') return toInteger(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' ? value : undefined;
}

function toInteger(value: unknown): number | undefined {
  const read = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof read !== 'number' || !Number.isSafeInteger(read)) return undefined;
  // JSON has a -0; it is stored as 0, and would differ from it for ever.
  return read === 0 ? 0 : read;
}

function toBoolean(value: unknown): boolean | undefined {
  if (value === true || value === 1 || value === 'true' || value === '1') return true;
  if (value === false || value === 0 || value === 'false' || value === '0') return false;
  return undefined;
}

function scalarOf(value: unknown): Value {
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  return cutText(typeof value === 'string' ? value : canonicalJson(value), LIMITS.value);
}
