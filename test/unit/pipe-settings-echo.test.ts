import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJson } from '../../src/api/json.ts';
import { compare, readEcho } from '../../src/kinds/pipe-settings/echo.ts';
import { type PipeSettingsStatus, status } from '../../src/kinds/pipe-settings/resource.ts';
import {
  isNumber,
  type Name as SettingName,
  names as settingNames,
} from '../../src/kinds/pipe-settings/settings.ts';
import { fitTo } from '../../src/kinds/shared/fit.ts';

type Result = Readonly<Record<string, unknown>>;

/** A result as it comes over the wire. */
function wire(json: string): Result {
  return parseJson(json)?.value as Result;
}

/** What a status has of it. */
function kept(result: Result): PipeSettingsStatus {
  return fitTo(status, { ...readEcho(result), ...compare(VALUES, result) }) ?? {};
}

/** One value for each setting, in its range. */
const VALUES: Readonly<Record<SettingName, number | boolean>> = {
  streaming_max_insert_wait_ms: 5000,
  object_storage_concurrency: 35,
  object_storage_polling_interval_ms: 100,
  object_storage_max_insert_bytes: 53_687_091_200,
  object_storage_max_file_count: 1,
  engine_max_threads: 0,
  engine_max_insert_threads: 16,
  engine_min_insert_block_size_bytes: 1_073_741_824,
  engine_max_download_threads: 1,
  engine_parallel_distributed_insert_select: 2,
  object_storage_use_cluster_function: true,
  engine_parallel_view_processing: false,
};

describe.for(settingNames)('%s', (name) => {
  const value = VALUES[name];
  const spellings: readonly string[] = isNumber(name)
    ? [
        `${Number(value)}`,
        `"${Number(value)}"`,
        `${Number(value)}.0`,
        `"${Number(value)}.0"`,
        `" ${Number(value)} "`,
        `${Number(value)}e0`,
      ]
    : value
      ? ['true', '"true"', '1', '"1"']
      : ['false', '"false"', '0', '"0"'];

  test.for(spellings)('is the declared value, spelled %s', (json) => {
    const result = wire(`{"${name}": ${json}}`);
    expect(compare({ [name]: value }, result)).toEqual({ differences: [], notReported: [] });
    expect(readEcho(result)).toStrictEqual({ settings: { [name]: value }, otherSettings: [] });
  });

  const unreadable = isNumber(name)
    ? [
        '5.5',
        '"many"',
        '""',
        'true',
        '[1]',
        '{"a":1}',
        '1e999',
        '9007199254740993',
        '-9007199254740993',
      ]
    : ['2', '"yes"', '"TRUE"', '""', '[]', '{}'];

  test.for(unreadable)('cannot be read from %s: a difference, kept as JSON text', (json) => {
    const result = wire(`{"${name}": ${json}}`);
    const { differences, notReported } = compare({ [name]: value }, result);
    expect(notReported).toEqual([]);
    expect(differences).toEqual([{ field: name, declared: value, reported: expect.anything() }]);
    expect(['string', 'number', 'boolean']).toContain(typeof differences[0]?.reported);
    expect(readEcho(result)).toMatchObject({ settings: {}, otherSettings: [{ field: name }] });
  });

  test.for(['{}', `{"${name}": null}`])('is not reported in %s', (json) => {
    expect(compare({ [name]: value }, wire(json))).toEqual({
      differences: [],
      notReported: [name],
    });
    expect(readEcho(wire(json))).toEqual({ settings: {}, otherSettings: [] });
  });
});

test('numbers may lie outside the documented range: they are reported, not believed', () => {
  const { settings } = readEcho({ engine_max_threads: 1_000_000, engine_max_insert_threads: -1 });
  expect(settings).toEqual({ engine_max_threads: 1_000_000, engine_max_insert_threads: -1 });
});

test('a reported -0 is the 0 that the API server would store', () => {
  const { settings } = readEcho(
    wire('{"engine_max_threads": -0, "engine_max_insert_threads": "-0"}'),
  );
  expect(settings).toStrictEqual({ engine_max_threads: 0, engine_max_insert_threads: 0 });
  expect(
    compare({ engine_max_threads: 0 }, wire('{"engine_max_threads": -0}')).differences,
  ).toEqual([]);
});

test('only declared keys are compared', () => {
  const result = { engine_max_threads: 8, engine_max_insert_threads: 3 };
  expect(compare({ engine_max_threads: 8 }, result)).toEqual({ differences: [], notReported: [] });
});

test('keys nobody knows are kept as JSON text, in order, the first twenty, null ones left out', () => {
  const unknown = Object.fromEntries(
    Array.from({ length: 50 }, (_, index) => [`x${99 - index}`, { b: [1], a: index }]),
  );
  const { otherSettings = [] } = kept({ ...unknown, nothing: null });
  expect(otherSettings).toHaveLength(20);
  expect(otherSettings[0]).toEqual({ field: 'x50', value: '{"a":49,"b":[1]}' });
  expect(otherSettings.map(({ field }) => field)).toEqual(
    otherSettings.map(({ field }) => field).toSorted(),
  );
});

test('names and values are cut to what the status holds, never inside a character', () => {
  const { otherSettings } = kept({ ['🙂'.repeat(500)]: '🙂'.repeat(500) });
  expect(otherSettings).toEqual([
    { field: `${'🙂'.repeat(127)}…`, value: `"${'🙂'.repeat(126)}…` },
  ]);
});

test('a prototype in a reply is a key like any other', () => {
  const result = wire(
    '{"__proto__": {"engine_max_threads": 8}, "constructor": 1, "toString": "x"}',
  );
  expect(compare({ engine_max_threads: 8 }, result).notReported).toEqual(['engine_max_threads']);
  const { settings, otherSettings } = readEcho(result);
  expect(settings).toEqual({});
  expect(otherSettings?.map(({ field }) => field)).toEqual([
    '__proto__',
    'constructor',
    'toString',
  ]);
  expect(({} as Record<string, unknown>)['engine_max_threads']).toBeUndefined();
});

test('a method of the prototype is not taken for a reported setting', () => {
  const result = Object.create({ engine_max_threads: 8 }) as Result;
  expect(compare({ engine_max_threads: 8 }, result).notReported).toEqual(['engine_max_threads']);
});

test('whatever a reply says, what is kept of it is lawful, and the same each time', () => {
  const names = fc.oneof(
    fc.constantFrom<string>(...settingNames),
    fc.string({ unit: 'binary', maxLength: 200 }),
  );
  const values = fc.oneof(
    fc.jsonValue(),
    fc.bigInt().map(String),
    fc.double().map(String),
    fc.string({ unit: 'binary', maxLength: 300 }),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(names, values), { maxLength: 30 }), (members) => {
      const text = `{${members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`;
      const first = kept(wire(text));
      expect(status.safeParse(first).error?.issues).toBeUndefined();
      expect(first).toStrictEqual(kept(wire(text)));
    }),
    { numRuns: 500 },
  );
});
