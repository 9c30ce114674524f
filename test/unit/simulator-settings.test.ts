import { afterEach, describe, expect, it } from 'vitest';
import { caller, PIPE, PIPE_PATH, type Send } from '../simulator/caller.ts';
import { type Simulator, type SimulatorOptions, startSimulator } from '../simulator/simulator.ts';

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

let simulator: Simulator | undefined;
afterEach(() => simulator?.stop());

async function start(
  options: SimulatorOptions = {},
): Promise<{ simulator: Simulator; send: Send }> {
  const started = await startSimulator(options);
  simulator = started;
  return { simulator: started, send: caller(started.url) };
}

describe('PUT settings', () => {
  it('answers 200 with the envelope and all twelve settings', async () => {
    const { simulator, send } = await start();
    const { status, body } = await send('PUT', PIPE_PATH, {
      engine_max_threads: 9,
      engine_parallel_view_processing: true,
    });
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['status', 'requestId', 'result']);
    expect(body.requestId).toMatch(UUID_V4);
    expect(Object.keys(body.result ?? {})).toHaveLength(12);
    expect(body.result).toMatchObject({
      engine_max_threads: 9,
      engine_parallel_view_processing: true,
    });
    expect(simulator.settingsOf(PIPE)).toEqual({
      engine_max_threads: 9,
      engine_parallel_view_processing: true,
    });
  });

  it.each([
    ['streaming_max_insert_wait_ms', 500, 60_000],
    ['object_storage_concurrency', 1, 35],
    ['object_storage_polling_interval_ms', 100, 3_600_000],
    ['object_storage_max_insert_bytes', 10_485_760, 53_687_091_200],
    ['object_storage_max_file_count', 1, 10_000],
    ['engine_max_threads', 0, 64],
    ['engine_max_insert_threads', 0, 16],
    ['engine_min_insert_block_size_bytes', 0, 1_073_741_824],
    ['engine_max_download_threads', 0, 32],
    ['engine_parallel_distributed_insert_select', 0, 2],
  ])(
    'takes %s from %d to %d, and stores nothing of a body with one outside',
    async (key, lowest, highest) => {
      const { simulator, send } = await start();
      for (const value of [lowest, highest]) {
        expect((await send('PUT', PIPE_PATH, { [key]: value })).body.result?.[key]).toBe(value);
      }
      for (const value of [lowest - 1, highest + 1]) {
        const { status, body } = await send('PUT', PIPE_PATH, {
          object_storage_use_cluster_function: true,
          [key]: value,
        });
        expect(status).toBe(400);
        expect(body.error).toBe(
          `BAD_REQUEST: request body.${key} value is out of range: ${value} is not in ${lowest}..${highest}`,
        );
      }
      expect(simulator.settingsOf(PIPE)).toEqual({ [key]: highest });
    },
  );

  it.each([
    [
      'an unknown key',
      { engine_max_thread: 4 },
      "BAD_REQUEST: unknown setting 'engine_max_thread'",
    ],
    [
      '__proto__',
      '{"__proto__":{"engine_max_threads":4}}',
      "BAD_REQUEST: unknown setting '__proto__'",
    ],
    ['a number as text', { engine_max_threads: '4' }, 'value is not an integer: "4"'],
    ['a fraction', { engine_max_threads: 5.5 }, 'value is not an integer: 5.5'],
    ['null', { engine_max_threads: null }, 'value is not an integer: null'],
    ['a number for a boolean', { engine_parallel_view_processing: 1 }, 'value is not a boolean: 1'],
    ['an empty object', {}, 'BAD_REQUEST: request body has no settings'],
    ['a list', [], 'BAD_REQUEST: request body is not an object'],
    ['no body', undefined, 'BAD_REQUEST: request body is empty'],
    ['half a JSON text', '{"engine_max_threads":', 'BAD_REQUEST: request body is not JSON'],
  ])('refuses %s with 400 and stores nothing', async (_, body, text) => {
    const { simulator, send } = await start();
    const answered = await send('PUT', PIPE_PATH, body);
    expect(answered.status).toBe(400);
    expect(answered.body).toMatchObject({ status: 400, requestId: expect.stringMatching(UUID_V4) });
    expect(answered.body.error).toContain(text);
    expect(simulator.settingsOf(PIPE)).toBeUndefined();
    expect(simulator.log[0]).toMatchObject({ status: 400, applied: false });
  });

  it('knows the pipes it was given and no other when it is told so', async () => {
    const { send } = await start({ pipes: [PIPE], anyPipe: false });
    expect((await send('PUT', PIPE_PATH, { engine_max_threads: 1 })).status).toBe(200);
    const other = await send('PUT', '/v1/organizations/org/services/service/pipes/none/settings', {
      engine_max_threads: 1,
    });
    expect(other.status).toBe(404);
    expect(other.body.error).toBe('NOT_FOUND: ingestion for pipe "none" not found');
  });

  it.each([
    ['GET', PIPE_PATH, 405],
    ['PUT', `/v1${PIPE_PATH}`, 404],
    ['PUT', `${PIPE_PATH}/`, 404],
    ['PUT', '/', 404],
  ])('has no operation %s %s', async (method, path, status) => {
    const { send } = await start();
    expect(
      (await send(method, path, method === 'GET' ? undefined : { engine_max_threads: 1 })).status,
    ).toBe(status);
  });

  it('decodes each segment of a path', async () => {
    const { simulator, send } = await start();
    await send('PUT', '/v1/organizations/a%20b/services/s/pipes/p%C3%A4/settings', {
      engine_max_threads: 1,
    });
    expect(simulator.settingsOf('a b/s/pä')).toEqual({ engine_max_threads: 1 });
  });
});

