import { describe, expect, it } from 'vitest';
import { PIPE, PIPE_PATH } from '../../../simulator/caller.ts';
import type { SettingsBehaviour } from '../../../simulator/pipe-settings.ts';
import type { Echo } from '../../../simulator/settings-echo.ts';
import { SETTINGS } from '../../../simulator/settings-rules.ts';
import type { Once } from '../../management/api.ts';
import { expectRefusal } from './document.ts';
import { type Laws, testLaws } from './laws.ts';
import type { Answer, ManagementUnderTest, Open } from './under-test.ts';

const OTHER = 'org/service/other';
/** How many settings there are. */
const ALL = Object.keys(SETTINGS).length;

interface PipeScene {
  readonly api: ManagementUnderTest;
  put(body: unknown, once?: Once): Promise<Answer>;
  play(settings: Partial<SettingsBehaviour>): void;
  stored(): Record<string, unknown> | undefined;
}

async function pipeScene(
  open: Open,
  settings: Partial<SettingsBehaviour> = {},
): Promise<PipeScene> {
  const api = await open();
  api.play({ settings });
  return {
    api,
    put: (body, once) => api.send({ method: 'PUT', path: PIPE_PATH, body, ...(once && { once }) }),
    play: (settings) => api.play({ settings }),
    stored: () => api.settingsOf(PIPE),
  };
}

const resultText = ({ text }: Answer): string => /"result":(.*)\}$/.exec(text)?.[1] ?? '';

/**
 * A pipe that has 7 threads; a call that asks for 60 and for parallel views. Of other settings
 * nothing was ever set.
 */
const ECHO_LAWS: Laws<Echo, Answer> = {
  all: [
    'shows what is set, and defaults for the rest',
    async ({ body }) => {
      expect(Object.keys(body.result ?? {})).toHaveLength(ALL);
      expect(body.result).toMatchObject({ engine_max_threads: 60, object_storage_concurrency: 4 });
    },
  ],
  'only-set': [
    'shows what is set, and nothing else',
    async (answer) => {
      expect(resultText(answer)).toBe(
        '{"engine_max_threads":60,"engine_parallel_view_processing":true}',
      );
    },
  ],
  none: ['shows nothing', async (answer) => expect(resultText(answer)).toBe('{}')],
  stale: [
    'shows what was before the call',
    async ({ body }) => {
      expect(Object.keys(body.result ?? {})).toHaveLength(ALL);
      expect(body.result).toMatchObject({
        engine_max_threads: 7,
        engine_parallel_view_processing: false,
      });
    },
  ],
  strings: [
    'shows every value as text',
    async ({ body }) => {
      expect(body.result).toMatchObject({
        engine_max_threads: '60',
        engine_parallel_view_processing: 'true',
      });
      expect(Object.values(body.result ?? {}).every((value) => typeof value === 'string')).toBe(
        true,
      );
    },
  ],
  'ones-and-zeros': [
    'shows 1 and 0 for true and false',
    async ({ body }) => {
      expect(body.result).toMatchObject({
        engine_parallel_view_processing: 1,
        engine_max_threads: 60,
      });
      expect(Object.values(body.result ?? {}).every((value) => typeof value === 'number')).toBe(
        true,
      );
    },
  ],
  floats: [
    'spells numbers with a fraction, and booleans as ever',
    async (answer) => {
      expect(resultText(answer)).toMatch(
        /"object_storage_max_insert_bytes":10737418240\.0,.*"engine_max_threads":60\.0,/,
      );
      expect(answer.body.result).toMatchObject({
        engine_max_threads: 60,
        engine_parallel_view_processing: true,
      });
    },
  ],
  'extra-keys': [
    'shows more than the document knows',
    async ({ body }) => {
      expect(Object.keys(body.result ?? {})).toHaveLength(ALL + 2);
      expect(body.result).toMatchObject({ engine_max_threads: 60, engine_future_setting: 7 });
    },
  ],
  'null-for-unset': [
    'shows null for what nobody set',
    async ({ body }) => {
      expect(Object.keys(body.result ?? {})).toHaveLength(ALL);
      expect(body.result).toMatchObject({
        engine_max_threads: 60,
        object_storage_concurrency: null,
      });
    },
  ],
  clamped: [
    'moves what was sent into the lower half of its range, and shows that',
    async ({ body }) => {
      expect(body.result).toMatchObject({
        engine_max_threads: 32,
        engine_parallel_view_processing: true,
      });
    },
  ],
};

