import { activity } from '../../../src/kinds/activity/index.ts';
import { anActivity, RECORD } from '../../support/activity-objects.ts';
import { anAnswer, REQUESTED_AT } from '../../support/objects.ts';
import { Visited } from './stored.ts';

const HOUR = 3_600_000;

const gives = (result: Readonly<Record<string, unknown>>) => () => anAnswer(200, { result });

/** An object that is as old as the story. */
function begin(spec: object = {}): Visited {
  const object = anActivity({ spec, created: '2026-01-01T00:00:00Z' });
  return new Visited(activity.create, object);
}

async function fetched(result: Readonly<Record<string, unknown>> = RECORD): Promise<Visited> {
  const story = begin();
  story.answer = gives(result);
  await story.visit();
  return story;
}

const failing = (httpStatus: number, waits: readonly number[]) => async () => {
  const story = begin();
  story.answer = () => anAnswer(httpStatus, { error: 'as the API says it' });
  for (const wait of waits) await story.visit(wait);
  return story;
};

export const activityStories: Readonly<Record<string, () => Promise<Visited>>> = {
  fetched: () => fetched(),

  'a record with odd values': () =>
    fetched({ id: 'RECORD-1', type: 7, actorId: null, serviceId: { b: [1], a: 'ü' }, more: 'x' }),

  'edited when it was fetched': async () => {
    const story = (await fetched()).startHere();
    story.declare({ credentialsSecretRef: { name: 'another' } });
    await story.visit(60_000);
    return story;
  },

  'asked for again, in vain and then not': async () => {
    const story = (await fetched()).startHere();
    for (const [value, httpStatus] of [
      ['first', 503],
      ['second', 200],
    ] as const) {
      const annotations = { [REQUESTED_AT]: value };
      story.edit(({ metadata }) => ({ metadata: { ...metadata, annotations } }));
      const requestId = `req-${value}`;
      const more = httpStatus === 200 ? { result: RECORD } : {};
      story.answer = () => anAnswer(httpStatus, { requestId, ...more });
      await story.visit(HOUR);
    }
    return story;
  },

  'not there yet, and then not at all': failing(404, [0, 10_000, HOUR]),
  'not authorised': failing(401, [0]),
  'the API is away': failing(503, [0, HOUR]),
  'nothing in the record': () => fetched({ unheard: 'of' }),

  suspended: async () => {
    const story = begin({ suspend: true });
    await story.visit();
    return story;
  },

  'suspended when it was fetched': async () => {
    const story = (await fetched()).startHere();
    story.declare({ suspend: true });
    await story.visit(60_000);
    return story;
  },

  'a spec that cannot be read': async () => {
    const story = begin({ activityId: '' });
    await story.visit();
    return story;
  },
};
