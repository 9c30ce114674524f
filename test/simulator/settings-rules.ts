/** A text only of what the document has not. */
export type SettingValue = number | boolean | string;

/** The keys of the document with their inclusive bounds; without bounds, a boolean. */
export const SETTINGS: Readonly<Record<string, readonly [number, number] | 'boolean'>> = {
  streaming_max_insert_wait_ms: [500, 60_000],
  object_storage_concurrency: [1, 35],
  object_storage_polling_interval_ms: [100, 3_600_000],
  object_storage_max_insert_bytes: [10_485_760, 53_687_091_200],
  object_storage_max_file_count: [1, 10_000],
  engine_max_threads: [0, 64],
  engine_max_insert_threads: [0, 16],
  engine_min_insert_block_size_bytes: [0, 1_073_741_824],
  engine_max_download_threads: [0, 32],
  engine_parallel_distributed_insert_select: [0, 2],
  object_storage_use_cluster_function: 'boolean',
  engine_parallel_view_processing: 'boolean',
};

/** What a pipe has where nobody set anything. */
export const DEFAULTS: Readonly<Record<string, SettingValue>> = {
  streaming_max_insert_wait_ms: 5000,
  object_storage_concurrency: 4,
  object_storage_polling_interval_ms: 30_000,
  object_storage_max_insert_bytes: 10_737_418_240,
  object_storage_max_file_count: 100,
  engine_max_threads: 8,
  engine_max_insert_threads: 1,
  engine_min_insert_block_size_bytes: 268_435_456,
  engine_max_download_threads: 4,
  engine_parallel_distributed_insert_select: 2,
  object_storage_use_cluster_function: true,
  engine_parallel_view_processing: false,
};

/**
 * Why a body cannot be stored, as the server words it; undefined when it can. `ranges` narrow the
 * document's.
 */
export function objection(
  body: unknown,
  {
    ranges,
    gained,
  }: {
    readonly ranges: Readonly<Record<string, readonly [number, number]>>;
    readonly gained: readonly string[];
  },
): string | undefined {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return 'request body is not an object';
  }
  const entries = Object.entries(body);
  if (entries.length === 0) return 'request body has no settings';
  for (const [key, value] of entries) {
    if (gained.includes(key)) continue;
    const rule = Object.hasOwn(SETTINGS, key) ? SETTINGS[key] : undefined;
    if (rule === undefined) return `unknown setting '${key}'`;
    if (rule === 'boolean') {
      if (typeof value !== 'boolean') {
        return `request body.${key} value is not a boolean: ${JSON.stringify(value)}`;
      }
      continue;
    }
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
      return `request body.${key} value is not an integer: ${JSON.stringify(value)}`;
    }
    const [lowest, highest] = ranges[key] ?? rule;
    if (value < lowest || value > highest) {
      return `request body.${key} value is out of range: ${value} is not in ${lowest}..${highest}`;
    }
  }
  return undefined;
}
