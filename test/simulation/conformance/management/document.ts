import { describe, expect, it } from 'vitest';
import { plausibleActivity } from '../../../simulator/activities.ts';
import { ORGANIZATION, ORGANIZATION_PATH, PIPE, PIPE_PATH } from '../../../simulator/caller.ts';
import type { Answer, Ask, Open } from './under-test.ts';

const ACTIVITY_PATH = `${ORGANIZATION_PATH}/activities/activity-1`;
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** The three operations, each with a call that succeeds. */
const OPERATIONS = {
  PUT: { method: 'PUT', path: PIPE_PATH, body: { engine_max_threads: 9 } },
  PATCH: { method: 'PATCH', path: ORGANIZATION_PATH, body: { name: 'New' } },
  GET: { method: 'GET', path: ACTIVITY_PATH },
} as const satisfies Record<string, Ask>;
const OPERATION_ROWS = Object.entries<Ask>(OPERATIONS);

/** What is wrong in one way only: nothing of it is stored. */
const NOTHING: readonly [string, string | undefined, string][] = [
  ['no body', undefined, 'request body is empty'],
  ['blanks', '  ', 'request body is not JSON'],
  ['half a JSON text', '{"name":', 'request body is not JSON'],
  ['a list', '[]', 'request body is not an object'],
  ['null', 'null', 'request body is not an object'],
  ['a number', '7', 'request body is not an object'],
  ['a text', '"name"', 'request body is not an object'],
];

