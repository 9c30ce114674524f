import { afterEach, describe, expect, it } from 'vitest';
import { type Answered, caller, ORGANIZATION, ORGANIZATION_PATH } from '../simulator/caller.ts';
import type { OrganizationBehaviour, PrivateEndpoint } from '../simulator/organization-types.ts';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';

const endpoint = (id: string, more: Partial<PrivateEndpoint> = {}): PrivateEndpoint => ({
  id,
  cloudProvider: 'gcp',
  region: 'ap-northeast-1',
  ...more,
});

let simulator: Simulator | undefined;
afterEach(() => simulator?.stop());

interface Scene {
  readonly simulator: Simulator;
  patch(body: unknown): Promise<Answered>;
  ids(): string[] | undefined;
}

/** An organization that has the endpoints `a` ("first") and `b` (no description). */
async function start(organization: Partial<OrganizationBehaviour> = {}): Promise<Scene> {
  const started = await startSimulator({ organization });
  simulator = started;
  started.setOrganization(ORGANIZATION, {
    name: 'Acme',
    add: [endpoint('a', { description: 'first' }), endpoint('b')],
  });
  const send = caller(started.url);
  return {
    simulator: started,
    patch: (body) => send('PATCH', ORGANIZATION_PATH, body),
    ids: () => started.organization(ORGANIZATION)?.privateEndpoints.map(({ id }) => id),
  };
}

const listed = (answered: Answered): string[] =>
  ((answered.body.result?.privateEndpoints ?? []) as PrivateEndpoint[]).map(({ id }) => id);

describe('PATCH organization', () => {
  it('renames, removes and adds, and answers with the whole organization', async () => {
    const { patch } = await start();
    const { status, body } = await patch({
      name: 'New',
      privateEndpoints: { add: [endpoint('c')], remove: [endpoint('a')] },
    });
    expect(status).toBe(200);
    expect(body.result).toEqual({
      id: ORGANIZATION,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      name: 'New',
      privateEndpoints: [endpoint('b', { description: '' }), endpoint('c', { description: '' })],
      byocConfig: [],
    });
  });

  it('leaves alone what a body does not name', async () => {
    const { patch, simulator } = await start();
    const before = simulator.organization(ORGANIZATION);
    expect((await patch({ name: 'Acme' })).status).toBe(200);
    expect((await patch({ privateEndpoints: { add: [], remove: [] } })).status).toBe(200);
    expect(simulator.organization(ORGANIZATION)).toEqual(before);
  });

  it.each([
    ['{}', {}],
    ['an unknown field', { name: 'x', colour: 'red' }],
    ['an unknown list', { privateEndpoints: { set: [] } }],
    ['a name that is no text', { name: 7 }],
    ['an empty name', { name: ' ' }],
    ['a list that is none', { privateEndpoints: { add: {} } }],
    [
      'an endpoint without region',
      { privateEndpoints: { add: [{ id: 'c', cloudProvider: 'gcp' }] } },
    ],
    ['an id that is no text', { privateEndpoints: { remove: [{ ...endpoint('a'), id: 1 }] } }],
    [
      'an unknown field of an endpoint',
      { privateEndpoints: { add: [{ ...endpoint('c'), tag: 'x' }] } },
    ],
    [
      'a description of null',
      { privateEndpoints: { add: [{ ...endpoint('c'), description: null }] } },
    ],
  ])('refuses %s with 400 and changes nothing', async (_, body) => {
    const { patch, simulator } = await start();
    const before = simulator.organization(ORGANIZATION);
    const { status, body: answer } = await patch(body);
    expect(status).toBe(400);
    expect(answer.error).toMatch(/^BAD_REQUEST: /);
    expect(simulator.organization(ORGANIZATION)).toEqual(before);
  });

  it('refuses an id that is no uuid, and one nobody knows where organizations are given', async () => {
    simulator = await startSimulator({ anyPipe: false });
    const send = caller(simulator.url);
    expect((await send('PATCH', '/v1/organizations/acme', { name: 'x' })).status).toBe(400);
    expect((await send('PATCH', ORGANIZATION_PATH, { name: 'x' })).body.error).toBe('NOT_FOUND');
  });
});

