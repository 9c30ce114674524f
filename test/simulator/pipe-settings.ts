import { refused, succeeded, type Work } from './replies.ts';
import { type Echo, echoText, type Stored } from './settings-echo.ts';
import { objection, SETTINGS, type SettingValue } from './settings-rules.ts';

export interface SettingsBehaviour {
  /** what becomes of settings that a PUT leaves out: they stay, or go back to their default */
  writes: 'merge' | 'replace';
  /**
   * what the result of a PUT shows; `clamped` also clamps to the lower half of each range without
   * an entry in `clamp`
   */
  echo: Echo;
  /** narrower than the document: outside of it 400, nothing stored */
  ranges: Record<string, [number, number]>;
  /** silently moved into this range, then stored and echoed */
  clamp: Record<string, [number, number]>;
  /** settings that the API has and the document has not; any value is taken */
  gained: string[];
  /** keys that do not fit this pipe: 400 for the whole call */
  notApplicable: string[];
  /** pipes ('org/service/pipe') that answer 404 */
  noSettings: string[];
}

export interface Settings {
  /** `once` is how it behaves for this call alone. */
  put(pipe: string, body: unknown, once?: Partial<SettingsBehaviour>): Work;
  of(pipe: string): Record<string, unknown> | undefined;
  set(pipe: string, settings: Record<string, unknown>): void;
  play(change: Partial<SettingsBehaviour>): void;
  dump(): Record<string, Record<string, unknown>>;
}

/**
 * The pipes and their settings. `pipes` exist from the start; with `anyPipe` every other one does
 * at its first PUT.
 */
export function createSettings(options: { pipes: readonly string[]; anyPipe: boolean }): Settings {
  const stored = new Map<string, Stored>(options.pipes.map((pipe) => [pipe, {}]));
  let behaviour: SettingsBehaviour = {
    writes: 'merge',
    echo: 'all',
    ranges: {},
    clamp: {},
    gained: [],
    notApplicable: [],
    noSettings: [],
  };

  function put(pipe: string, body: unknown, once: Partial<SettingsBehaviour> = {}): Work {
    const now = { ...behaviour, ...once };
    const before = stored.get(pipe) ?? (options.anyPipe ? {} : undefined);
    if (before === undefined || now.noSettings.includes(pipe)) {
      return refused(404, `ingestion for pipe "${pipe.split('/').slice(2).join('/')}" not found`);
    }
    const problem = objection(body, now);
    if (problem !== undefined) return refused(400, problem);
    const sent = body as Stored;
    const foreign = now.notApplicable.find((key) => Object.hasOwn(sent, key));
    if (foreign !== undefined) {
      return refused(400, `Setting '${foreign}' is not supported for this kind of pipe`);
    }
    const kept = clamped(sent, now);
    const after = now.writes === 'merge' ? { ...before, ...kept } : kept;
    stored.set(pipe, after);
    return { reply: succeeded(echoText(now.echo, before, after)), applied: true };
  }

  return {
    put,
    of: (pipe) => {
      const settings = stored.get(pipe);
      return settings && { ...settings };
    },
    set: (pipe, settings) => {
      stored.set(pipe, { ...stored.get(pipe), ...(settings as Stored) });
    },
    play: (change) => {
      behaviour = { ...behaviour, ...change };
    },
    dump: () => structuredClone(Object.fromEntries(stored)),
  };
}

function clamped(sent: Stored, behaviour: SettingsBehaviour): Stored {
  const { clamp, echo } = behaviour;
  if (echo !== 'clamped' && Object.keys(clamp).length === 0) return { ...sent };
  return Object.fromEntries(
    Object.entries(sent).map(([key, value]) => [
      key,
      within(value, clamp[key] ?? (echo === 'clamped' ? lowerHalf(key) : undefined)),
    ]),
  );
}

function within(value: SettingValue, range: readonly [number, number] | undefined): SettingValue {
  if (typeof value !== 'number' || range === undefined) return value;
  return Math.min(Math.max(value, range[0]), range[1]);
}

function lowerHalf(key: string): [number, number] | undefined {
  const rule = SETTINGS[key];
  if (rule === undefined || rule === 'boolean') return undefined;
  return [rule[0], Math.floor((rule[0] + rule[1]) / 2)];
}
