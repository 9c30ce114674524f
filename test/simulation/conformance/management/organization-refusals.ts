import { expect } from 'vitest';
import { ORGANIZATION_PATH } from '../../../simulator/caller.ts';
import type { OrganizationBehaviour } from '../../../simulator/organization-types.ts';
import { expectRefusal } from './document.ts';
import type { Law } from './laws.ts';
import { type ChoiceLaws, endpoint, type OrganizationScene } from './organization-scene.ts';

type SceneLaw = Law<OrganizationScene>;

/** What the choices of an organization mean for what is refused, and in which words. */
export const REFUSALS: ChoiceLaws<
  'refusedText' | 'onError' | 'emptyBody' | 'emptyLists' | 'concurrent'
> = {
  refusedText: {
    'names-id': [
      'every error about an endpoint has its id',
      async (scene) => {
        for (const text of await errors(scene)) expect(text).toContain('private endpoint "a" ');
      },
    ],
    generic: [
      'errors about endpoints are the same for all',
      async (scene) => {
        expect(new Set(await errors(scene))).toEqual(new Set(['request is not valid']));
      },
    ],
    'longer-id': [
      'every error about an endpoint has a longer id that its own is a part of',
      async (scene) => {
        for (const text of await errors(scene)) expect(text).toContain('private endpoint "a0" ');
      },
    ],
    changing: [
      'every error about an endpoint has other words, also the second time, and no id',
      async (scene) => {
        const texts = [...(await errors(scene)), ...(await errors(scene))];
        expect(new Set(texts).size).toBe(texts.length);
        for (const text of texts)
          expect(text).toMatch(/^request is not valid \(trace [0-9a-f-]{36}\)$/);
      },
    ],
  },
  onError: {
    'all-or-nothing': fails('nothing of the call is done', 'Acme', ['a', 'b']),
    partial: fails('what stands before it stays done: name, removes, adds', 'New', ['b', 'c']),
  },
  emptyBody: {
    'bad-request': [
      '`{}` is 400',
      async (scene) => {
        const answer = await scene.patch({});
        expectRefusal(answer, 400);
        expect(answer.body.error).toBe('BAD_REQUEST: no fields to update');
      },
    ],
    ok: [
      '`{}` is a look',
      async (scene) => {
        expect((await scene.patch({})).body.result).toMatchObject({
          name: 'Acme',
          privateEndpoints: [{}, {}],
        });
      },
    ],
  },
  emptyLists: {
    ok: looks('is 200', 200),
    'bad-request': looks('is 400', 400),
    unprocessable: looks('is 422', 422),
    'server-error': looks('is 500', 500),
  },
  concurrent: {
    fine: overlaps('is as if alone', 200, ['a', 'b', 't', 'm']),
    conflict: overlaps('is 409', 409, ['a', 'b', 't']),
    'lost-update': overlaps('takes away what the other did', 200, ['a', 'b', 'm']),
  },
};

/** What is said, each in one call, of an endpoint that is refused in all the ways there are. */
async function errors(scene: OrganizationScene): Promise<string[]> {
  const add = { privateEndpoints: { add: [endpoint('a')] } };
  const remove = { privateEndpoints: { remove: [endpoint('a')] } };
  const absent = { privateEndpoints: { remove: [endpoint('a', { region: 'us-east-1' })] } };
  const ways: [object, Partial<OrganizationBehaviour>][] = [
    [add, { refusedIds: ['a'] }],
    [add, { add: 'refused' }],
    [add, { add: 'bad-request' }],
    [add, { addExisting: 'bad-request' }],
    [add, { addExisting: 'conflict' }],
    [remove, { refuseRemoves: ['a'] }],
    [remove, { remove: 'refused' }],
    [absent, { matchBy: 'tuple', removeAbsent: 'bad-request' }],
    [absent, { matchBy: 'tuple', removeAbsent: 'not-found' }],
  ];
  const texts: string[] = [];
  for (const [body, once] of ways) {
    const answer = await scene.patch(body, { once });
    expectRefusal(answer, answer.status);
    texts.push(answer.body.error?.replace(/^[A-Z_]+: /, '') ?? '');
  }
  return texts;
}

function fails(says: string, name: string, left: string[]): SceneLaw {
  return [
    `where an endpoint is refused, ${says}`,
    async (scene) => {
      scene.play({ refusedIds: ['d'] });
      const answer = await scene.patch({
        name: 'New',
        privateEndpoints: {
          remove: [endpoint('a')],
          add: [endpoint('c'), endpoint('d'), endpoint('e')],
        },
      });
      expectRefusal(answer, 400);
      expect(answer.body.error).toBe('BAD_REQUEST: private endpoint "d" is not valid');
      expect([scene.stored()?.name, scene.ids()]).toEqual([name, left]);
      expectRefusal(await scene.patch({ name: 'Third', colour: 'red' }), 400);
      expect(scene.stored()?.name).toBe(name);
    },
  ];
}

function looks(says: string, status: number): SceneLaw {
  return [
    `a look ${says}; a call that asks for anything is 200`,
    async (scene) => {
      const before = scene.stored();
      for (const lists of [{ add: [], remove: [] }, { add: [] }, { remove: [] }, {}]) {
        const answer = await scene.patch({ privateEndpoints: lists });
        if (status === 200)
          expect(answer.body.result).toMatchObject({ name: 'Acme', privateEndpoints: [{}, {}] });
        else expectRefusal(answer, status);
      }
      expect(scene.stored()).toEqual(before);
      for (const asks of [
        { name: 'New', privateEndpoints: { add: [] } },
        { privateEndpoints: { add: [endpoint('c')] } },
      ]) {
        expect((await scene.patch(asks)).status).toBe(200);
      }
      expect((await scene.remove(endpoint('c'))).status).toBe(200);
    },
  ];
}

/** Theirs adds `t` and has no answer yet, when ours adds `m`. */
function overlaps(says: string, status: number, left: string[]): SceneLaw {
  return [
    `a call while another of the organization has no answer yet ${says}`,
    async (scene) => {
      const body = { privateEndpoints: { add: [endpoint('t')] } };
      const theirs = await scene.api.begin({ method: 'PATCH', path: ORGANIZATION_PATH, body });
      const ours = await scene.add(endpoint('m'));
      if (status !== 200) expectRefusal(ours, status);
      expect([ours.status, scene.ids()]).toEqual([status, left]);
      const other = ORGANIZATION_PATH.replace(/1$/, '2');
      expect((await scene.api.send({ method: 'PATCH', path: other, body })).status).toBe(200);
      expect((await theirs.finish()).status).toBe(200);
      expect((await scene.add(endpoint('n'))).status).toBe(200);
      expect(scene.ids()).toEqual([...left, 'n']);
    },
  ];
}