const LAWS: Laws<keyof SettingsBehaviour, PipeScene> = {
  writes: [
    'merge keeps what a call leaves out, replace does not',
    async ({ put, play, stored }) => {
      await put({ engine_max_threads: 7, engine_parallel_view_processing: true });
      await put({ engine_max_threads: 8 });
      expect(stored()).toEqual({ engine_max_threads: 8, engine_parallel_view_processing: true });
      play({ writes: 'replace' });
      const { body } = await put({ object_storage_concurrency: 2 });
      expect(stored()).toEqual({ object_storage_concurrency: 2 });
      expect(body.result).toMatchObject({
        object_storage_concurrency: 2,
        engine_parallel_view_processing: false,
      });
    },
  ],
  echo: [
    'changes what is shown and, but for clamped, never what is stored',
    async ({ put, play, stored }) => {
      for (const echo of Object.keys(ECHO_LAWS) as Echo[]) {
        play({ echo });
        expect((await put({ engine_max_threads: 60 })).status).toBe(200);
        expect(stored()).toEqual({ engine_max_threads: echo === 'clamped' ? 32 : 60 });
      }
    },
  ],
  ranges: [
    "stand in place of the document's: outside 400 and nothing stored",
    async ({ put, play, stored }) => {
      play({ ranges: { engine_max_threads: [2, 8], object_storage_concurrency: [0, 99] } });
      for (const threads of [2, 8])
        expect((await put({ engine_max_threads: threads })).status).toBe(200);
      for (const threads of [1, 9]) {
        expectRefusal(
          await put({ engine_max_threads: threads, engine_max_insert_threads: 3 }),
          400,
        );
      }
      expect((await put({ object_storage_concurrency: 99 })).status).toBe(200);
      expectRefusal(await put({ engine_max_insert_threads: 17 }), 400);
      expect(stored()).toEqual({ engine_max_threads: 8, object_storage_concurrency: 99 });
    },
  ],
  clamp: [
    'moves a value inside with 200, and stores and shows it so',
    async ({ put, play, stored }) => {
      play({ clamp: { engine_max_threads: [2, 8] } });
      const shown = [];
      for (const threads of [60, 1, 5])
        shown.push((await put({ engine_max_threads: threads })).body.result);
      expect(shown).toMatchObject([
        { engine_max_threads: 8 },
        { engine_max_threads: 2 },
        { engine_max_threads: 5 },
      ]);
      await put({
        engine_max_insert_threads: 16,
        engine_parallel_view_processing: true,
        engine_max_threads: 64,
      });
      expect(stored()).toEqual({
        engine_max_threads: 8,
        engine_max_insert_threads: 16,
        engine_parallel_view_processing: true,
      });
      play({ echo: 'clamped' });
      const both = await put({ engine_max_threads: 64, engine_max_insert_threads: 16 });
      expect(both.body.result).toMatchObject({
        engine_max_threads: 8,
        engine_max_insert_threads: 8,
      });
    },
  ],
  notApplicable: [
    'is 400 for the whole call, and no other call',
    async ({ put, play, stored }) => {
      play({ notApplicable: ['engine_max_threads'] });
      const answer = await put({ object_storage_concurrency: 2, engine_max_threads: 1 });
      expectRefusal(answer, 400);
      expect(answer.body.error).toBe(
        "BAD_REQUEST: Setting 'engine_max_threads' is not supported for this kind of pipe",
      );
      expect(stored()).toBeUndefined();
      expect((await put({ object_storage_concurrency: 2 })).status).toBe(200);
    },
  ],
  noSettings: [
    'is 404 for those pipes, although they are there',
    async ({ api, put, play }) => {
      api.setSettings(PIPE, { engine_max_threads: 7 });
      play({ noSettings: [PIPE] });
      const answer = await put({ engine_max_threads: 1 });
      expectRefusal(answer, 404);
      expect(answer.body.error).toBe('NOT_FOUND: ingestion for pipe "pipe" not found');
      expect(api.settingsOf(PIPE)).toEqual({ engine_max_threads: 7 });
      play({ noSettings: [OTHER] });
      expect((await put({ engine_max_threads: 1 })).status).toBe(200);
    },
  ],
};

