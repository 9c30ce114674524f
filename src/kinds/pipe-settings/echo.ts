import { parseJson } from '../../api/json.ts';
import { canonicalJson } from '../shared/canonical.ts';
import type { PipeSettingsStatus } from './resource.ts';
import { isNumber, isSetting } from './settings.ts';

export type Value = string | number | boolean;
/** Settings by name, the additional ones among them. */
export type Declared = Readonly<Record<string, Value>>;
type Result = Readonly<Record<string, unknown>>;

/** What a status says that the API has. */
type Reported = Pick<PipeSettingsStatus, 'settings' | 'otherSettings'>;

/** Reads leniently: numbers also as text, booleans as 0, 1 and text; null is as good as absent. */
export function readEcho(result: Result): Required<Reported> {
  const settings: Record<string, Value> = {};
  const otherSettings: { field: string; value: string }[] = [];
  for (const [field, value] of Object.entries(result)) {
    if (value === null) continue;
    const type = isNumber(field) ? 'number' : 'boolean';
    const read = isSetting(field) ? readAs(type, value) : undefined;
    if (read === undefined) otherSettings.push({ field, value: canonicalJson(value) });
    else settings[field] = read;
  }
  otherSettings.sort((a, b) => (a.field < b.field ? -1 : 1));
  return { settings, otherSettings };
}

/** What a reply says about what was declared. */
export interface Comparison {
  readonly differences: { field: string; declared: Value; reported: Value }[];
  readonly notReported: string[];
}

/** Compares by value, declared keys only: what was not declared is nobody's difference. */
export function compare(declared: Declared, result: Result): Comparison {
  const compared: Comparison = { differences: [], notReported: [] };
  for (const [field, want] of Object.entries(declared)) {
    const raw = Object.hasOwn(result, field) ? result[field] : undefined;
    const read = readAs(typeof want, raw);
    if (raw === undefined || raw === null) compared.notReported.push(field);
    else if (read !== want) {
      const reported = read ?? (isValue(raw) ? raw : canonicalJson(raw));
      compared.differences.push({ field, declared: want, reported });
    }
  }
  return compared;
}

/** What was reported of the settings of the CRD, and of those that are declared besides. */
export function reportedOf(declared: Declared, { settings, otherSettings }: Reported): Declared {
  const additional = (otherSettings ?? []).flatMap(({ field, value }) => {
    const want = isSetting(field) ? undefined : declared[field];
    const read = want === undefined ? undefined : readAs(typeof want, parseJson(value)?.value);
    return read === undefined ? [] : [[field, read] as const];
  });
  return { ...(settings as Declared), ...Object.fromEntries(additional) };
}

/** As the type that is wanted; undefined where it cannot be read so. */
function readAs(type: string, value: unknown): Value | undefined {
  if (type === 'boolean') return toBoolean(value);
  if (type === 'number') return toInteger(value);
  return isValue(value) ? String(value) : undefined;
}

function isValue(value: unknown): value is Value {
  // What is too large for a number has no JSON.
  return ['string', 'boolean'].includes(typeof value) || Number.isFinite(value);
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
