import { expect } from 'vitest';
import { ORGANIZATION, ORGANIZATION_PATH } from '../../../simulator/caller.ts';
import {
  type ORGANIZATION_CHOICES,
  type OrganizationBehaviour,
  strangers,
} from '../../../simulator/organization-types.ts';
import { expectRefusal } from './document.ts';
import type { Laws } from './laws.ts';
import { endpoint, type OrganizationScene, shownIds } from './organization-scene.ts';

const OTHER_PATH = ORGANIZATION_PATH.replace(/1$/, '2');
const LONG = 3_600_000;

/** What the switches of an organization mean that hold lists, numbers and fields. */
export const SWITCHES: Laws<
  Exclude<keyof OrganizationBehaviour, keyof typeof ORGANIZATION_CHOICES>,
  OrganizationScene
> = {
  refusedIds: [
    'the add of those alone is refused',
    async (scene) => {
      scene.play({ refusedIds: ['c', 'a'] });
      const answer = await scene.add(endpoint('c'));
      expectRefusal(answer, 400);
      expect(answer.body.error).toBe('BAD_REQUEST: private endpoint "c" is not valid');
      expectRefusal(await scene.add(endpoint('a')), 400);
      expect((await scene.add(endpoint('d'))).status).toBe(200);
      expect((await scene.remove(endpoint('a'))).status).toBe(200);
      expect(scene.ids()).toEqual(['b', 'd']);
    },
  ],
  refuseRemoves: [
    'the remove of those alone is refused',
    async (scene) => {
      scene.play({ refuseRemoves: ['a'] });
      const answer = await scene.remove(endpoint('a'));
      expectRefusal(answer, 400);
      expect(answer.body.error).toBe('BAD_REQUEST: private endpoint "a" is attached to a service');
      expect((await scene.remove(endpoint('b'))).status).toBe(200);
      expect((await scene.add(endpoint('a'))).status).toBe(200);
      expect(scene.ids()).toEqual(['a']);
    },
  ],
  refusedStatus: [
    'is for every add and remove that is refused',
    async (scene) => {
      for (const refusedStatus of [409, 410, 422, 500]) {
        scene.play({ refusedIds: ['c'], refuseRemoves: ['a'], refusedStatus });
        expectRefusal(await scene.add(endpoint('c')), refusedStatus);
        expectRefusal(await scene.remove(endpoint('a')), refusedStatus);
      }
      expect(scene.ids()).toEqual(['a', 'b']);
    },
  ],
  refusedStatuses: [
    'is for some of those that are refused, and refuses nothing by itself',
    async (scene) => {
      scene.play({
        refusedIds: ['c', 'd', 'e'],
        refusedStatus: 410,
        refusedStatuses: { c: 409, d: 422, f: 423 },
      });
      const answers = [];
      for (const id of ['c', 'd', 'e', 'f']) answers.push(await scene.add(endpoint(id)));
      expect(answers.map(({ status }) => status)).toEqual([409, 422, 410, 200]);
    },
  ],
  maxEndpoints: [
    'one more is 422; what is there already is not one more',
    async (scene) => {
      scene.play({ maxEndpoints: 3 });
      expectRefusal(await scene.add(endpoint('c'), endpoint('d')), 422);
      expect((await scene.add(endpoint('c'))).status).toBe(200);
      expect((await scene.add(endpoint('a'))).status).toBe(200);
      expect(
        (await scene.patch({ privateEndpoints: { remove: [endpoint('a')], add: [endpoint('d')] } }))
          .status,
      ).toBe(200);
      expect(scene.ids()).toEqual(['b', 'c', 'd']);
    },
  ],
  quotas: [
    'hold for some organizations, which may have more than that',
    async (scene) => {
      scene.play({ quotas: { [ORGANIZATION]: 1 }, maxEndpoints: 3 });
      const answer = await scene.add(endpoint('c'));
      expectRefusal(answer, 422);
      expect(answer.body.error).toContain('at most 1 private endpoints');
      expect((await scene.remove(endpoint('a'), endpoint('b'))).status).toBe(200);
      expect((await scene.add(endpoint('c'))).status).toBe(200);
      const sent = {
        method: 'PATCH',
        path: OTHER_PATH,
        body: { privateEndpoints: { add: strangers(3) } },
      };
      expect((await scene.api.send(sent)).status).toBe(200);
    },
  ],
  longestName: [
    'a longer one is 400, and nothing of the call is done',
    async (scene) => {
      scene.play({ longestName: 5, onError: 'partial' });
      expectRefusal(
        await scene.patch({ name: '123456', privateEndpoints: { add: [endpoint('c')] } }),
        400,
      );
      expect((await scene.patch({ name: '12345' })).status).toBe(200);
      expect([scene.stored()?.name, scene.ids()]).toEqual(['12345', ['a', 'b']]);
    },
  ],
  staleForMs: [
    'shows what was so long ago, whatever `echo` says; the oldest where nothing is so old',
    async (scene) => {
      scene.play({ staleForMs: LONG, echo: 'stale' });
      expect(shownIds(await scene.add(endpoint('c')))).toEqual([]);
      scene.play({ staleForMs: 30, echo: 'fresh' });
      await scene.api.later(30, async () =>
        expect(shownIds(await scene.look())).toEqual(['a', 'b', 'c']),
      );
      scene.play({ staleForMs: 0, echo: 'stale' });
      expect(shownIds(await scene.add(endpoint('d')))).toEqual(['a', 'b', 'c']);
    },
  ],
  listMissingCalls: [
    'leaves the list out of so many replies with 200, over all organizations',
    async (scene) => {
      scene.play({ listMissingCalls: 3, refusedIds: ['bad'] });
      const sent = { method: 'PATCH', path: OTHER_PATH, body: { name: 'New' } };
      const answers = [
        await scene.look(),
        await scene.add(endpoint('bad')),
        await scene.api.send(sent),
        await scene.add(endpoint('c')),
        await scene.look(),
      ];
      expect(answers.map(({ body }) => body.result && 'privateEndpoints' in body.result)).toEqual([
        false,
        undefined,
        false,
        false,
        true,
      ]);
    },
  ],
  omit: [
    'leaves fields out of every reply',
    async (scene) => {
      scene.play({ omit: ['createdAt', 'byocConfig', 'name'] });
      expect(Object.keys((await scene.patch({ name: 'New' })).body.result ?? {})).toEqual([
        'id',
        'privateEndpoints',
      ]);
      expect(scene.stored()).toMatchObject({ name: 'New', byocConfig: [] });
    },
  ],
  replace: [
    'puts fields into every reply, of any type, unless they are left out',
    async (scene) => {
      scene.play({
        replace: { name: 7, capabilities: ['x'], privateEndpoints: 'none', id: '' },
        omit: ['id'],
      });
      expect((await scene.look()).body.result).toEqual({
        createdAt: expect.any(String),
        name: 7,
        byocConfig: [],
        capabilities: ['x'],
        privateEndpoints: 'none',
      });
      expect(scene.stored()).toMatchObject({ name: 'Acme', privateEndpoints: [{}, {}] });
    },
  ],
};
