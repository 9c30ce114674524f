import { describe, expect, it } from 'vitest';
import { ORGANIZATION } from '../../../simulator/caller.ts';
import { type ORGANIZATION_CHOICES, strangers } from '../../../simulator/organization-types.ts';
import { expectRefusal } from './document.ts';
import { type Laws, testLaws } from './laws.ts';
import { REFUSALS } from './organization-refusals.ts';
import { REPLIES } from './organization-replies.ts';
import {
  type ChoiceLaws,
  endpoint,
  type OrganizationScene,
  organizationScene,
  shown,
  shownIds,
} from './organization-scene.ts';
import { SWITCHES } from './organization-switches.ts';
import { WRITES } from './organization-writes.ts';
import type { Open } from './under-test.ts';

/** Every choice of every switch. */
const CHOICES: ChoiceLaws<keyof typeof ORGANIZATION_CHOICES> = {
  ...WRITES,
  ...REFUSALS,
  ...REPLIES,
};

const ENDPOINT = 'request body.privateEndpoints.add[0]';
const WRONG: readonly [string, unknown, string][] = [
  ['an unknown field', { name: 'x', colour: 'red' }, "unknown field 'colour'"],
  ['__proto__', '{"__proto__":{"name":"x"}}', "unknown field '__proto__'"],
  ['an unknown list', { privateEndpoints: { set: [] } }, "unknown field 'privateEndpoints.set'"],
  ['a name that is no text', { name: 7 }, 'request body.name value is not a name: 7'],
  ['a name of null', { name: null }, 'request body.name value is not a name: null'],
  ['a blank name', { name: ' ' }, 'request body.name value is not a name: " "'],
  [
    'lists of null',
    { privateEndpoints: null },
    'request body.privateEndpoints value is not an object',
  ],
  [
    'lists that are one',
    { privateEndpoints: [] },
    'request body.privateEndpoints value is not an object',
  ],
  [
    'a list that is none',
    { privateEndpoints: { add: {} } },
    'request body.privateEndpoints.add value is not an array',
  ],
  [
    'an endpoint that is an id',
    { privateEndpoints: { add: ['c'] } },
    `${ENDPOINT} value is not an object`,
  ],
  [
    'an endpoint without a region',
    { privateEndpoints: { add: [{ id: 'c', cloudProvider: 'gcp' }] } },
    `${ENDPOINT}.region value is not a string: undefined`,
  ],
  [
    'an empty id',
    { privateEndpoints: { remove: [endpoint('a'), endpoint('')] } },
    'request body.privateEndpoints.remove[1].id value is not a string: ""',
  ],
  [
    'an id that is a number',
    { privateEndpoints: { add: [{ ...endpoint('c'), id: 1 }] } },
    `${ENDPOINT}.id value is not a string: 1`,
  ],
  [
    'a description of null',
    { privateEndpoints: { add: [{ ...endpoint('c'), description: null }] } },
    `${ENDPOINT}.description value is not a string: null`,
  ],
  [
    'an unknown field of an endpoint',
    { privateEndpoints: { add: [{ ...endpoint('c'), tag: 'x' }] } },
    `${ENDPOINT} has the unknown field 'tag'`,
  ],
];

