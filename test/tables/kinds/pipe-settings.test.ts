import { describe, expect, test } from 'vitest';
import { at, HOUR, MINUTE, SECOND } from './objects.ts';
import { answer, bad, ok, type Reply } from './process.ts';
import { isAbout, rows } from './rows.ts';
import { staged } from './stage.ts';

type Values = Readonly<Record<string, unknown>>;
const threads = (engine_max_threads: unknown) => ({ engine_max_threads });

/** One pipe, whose API answers with these settings in turn; the last of them for ever. */
function pipe(settings: Values, replies: readonly (Values | Reply)[] = [], spec: object = {}) {
  const of = (reply: Values | Reply | undefined) =>
    reply && 'answered' in reply ? (reply as Reply) : reply && ok(reply);
  const api = (_: unknown, nth: number) => of(replies[nth] ?? replies.at(-1));
  return staged('PipeSettings', { spec: { settings, ...spec } }, { api });
}

test('the body is the complete declared set, sorted, and nothing else', async () => {
  const additionalSettings = { new_text: 'a', new_flag: false };
  const settings = { engine_parallel_view_processing: false, engine_max_threads: 0, typo: 1 };
  const { stage, run } = pipe(settings, [], { additionalSettings, surplus: 1 });
  const { status } = await run();
  expect(stage.paths).toEqual(['PUT /v1/organizations/org/services/service/pipes/pipe/settings']);
  expect(stage.bodies.join()).toBe(
    '{"engine_max_threads":0,"engine_parallel_view_processing":false,' +
      '"new_flag":false,"new_text":"a"}',
  );
  expect(status).toMatchObject({
    verified: { time: at(0) },
    applied: { generation: 1, requestId: 'req-1' },
    lastRequest: { outcome: 'Succeeded', httpStatus: 200, requestId: 'req-1' },
  });
  expect(status.applied?.keys).toHaveLength(4);
});

/** `same`, `differs`, or `omitted`: of a declared value and what comes back for it, in JSON. */
const COMPARED = rows<'declared' | 'reported' | 'is'>(`
  declared | reported         | is
  8        | "8"              | same
  8        | true             | differs
  8        | {"a":8}          | differs
  8        | null             | omitted
  true     | "true"           | same
  false    | 0                | same
  true     | false            | differs
  "a"      | "b"              | differs
  "7"      | 7                | same
`);

test.each(COMPARED)('declared $declared and reported $reported is: $is', async (row) => {
  const declared = JSON.parse(row.declared) as unknown;
  const fields = { number: 'engine_max_threads', boolean: 'engine_parallel_view_processing' };
  const field = fields[typeof declared as keyof typeof fields] ?? 'new_text';
  const reported = JSON.parse(`{"${field}":${row.reported},"other_one":1}`) as Values;
  const isNew = field === 'new_text';
  const additional = isNew ? { additionalSettings: { [field]: declared } } : {};
  const settings = isNew ? threads(8) : { [field]: declared };
  const { run } = pipe(settings, [{ ...(isNew && settings), ...reported }], additional);
  const { ready, status } = await run();
  expect(ready).toBe(row.is === 'differs' ? 'False NotConfirmed' : 'True Applied');
  expect(status.notReported).toEqual(row.is === 'omitted' ? [field] : undefined);
  const differences = [{ field, declared, reported: expect.anything() as unknown }];
  expect(status.differences).toEqual(row.is === 'differs' ? differences : undefined);
});

test('what is reported besides is kept as JSON, in order, the first twenty', async () => {
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`x${90 - at}`, at]));
  const odd = JSON.parse('{"__proto__":{"engine_max_threads":9},"a":{"c":1,"b":[]}}') as Values;
  const { ready, status } = await pipe(threads(8), [{ ...threads('8'), ...many, ...odd }]).run();
  expect([ready, status.settings]).toEqual(['True Applied', threads(8)]);
  expect(status.otherSettings).toHaveLength(20);
  expect(status.otherSettings?.slice(0, 2)).toEqual([
    { field: '__proto__', value: '{"engine_max_threads":9}' },
    { field: 'a', value: '{"b":[],"c":1}' },
  ]);
});

