import { afterEach, describe, expect, it } from 'vitest';
import {
  basic,
  caller,
  ORGANIZATION,
  ORGANIZATION_PATH,
  PIPE,
  PIPE_PATH,
  type Send,
} from '../simulator/caller.ts';
import {
  ORGANIZATION_CHOICES,
  type OrganizationBehaviour,
  strangers,
} from '../simulator/organization-types.ts';
import {
  type Fault,
  type Simulator,
  type SimulatorOptions,
  startSimulator,
} from '../simulator/simulator.ts';

const BODY = { engine_max_threads: 9 };

let simulator: Simulator | undefined;
afterEach(() => simulator?.stop());

async function start(
  options: SimulatorOptions = {},
): Promise<{ simulator: Simulator; send: Send }> {
  const started = await startSimulator({ keys: { key: 'secret' }, ...options });
  simulator = started;
  return { simulator: started, send: caller(started.url) };
}

const statusOf = async (send: Send): Promise<number> => (await send('PUT', PIPE_PATH, BODY)).status;

describe('play for one call', () => {
  it('holds for that call of settings, on top of what holds for all', async () => {
    const { simulator, send } = await start({
      settings: { notApplicable: ['engine_max_insert_threads'] },
    });
    simulator.next({ play: { settings: { echo: 'none' } } });
    expect((await send('PUT', PIPE_PATH, BODY)).body.result).toEqual({});
    expect((await send('PUT', PIPE_PATH, BODY)).body.result).toMatchObject(BODY);
    simulator.next({ play: { settings: { echo: 'none' } } });
    expect((await send('PUT', PIPE_PATH, { engine_max_insert_threads: 1 })).status).toBe(400);
  });

  it.each([
    [{ list: 'absent' }, undefined],
    [{ listMissingCalls: 1 }, undefined],
    [{ list: 'null' }, null],
  ] as const)('holds for that call of an organization: %o', async (organization, shown) => {
    const { simulator, send } = await start();
    const patch = async (): Promise<unknown> =>
      (await send('PATCH', ORGANIZATION_PATH, { name: 'x' })).body.result?.privateEndpoints;
    simulator.next({ play: { organization } });
    expect([await patch(), await patch()]).toEqual([shown, []]);
  });

  it('leaves alone what is counted for all', async () => {
    const { simulator, send } = await start({ organization: { listMissingCalls: 1 } });
    const patch = async (): Promise<unknown> =>
      (await send('PATCH', ORGANIZATION_PATH, { name: 'x' })).body.result?.privateEndpoints;
    simulator.next({ play: { organization: { listMissingCalls: 0 } } });
    expect([await patch(), await patch(), await patch()]).toEqual([[], undefined, []]);
  });

  it('holds for that read of an activity', async () => {
    const { simulator, send } = await start();
    const get = async (): Promise<number> =>
      (await send('GET', `${ORGANIZATION_PATH}/activities/a`)).status;
    simulator.next({ play: { activity: { anyActivity: true } } });
    simulator.next({ play: { activity: { missingStatus: 400 } } });
    expect([await get(), await get(), await get()]).toEqual([200, 400, 404]);
  });

  it('goes with a fault', async () => {
    const { simulator, send } = await start();
    simulator.next({
      transport: 'reset-after',
      play: { settings: { clamp: { engine_max_threads: [0, 4] } } },
    });
    await expect(send('PUT', PIPE_PATH, BODY)).rejects.toThrow('fetch failed');
    expect(simulator.settingsOf(PIPE)).toEqual({ engine_max_threads: 4 });
    simulator.next({
      status: 504,
      appliesAfterMs: 5,
      play: { settings: { clamp: { engine_max_threads: [0, 3] } } },
    });
    expect(await statusOf(send)).toBe(504);
    await expect.poll(() => simulator.settingsOf(PIPE)).toEqual({ engine_max_threads: 3 });
  });

  it('holds with always for those that fit', async () => {
    const { simulator, send } = await start();
    simulator.setKey('other', 'secret');
    simulator.always({ play: { settings: { echo: 'none' } } }, { keyId: 'other' });
    expect(
      (await caller(simulator.url, basic('other', 'secret'))('PUT', PIPE_PATH, BODY)).body.result,
    ).toEqual({});
    expect((await send('PUT', PIPE_PATH, BODY)).body.result).toMatchObject(BODY);
  });
});

