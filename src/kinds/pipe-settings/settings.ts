import type { flag, integer } from '../schema/schema.ts';

/**
 * A setting that is a whole number: its inclusive range in the API document, exact in JavaScript.
 */
interface NumberSetting {
  readonly type: 'integer';
  readonly min: number;
  readonly max: number;
  readonly unit: string;
  readonly about: string;
}

interface BooleanSetting {
  readonly type: 'boolean';
  readonly about: string;
}

/**
 * The twelve settings of a pipe, under the API's own names: the one table of their types and
 * ranges.
 */
export const SETTINGS = {
  streaming_max_insert_wait_ms: {
    type: 'integer',
    min: 500,
    max: 60_000,
    unit: 'milliseconds',
    about: 'Maximum wait before data is inserted into the database.',
  },
  object_storage_concurrency: {
    type: 'integer',
    min: 1,
    max: 35,
    unit: 'threads',
    about: 'Number of threads that process files at the same time.',
  },
  object_storage_polling_interval_ms: {
    type: 'integer',
    min: 100,
    max: 3_600_000,
    unit: 'milliseconds',
    about: 'Interval at which continuous ingest looks for new data in object storage.',
  },
  object_storage_max_insert_bytes: {
    type: 'integer',
    min: 10_485_760,
    max: 53_687_091_200,
    unit: 'bytes (10 MiB to 50 GiB)',
    about: 'Maximum number of bytes in one insert batch.',
  },
  object_storage_max_file_count: {
    type: 'integer',
    min: 1,
    max: 10_000,
    unit: 'files',
    about: 'Maximum number of files in one insert batch.',
  },
  engine_max_threads: {
    type: 'integer',
    min: 0,
    max: 64,
    unit: 'threads',
    about: 'Maximum number of threads that process files at the same time.',
  },
  engine_max_insert_threads: {
    type: 'integer',
    min: 0,
    max: 16,
    unit: 'threads',
    about: 'Maximum number of threads that insert at the same time.',
  },
  engine_min_insert_block_size_bytes: {
    type: 'integer',
    min: 0,
    max: 1_073_741_824,
    unit: 'bytes (up to 1 GiB)',
    about: 'Minimum size of a block of data for an insert.',
  },
  engine_max_download_threads: {
    type: 'integer',
    min: 0,
    max: 32,
    unit: 'threads',
    about: 'Maximum number of threads that download at the same time.',
  },
  engine_parallel_distributed_insert_select: {
    type: 'integer',
    min: 0,
    max: 2,
    unit: '',
    about: 'How a distributed INSERT … SELECT runs in parallel.',
  },
  object_storage_use_cluster_function: {
    type: 'boolean',
    about: 'Whether the cluster function is used for distributed processing.',
  },
  engine_parallel_view_processing: {
    type: 'boolean',
    about:
      'Whether data is pushed to attached views in parallel instead of one view after another.',
  },
} as const satisfies Readonly<Record<string, NumberSetting | BooleanSetting>>;

export type SettingName = keyof typeof SETTINGS;

/** In the order of the API document. */
export const settingNames = Object.keys(SETTINGS) as readonly SettingName[];

/** Settings by name, each a whole number or a boolean as the table says; any may be absent. */
export type Settings = {
  [Name in SettingName]?:
    | ((typeof SETTINGS)[Name]['type'] extends 'integer' ? number : boolean)
    | undefined;
};

type Shape = {
  [Name in SettingName]: ReturnType<
    (typeof SETTINGS)[Name]['type'] extends 'integer' ? typeof integer : typeof flag
  >;
};

/** One schema for each setting. `make` gives a flag for a boolean, an integer for the others. */
export function settingsShape(
  make: (name: SettingName) => ReturnType<typeof integer | typeof flag>,
): Shape {
  return Object.fromEntries(settingNames.map((name) => [name, make(name)])) as unknown as Shape;
}

/**
 * How many entries a status may have and how long their texts may be, in code points; `report` cuts
 * to these.
 */
export const LIMITS = {
  additionalSettings: 20,
  additionalValue: 256,
  /** All twelve and the additional ones. */
  keys: 32,
  differences: 32,
  planRequests: 1,
  planChanges: 32,
  otherSettings: 20,
  otherName: 128,
  otherValue: 128,
  drift: 12,
  history: 10,
  historyChanges: 12,
  /** Names of fields; the longest additional setting has 64. */
  field: 64,
  /** Values in differences, drift and plan, where they are text. */
  value: 64,
  /** The same in history, which has many. */
  historyValue: 16,
  body: 4096,
} as const;