describe('switches of an organization', () => {
  const again = { privateEndpoints: { add: [endpoint('a', { description: 'second' })] } };
  it.each([
    ['no-op', 200, ['first']],
    ['upsert', 200, ['second']],
    ['duplicate', 200, ['first', 'second']],
    ['bad-request', 400, ['first']],
    ['conflict', 409, ['first']],
  ] as const)('addExisting: %s', async (addExisting, status, descriptions) => {
    const { patch, simulator } = await start({ addExisting });
    expect((await patch(again)).status).toBe(status);
    const present = simulator
      .organization(ORGANIZATION)
      ?.privateEndpoints.filter(({ id }) => id === 'a');
    expect(present?.map(({ description }) => description)).toEqual(descriptions);
  });

  it.each([
    ['ok', 200],
    ['bad-request', 400],
    ['not-found', 404],
  ] as const)('removeAbsent: %s', async (removeAbsent, status) => {
    const { patch, ids } = await start({ removeAbsent });
    expect((await patch({ privateEndpoints: { remove: [endpoint('gone')] } })).status).toBe(status);
    expect(ids()).toEqual(['a', 'b']);
  });

  it.each([
    ['id', ['b']],
    ['tuple', ['a', 'b']],
  ] as const)('matchBy: %s', async (matchBy, left) => {
    const { patch, ids } = await start({ matchBy });
    await patch({ privateEndpoints: { remove: [endpoint('a', { region: 'us-east-1' })] } });
    expect(ids()).toEqual(left);
  });

  it.each([
    ['remove-first', ['b', 'a']],
    ['add-first', ['b']],
  ] as const)('order: %s', async (order, left) => {
    const { patch, ids } = await start({ order });
    await patch({ privateEndpoints: { add: [endpoint('a')], remove: [endpoint('a')] } });
    expect(ids()).toEqual(left);
  });

  it.each([
    ['honoured', 200, ['a', 'b', 'c']],
    ['ignored', 200, ['a', 'b']],
    ['bad-request', 400, ['a', 'b']],
    ['gone', 410, ['a', 'b']],
  ] as const)('add: %s', async (add, status, left) => {
    const { patch, ids } = await start({ add });
    expect((await patch({ privateEndpoints: { add: [endpoint('c')] } })).status).toBe(status);
    expect(ids()).toEqual(left);
  });

  it('remove: ignored', async () => {
    const { patch } = await start({ remove: 'ignored' });
    expect(listed(await patch({ privateEndpoints: { remove: [endpoint('a')] } }))).toEqual([
      'a',
      'b',
    ]);
  });

  it.each([
    ['all-or-nothing', 'Acme', ['a', 'b'], false],
    ['partial', 'New', ['b', 'c'], true],
  ] as const)('onError: %s', async (onError, name, left, applied) => {
    const { patch, ids, simulator } = await start({ onError, refusedIds: ['d'] });
    const { status, body } = await patch({
      name: 'New',
      privateEndpoints: {
        remove: [endpoint('a')],
        add: [endpoint('c'), endpoint('d'), endpoint('e')],
      },
    });
    expect(status).toBe(400);
    expect(body.error).toBe('BAD_REQUEST: private endpoint "d" is not valid');
    expect(simulator.organization(ORGANIZATION)?.name).toBe(name);
    expect(ids()).toEqual(left);
    expect(simulator.log.at(-1)?.applied).toBe(applied);
  });

  it('maxEndpoints: one more is 422', async () => {
    const { patch, ids } = await start({ maxEndpoints: 3 });
    expect(
      (await patch({ privateEndpoints: { add: [endpoint('c'), endpoint('d')] } })).status,
    ).toBe(422);
    expect((await patch({ privateEndpoints: { add: [endpoint('c')] } })).status).toBe(200);
    expect(ids()).toEqual(['a', 'b', 'c']);
  });

  it.each([
    ['absent', undefined],
    ['null', null],
    ['empty', []],
    ['reversed', ['c', 'b', 'a']],
    ['doubled', ['a', 'b', 'c', 'a', 'b', 'c']],
  ] as const)('list: %s', async (list, shown) => {
    const { patch, ids } = await start({ list });
    const { body } = await patch({ privateEndpoints: { add: [endpoint('c')] } });
    const reported = body.result?.privateEndpoints as PrivateEndpoint[] | null | undefined;
    expect(reported?.map(({ id }) => id) ?? reported).toEqual(shown);
    expect(ids()).toEqual(['a', 'b', 'c']);
  });

  it('list: shuffled holds the same entries', async () => {
    const { patch } = await start({ list: 'shuffled' });
    expect(listed(await patch({ name: 'x' })).toSorted()).toEqual(['a', 'b']);
  });

  it('echo: stale shows what was before', async () => {
    const { patch, ids } = await start({ echo: 'stale' });
    const answered = await patch({ name: 'New', privateEndpoints: { add: [endpoint('c')] } });
    expect(answered.body.result?.name).toBe('Acme');
    expect(listed(answered)).toEqual(['a', 'b']);
    expect(ids()).toEqual(['a', 'b', 'c']);
    expect(listed(await patch({ name: 'New' }))).toEqual(['a', 'b', 'c']);
  });

  it.each([
    ['empty-for-none', ['first', '']],
    ['null-for-none', ['first', null]],
    ['absent-for-none', ['first', undefined]],
    ['dropped', [undefined, undefined]],
  ] as const)('description: %s', async (description, shown) => {
    const { patch } = await start({ description });
    const { body } = await patch({ name: 'Acme' });
    const reported = body.result?.privateEndpoints as { description?: string | null }[];
    expect(reported.map((entry) => entry.description)).toEqual(shown);
  });

  it.each([
    ['kept', 200, ' New '],
    ['trimmed', 200, 'New'],
    ['upper-case', 200, ' NEW '],
    ['ignored', 200, 'Acme'],
    ['bad-request', 400, 'Acme'],
    ['forbidden', 403, 'Acme'],
  ] as const)('name: %s', async (name, status, stored) => {
    const { patch, simulator } = await start({ name });
    expect((await patch({ name: ' New ' })).status).toBe(status);
    expect(simulator.organization(ORGANIZATION)?.name).toBe(stored);
  });

  it.each([
    [{ emptyBody: 'ok' }, {}, 200],
    [{ emptyLists: 'bad-request' }, { privateEndpoints: { add: [], remove: [] } }, 400],
    [{ emptyLists: 'bad-request' }, { name: 'x', privateEndpoints: { add: [], remove: [] } }, 200],
  ] as const)('%o answers %j with %d', async (behaviour, body, status) => {
    const { patch } = await start(behaviour);
    expect((await patch(body)).status).toBe(status);
  });

  it('others: one endpoint of somebody else comes and one goes with every call', async () => {
    const { patch } = await start({ others: 'come-and-go' });
    expect(listed(await patch({ name: 'x' }))).toEqual(['a', 'b', 'other-1']);
    expect(listed(await patch({ name: 'x' }))).toEqual(['a', 'b', 'other-2']);
  });

  it('someone else renames, adds and removes without a trace in the log', async () => {
    const { patch, simulator } = await start();
    simulator.setOrganization(ORGANIZATION, {
      name: 'Theirs',
      add: [endpoint('z')],
      remove: ['a'],
    });
    expect(simulator.log).toEqual([]);
    const answered = await patch({ privateEndpoints: { add: [], remove: [] } });
    expect(answered.body.result?.name).toBe('Theirs');
    expect(listed(answered)).toEqual(['b', 'z']);
    expect(Object.keys(simulator.dump().organizations)).toEqual([ORGANIZATION]);
  });
});
