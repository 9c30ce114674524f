import { describe, expect, it } from 'vitest';
import { type ActivityBehaviour, plausibleActivity } from '../../../simulator/activities.ts';
import { ORGANIZATION } from '../../../simulator/caller.ts';
import type { Once } from '../../management/api.ts';
import { expectRefusal } from './document.ts';
import { type Laws, testLaws } from './laws.ts';
import type { Answer, ManagementUnderTest, Open } from './under-test.ts';

const RECORD = plausibleActivity(ORGANIZATION, 'activity-1');
const LONG = 3_600_000;

interface ActivityScene {
  readonly api: ManagementUnderTest;
  get(id?: string, once?: Once): Promise<Answer>;
  play(activity: Partial<ActivityBehaviour>): void;
}

/** An organization with the activity `activity-1`. */
async function activityScene(open: Open): Promise<ActivityScene> {
  const api = await open();
  api.setActivity(ORGANIZATION, RECORD);
  return {
    api,
    get: (id = RECORD.id, once = {}) =>
      api.send({ method: 'GET', path: `/v1/organizations/${ORGANIZATION}/activities/${id}`, once }),
    play: (activity) => api.play({ activity }),
  };
}

const LAWS: Laws<keyof ActivityBehaviour, ActivityScene> = {
  omit: [
    'leaves fields out',
    async ({ get, play }) => {
      play({ omit: ['serviceId', 'actorId', 'id'] });
      const { serviceId: _s, actorId: _a, id: _i, ...rest } = RECORD;
      expect((await get()).body.result).toEqual(rest);
    },
  ],
  replace: [
    'puts fields in, of any type, unless they are left out',
    async ({ get, play }) => {
      play({
        replace: { type: 'moon_landing', actorType: 7, targetKeyId: 'new', userAgent: 'x' },
        omit: ['userAgent'],
      });
      const { userAgent: _, ...rest } = RECORD;
      expect((await get()).body.result).toEqual({
        ...rest,
        type: 'moon_landing',
        actorType: 7,
        targetKeyId: 'new',
      });
    },
  ],
  minIdLength: [
    'is 400 for a shorter id, before anything is looked up',
    async ({ get, play }) => {
      play({ minIdLength: 11, anyActivity: true });
      const answer = await get();
      expectRefusal(answer, 400);
      expect(answer.body.error).toBe('BAD_REQUEST: length is too small: 10 < 11');
      expect((await get('activity-10')).status).toBe(200);
    },
  ],
  missingStatus: [
    'is for an id that nobody knows, or not yet',
    async ({ api, get, play }) => {
      expectRefusal(await get('other'), 404);
      play({ missingStatus: 400 });
      expectRefusal(await get('other'), 400);
      api.setActivity(ORGANIZATION, RECORD, { lateCalls: 1 });
      expectRefusal(await get(), 400);
      api.setActivity(ORGANIZATION, RECORD, { lateMs: LONG });
      expectRefusal(await get(), 400);
    },
  ],
  anyActivity: [
    'gives every id a whole record, but for those that are late',
    async ({ api, get, play }) => {
      api.setActivity(ORGANIZATION, RECORD, { lateCalls: 1 });
      play({ anyActivity: true });
      expect((await get('other')).body.result).toEqual({ ...RECORD, id: 'other' });
      expectRefusal(await get(), 404);
    },
  ],
};

/** Sections 2.2 and 4.2 of the document, and every switch of activities. */
export function activityCases(open: Open): void {
  describe('an activity', () => {
    testLaws(LAWS, () => activityScene(open));

    it('is found as it is stored, as often as it is read', async () => {
      const { api, get } = await activityScene(open);
      const odd = { id: 'odd', type: null, actorType: ['user'], more: { deep: 1 } };
      api.setActivity(ORGANIZATION, odd);
      expect([(await get('odd')).body.result, (await get('odd')).body.result]).toEqual([odd, odd]);
      expect((await get()).body.result).toEqual(RECORD);
    });

    it('is unknown under another id and in another organization, with 404 and the id', async () => {
      const { api, get } = await activityScene(open);
      const path = '/v1/organizations/other/activities/activity-1';
      for (const answer of [await get('activity-2'), await api.send({ method: 'GET', path })]) {
        expectRefusal(answer, 404);
        expect(answer.body.error).toMatch(/^NOT_FOUND: activity-[12]$/);
      }
    });

    it('is late for so many reads, and there afterwards', async () => {
      const { api, get } = await activityScene(open);
      api.setActivity(ORGANIZATION, RECORD, { lateCalls: 2 });
      await get('other');
      const statuses = [await get(), await get(), await get(), await get()].map(
        ({ status }) => status,
      );
      expect(statuses).toEqual([404, 404, 200, 200]);
    });

    it('is late for so long, and there afterwards', async () => {
      const { api, get } = await activityScene(open);
      api.setActivity(ORGANIZATION, RECORD, { lateMs: LONG });
      expectRefusal(await get(), 404);
      api.setActivity(ORGANIZATION, RECORD, { lateMs: 20 });
      await api.later(20, async () => expect((await get()).body.result).toEqual(RECORD));
    });

    it('behaves otherwise for one read alone', async () => {
      const { get } = await activityScene(open);
      const answers = [
        await get('other', { activity: { anyActivity: true, omit: ['serviceId'] } }),
        await get('other', { activity: { missingStatus: 400 } }),
        await get('other'),
      ];
      expect(answers.map(({ status }) => status)).toEqual([200, 400, 404]);
      expect(answers[0]?.body.result).not.toHaveProperty('serviceId');
      expect((await get()).body.result).toHaveProperty('serviceId');
    });
  });
}