/** What sections 1, 4 and 9 of the document say of every operation. */
export function documentCases(open: Open): void {
  const opened = async () => {
    const api = await open();
    api.setActivity(ORGANIZATION, plausibleActivity(ORGANIZATION, 'activity-1'));
    return api;
  };

  describe('an operation', () => {
    it.each(OPERATION_ROWS)('%s succeeds with 200 and the envelope, as JSON', async (_, ask) => {
      const { status, headers, body } = await (await opened()).send(ask);
      expect(status).toBe(200);
      expect(headers['content-type']).toBe('application/json');
      expect(Object.keys(body)).toEqual(['status', 'requestId', 'result']);
      expect(body).toMatchObject({ status: 200, requestId: expect.stringMatching(UUID_V4) });
    });

    it.each(OPERATION_ROWS)('%s gives every request an id of its own', async (_, ask) => {
      const api = await opened();
      const [one, two] = [await api.send(ask), await api.send(ask)];
      expect(one.body.requestId).not.toBe(two.body.requestId);
    });

    it('PUT answers with every setting', async () => {
      const { result = {} } = (await (await opened()).send(OPERATIONS.PUT)).body;
      expect(Object.entries(result).map(([key, value]) => `${key} ${typeof value}`)).toEqual([
        'streaming_max_insert_wait_ms number',
        'object_storage_concurrency number',
        'object_storage_polling_interval_ms number',
        'object_storage_max_insert_bytes number',
        'object_storage_max_file_count number',
        'engine_max_threads number',
        'engine_max_insert_threads number',
        'engine_min_insert_block_size_bytes number',
        'engine_max_download_threads number',
        'engine_parallel_distributed_insert_select number',
        'object_storage_use_cluster_function boolean',
        'engine_parallel_view_processing boolean',
      ]);
      expect(result).toMatchObject({ engine_max_threads: 9 });
    });

    it('PATCH answers with the whole organization', async () => {
      expect((await (await opened()).send(OPERATIONS.PATCH)).body.result).toEqual({
        id: ORGANIZATION,
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/),
        name: 'New',
        privateEndpoints: [],
        byocConfig: [],
      });
    });

    it('GET answers with the activity', async () => {
      expect((await (await opened()).send(OPERATIONS.GET)).body.result).toEqual({
        id: 'activity-1',
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/),
        type: 'create_organization',
        actorType: 'user',
        actorId: 'user-1',
        actorDetails: 'someone@example.com',
        actorIpAddress: '192.0.2.1',
        organizationId: ORGANIZATION,
        serviceId: 'service-1',
        userAgent: 'simulator',
      });
    });
  });

  describe('what is no operation', () => {
    const methods = OPERATION_ROWS.flatMap(([own, { path }]) =>
      ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
        .filter((method) => method !== own)
        .map((method) => [method, path]),
    );
    it.each(methods)('%s %s is 405, and does nothing', async (method, path) => {
      const api = await opened();
      const before = api.organization(ORGANIZATION);
      expectRefusal(
        await api.send({ method, path, body: { name: 'New', engine_max_threads: 1 } }),
        405,
      );
      expect([api.organization(ORGANIZATION), api.settingsOf(PIPE)]).toEqual([before, undefined]);
    });

    it.each([
      '/',
      '/v1',
      '/v1/organizations',
      '/v1/organizations/',
      `/v2${ORGANIZATION_PATH.slice(3)}`,
      `/v1${ORGANIZATION_PATH}`,
      `${ORGANIZATION_PATH}/`,
      `${ORGANIZATION_PATH}?dryRun=true`,
      `${ORGANIZATION_PATH}/activities`,
      `${ORGANIZATION_PATH}/activities/a/b`,
      `${ORGANIZATION_PATH}/services/service/pipes/pipe`,
      `${PIPE_PATH}/`,
      PIPE_PATH.replace('/pipe/', '//'),
      PIPE_PATH.replace('settings', 'Settings'),
    ])('%s is 404 for every method', async (path) => {
      const api = await opened();
      for (const method of ['GET', 'PUT', 'PATCH']) {
        expectRefusal(await api.send({ method, path, body: { name: 'New' } }), 404);
      }
    });
  });

  describe('a segment of a path', () => {
    it.each([
      ['a%20b', 'a b'],
      ['p%C3%A4', 'pä'],
      ['%70ipe', 'pipe'],
      ['a%2Fb', 'a/b'],
      ['a%3Fb%23c', 'a?b#c'],
      ['a%25b', 'a%b'],
      ['..', '..'],
      ['~._-!$&()*+,;=:@', '~._-!$&()*+,;=:@'],
      ['%zz', '%zz'],
      ['%E0%A4%A', '%E0%A4%A'],
    ])('%s is %j, or itself where it cannot be decoded', async (segment, name) => {
      const api = await opened();
      api.setActivity(name, { id: name });
      const put = { ...OPERATIONS.PUT, path: PIPE_PATH.replace('/pipe/', () => `/${segment}/`) };
      expect((await api.send(put)).status).toBe(200);
      expect(api.settingsOf(`org/service/${name}`)).toEqual(OPERATIONS.PUT.body);
      const got = await api.send({
        method: 'GET',
        path: `/v1/organizations/${segment}/activities/${segment}`,
      });
      expect(got.body.result).toEqual({ id: name });
      const refused = await api.send({
        ...put,
        once: { settings: { noSettings: [`org/service/${name}`] } },
      });
      expect(refused.body.error).toBe(`NOT_FOUND: ingestion for pipe "${name}" not found`);
    });

    it('is found for the organization of a PATCH too', async () => {
      const api = await opened();
      const path = ORGANIZATION_PATH.replace('7f', '%37%66');
      expect((await api.send({ ...OPERATIONS.PATCH, path })).body.result).toMatchObject({
        id: ORGANIZATION,
      });
    });

    it.each(['acme', `${ORGANIZATION}0`, ORGANIZATION.replaceAll('-', '')])(
      '%s is no id of an organization: 400',
      async (id) => {
        const api = await opened();
        expectRefusal(
          await api.send({ ...OPERATIONS.PATCH, path: `/v1/organizations/${id}` }),
          400,
        );
        expect(api.organization(id)).toBeUndefined();
      },
    );
  });

  describe('what exists', () => {
    it('is what was made, where it is told so', async () => {
      const api = await open({ pipes: [PIPE], anyPipe: false });
      expect((await api.send(OPERATIONS.PUT)).status).toBe(200);
      expectRefusal(
        await api.send({ ...OPERATIONS.PUT, path: PIPE_PATH.replace('/pipe/', '/none/') }),
        404,
      );
      expectRefusal(await api.send(OPERATIONS.PATCH), 404);
      api.setOrganization(ORGANIZATION, {});
      expect((await api.send(OPERATIONS.PATCH)).status).toBe(200);
    });

    it('is everything else, from its first call on', async () => {
      const api = await open();
      expect([api.settingsOf(PIPE), api.organization(ORGANIZATION)]).toEqual([
        undefined,
        undefined,
      ]);
      for (const ask of [OPERATIONS.PUT, OPERATIONS.PATCH])
        expect((await api.send(ask)).status).toBe(200);
      expect(api.settingsOf(PIPE)).toEqual(OPERATIONS.PUT.body);
      expect(api.organization(ORGANIZATION)).toMatchObject({ id: ORGANIZATION, name: 'New' });
    });
  });

  describe.each([OPERATIONS.PUT, OPERATIONS.PATCH])(
    'a body of $method',
    ({ method, path, body: good }) => {
      it.each(NOTHING)(
        '%s is 400, with the reason, and stores nothing',
        async (_, body, reason) => {
          const api = await opened();
          api.setOrganization(ORGANIZATION, { name: 'Before' });
          const before = api.organization(ORGANIZATION);
          const answer = await api.send({ method, path, body });
          expectRefusal(answer, 400);
          expect(answer.body.error).toBe(`BAD_REQUEST: ${reason}`);
          expect([api.settingsOf(PIPE), api.organization(ORGANIZATION)]).toEqual([
            undefined,
            before,
          ]);
        },
      );

      it.each([
        'application/json',
        'application/json; charset=utf-8',
        'Application/JSON ;charset=UTF-8',
      ])('may be %s', async (type) => {
        const headers = { 'content-type': type };
        expect((await (await opened()).send({ method, path, body: good, headers })).status).toBe(
          200,
        );
      });

      it.each([
        undefined,
        '',
        'text/plain',
        'application/json-patch+json',
        'application/jsonl',
        'text/application/json',
      ])('is 400 as %s', async (type) => {
        const api = await opened();
        const headers = { 'content-type': type };
        expectRefusal(await api.send({ method, path, body: good, headers }), 400);
        expect(api.settingsOf(PIPE)).toBeUndefined();
      });

      it('may have a mebibyte and no more', async () => {
        const api = await opened();
        const text = JSON.stringify(good).padEnd(1024 * 1024 - 1, ' ');
        expect((await api.send({ method, path, body: `${text} ` })).status).toBe(200);
        expectRefusal(await api.send({ method, path, body: `${text}\u00a0` }), 413);
      });
    },
  );

  it('a GET needs no content type', async () => {
    const api = await opened();
    expect(
      (await api.send({ ...OPERATIONS.GET, headers: { 'content-type': undefined } })).status,
    ).toBe(200);
  });
}

/** An error in its envelope, as JSON, with the status of its HTTP answer and a code. */
export function expectRefusal({ status, headers, body }: Answer, wanted: number): void {
  expect(status).toBe(wanted);
  expect(headers['content-type']).toBe('application/json');
  expect(Object.keys(body)).toEqual(['requestId', 'error', 'status']);
  expect(body).toEqual({
    requestId: expect.stringMatching(UUID_V4),
    error: expect.stringMatching(/^[A-Z_]+(?:: .+)?$/),
    status: wanted,
  });
}
