import { cutText } from '../../controller/conditions.ts';
import { canonicalJson } from '../shared/canonical.ts';
import type { PipeSettingsStatus } from './resource.ts';
import { LIMITS, SETTINGS, type SettingName, type Settings, settingNames } from './settings.ts';

/** What a reply's result says, brought to our types and bounds. */
export interface Echo {
  readonly settings: Settings;
  readonly otherSettings: NonNullable<PipeSettingsStatus['otherSettings']>;
}

/** What the reply says about what was declared. */
export interface Comparison {
  readonly differences: NonNullable<PipeSettingsStatus['differences']>;
  readonly notReported: SettingName[];
}

/**
 * Reads a result leniently: numbers also as text, booleans also as 0, 1 and text; null is as good
 * as absent.
 */
export function readEcho(result: Readonly<Record<string, unknown>>): Echo {
  const settings: Record<string, number | boolean> = {};
  const other: { field: string; value: string }[] = [];
  for (const [name, value] of Object.entries(result)) {
    if (value === null) continue;
    const read = isSetting(name) ? normalise(name, value) : undefined;
    if (read !== undefined) settings[name] = read;
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
export function compare(declared: Settings, result: Readonly<Record<string, unknown>>): Comparison {
  const differences: Comparison['differences'][number][] = [];
  const notReported: SettingName[] = [];
  for (const name of settingNames) {
    const want = declared[name];
    if (want === undefined) continue;
    const raw = Object.hasOwn(result, name) ? result[name] : undefined;
    if (raw === undefined || raw === null) {
      notReported.push(name);
      continue;
    }
    const reported = normalise(name, raw);
    if (reported !== want)
      differences.push({ field: name, declared: want, reported: reported ?? scalarOf(raw) });
  }
  return { differences, notReported };
}

function isSetting(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name);
}

function normalise(name: SettingName, value: unknown): number | boolean | undefined {
  return SETTINGS[name].type === 'boolean' ? toBoolean(value) : toInteger(value);
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

function scalarOf(value: unknown): string | number | boolean {
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  return cutText(typeof value === 'string' ? value : canonicalJson(value), LIMITS.value);
}
