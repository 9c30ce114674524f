import { DEFAULTS, SETTINGS, type SettingValue } from './settings-rules.ts';

/** What a successful PUT shows of the pipe; every one is a JSON object. */
export const ECHOES = [
  'all',
  'only-set',
  'none',
  'stale',
  'strings',
  'ones-and-zeros',
  'floats',
  'extra-keys',
  'null-for-unset',
  'clamped',
] as const;
export type Echo = (typeof ECHOES)[number];

export type Stored = Readonly<Record<string, SettingValue>>;

/** The result as JSON text: text, because `5000.0` is a spelling that no value of ours keeps. */
export function echoText(echo: Echo, before: Stored, after: Stored): string {
  const all = { ...DEFAULTS, ...after };
  switch (echo) {
    case 'all':
    case 'clamped':
      return JSON.stringify(all);
    case 'only-set':
      return JSON.stringify(after);
    case 'none':
      return '{}';
    case 'stale':
      return JSON.stringify({ ...DEFAULTS, ...before });
    case 'strings':
      return JSON.stringify(mapped(all, String));
    case 'ones-and-zeros':
      return JSON.stringify(mapped(all, Number));
    case 'floats':
      return JSON.stringify(all).replaceAll(/:(\d+)/g, ':$1.0');
    case 'extra-keys':
      return JSON.stringify({ ...all, engine_future_setting: 7, notes: { by: 'server' } });
    case 'null-for-unset':
      return JSON.stringify({ ...mapped(SETTINGS, () => null), ...after });
  }
}

function mapped<T>(from: Readonly<Record<string, T>>, change: (value: T) => unknown): object {
  return Object.fromEntries(Object.entries(from).map(([key, value]) => [key, change(value)]));
}