test('what differs is asked for again after 10 s, 1 min, 5 min; then it is Stalled', async () => {
  const { run } = pipe(threads(8), [threads(4)]);
  const seen: unknown[] = [];
  let wait = 0;
  for (let round = 0; round < 4; round += 1) {
    const one = await run(wait);
    wait = one.wait ?? 0;
    seen.push([one.side, round < 3 ? wait : isAbout(wait, 6 * HOUR), one.events.length]);
    expect(one.message).toMatch(/engine_max_threads is 4, not 8 \(request req-1\)\. /);
  }
  expect(seen).toEqual([
    ['Reconciling', 10 * SECOND, 1],
    ['Reconciling', MINUTE, 0],
    ['Reconciling', 5 * MINUTE, 0],
    ['Stalled', true, 1],
  ]);
});

describe('a success', () => {
  test('after an edit is an event and in the history; drift is what nobody declared', async () => {
    const { stage, id, run } = pipe(threads(8), [
      { ...threads(8), engine_max_insert_threads: 1 },
      { ...threads(9), engine_max_insert_threads: 2 },
    ]);
    expect((await run()).events, 'the object says it').toEqual([]);
    stage.edit(id, { settings: threads(9) });
    const { events, status, result } = await run();
    expect(events).toEqual([
      expect.stringMatching(/^DriftDetected: .*: engine_max_insert_threads 1 → 2$/),
      'Applied: Applied engine_max_threads 8 → 9 (request req-1)',
    ]);
    const field = 'engine_max_insert_threads';
    expect(status.drift).toEqual([{ field, from: 1, to: 2, time: at(0) }]);
    expect(result.counts).toEqual({ drift: 1 });
    expect(status.history).toMatchObject([
      { generation: 1, changes: [{ field: 'engine_max_threads', to: 8 }] },
      { generation: 2, changes: [{ field: 'engine_max_threads', from: 8, to: 9 }] },
    ]);
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

  test('after a setting has left the spec says what the API has', async () => {
    const all = { ...threads(8), engine_max_insert_threads: 3 };
    const { stage, id, run } = pipe(all, [all]);
    await run();
    stage.edit(id, { settings: threads(8) });
    expect((await run()).events.join()).toMatch(
      /^NoLongerManaged: .*; the API keeps what it has: engine_max_insert_threads \(3\)$/,
    );
  });
});

describe('a PUT without an answer that says what it did', () => {
  /** It declared 9 threads, a minute after 8 had been applied; `next` is declared since. */
  async function lost(replies: readonly (Values | Reply)[], next: Values = threads(10)) {
    const one = pipe(threads(8), [threads(8), bad('lost'), ...replies]);
    await one.run();
    one.stage.edit(one.id, { settings: threads(9) });
    const { status } = await one.run(MINUTE);
    expect(status.unconfirmedWrite).toMatchObject({ time: at(MINUTE) });
    one.stage.edit(one.id, { settings: next });
    return one;
  }

  const ANSWERS = ['lost', '503', '200', '204', '302'];
  test.each(ANSWERS)('(%s) is sent again, and is over with its success', async (text) => {
    const { stage, run } = pipe(threads(8), [answer(text), threads(8)]);
    const { wait, status } = await run();
    expect(status.unconfirmedWrite).toMatchObject({ time: at(0) });
    expect((await run()).result.did).toBe('nothing');
    const last = await run(wait);
    expect([last.ready, last.status.unconfirmedWrite]).toEqual(['True Applied', undefined]);
    expect(stage.log).toHaveLength(2);
  });

  test('of an earlier spec is followed by one more PUT, 95 s after it', async () => {
    const { stage, run } = await lost([threads(10)]);
    const { ready, side, wait, message } = await run(5 * SECOND);
    expect([ready, side, wait]).toEqual(['False OutcomeUnknown', 'Reconciling', 90 * SECOND]);
    expect(message).toContain('the declared values are sent once more at status.nextAttemptTime');
    expect((await run(89 * SECOND)).result.did).toBe('nothing');
    const last = await run(SECOND);
    expect([last.ready, last.status.unconfirmedWrite]).toEqual(['True Applied', undefined]);
    expect(stage.log).toHaveLength(4);
  });

  test('is not taken for confirmed while suspended, though the confirmed is declared', async () => {
    const { stage, id, run } = await lost([], threads(8));
    stage.edit(id, { suspend: true });
    expect((await run()).ready).toBe('False Suspended');
  });
});
