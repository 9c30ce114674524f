import { expect } from 'vitest';
import type { Law } from './laws.ts';
import {
  type ChoiceLaws,
  endpoint,
  type OrganizationScene,
  shown,
  shownIds,
} from './organization-scene.ts';

type SceneLaw = Law<OrganizationScene>;

/** What the choices of an organization mean for what a reply shows. */
export const REPLIES: ChoiceLaws<'list' | 'entries' | 'echo' | 'description' | 'others'> = {
  list: {
    'as-is': lists('is as it is stored', ['a', 'b', 'c']),
    absent: [
      'is left out',
      async (scene) => {
        expect((await scene.add(endpoint('c'))).body.result).not.toHaveProperty('privateEndpoints');
        expect(scene.ids()).toEqual(['a', 'b', 'c']);
      },
    ],
    'absent-when-empty': [
      'is left out when there is nothing in it, and only then',
      async (scene) => {
        expect(shownIds(await scene.remove(endpoint('a')))).toEqual(['b']);
        expect((await scene.remove(endpoint('b'))).body.result).not.toHaveProperty(
          'privateEndpoints',
        );
        expect((await scene.look()).body.result).not.toHaveProperty('privateEndpoints');
        expect(shownIds(await scene.add(endpoint('c')))).toEqual(['c']);
      },
    ],
    null: [
      'is null',
      async (scene) => {
        expect(shown(await scene.add(endpoint('c')))).toBeNull();
        expect(scene.ids()).toEqual(['a', 'b', 'c']);
      },
    ],
    empty: lists('is empty, although there are entries', []),
    reversed: lists('is the other way round', ['c', 'b', 'a']),
    shuffled: [
      'has all entries once, in some order',
      async (scene) => {
        const orders = new Set<string>();
        await scene.add(endpoint('c'));
        for (let looks = 0; looks < 60; looks += 1) {
          const ids = shownIds(await scene.look());
          expect(ids.toSorted()).toEqual(['a', 'b', 'c']);
          orders.add(ids.join());
        }
        expect(orders.size).toBeGreaterThan(1);
        expect(scene.ids()).toEqual(['a', 'b', 'c']);
      },
    ],
    doubled: lists('has every entry twice', ['a', 'b', 'c', 'a', 'b', 'c']),
  },
  entries: {
    whole: has('has whole entries', ['a', 'b']),
    'null-among': has('has a null among them', [null, 'a', 'b']),
    'text-among': has('has a text among them', ['psc', 'a', 'b']),
    'number-id-among': has('has an entry among them whose id is a number', [7, 'a', 'b']),
    'no-region-among': [
      'has an entry among them without a region',
      async (scene) => {
        const [odd, ...rest] = shown(await scene.look()) as object[];
        expect(odd).toEqual({ id: 'nowhere', description: '', cloudProvider: 'gcp' });
        expect(rest).toMatchObject([endpoint('a'), endpoint('b')]);
      },
    ],
    'number-ids': [
      'shows ids of digits as numbers, with every digit, and other ids as ever',
      async (scene) => {
        const { text } = await scene.add(
          endpoint('12345678901234567891'),
          endpoint('x1'),
          endpoint('007'),
        );
        expect(text).toContain('{"id":12345678901234567891,');
        expect(text).toContain('{"id":"x1",');
        expect(text).toContain('{"id":"007",');
        expect(scene.ids()).toContain('12345678901234567891');
      },
    ],
    'no-regions': [
      'shows no region at all',
      async (scene) => {
        expect(shown(await scene.look())).toEqual([
          { id: 'a', cloudProvider: 'gcp', description: 'first' },
          { id: 'b', cloudProvider: 'gcp', description: '' },
        ]);
      },
    ],
  },
  echo: {
    fresh: shows('what is after the call', ['Two abc', 'Two abcd', 'Two abcde', 'Two abcde']),
    stale: shows('what was before the call', ['Acme ab', 'Two abc', 'Two abcd', 'Two abcde']),
    lagging: shows('what was before the call before it', [
      'Acme ab',
      'Acme ab',
      'Two abc',
      'Two abcd',
    ]),
  },
  description: {
    'empty-for-none': describes('is "" where there is none', ['first', '']),
    'null-for-none': describes('is null where there is none', ['first', null]),
    'absent-for-none': describes('is left out where there is none', ['first', undefined]),
    dropped: describes('is never shown', [undefined, undefined]),
  },
  others: {
    still: [
      'nobody else does anything',
      async (scene) => {
        await scene.look();
        expect(shownIds(await scene.look())).toEqual(['a', 'b']);
      },
    ],
    'come-and-go': [
      'an endpoint of someone else comes and one goes with every call, refused or not',
      async (scene) => {
        expect(shownIds(await scene.look())).toEqual(['a', 'b', 'other-1']);
        expect((await scene.patch({ colour: 'red' })).status).toBe(400);
        expect(scene.ids()).toEqual(['a', 'b', 'other-2']);
        expect(shownIds(await scene.add(endpoint('c')))).toEqual(['a', 'b', 'other-3', 'c']);
      },
    ],
  },
};

function lists(says: string, ids: string[]): SceneLaw {
  return [
    says,
    async (scene) => {
      expect(shownIds(await scene.add(endpoint('c')))).toEqual(ids);
      expect(scene.ids()).toEqual(['a', 'b', 'c']);
    },
  ];
}

function has(says: string, entries: unknown[]): SceneLaw {
  return [
    says,
    async (scene) => {
      const list = shown(await scene.look()) as ({ id: unknown } | string | null)[];
      expect(list.map((entry) => (typeof entry === 'object' ? entry && entry.id : entry))).toEqual(
        entries,
      );
      expect(list).toContainEqual(endpoint('a', { description: 'first' }));
      expect(scene.ids()).toEqual(['a', 'b']);
    },
  ];
}

/** Name and endpoints in the answers to a rename that adds `c`, to two more adds, and to a look. */
function shows(says: string, answers: string[]): SceneLaw {
  return [
    `shows ${says}`,
    async (scene) => {
      const sent = [
        await scene.patch({ name: 'Two', privateEndpoints: { add: [endpoint('c')] } }),
        await scene.add(endpoint('d')),
        await scene.add(endpoint('e')),
        await scene.look(),
      ];
      expect(
        sent.map((answer) => `${String(answer.body.result?.name)} ${shownIds(answer).join('')}`),
      ).toEqual(answers);
      expect(scene.ids()).toEqual(['a', 'b', 'c', 'd', 'e']);
    },
  ];
}

function describes(says: string, descriptions: unknown[]): SceneLaw {
  return [
    says,
    async (scene) => {
      const list = shown(await scene.look()) as { description?: unknown }[];
      expect(list.map(({ description }) => description)).toEqual(descriptions);
      expect(list.map((entry) => 'description' in entry)).toEqual(
        descriptions.map((one) => one !== undefined),
      );
      expect([scene.descriptions('a'), scene.descriptions('b')]).toEqual([['first'], [undefined]]);
    },
  ];
}