describe('switches of settings', () => {
  it.each([
    ['merge', { engine_max_threads: 7, object_storage_concurrency: 2 }],
    ['replace', { object_storage_concurrency: 2 }],
  ] as const)('writes: %s', async (writes, kept) => {
    const { simulator, send } = await start({ settings: { writes } });
    await send('PUT', PIPE_PATH, { engine_max_threads: 7 });
    await send('PUT', PIPE_PATH, { object_storage_concurrency: 2 });
    expect(simulator.settingsOf(PIPE)).toEqual(kept);
  });

  const sent = { engine_max_threads: 60, engine_parallel_view_processing: true };
  it.each([
    ['only-set', /^\{"engine_max_threads":60,"engine_parallel_view_processing":true\}$/],
    ['none', /^\{\}$/],
    ['stale', /"engine_max_threads":7,.*"engine_parallel_view_processing":false/],
    ['strings', /"engine_max_threads":"60",.*"engine_parallel_view_processing":"true"/],
    ['ones-and-zeros', /"engine_max_threads":60,.*"engine_parallel_view_processing":1/],
    ['floats', /"engine_max_threads":60\.0,.*"engine_parallel_view_processing":true/],
    ['extra-keys', /"engine_max_threads":60,.*"engine_future_setting":7/],
    ['null-for-unset', /"object_storage_concurrency":null,.*"engine_max_threads":60/],
    ['clamped', /"engine_max_threads":32,.*"engine_parallel_view_processing":true/],
  ] as const)('echo: %s', async (echo, shown) => {
    const { simulator, send } = await start({ settings: { echo } });
    simulator.setSettings(PIPE, { engine_max_threads: 7 });
    const { status, text } = await send('PUT', PIPE_PATH, sent);
    expect(status).toBe(200);
    const result = /"result":(.*)\}$/.exec(text)?.[1];
    expect(result).toMatch(shown);
  });

  it('ranges: narrower than the document, 400 and nothing stored', async () => {
    const { simulator, send } = await start({
      settings: { ranges: { engine_max_threads: [2, 8] } },
    });
    expect((await send('PUT', PIPE_PATH, { engine_max_threads: 8 })).status).toBe(200);
    expect((await send('PUT', PIPE_PATH, { engine_max_threads: 9 })).status).toBe(400);
    expect(simulator.settingsOf(PIPE)).toEqual({ engine_max_threads: 8 });
  });

  it('clamp: stored and echoed inside the range, with 200', async () => {
    const { simulator, send } = await start({
      settings: { clamp: { engine_max_threads: [2, 8] } },
    });
    expect((await send('PUT', PIPE_PATH, { engine_max_threads: 60 })).body.result).toMatchObject({
      engine_max_threads: 8,
    });
    expect(simulator.settingsOf(PIPE)).toEqual({ engine_max_threads: 8 });
  });

  it('notApplicable: one such key spoils the whole call', async () => {
    const { simulator, send } = await start({
      settings: { notApplicable: ['engine_max_threads'] },
    });
    const { status, body } = await send('PUT', PIPE_PATH, {
      object_storage_concurrency: 2,
      engine_max_threads: 1,
    });
    expect(status).toBe(400);
    expect(body.error).toBe(
      "BAD_REQUEST: Setting 'engine_max_threads' is not supported for this kind of pipe",
    );
    expect(simulator.settingsOf(PIPE)).toBeUndefined();
  });

  it('noSettings: 404 although the pipe is there', async () => {
    const { send } = await start({ pipes: [PIPE], settings: { noSettings: [PIPE] } });
    expect((await send('PUT', PIPE_PATH, { engine_max_threads: 1 })).status).toBe(404);
  });

  it('changes how it behaves while it runs, and leaves the rest', async () => {
    const { simulator, send } = await start({ settings: { writes: 'replace' } });
    simulator.play({ settings: { echo: 'none' } });
    await send('PUT', PIPE_PATH, { engine_max_threads: 7 });
    expect((await send('PUT', PIPE_PATH, { object_storage_concurrency: 2 })).body.result).toEqual(
      {},
    );
    expect(simulator.settingsOf(PIPE)).toEqual({ object_storage_concurrency: 2 });
  });

  it('lets someone else change a pipe without a trace in the log', async () => {
    const { simulator, send } = await start();
    await send('PUT', PIPE_PATH, { engine_max_threads: 7 });
    simulator.setSettings(PIPE, { engine_max_threads: 3 });
    expect(simulator.log).toHaveLength(1);
    const { body } = await send('PUT', PIPE_PATH, { object_storage_concurrency: 2 });
    expect(body.result).toMatchObject({ engine_max_threads: 3, object_storage_concurrency: 2 });
    expect(simulator.dump().pipes).toEqual({
      [PIPE]: { engine_max_threads: 3, object_storage_concurrency: 2 },
    });
  });
});
