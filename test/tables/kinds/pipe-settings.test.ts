import { describe, expect, test } from 'vitest';
import { staged } from './objects.ts';
import { pipe, threads, type Values } from './pipe.ts';
import { isAbout, rows } from './rows.ts';
import { at, HOUR, MINUTE, SECOND } from './stage.ts';

test('the body is the complete declared set, sorted, and nothing else', async () => {
  const additionalSettings = { new_text: 'a', new_flag: false };
  const settings = { engine_parallel_view_processing: false, engine_max_threads: 0 };
  const { stage, run } = pipe(settings, [], { additionalSettings, surplus: 1 });
  const { status } = await run();
  expect(stage.paths).toEqual(['PUT /v1/organizations/org/services/service/pipes/pipe/settings']);
  expect(stage.bodies).toEqual([
    '{"engine_max_threads":0,"engine_parallel_view_processing":false,"new_flag":false,"new_text":"a"}',
  ]);
  expect(status).toMatchObject({
    verified: { time: at(0) },
    applied: { generation: 1, requestId: 'req-1' },
    lastRequest: { outcome: 'Succeeded', httpStatus: 200, requestId: 'req-1' },
  });
  expect(new Set(status.applied?.keys)).toEqual(
    new Set(Object.keys({ ...settings, ...additionalSettings })),
  );
});

/** `same`, `differs`, or `omitted`: of a declared value and what comes back for it, in JSON. */
const COMPARED = rows<'declared' | 'reported' | 'is'>(`
  declared | reported         | is
  8        | 8                | same
  8        | "8"              | same
  8        | 8.0              | same
  8        | " 8.0 "          | same
  8        | 8e0              | same
  0        | -0               | same
  0        | "-0"             | same
  8        | 9                | differs
  8        | 8.5              | differs
  8        | "many"           | differs
  8        | ""               | differs
  8        | true             | differs
  8        | [8]              | differs
  8        | {"a":8}          | differs
  8        | 1e999            | differs
  8        | 9007199254740993 | differs
  8        | null             | omitted
  true     | true             | same
  true     | "true"           | same
  true     | 1                | same
  true     | "1"              | same
  false    | 0                | same
  false    | "false"          | same
  true     | false            | differs
  true     | 2                | differs
  true     | "TRUE"           | differs
  true     | []               | differs
  "a"      | "a"              | same
  "a"      | "b"              | differs
  "a"      | ["a"]            | differs
  "7"      | 7                | same
`);

test.each(COMPARED)('declared $declared and reported $reported is: $is', async (row) => {
  const declared = JSON.parse(row.declared) as unknown;
  const fields = { number: 'engine_max_threads', boolean: 'engine_parallel_view_processing' };
  const field = fields[typeof declared as keyof typeof fields] ?? 'new_text';
  const reported = JSON.parse(`{"${field}":${row.reported},"other_one":1}`) as Values;
  const more = field === 'new_text' ? { additionalSettings: { [field]: declared } } : {};
  const settings = field === 'new_text' ? threads(8) : { [field]: declared };
  const { run } = pipe(settings, [{ ...(field === 'new_text' && threads(8)), ...reported }], more);
  const { ready, status } = await run();
  expect(ready).toBe(row.is === 'differs' ? 'False NotConfirmed' : 'True Applied');
  expect(status.notReported).toEqual(row.is === 'omitted' ? [field] : undefined);
  const differences = [{ field, declared, reported: expect.anything() as unknown }];
  expect(status.differences).toEqual(row.is === 'differs' ? differences : undefined);
});

test('what is reported besides is kept as JSON, in order, the first twenty, cut, a prototype too', async () => {
  const many = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [`x${90 - index}`, index]),
  );
  const odd = JSON.parse(
    '{"__proto__":{"engine_max_threads":9},"a":{"c":1,"b":[]},"n":null}',
  ) as Values;
  const { run } = pipe(threads(8), [
    { ...threads('8'), ...many, ...odd, ['🙂'.repeat(200)]: '🙂'.repeat(200) },
  ]);
  const { ready, status } = await run();
  expect([ready, status.settings]).toEqual(['True Applied', threads(8)]);
  expect(status.otherSettings).toHaveLength(20);
  expect(status.otherSettings?.slice(0, 2)).toEqual([
    { field: '__proto__', value: '{"engine_max_threads":9}' },
    { field: 'a', value: '{"b":[],"c":1}' },
  ]);
  const long = pipe(threads(8), [{ ['🙂'.repeat(200)]: '🙂'.repeat(200) }]);
  expect((await long.run()).status.otherSettings).toEqual([
    { field: `${'🙂'.repeat(127)}…`, value: `"${'🙂'.repeat(126)}…` },
  ]);
});

