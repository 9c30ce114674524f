import { describe, expect, it } from 'vitest';
import {
  basic,
  ORGANIZATION,
  ORGANIZATION_PATH,
  PIPE,
  PIPE_PATH,
} from '../../../simulator/caller.ts';
import type { KeyOptions } from '../../../simulator/types.ts';
import { expectRefusal } from './document.ts';
import { type Laws, testLaws } from './laws.ts';
import { type Ask, KEY, type ManagementUnderTest, type Open } from './under-test.ts';

const PUT: Ask = { method: 'PUT', path: PIPE_PATH, body: { engine_max_threads: 9 } };
const PATCH: Ask = { method: 'PATCH', path: ORGANIZATION_PATH, body: { name: 'New' } };
const GET: Ask = { method: 'GET', path: `${ORGANIZATION_PATH}/activities/activity-1` };
const LONG = 3_600_000;

const statusOf = async (api: ManagementUnderTest, ask: Ask): Promise<number> =>
  (await api.send(ask)).status;

/** What a key may be, beside known. */
const KEYS: Laws<keyof KeyOptions, ManagementUnderTest> = {
  disabled: [
    'is 401 for every call, with a request id',
    async (api) => {
      api.setKey(KEY.id, KEY.secret, { disabled: true });
      for (const ask of [PUT, PATCH, GET]) {
        const answer = await api.send(ask);
        expectRefusal(answer, 401);
        expect(answer.body.error).toBe('UNAUTHORIZED: Key is not active');
      }
      expect(api.settingsOf(PIPE)).toBeUndefined();
    },
  ],
  readOnly: [
    'reads, and is 403 for a write',
    async (api) => {
      api.setActivity(ORGANIZATION, { id: 'activity-1' });
      api.setKey(KEY.id, KEY.secret, { readOnly: true });
      expect(await statusOf(api, GET)).toBe(200);
      for (const ask of [PUT, PATCH]) expectRefusal(await api.send(ask), 403);
      expect([api.settingsOf(PIPE), api.organization(ORGANIZATION)]).toEqual([
        undefined,
        undefined,
      ]);
    },
  ],
  organizations: [
    'reaches those alone; every other is 404, whether it exists or not',
    async (api) => {
      api.setActivity(ORGANIZATION, { id: 'activity-1' });
      api.setKey(KEY.id, KEY.secret, { organizations: [ORGANIZATION] });
      expect([await statusOf(api, PATCH), await statusOf(api, GET)]).toEqual([200, 200]);
      const answer = await api.send(PUT);
      expectRefusal(answer, 404);
      expect(answer.body.error).toBe('NOT_FOUND');
      expect(api.settingsOf(PIPE)).toBeUndefined();
      const encoded = ORGANIZATION_PATH.replace('7f', '%37%66');
      expect(await statusOf(api, { ...PATCH, path: encoded })).toBe(200);
    },
  ],
  newForMs: [
    'is unknown for so long, and good afterwards',
    async (api) => {
      api.setKey(KEY.id, KEY.secret, { newForMs: LONG });
      expect((await api.send(PUT)).body).toEqual({
        error: 'UNAUTHORIZED: Key is not found',
        status: 401,
      });
      expect(api.settingsOf(PIPE)).toBeUndefined();
      api.setKey(KEY.id, KEY.secret, { newForMs: 20 });
      await api.later(20, async () => expect(await statusOf(api, PUT)).toBe(200));
    },
  ],
  newStatus: [
    'is 404 for so long instead, but 401 with a wrong secret',
    async (api) => {
      api.setKey(KEY.id, KEY.secret, { newForMs: LONG, newStatus: 404 });
      expectRefusal(await api.send(PUT), 404);
      expect(await statusOf(api, { ...PUT, key: { id: KEY.id, secret: 'wrong' } })).toBe(401);
      api.setKey(KEY.id, KEY.secret, { newForMs: LONG, newStatus: 401 });
      expect(await statusOf(api, PUT)).toBe(401);
      api.setKey(KEY.id, KEY.secret, { newForMs: 20, newStatus: 404 });
      await api.later(20, async () => expect(await statusOf(api, PUT)).toBe(200));
    },
  ],
};

