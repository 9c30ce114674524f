import { PLAIN, type SettingsBehaviour } from './manners.ts';
import { refused, succeeded, type Work } from './replies.ts';

type Value = number | boolean | string;
type Values = Readonly<Record<string, Value>>;

/** The settings of the document: inclusive bounds, and what a pipe has where nobody set it. */
const SETTINGS: Readonly<Record<string, readonly [number, number, number] | boolean>> = {
  streaming_max_insert_wait_ms: [500, 60_000, 5000],
  object_storage_concurrency: [1, 35, 4],
  object_storage_polling_interval_ms: [100, 3_600_000, 30_000],
  object_storage_max_insert_bytes: [10_485_760, 53_687_091_200, 10_737_418_240],
  object_storage_max_file_count: [1, 10_000, 100],
  engine_max_threads: [0, 64, 8],
  engine_max_insert_threads: [0, 16, 1],
  engine_min_insert_block_size_bytes: [0, 1_073_741_824, 268_435_456],
  engine_max_download_threads: [0, 32, 4],
  engine_parallel_distributed_insert_select: [0, 2, 2],
  object_storage_use_cluster_function: true,
  engine_parallel_view_processing: false,
};
const DEFAULTS: Values = mapped(SETTINGS, (one) => (typeof one === 'boolean' ? one : one[2]));

/** The pipes. `pipes` exist from the start; with `anyPipe` every other one from its first PUT. */
export function createSettings(options: { pipes: readonly string[]; anyPipe: boolean }) {
  const stored = new Map<string, Values>(options.pipes.map((pipe) => [pipe, {}]));
  let behaviour = PLAIN.settings;

  /** `once` is how it behaves for this call alone. */
  function put(pipe: string, body: unknown, once: Partial<SettingsBehaviour> = {}): Work {
    const { writes, echo, ranges, clamp } = { ...behaviour, ...once };
    const before = stored.get(pipe) ?? (options.anyPipe ? {} : undefined);
    if (!before) return refused(404, `ingestion for pipe "${pipe.split('/')[2]}" not found`);
    const problem = objection(body, ranges);
    if (problem !== undefined) return refused(400, problem);
    const sent = mapped(body as Values, (value, name) => within(value, clamp[name]));
    const after = writes === 'merge' ? { ...before, ...sent } : sent;
    stored.set(pipe, after);
    const all = { ...DEFAULTS, ...after };
    const shown = { all, 'only-set': after, strings: mapped(all, String) }[echo];
    return { reply: succeeded(shown), applied: true };
  }

  return {
    put,
    of: (pipe: string): Record<string, unknown> | undefined => structuredClone(stored.get(pipe)),
    set: (pipe: string, settings: Record<string, unknown>): void => {
      stored.set(pipe, { ...stored.get(pipe), ...(settings as Values) });
    },
    play: (change: Partial<SettingsBehaviour>): void => {
      behaviour = { ...behaviour, ...change };
    },
  };
}

/** Why a body cannot be stored, as the server words it. */
function objection(body: unknown, ranges: SettingsBehaviour['ranges']): string | undefined {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return 'request body is not an object';
  const entries = Object.entries(body);
  if (entries.length === 0) return 'request body has no settings';
  for (const [name, value] of entries) {
    const rule = Object.hasOwn(SETTINGS, name) ? SETTINGS[name] : undefined;
    const [lowest, highest] = ranges[name] ?? (typeof rule === 'object' ? rule : []);
    if (rule === undefined && lowest === undefined) return `unknown setting '${name}'`;
    const problem = odd(value, rule);
    if (problem) return `request body.${name} value is not ${problem}: ${JSON.stringify(value)}`;
    if (lowest === undefined || highest === undefined || typeof value !== 'number') continue;
    if (value < lowest || value > highest)
      return `request body.${name} value is out of range: ${value} is not in ${lowest}..${highest}`;
  }
  return undefined;
}

/** What a value should be and is not; of what the document has not, any is right. */
function odd(value: unknown, rule: (typeof SETTINGS)[string] | undefined): string | undefined {
  if (typeof rule === 'boolean') return typeof value === 'boolean' ? undefined : 'a boolean';
  return rule === undefined || Number.isSafeInteger(value) ? undefined : 'an integer';
}

function within(value: Value, range: readonly [number, number] | undefined): Value {
  if (typeof value !== 'number' || range === undefined) return value;
  return Math.min(Math.max(value, range[0]), range[1]);
}

function mapped<From, To>(
  from: Readonly<Record<string, From>>,
  change: (value: From, name: string) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(from).map(([name, one]) => [name, change(one, name)]));
}
