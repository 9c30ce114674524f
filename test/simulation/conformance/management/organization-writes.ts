import { expect } from 'vitest';
import type {
  OrganizationBehaviour,
  PrivateEndpoint,
} from '../../../simulator/organization-types.ts';
import { expectRefusal } from './document.ts';
import type { Law } from './laws.ts';
import {
  type ChoiceLaws,
  endpoint,
  type OrganizationScene,
  shownIds,
} from './organization-scene.ts';

type SceneLaw = Law<OrganizationScene>;

/** What the choices of an organization mean for what is stored. */
export const WRITES: ChoiceLaws<
  | 'addExisting'
  | 'removeAbsent'
  | 'matchBy'
  | 'tuples'
  | 'order'
  | 'add'
  | 'remove'
  | 'descriptions'
  | 'name'
> = {
  addExisting: {
    'no-op': addsAgain('leaves the one that is there', 200, ['first']),
    upsert: addsAgain('stores it in place of the one that is there', 200, ['second']),
    duplicate: addsAgain('stores it beside the one that is there', 200, ['first', 'second']),
    'bad-request': addsAgain('is 400', 400, ['first']),
    conflict: addsAgain('is 409', 409, ['first']),
  },
  removeAbsent: {
    ok: removesAbsent('is 200, and the rest of the call is done', 200),
    'bad-request': removesAbsent('is 400', 400),
    'not-found': removesAbsent('is 404', 404),
  },
  matchBy: {
    id: [
      'takes an endpoint of the same id for the same, wherever it is',
      async (scene) => {
        await scene.add(endpoint('a', { region: 'us-east-1', cloudProvider: 'aws' }));
        expect(scene.ids()).toEqual(['a', 'b']);
        await scene.remove(endpoint('b', { region: 'us-east-1', cloudProvider: 'aws' }));
        expect(scene.ids()).toEqual(['a']);
      },
    ],
    tuple: [
      'takes those alone for the same whose provider and region are the same too',
      async (scene) => {
        await scene.remove(
          endpoint('a', { region: 'us-east-1' }),
          endpoint('b', { cloudProvider: 'aws' }),
        );
        expect(scene.ids()).toEqual(['a', 'b']);
        await scene.add(
          endpoint('a'),
          endpoint('a', { region: 'us-east-1' }),
          endpoint('a', { cloudProvider: 'aws' }),
        );
        expect(scene.ids()).toEqual(['a', 'b', 'a', 'a']);
        await scene.remove(endpoint('a'));
        expect(
          scene
            .stored()
            ?.privateEndpoints.map(({ cloudProvider, region }) => `${cloudProvider} ${region}`),
        ).toEqual(['gcp ap-northeast-1', 'gcp us-east-1', 'aws ap-northeast-1']);
      },
    ],
  },
  tuples: {
    'as-sent': spells('as it was sent', { id: ' Ab ', cloudProvider: 'gcp ', region: 'us-East-1' }),
    'upper-region': spells('with its region in capitals', {
      id: ' Ab ',
      cloudProvider: 'gcp ',
      region: 'US-EAST-1',
    }),
    'upper-id': spells('with its id in capitals', {
      id: ' AB ',
      cloudProvider: 'gcp ',
      region: 'us-East-1',
    }),
    'lower-id': spells('with its id in small letters', {
      id: ' ab ',
      cloudProvider: 'gcp ',
      region: 'us-East-1',
    }),
    trimmed: spells('without blanks around', {
      id: 'Ab',
      cloudProvider: 'gcp',
      region: 'us-East-1',
    }),
    'region-alias': spells('under another name of its region', {
      id: ' Ab ',
      cloudProvider: 'gcp ',
      region: 'r-us-East-1',
    }),
  },
  order: {
    'remove-first': [
      'ends with an endpoint that is in both lists, and with its new description',
      async (scene) => {
        const [old, fresh] = [endpoint('a'), endpoint('a', { description: 'second' })];
        expect(
          shownIds(await scene.patch({ privateEndpoints: { add: [fresh], remove: [old] } })),
        ).toEqual(['b', 'a']);
        expect(scene.descriptions('a')).toEqual(['second']);
      },
    ],
    'add-first': [
      'ends without an endpoint that is in both lists',
      async (scene) => {
        const both = {
          privateEndpoints: {
            add: [endpoint('a'), endpoint('c')],
            remove: [endpoint('a'), endpoint('c')],
          },
        };
        expect(shownIds(await scene.patch(both))).toEqual(['b']);
      },
    ],
  },
  add: {
    honoured: adds('stores it', 200, ['a', 'b', 'c']),
    ignored: adds('is 200 without it', 200, ['a', 'b']),
    'bad-request': adds('is 400', 400, ['a', 'b']),
    gone: adds('is 410', 410, ['a', 'b']),
    refused: adds('is 400, or as `refusedStatus` says', 400, ['a', 'b'], { refusedStatus: 422 }),
  },
  remove: {
    honoured: removes('takes it away', 200, ['b']),
    ignored: removes('is 200 and leaves it', 200, ['a', 'b']),
    refused: removes('is 400, or as `refusedStatus` says', 400, ['a', 'b'], { refusedStatus: 423 }),
  },
  descriptions: {
    'as-sent': [
      'has a new description with every upsert, also none',
      async (scene) => {
        scene.play({ addExisting: 'upsert' });
        await scene.add(endpoint('a'), endpoint('b', { description: 'late' }));
        expect([scene.descriptions('a'), scene.descriptions('b')]).toEqual([[undefined], ['late']]);
      },
    ],
    'first-kept': [
      'keeps the first description of a tuple for ever, also none, also when it was away',
      async (scene) => {
        scene.play({ addExisting: 'upsert' });
        await scene.add(
          endpoint('a', { description: 'second' }),
          endpoint('b', { description: 'late' }),
        );
        expect([scene.descriptions('a'), scene.descriptions('b')]).toEqual([
          ['first'],
          [undefined],
        ]);
        scene.play({ descriptions: 'as-sent' });
        await scene.add(endpoint('a', { description: 'between' }));
        scene.play({ descriptions: 'first-kept' });
        await scene.remove(endpoint('a'));
        await scene.add(
          endpoint('a', { description: 'third' }),
          endpoint('c', { description: 'new' }),
        );
        expect([scene.descriptions('a'), scene.descriptions('c')]).toEqual([['first'], ['new']]);
        scene.play({ matchBy: 'tuple' });
        await scene.add(endpoint('a', { region: 'us-east-1', description: 'elsewhere' }));
        expect(scene.descriptions('a')).toEqual(['first', 'elsewhere']);
      },
    ],
  },
  name: {
    kept: names('stores it as it is', 200, ' New '),
    trimmed: names('stores it without blanks around', 200, 'New'),
    'upper-case': names('stores it in capitals', 200, ' NEW '),
    ignored: names('is 200 with the old one', 200, 'Acme'),
    'bad-request': names('is 400 for the whole call', 400, 'Acme'),
    forbidden: names('is 403 for the whole call', 403, 'Acme'),
  },
};

