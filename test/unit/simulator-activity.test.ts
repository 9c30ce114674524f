import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import type { Activity, ActivityBehaviour } from '../simulator/activities.ts';
import { type Answered, caller, ORGANIZATION, ORGANIZATION_PATH } from '../simulator/caller.ts';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';

const RECORD: Activity = {
  id: 'activity-1',
  type: 'create_organization',
  actorType: 'user',
  actorId: 'someone',
};

let simulator: Simulator | undefined;
afterEach(() => simulator?.stop());

async function start(
  activity: Partial<ActivityBehaviour> = {},
): Promise<{ simulator: Simulator; get(id?: string): Promise<Answered> }> {
  const started = await startSimulator({ activity });
  simulator = started;
  const send = caller(started.url);
  return {
    simulator: started,
    get: (id = RECORD.id) => send('GET', `${ORGANIZATION_PATH}/activities/${id}`),
  };
}

it('answers with the record as stored, and counts no read as applied', async () => {
  const { simulator, get } = await start();
  simulator.setActivity(ORGANIZATION, RECORD);
  expect((await get()).body).toMatchObject({
    status: 200,
    requestId: expect.any(String),
    result: RECORD,
  });
  expect(simulator.log[0]?.applied).toBe(false);
  expect(simulator.dump().activities).toEqual({ [`${ORGANIZATION}/activity-1`]: RECORD });
});

it('knows no other id, and no id of another organization', async () => {
  const { simulator, get } = await start();
  simulator.setActivity('7f0e6f0c-0000-4000-8000-000000000002', RECORD);
  expect((await get()).body).toMatchObject({ status: 404, error: 'NOT_FOUND: activity-1' });
});

it('finds a late one after so many calls', async () => {
  const { simulator, get } = await start();
  simulator.setActivity(ORGANIZATION, RECORD, { lateCalls: 2 });
  expect([(await get()).status, (await get()).status, (await get()).status]).toEqual([
    404, 404, 200,
  ]);
});

it('finds a late one after so long', async () => {
  const { simulator, get } = await start();
  simulator.setActivity(ORGANIZATION, RECORD, { lateMs: 60_000 });
  expect((await get()).status).toBe(404);
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);
  onTestFinished(() => void vi.restoreAllMocks());
  expect((await get()).status).toBe(200);
});

it('omit and replace: fields missing, and types nobody has heard of', async () => {
  const { simulator, get } = await start({
    omit: ['actorId'],
    replace: { type: 'moon_landing', actorType: 7 },
  });
  simulator.setActivity(ORGANIZATION, RECORD);
  expect((await get()).body.result).toEqual({
    id: 'activity-1',
    type: 'moon_landing',
    actorType: 7,
  });
});

it('minIdLength: a shorter id is 400', async () => {
  const { get } = await start({ minIdLength: 20 });
  expect((await get()).body).toMatchObject({
    status: 400,
    error: 'BAD_REQUEST: length is too small: 10 < 20',
  });
});

it('missingStatus: an id that nobody knows, or not yet, is 400', async () => {
  const { simulator, get } = await start({ missingStatus: 400 });
  simulator.setActivity(ORGANIZATION, RECORD, { lateCalls: 1 });
  expect([(await get()).status, (await get()).status, (await get('other')).status]).toEqual([
    400, 200, 400,
  ]);
  simulator.setActivity(ORGANIZATION, RECORD, { lateMs: 60_000 });
  expect((await get()).status).toBe(400);
});

it('anyActivity: every id has a whole record', async () => {
  const { get } = await start({ anyActivity: true });
  const { body } = await get('a%2Fb');
  expect(body.result).toMatchObject({ id: 'a/b', organizationId: ORGANIZATION });
  expect(Object.keys(body.result ?? {})).toHaveLength(10);
});
