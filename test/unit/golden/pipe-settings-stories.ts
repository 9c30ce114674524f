import { pipeSettings } from '../../../src/kinds/pipe-settings/index.ts';
import { anAnswer, aPipeSettings, REQUESTED_AT } from '../../support/objects.ts';
import { type Call, Visited } from './stored.ts';

const HOUR = 3_600_000;

/** A call echoed as it was sent, and on top of it what a test says. */
const echo =
  (more: object = {}, requestId = 'req-1') =>
  ({ body = '{}' }: Call) =>
    anAnswer(200, { requestId, result: { ...(JSON.parse(body) as object), ...more } });

const refuse =
  (httpStatus: number, more: object = {}) =>
  () =>
    anAnswer(httpStatus, { error: 'as the API says it', ...more });

/** `sent`: something of the request has left. */
const unanswered = (sent: boolean) => (): ReturnType<Visited['answer']> => {
  return { answered: false, sent, cause: 'connection reset' };
};

function begin(spec: object = {}, options: ConstructorParameters<typeof Visited>[2] = {}): Visited {
  const object = aPipeSettings({ spec, created: '2025-12-31T00:00:00Z' });
  return new Visited(pipeSettings.create, object, options);
}

async function applied(spec: object = {}, echoed: object = {}): Promise<Visited> {
  const story = begin(spec);
  story.answer = echo(echoed);
  await story.visit();
  return story;
}

type Answer = Visited['answer'];

/** What was applied is edited, and this is what the API answers to that. */
async function failing(answer: Answer, waits: readonly number[] = [60_000]): Promise<Visited> {
  const story = (await applied()).startHere();
  story.answer = answer;
  story.declare({ settings: { engine_max_threads: 9 } });
  for (const wait of waits) await story.visit(wait);
  return story;
}

export const pipeSettingsStories: Readonly<Record<string, () => Promise<Visited>>> = {
  'applied, with more in the reply than was declared': () =>
    applied(
      {
        settings: {
          engine_max_threads: 0,
          engine_parallel_view_processing: false,
          object_storage_max_insert_bytes: 53_687_091_200,
        },
      },
      { streaming_max_insert_wait_ms: 5_000, zeta: [1, { b: 'x', a: null }], alpha: 'text' },
    ),

  'edited, then changed by somebody else, then sent again by the hour': async () => {
    const story = await applied({ reassertInterval: '1h' }, { engine_max_insert_threads: 1 });
    story.declare({ settings: { engine_max_threads: 4, object_storage_concurrency: 2 } });
    story.answer = echo({ engine_max_insert_threads: 1 }, 'req-2');
    await story.visit(60_000);
    story.answer = echo({ engine_max_insert_threads: 3 }, 'req-3');
    await story.visit(2 * HOUR);
    return story;
  },

  'asked for with the annotation': async () => {
    const story = (await applied()).startHere();
    const annotations = { [REQUESTED_AT]: 'now, please' };
    story.edit(({ metadata }) => ({ metadata: { ...metadata, annotations } }));
    await story.visit(60_000);
    return story;
  },

  'another value in the reply, and one that is missing': async () => {
    const settings = { engine_max_threads: 8, engine_max_insert_threads: 2 };
    const story = begin({ settings });
    story.answer = () => anAnswer(200, { result: { engine_max_threads: 4 } });
    await story.visit();
    await story.visit(HOUR);
    return story;
  },

  'planned before anything is known': async () => {
    const settings = { engine_max_threads: 0, object_storage_use_cluster_function: true };
    const story = begin({ mode: 'Plan', settings });
    await story.visit();
    return story;
  },

  'planned on top of a reply': async () => {
    const story = (await applied()).startHere();
    story.declare({ mode: 'Plan', settings: { engine_max_threads: 9 } });
    await story.visit(60_000);
    return story;
  },

  'planned because the whole process only plans': async () => {
    const story = begin({}, { planOnly: true });
    await story.visit();
    return story;
  },

  suspended: async () => {
    const story = begin({ suspend: true });
    await story.visit();
    return story;
  },

  'suspended when it was applied': async () => {
    const story = (await applied()).startHere();
    story.declare({ suspend: true });
    await story.visit(60_000);
    return story;
  },

  'a spec that cannot be read': async () => {
    const story = (await applied()).startHere();
    story.declare({ settings: { engine_max_threads: 'many' } });
    await story.visit(60_000);
    return story;
  },

  'not authorised for more than a day': () => failing(refuse(401), [0, 23 * HOUR, 2 * HOUR]),
  forbidden: () => failing(refuse(403)),
  'not found': () => failing(refuse(404)),
  rejected: () => failing(refuse(422), [0, HOUR]),
  busy: () => failing(refuse(409)),
  'a dependency that is stopped': () => failing(refuse(424)),
  'rate limited': () => failing(refuse(429, { retryAfterMs: 120_000 })),
  'an answer of which nobody knows what was done': () => failing(refuse(503), [0, HOUR, HOUR]),
  'no answer to what was sent': () => failing(unanswered(true)),
  'nothing reached the API': () => failing(unanswered(false)),
  'an answer that is no JSON': () => failing(() => anAnswer(200, { body: 'not-json' })),
  redirected: () => failing(() => anAnswer(302, { redirectHost: 'login.example.com' })),

  'well again after a failure': async () => {
    const story = (await failing(refuse(422))).startHere();
    story.answer = echo({}, 'req-9');
    await story.visit(24 * HOUR);
    return story;
  },

  'no Secret, then one that is of no use, then one that may not be read': async () => {
    const story = begin();
    for (const problem of ['SecretNotFound', 'SecretInvalid', 'SecretForbidden'] as const) {
      story.problem = problem;
      await story.visit(HOUR);
    }
    return story;
  },

  'another object holds the pipe': async () => {
    const holder = aPipeSettings({
      name: 'holder',
      uid: 'uid-0',
      created: '2025-12-30T00:00:00Z',
    });
    const story = begin({}, { others: [holder] });
    await story.visit(HOUR);
    return story;
  },
};