/** Sections 2.3 and 4.3 of the document, and every switch of organizations. */
export function organizationCases(open: Open): void {
  describe('an organization', () => {
    it('is renamed, loses and gets endpoints in one call, and is shown as it is then', async () => {
      const scene = await organizationScene(open);
      const c = endpoint('c', { description: 'new' });
      const { body } = await scene.patch({
        name: 'New',
        privateEndpoints: { add: [c], remove: [endpoint('a')] },
      });
      expect(body.result).toMatchObject({
        name: 'New',
        privateEndpoints: [endpoint('b', { description: '' }), c],
      });
      expect(scene.stored()).toMatchObject({ name: 'New', privateEndpoints: [endpoint('b'), c] });
    });

    it('keeps what a call does not name', async () => {
      const scene = await organizationScene(open);
      const before = scene.stored();
      for (const body of [{ name: 'Acme' }, { privateEndpoints: { add: [], remove: [] } }]) {
        expect((await scene.patch(body)).status).toBe(200);
      }
      expect(scene.stored()).toEqual(before);
    });

    it.each(WRONG)(
      'refuses %s with 400 and the place, and changes nothing',
      async (_, body, reason) => {
        const scene = await organizationScene(open, { onError: 'partial' });
        const before = scene.stored();
        const answer = await scene.patch(body);
        expectRefusal(answer, 400);
        expect(answer.body.error).toBe(`BAD_REQUEST: ${reason}`);
        expect(scene.stored()).toEqual(before);
      },
    );

    it('takes any provider and region, and ids with slashes, quotes and letters of any kind', async () => {
      const scene = await organizationScene(open);
      const odd = [
        endpoint('/subscriptions/1/privateEndpoints/x'),
        endpoint('12345678901234567891', { cloudProvider: 'moon', region: 'tranquility-1' }),
        endpoint('"ä€"'),
      ];
      expect(shownIds(await scene.add(...odd))).toEqual(['a', 'b', ...odd.map(({ id }) => id)]);
      await scene.remove(...odd);
      expect(scene.ids()).toEqual(['a', 'b']);
    });

    it('is changed by someone else, unchecked, and shown so', async () => {
      const scene = await organizationScene(open, { maxEndpoints: 1, refusedIds: ['z'] });
      scene.api.setOrganization(ORGANIZATION, {
        name: '',
        add: [endpoint('z'), endpoint('z')],
        remove: ['a'],
        byocConfig: [{ id: 'byoc', state: 'infra-ready' }],
      });
      const answer = await scene.look();
      expect(shownIds(answer)).toEqual(['b', 'z', 'z']);
      expect(answer.body.result).toMatchObject({
        name: '',
        byocConfig: [{ id: 'byoc', state: 'infra-ready' }],
      });
    });

    it('holds hundreds of endpoints of others, in their order', async () => {
      const scene = await organizationScene(open);
      scene.api.setOrganization(ORGANIZATION, { remove: ['a', 'b'], add: strangers(300) });
      const ids = shownIds(await scene.add(endpoint('ours')));
      expect(ids).toEqual([...strangers(300).map(({ id }) => id), 'ours']);
    });
  });

  describe('history', () => {
    it('lagging counts calls, not changes: what someone else did is shown two calls later', async () => {
      const scene = await organizationScene(open, { echo: 'lagging' });
      await scene.look();
      scene.api.setOrganization(ORGANIZATION, { name: 'Theirs' });
      const names = [await scene.look(), await scene.look()].map(({ body }) => body.result?.name);
      expect(names).toEqual(['Acme', 'Theirs']);
    });

    it('of one organization is nothing to another', async () => {
      const scene = await organizationScene(open, { echo: 'stale' });
      const path = `/v1/organizations/${ORGANIZATION.replace(/1$/, '2')}`;
      await scene.add(endpoint('c'));
      const { body } = await scene.api.send({ method: 'PATCH', path, body: { name: 'New' } });
      expect(body.result).toMatchObject({ name: 'Organization 7f0e6f0c', privateEndpoints: [] });
    });

    it('is shown for one call alone, and stays as it was for the next', async () => {
      const scene = await organizationScene(open);
      await scene.add(endpoint('c'));
      const body = { privateEndpoints: { add: [endpoint('d')] } };
      expect(shownIds(await scene.patch(body, { once: { echo: 'stale' } }))).toEqual([
        'a',
        'b',
        'c',
      ]);
      expect(shownIds(await scene.look())).toEqual(['a', 'b', 'c', 'd']);
    });
  });

  describe('for one call', () => {
    it('a switch is on top of what holds for all, and leaves alone what is counted for all', async () => {
      const scene = await organizationScene(open, { listMissingCalls: 1, refusedIds: ['c'] });
      const body = { privateEndpoints: { add: [endpoint('c')] } };
      expectRefusal(await scene.patch(body, { once: { list: 'null' } }), 400);
      expect(
        shown(await scene.patch({ name: 'x' }, { once: { listMissingCalls: 0, list: 'null' } })),
      ).toBeNull();
      expect(
        shown(await scene.patch({ name: 'x' }, { once: { listMissingCalls: 5 } })),
      ).toBeUndefined();
      expect([shown(await scene.look()), shownIds(await scene.look())]).toEqual([
        undefined,
        ['a', 'b'],
      ]);
    });

    it('a switch is for that call, whoever else has none', async () => {
      const scene = await organizationScene(open);
      scene.api.setKey('other', 'secret');
      const key = { id: 'other', secret: 'secret' };
      expect(shown(await scene.patch({ name: 'x' }, { key, once: { list: 'null' } }))).toBeNull();
      expect(shownIds(await scene.patch({ name: 'x' }))).toEqual(['a', 'b']);
    });
  });

  describe('a switch', () => {
    testLaws(SWITCHES, () => organizationScene(open));
  });

  describe.each(Object.entries<Laws<string, OrganizationScene>>(CHOICES))('%s', (name, laws) => {
    testLaws(laws, (choice) => organizationScene(open, { [name]: choice }));
  });
}