describe('together', () => {
  const choices = Object.entries(ORGANIZATION_CHOICES).flatMap(([name, values]) =>
    values.slice(1).map((value) => ({ [name]: value })),
  );

  it.each(choices)('%j goes with every other switch of an organization', async (one) => {
    const { simulator, send } = await start({ organizations: [ORGANIZATION] });
    const tuple = { cloudProvider: 'gcp', region: 'ap-northeast-1' };
    const add = [{ id: 'new', ...tuple }];
    const remove = [{ id: 'theirs-2', ...tuple }];
    for (const other of choices) {
      const organization: Partial<OrganizationBehaviour> = {
        ...other,
        ...one,
        staleForMs: 1,
        refusedIds: ['x'],
      };
      simulator.setOrganization(ORGANIZATION, {
        remove: ['new', 'NEW', 'theirs-1', 'theirs-2'],
        add: strangers(2),
      });
      simulator.next({ play: { organization } });
      const { status, body } = await send('PATCH', ORGANIZATION_PATH, {
        name: 'n',
        privateEndpoints: { add, remove },
      });
      const refusing = [other, one].some((choice) =>
        /bad-request|gone|refused|forbidden/.test(JSON.stringify(choice)),
      );
      expect(body, JSON.stringify(organization)).toHaveProperty(
        status === 200 ? 'result' : 'error',
      );
      expect(refusing || status === 200, `${status} to ${JSON.stringify(organization)}`).toBe(true);
    }
  });
});

describe('match', () => {
  it('bodyIncludes picks a call by what it says', async () => {
    const { simulator, send } = await start();
    simulator.next({ status: 500 }, { match: { bodyIncludes: '_insert_threads' } });
    expect(await statusOf(send)).toBe(200);
    expect((await send('PUT', PIPE_PATH, { engine_max_insert_threads: 1 })).status).toBe(500);
    expect(simulator.callCount({ bodyIncludes: '_insert_threads' })).toBe(1);
  });
});

describe('by', () => {
  const operations: Fault[] = [
    { status: 200, body: 'empty' },
    { status: 202 },
    { status: 404, by: 'operation' },
    { transport: 'no-answer', by: 'operation' },
    { play: { settings: { echo: 'none' } } },
  ];
  it.each(operations)(
    '%j is no answer to a wrong secret, and waits for a call that gets through',
    async (fault) => {
      const { simulator, send } = await start();
      simulator.next(fault);
      const stranger = caller(simulator.url, basic('key', 'wrong'));
      expect([await statusOf(stranger), await statusOf(stranger)]).toEqual([401, 401]);
      expect(simulator.settingsOf(PIPE)).toBeUndefined();
      const signal = AbortSignal.timeout(200);
      const answered = await send('PUT', PIPE_PATH, BODY, signal).catch(() => ({
        status: 0,
        text: '',
      }));
      const changed =
        answered.status !== 200 || answered.text === '' || answered.text.includes('"result":{}');
      expect(changed).toBe(true);
      expect(await statusOf(send)).toBe(200);
    },
  );

  const gateways: Fault[] = [{ status: 503 }, { status: 302 }, { status: 200, by: 'gateway' }];
  it.each(gateways)('%j is the answer to whoever calls', async (fault) => {
    const { simulator } = await start();
    simulator.next(fault);
    const stranger = caller(simulator.url, basic('key', 'wrong'));
    expect(await statusOf(stranger)).toBe('status' in fault ? fault.status : 0);
    expect(await statusOf(stranger)).toBe(401);
    expect(simulator.settingsOf(PIPE)).toBeUndefined();
  });

  it('a wrong secret does nothing late either', async () => {
    const { simulator, send } = await start();
    simulator.next({ status: 504, appliesAfterMs: 5 }, { times: 2 });
    await caller(simulator.url, basic('key', 'wrong'))('PUT', PIPE_PATH, { engine_max_threads: 1 });
    await statusOf(send);
    await expect.poll(() => simulator.log[1]?.applied).toBe(true);
    expect(simulator.log[0]?.applied).toBe(false);
  });

  it("the operation's answers count toward the limit and stand behind it; a gateway's do neither", async () => {
    const { simulator, send } = await start({ rate: { calls: 1, perMs: 60_000 } });
    simulator.next({ status: 503 });
    expect(await statusOf(send)).toBe(503);
    simulator.next({ status: 404, by: 'operation' });
    simulator.next({ status: 410, by: 'operation' });
    expect([await statusOf(send), await statusOf(send)]).toEqual([404, 429]);
    simulator.next({ status: 503 });
    expect(await statusOf(send)).toBe(503);
  });
});
