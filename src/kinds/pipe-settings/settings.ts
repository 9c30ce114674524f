/** The settings of a pipe, under the API's own names and in the order of its document. */
export const ABOUT = {
  streaming_max_insert_wait_ms: 'Maximum wait before data is inserted into the database.',
  object_storage_concurrency: 'Number of concurrent file-processing threads.',
  object_storage_polling_interval_ms:
    'Interval at which continuous ingest checks object storage for new data.',
  object_storage_max_insert_bytes: 'Maximum number of bytes in one insert batch.',
  object_storage_max_file_count: 'Maximum number of files in one insert batch.',
  engine_max_threads: 'Maximum number of concurrent threads for file processing.',
  engine_max_insert_threads: 'Maximum number of concurrent insert threads.',
  engine_min_insert_block_size_bytes: 'Minimum size of a data block for an insert.',
  engine_max_download_threads: 'Maximum number of concurrent download threads.',
  engine_parallel_distributed_insert_select: 'Setting for parallel distributed INSERT … SELECT.',
  object_storage_use_cluster_function:
    'Whether the cluster function is used for distributed processing.',
  engine_parallel_view_processing:
    'Whether data is pushed to attached views in parallel instead of one view after another.',
} as const;

/** Of those that are whole numbers: bounds in the document, both included. The others are flags. */
export const RANGES = {
  streaming_max_insert_wait_ms: { min: 500, max: 60_000, unit: 'milliseconds' },
  object_storage_concurrency: { min: 1, max: 35, unit: 'threads' },
  object_storage_polling_interval_ms: { min: 100, max: 3_600_000, unit: 'milliseconds' },
  object_storage_max_insert_bytes: {
    min: 10_485_760,
    max: 53_687_091_200,
    unit: 'bytes (10 MiB to 50 GiB)',
  },
  object_storage_max_file_count: { min: 1, max: 10_000, unit: 'files' },
  engine_max_threads: { min: 0, max: 64, unit: 'threads' },
  engine_max_insert_threads: { min: 0, max: 16, unit: 'threads' },
  engine_min_insert_block_size_bytes: { min: 0, max: 1_073_741_824, unit: 'bytes (up to 1 GiB)' },
  engine_max_download_threads: { min: 0, max: 32, unit: 'threads' },
  engine_parallel_distributed_insert_select: { min: 0, max: 2, unit: '' },
} as const satisfies Partial<Record<Name, object>>;

export type Name = keyof typeof ABOUT;
export type NumberName = keyof typeof RANGES;

export const names = Object.keys(ABOUT) as readonly Name[];

export function isSetting(name: string): name is Name {
  return Object.hasOwn(ABOUT, name);
}

export function isNumber(name: string): name is NumberName {
  return Object.hasOwn(RANGES, name);
}