function addsAgain(says: string, status: number, descriptions: string[]): SceneLaw {
  return [
    `an endpoint that is there already: ${says}`,
    async (scene) => {
      const answer = await scene.add(endpoint('a', { description: 'second' }));
      if (status === 200)
        expect(shownIds(answer).toSorted()).toEqual([...descriptions.map(() => 'a'), 'b']);
      else expectRefusal(answer, status);
      expect(scene.descriptions('a')).toEqual(descriptions);
      expect((await scene.add(endpoint('c'))).status).toBe(200);
    },
  ];
}

function removesAbsent(says: string, status: number): SceneLaw {
  return [
    `an endpoint that is not there: ${says}`,
    async (scene) => {
      const answer = await scene.remove(endpoint('gone'), endpoint('a'));
      if (status !== 200) expectRefusal(answer, status);
      expect([answer.status, scene.ids()]).toEqual([status, status === 200 ? ['b'] : ['a', 'b']]);
      expect((await scene.remove(endpoint('b'))).status).toBe(200);
    },
  ];
}

/**
 * Whoever sends it in whichever spelling means the one that is there, be it theirs who spelled it
 * as they liked.
 */
function spells(says: string, stored: PrivateEndpoint): SceneLaw {
  return [
    `stores an endpoint ${says}, and finds it in either spelling`,
    async (scene) => {
      const sent = endpoint(' Ab ', { cloudProvider: 'gcp ', region: 'us-East-1' });
      scene.play({ matchBy: 'tuple', addExisting: 'conflict', removeAbsent: 'not-found' });
      for (const spelling of [sent, stored]) {
        await scene.add(sent);
        expect(scene.stored()?.privateEndpoints[2]).toEqual(stored);
        expectRefusal(await scene.add(spelling), 409);
        expect((await scene.remove(spelling)).status).toBe(200);
      }
      expect((await scene.remove(endpoint('a'))).status).toBe(200);
      expect(scene.ids()).toEqual(['b']);
      scene.play({
        refusedIds: [sent.id],
        refuseRemoves: [sent.id],
        refusedStatuses: { [sent.id]: 423 },
      });
      for (const spelling of [sent, stored]) {
        for (const answer of [await scene.add(spelling), await scene.remove(spelling)]) {
          expectRefusal(answer, 423);
          expect(answer.body.error).toContain(JSON.stringify(spelling.id));
        }
      }
    },
  ];
}

function adds(
  says: string,
  status: number,
  left: string[],
  more?: Partial<OrganizationBehaviour>,
): SceneLaw {
  return [
    `an add ${says}`,
    async (scene) => {
      await expectOutcomes(() => scene.add(endpoint('c')), status, { scene, left, more });
      expect((await scene.patch({ name: 'New' })).status).toBe(200);
    },
  ];
}

function removes(
  says: string,
  status: number,
  left: string[],
  more?: Partial<OrganizationBehaviour>,
): SceneLaw {
  return [
    `a remove ${says}`,
    async (scene) => {
      await expectOutcomes(() => scene.remove(endpoint('a')), status, { scene, left, more });
      expect((await scene.add(endpoint('d'))).status).toBe(200);
    },
  ];
}

async function expectOutcomes(
  send: () => ReturnType<OrganizationScene['add']>,
  status: number,
  {
    scene,
    left,
    more,
  }: { scene: OrganizationScene; left: string[]; more: Partial<OrganizationBehaviour> | undefined },
): Promise<void> {
  const answer = await send();
  expect([answer.status, scene.ids()]).toEqual([status, left]);
  if (status === 200) expect(shownIds(answer)).toEqual(left);
  else expectRefusal(answer, status);
  if (more === undefined) return;
  scene.play(more);
  expectRefusal(await send(), more.refusedStatus ?? status);
  expect(scene.ids()).toEqual(left);
}

function names(says: string, status: number, stored: string): SceneLaw {
  return [
    `a name: ${says}`,
    async (scene) => {
      const answer = await scene.patch({
        name: ' New ',
        privateEndpoints: { add: [endpoint('c')] },
      });
      if (status === 200) expect(answer.body.result?.name).toBe(stored);
      else expectRefusal(answer, status);
      expect(scene.stored()?.name).toBe(stored);
      expect(scene.ids()).toEqual(status === 200 ? ['a', 'b', 'c'] : ['a', 'b']);
      expect((await scene.look()).status).toBe(200);
    },
  ];
}