/** Sections 2.1 and 4.1 of the document, and every switch of settings. */
export function settingsCases(open: Open): void {
  describe('a body of settings', () => {
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
    ])('has %s from %d to %d; one outside spoils the whole of it', async (key, lowest, highest) => {
      const { put, stored } = await pipeScene(open);
      for (const value of [lowest, highest])
        expect((await put({ [key]: value })).body.result?.[key]).toBe(value);
      for (const value of [lowest - 1, highest + 1]) {
        const answer = await put({ object_storage_use_cluster_function: true, [key]: value });
        expectRefusal(answer, 400);
        expect(answer.body.error).toBe(
          `BAD_REQUEST: request body.${key} value is out of range: ${value} is not in ${lowest}..${highest}`,
        );
      }
      expect(stored()).toEqual({ [key]: highest });
    });

    it.each(['object_storage_use_cluster_function', 'engine_parallel_view_processing'])(
      'has %s, true or false',
      async (key) => {
        const { put, stored } = await pipeScene(open);
        for (const value of [true, false])
          expect((await put({ [key]: value })).body.result?.[key]).toBe(value);
        for (const value of [0, 1, 'true', null]) expectRefusal(await put({ [key]: value }), 400);
        expect(stored()).toEqual({ [key]: false });
      },
    );

    it.each([
      ['an unknown key', { engine_max_thread: 4 }, "unknown setting 'engine_max_thread'"],
      ['a key in another case', { Engine_Max_Threads: 4 }, "unknown setting 'Engine_Max_Threads'"],
      ['__proto__', '{"__proto__":{"engine_max_threads":4}}', "unknown setting '__proto__'"],
      [
        'a number as text',
        { engine_max_threads: '4' },
        'request body.engine_max_threads value is not an integer: "4"',
      ],
      [
        'a fraction',
        { engine_max_threads: 5.5 },
        'request body.engine_max_threads value is not an integer: 5.5',
      ],
      [
        'null',
        { engine_max_threads: null },
        'request body.engine_max_threads value is not an integer: null',
      ],
      ['nothing', {}, 'request body has no settings'],
    ])('with %s is 400 and stores nothing', async (_, body, reason) => {
      const { put, stored } = await pipeScene(open);
      const answer = await put(body);
      expectRefusal(answer, 400);
      expect(answer.body.error).toBe(`BAD_REQUEST: ${reason}`);
      expect(stored()).toBeUndefined();
    });

    it('may spell a whole number with a fraction or an exponent', async () => {
      const { put, stored } = await pipeScene(open);
      await put('{"engine_max_threads":5.0,"object_storage_max_file_count":1e2}');
      expect(stored()).toEqual({ engine_max_threads: 5, object_storage_max_file_count: 100 });
    });
  });

  describe('settings', () => {
    testLaws(LAWS, () => pipeScene(open));

    it('are of one pipe each', async () => {
      const { api, put } = await pipeScene(open);
      await put({ engine_max_threads: 7 });
      const path = PIPE_PATH.replace('/pipe/', '/other/');
      const { body } = await api.send({
        method: 'PUT',
        path,
        body: { object_storage_concurrency: 2 },
      });
      expect(body.result).toMatchObject({ engine_max_threads: 8, object_storage_concurrency: 2 });
      expect([api.settingsOf(PIPE), api.settingsOf(OTHER)]).toEqual([
        { engine_max_threads: 7 },
        { object_storage_concurrency: 2 },
      ]);
    });

    it('change for someone else too, unchecked and merged', async () => {
      const { api, put, stored } = await pipeScene(open, { writes: 'replace' });
      api.setSettings(PIPE, { engine_max_threads: 1_000 });
      api.setSettings(PIPE, { engine_max_insert_threads: 2 });
      expect(stored()).toEqual({ engine_max_threads: 1_000, engine_max_insert_threads: 2 });
      api.play({ settings: { writes: 'merge' } });
      expect((await put({ object_storage_concurrency: 2 })).body.result).toMatchObject({
        engine_max_threads: 1_000,
      });
    });

    it('behave otherwise for one call alone, on top of what holds for all', async () => {
      const { put, play } = await pipeScene(open, { writes: 'replace' });
      play({ echo: 'only-set' });
      const once: Once = { settings: { writes: 'merge', clamp: { engine_max_threads: [0, 4] } } };
      const bodies = [
        await put({ engine_max_threads: 9, object_storage_concurrency: 2 }),
        await put({ engine_max_threads: 9 }, once),
        await put({ engine_max_threads: 9 }),
      ];
      expect(bodies.map(({ body }) => body.result)).toEqual([
        { engine_max_threads: 9, object_storage_concurrency: 2 },
        { engine_max_threads: 4, object_storage_concurrency: 2 },
        { engine_max_threads: 9 },
      ]);
    });
  });

  describe('echo', () => {
    testLaws(ECHO_LAWS, async (echo) => {
      const { api, put } = await pipeScene(open, { echo });
      api.setSettings(PIPE, { engine_max_threads: 7 });
      const answer = await put({ engine_max_threads: 60, engine_parallel_view_processing: true });
      expect(answer.status).toBe(200);
      return answer;
    });
  });
}