/** Section 5 of the document, and what keys may be that it does not tell. */
export function credentialCases(open: Open): void {
  describe('a credential', () => {
    it.each([
      ['an unknown id', basic('nobody', KEY.secret)],
      ['a wrong secret', basic(KEY.id, 'Secret')],
      ['an empty secret', basic(KEY.id, '')],
      ['a secret with a newline', basic(KEY.id, `${KEY.secret}\n`)],
      ['an id in another case', basic('KEY', KEY.secret)],
    ])('with %s is 401, without a request id', async (_, authorization) => {
      const api = await open();
      const { status, headers, body } = await api.send({ ...PUT, headers: { authorization } });
      expect([status, headers['content-type']]).toEqual([401, 'application/json']);
      expect(body).toEqual({ error: 'UNAUTHORIZED: Key is not found', status: 401 });
      expect(api.settingsOf(PIPE)).toBeUndefined();
    });

    it.each([
      undefined,
      '',
      'Basic',
      'Basic ',
      'Bearer abc',
      'Basic %%%',
      'Basic a2V5OnNlY3JldA== and more',
      'a2V5OnNlY3JldA==',
      basic('', KEY.secret),
      `Basic ${btoa('key')}`,
      `${KEY.id}:${KEY.secret}`,
    ])('in the header %s is none: 401', async (authorization) => {
      const api = await open();
      const { status, body } = await api.send({ ...PUT, headers: { authorization } });
      expect(status).toBe(401);
      expect(body).toEqual({
        error: 'UNAUTHORIZED: Authorization header is missing or not Basic',
        status: 401,
      });
      expect(api.settingsOf(PIPE)).toBeUndefined();
    });

    it.each([
      ['a:b', basic(KEY.id, 'a:b')],
      ['pä€', basic(KEY.id, 'pä€')],
      ['', basic(KEY.id, '')],
      ['secret', basic(KEY.id, 'secret').replace('Basic', 'bAsIc')],
      ['secret', basic(KEY.id, 'secret').replace(/=+$/, '')],
    ])('with the secret %j is good as %s', async (secret, authorization) => {
      const api = await open();
      api.setKey(KEY.id, secret);
      expect(await statusOf(api, { ...PUT, headers: { authorization } })).toBe(200);
    });

    it('is asked for by what does not exist, and before a body is read', async () => {
      const api = await open();
      const headers = { authorization: undefined, 'content-type': undefined };
      for (const path of ['/', PIPE_PATH, ORGANIZATION_PATH, '/v1/organizations/acme']) {
        expect(await statusOf(api, { method: 'POST', path, body: '{', headers })).toBe(401);
      }
    });
  });

  describe('a key', () => {
    testLaws(KEYS, () => open());

    it('is another with another secret, and none without one', async () => {
      const api = await open();
      api.setKey(KEY.id, 'rotated');
      expect(await statusOf(api, PUT)).toBe(401);
      expect(await statusOf(api, { ...PUT, key: { id: KEY.id, secret: 'rotated' } })).toBe(200);
      api.setKey(KEY.id, undefined);
      for (const secret of ['rotated', KEY.secret, '', 'undefined']) {
        expect(await statusOf(api, { ...PUT, key: { id: KEY.id, secret } })).toBe(401);
      }
      api.setKey(KEY.id, KEY.secret);
      expect(await statusOf(api, PUT)).toBe(200);
    });

    it('is one of many, each on its own', async () => {
      const api = await open();
      api.setKey('other', 'secret', { disabled: true });
      expect(await statusOf(api, { ...PUT, key: { id: 'other', secret: 'secret' } })).toBe(401);
      expect(await statusOf(api, PUT)).toBe(200);
    });

    it('that is disabled and new is unknown first; one that is disabled and read-only is 401', async () => {
      const api = await open();
      api.setKey(KEY.id, KEY.secret, { disabled: true, newForMs: LONG });
      expect((await api.send(PUT)).body.error).toBe('UNAUTHORIZED: Key is not found');
      api.setKey(KEY.id, KEY.secret, { disabled: true, readOnly: true, organizations: [] });
      expect(await statusOf(api, PUT)).toBe(401);
    });

    it('that is read-only is 404, not 403, for an organization it does not reach', async () => {
      const api = await open();
      api.setKey(KEY.id, KEY.secret, { readOnly: true, organizations: [] });
      expect(await statusOf(api, PATCH)).toBe(404);
    });
  });
}