test('an echo that differs is asked for again after 10 s, 1 min and 5 min; then a person must act', async () => {
  const { run } = pipe(threads(8), [threads(4)]);
  const seen: unknown[] = [];
  let wait = 0;
  for (let round = 0; round < 4; round += 1) {
    const one = await run(wait);
    wait = one.wait ?? 0;
    seen.push([one.side, round < 3 ? wait : isAbout(wait, 6 * HOUR), one.events.length]);
    expect(one.message).toMatch(
      /^The API accepted the settings but reports other values: engine_max_threads is 4, not 8 \(request req-1\)\..*declare the values that the API keeps$/,
    );
  }
  expect(seen).toEqual([
    ['Reconciling', 10 * SECOND, 1],
    ['Reconciling', MINUTE, 0],
    ['Reconciling', 5 * MINUTE, 0],
    ['Stalled', true, 1],
  ]);
});

describe('a success', () => {
  test('says how many settings were accepted, and what the response omitted', async () => {
    const settings = { ...threads(8), engine_max_insert_threads: 2 };
    expect((await pipe(settings, [threads(8)]).run()).message).toBe(
      'The API accepted all 2 declared settings; the response omitted 1 of them, see status.notReported (request req-1)',
    );
  });

  test('after an edit is an event and an entry of the history; drift is what nobody declared', async () => {
    const { stage, id, run } = pipe(threads(8), [
      { ...threads(8), engine_max_insert_threads: 1 },
      { ...threads(9), engine_max_insert_threads: 2 },
    ]);
    expect((await run()).events, 'the object says it').toEqual([]);
    stage.edit(id, { settings: threads(9) });
    const { events, status, result } = await run();
    expect(events).toEqual([
      'DriftDetected: Settings that are not declared changed at the API since the last response: engine_max_insert_threads 1 → 2',
      'Applied: Applied engine_max_threads 8 → 9 (request req-1)',
    ]);
    expect(status.drift).toEqual([
      { field: 'engine_max_insert_threads', from: 1, to: 2, time: at(0) },
    ]);
    expect(result.counts).toEqual({ drift: 1 });
    expect(status.history).toMatchObject([
      { generation: 1, changes: [{ field: 'engine_max_threads', to: 8 }] },
      { generation: 2, changes: [{ field: 'engine_max_threads', from: 8, to: 9 }] },
    ]);
  });

  test('of the same request, or with a silent reply to it, changes nothing', async () => {
    const { stage, id, run } = pipe(threads(8), [{}]);
    const { history } = (await run()).status;
    stage.ask(id, 'now');
    expect((await run()).status.history).toEqual(history);
    expect(history).toHaveLength(1);
  });

  test('keeps the last 10 of the history', async () => {
    const { stage, id, run } = pipe(threads(0));
    for (let count = 1; count <= 12; count += 1) {
      await run();
      stage.edit(id, { settings: threads(count) });
    }
    const { history = [] } = (await run()).status;
    expect(history.map(({ generation }) => generation)).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
  });

  test('after a setting has left the spec says that it is not managed, and what the API has', async () => {
    const all = { ...threads(8), engine_max_insert_threads: 3 };
    const { stage, id, run } = pipe(all, [all]);
    await run();
    stage.edit(id, { settings: threads(8) });
    expect((await run()).events).toEqual([
      'NoLongerManaged: No longer in spec, so no longer managed; the API keeps what it has: engine_max_insert_threads (3)',
    ]);
  });
});

test('a deleted object makes no call, whatever its finalizers are', async () => {
  const metadata = { deletionTimestamp: at(0), finalizers: ['others/finalizer'] };
  const { stage, run } = staged('PipeSettings', { metadata });
  expect((await run()).result).toEqual({ next: 'on-change', did: 'nothing' });
  expect(stage.log).toEqual([]);
});

test('a plan shows the body to the letter, and its changes', async () => {
  const { run } = pipe(threads(8), [], { mode: 'Plan', additionalSettings: { new_one: 'x' } });
  expect((await run()).status.plan).toMatchObject({
    basis: 'Unknown',
    requests: [{ method: 'PUT', body: '{"engine_max_threads":8,"new_one":"x"}' }],
    changes: [
      { field: 'engine_max_threads', to: 8 },
      { field: 'new_one', to: 'x' },
    ],
  });
});
