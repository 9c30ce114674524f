import { afterEach, describe, expect, it } from 'vitest';
import {
  type Answered,
  basic,
  caller,
  ORGANIZATION,
  ORGANIZATION_PATH,
} from '../simulator/caller.ts';
import {
  type OrganizationBehaviour,
  type PrivateEndpoint,
  strangers,
} from '../simulator/organization-types.ts';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';

const OTHER = '7f0e6f0c-0000-4000-8000-000000000002';
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
  patch(body: unknown, keyId?: string): Promise<Answered>;
  add(...endpoints: PrivateEndpoint[]): Promise<Answered>;
  remove(...endpoints: PrivateEndpoint[]): Promise<Answered>;
  read(): Promise<Answered>;
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
  const patch: Scene['patch'] = (body, keyId = 'key') =>
    caller(started.url, basic(keyId, 'secret'))('PATCH', ORGANIZATION_PATH, body);
  return {
    simulator: started,
    patch,
    add: (...add) => patch({ privateEndpoints: { add } }),
    remove: (...remove) => patch({ privateEndpoints: { remove } }),
    read: () => patch({ privateEndpoints: { add: [], remove: [] } }),
    ids: () => started.organization(ORGANIZATION)?.privateEndpoints.map(({ id }) => id),
  };
}

const listed = (answered: Answered): string[] =>
  ((answered.body.result?.privateEndpoints ?? []) as PrivateEndpoint[]).map(({ id }) => id);

describe('a refused endpoint', () => {
  it('refuseRemoves: those alone cannot be removed', async () => {
    const { remove, ids } = await start({ refuseRemoves: ['a'] });
    const { status, body } = await remove(endpoint('a'));
    expect([status, body.error]).toEqual([
      400,
      'BAD_REQUEST: private endpoint "a" is attached to a service',
    ]);
    expect((await remove(endpoint('b'))).status).toBe(200);
    expect(ids()).toEqual(['a']);
  });

  it.each([409, 410, 422, 500])('refusedStatus: %d for adds and removes', async (refusedStatus) => {
    const { add, remove, ids } = await start({
      refusedIds: ['c'],
      refuseRemoves: ['a'],
      refusedStatus,
    });
    expect([(await add(endpoint('c'))).status, (await remove(endpoint('a'))).status]).toEqual([
      refusedStatus,
      refusedStatus,
    ]);
    expect(ids()).toEqual(['a', 'b']);
  });

  it('refusedStatuses: one status for one id, another for the next', async () => {
    const { add } = await start({
      refusedIds: ['c', 'd', 'e'],
      refusedStatuses: { c: 409, d: 422 },
    });
    const answers = [await add(endpoint('c')), await add(endpoint('d')), await add(endpoint('e'))];
    expect(answers.map(({ status }) => status)).toEqual([409, 422, 400]);
  });

  it.each([{ add: 'refused' }, { add: 'bad-request' }, { addExisting: 'bad-request' }] as const)(
    'refusedText: generic says the same of every one, with %o',
    async (behaviour) => {
      const { add } = await start({ ...behaviour, refusedText: 'generic' });
      const [one, two] = [await add(endpoint('a')), await add(endpoint('b'))];
      expect([one.body.error, two.body.error]).toEqual(
        Array(2).fill('BAD_REQUEST: request is not valid'),
      );
    },
  );

  it('add and remove: refused, every one, with the status asked for', async () => {
    const { add, remove, ids } = await start({
      add: 'refused',
      remove: 'refused',
      refusedStatus: 422,
    });
    expect([(await add(endpoint('c'))).status, (await remove(endpoint('a'))).status]).toEqual([
      422, 422,
    ]);
    expect(ids()).toEqual(['a', 'b']);
  });

  it('quotas: below what exists nothing more goes in, and other organizations are as before', async () => {
    const { add, remove, simulator } = await start({
      quotas: { [ORGANIZATION]: 1 },
      maxEndpoints: 3,
    });
    expect((await add(endpoint('c'))).body.error).toContain('at most 1 private endpoints');
    expect((await add(endpoint('a'))).status).toBe(200);
    expect((await remove(endpoint('a'), endpoint('b'))).status).toBe(200);
    expect((await add(endpoint('c'))).status).toBe(200);
    const other = caller(simulator.url);
    const sent = { privateEndpoints: { add: strangers(3) } };
    expect((await other('PATCH', `/v1/organizations/${OTHER}`, sent)).status).toBe(200);
  });
});

describe('a body', () => {
  it('longestName: a longer one is 400 and nothing of the call is done', async () => {
    const { patch, simulator } = await start({ longestName: 5 });
    expect(
      (await patch({ name: '123456', privateEndpoints: { add: [endpoint('c')] } })).status,
    ).toBe(400);
    expect((await patch({ name: '12345' })).status).toBe(200);
    expect(simulator.organization(ORGANIZATION)).toMatchObject({
      name: '12345',
      privateEndpoints: [{}, {}],
    });
  });

  it('emptyLists: unprocessable is 422 for lists that ask for nothing, and for those alone', async () => {
    const { patch, read } = await start({ emptyLists: 'unprocessable' });
    expect((await read()).status).toBe(422);
    expect((await patch({ privateEndpoints: {} })).status).toBe(422);
    expect((await patch({ name: 'x', privateEndpoints: { add: [], remove: [] } })).status).toBe(
      200,
    );
    expect((await patch({ privateEndpoints: { add: [], remove: [endpoint('a')] } })).status).toBe(
      200,
    );
  });

  it.each(['upsert', 'duplicate'] as const)(
    'descriptions: first-kept outlives %s',
    async (addExisting) => {
      const { add, simulator } = await start({ descriptions: 'first-kept', addExisting });
      await add(endpoint('a', { description: 'second' }), endpoint('b', { description: 'late' }));
      const stored = simulator.organization(ORGANIZATION)?.privateEndpoints ?? [];
      expect(new Set(stored.map(({ id, description }) => `${id} ${description}`))).toEqual(
        new Set(['a first', 'b undefined']),
      );
    },
  );

  it('descriptions: first-kept outlives a removal, and is of the tuple', async () => {
    const { add, remove, simulator } = await start({ addExisting: 'upsert' });
    await add(endpoint('a', { description: 'second' }));
    simulator.play({ organization: { descriptions: 'first-kept' } });
    await remove(endpoint('a'));
    await add(endpoint('a', { description: 'third' }), endpoint('n', { description: 'new' }));
    await add(endpoint('c', { region: 'x', description: 'elsewhere' }));
    const stored = simulator.organization(ORGANIZATION)?.privateEndpoints ?? [];
    expect(stored.map(({ description }) => description)).toEqual([
      undefined,
      'first',
      'new',
      'elsewhere',
    ]);
  });
});

describe('a reply', () => {
  it.each([
    ['null-among', [null, 'a', 'b']],
    ['text-among', ['psc', 'a', 'b']],
    ['number-id-among', [7, 'a', 'b']],
    ['no-region-among', ['nowhere', 'a', 'b']],
  ] as const)('entries: %s', async (entries, shown) => {
    const { read, ids } = await start({ entries });
    const reported = (await read()).body.result?.privateEndpoints as (
      | string
      | { id: unknown }
      | null
    )[];
    expect(
      reported.map((entry) => (typeof entry === 'object' ? entry && entry.id : entry)),
    ).toEqual(shown);
    expect(
      reported.filter(
        (entry) => entry !== null && typeof entry === 'object' && !('region' in entry),
      ),
    ).toHaveLength(entries === 'no-region-among' ? 1 : 0);
    expect(ids()).toEqual(['a', 'b']);
  });

  it('entries: number-ids shows ids of digits as numbers, with every digit', async () => {
    const { add } = await start({ entries: 'number-ids' });
    const { text } = await add(endpoint('12345678901234567891'), endpoint('x1'));
    expect(text).toContain('"id":12345678901234567891,');
    expect(text).toContain('"id":"x1"');
  });

  it('entries: no-regions leaves it out of every one', async () => {
    const { read } = await start({ entries: 'no-regions' });
    const reported = (await read()).body.result?.privateEndpoints as object[];
    expect(reported.map((entry) => Object.keys(entry).toSorted().join())).toEqual(
      Array(2).fill('cloudProvider,description,id'),
    );
  });

  it('omit and replace: fields missing, of another type, and unheard of', async () => {
    const { read } = await start({
      omit: ['createdAt', 'byocConfig'],
      replace: { name: 7, capabilities: ['x'] },
    });
    const { result = {} } = (await read()).body;
    expect(Object.keys(result).toSorted()).toEqual([
      'capabilities',
      'id',
      'name',
      'privateEndpoints',
    ]);
    expect(result.name).toBe(7);
  });

  it('echo: lagging shows what was before the call before this one', async () => {
    const { add } = await start({ echo: 'lagging' });
    const answers = [
      await add(endpoint('c')),
      await add(endpoint('d')),
      await add(endpoint('e')),
      await add(),
    ];
    expect(answers.map((answer) => listed(answer).join(''))).toEqual(['ab', 'ab', 'abc', 'abcd']);
  });

  it('staleForMs: shows what was so long ago', async () => {
    const { add, read, simulator } = await start();
    await expect.poll(async () => listed(await read())).toEqual(['a', 'b']);
    simulator.play({ organization: { staleForMs: 150 } });
    const sent = performance.now();
    await add(endpoint('c'));
    await expect.poll(async () => listed(await read()), { interval: 10 }).toContain('c');
    expect(performance.now() - sent).toBeGreaterThan(140);
    simulator.play({ organization: { staleForMs: 0 } });
    expect(listed(await add(endpoint('d')))).toContain('d');
  });

  it('listMissingCalls: absent in so many replies, refusals not counted', async () => {
    const { read, add, simulator } = await start({ refusedIds: ['bad'] });
    simulator.play({ organization: { listMissingCalls: 2 } });
    const answers = [
      await read(),
      await add(endpoint('bad')),
      await add(endpoint('c')),
      await read(),
    ];
    expect(answers.map(({ body }) => body.result && 'privateEndpoints' in body.result)).toEqual([
      false,
      undefined,
      false,
      true,
    ]);
  });

  it('holds hundreds of others, in the place they have', async () => {
    const { read, add, simulator } = await start();
    simulator.setOrganization(ORGANIZATION, { remove: ['a', 'b'], add: strangers(300) });
    await add(endpoint('ours'));
    const ids = listed(await read());
    expect([ids.length, new Set(ids).size, ids.indexOf('theirs-300'), ids.indexOf('ours')]).toEqual(
      [301, 301, 299, 300],
    );
  });
});

describe('concurrent', () => {
  /** Someone's add waits for its answer while another arrives. */
  async function overlapping(
    concurrent: OrganizationBehaviour['concurrent'],
  ): Promise<Scene & { mine: Answered }> {
    const scene = await start({ concurrent });
    scene.simulator.next({ hold: true }, { match: { keyId: 'theirs' } });
    const theirs = scene.patch({ privateEndpoints: { add: [endpoint('t')] } }, 'theirs');
    await scene.simulator.waitForCalls(1);
    const mine = await scene.add(endpoint('m'));
    scene.simulator.release();
    expect((await theirs).status).toBe(200);
    return { ...scene, mine };
  }

  it.each([
    ['fine', 200, ['a', 'b', 't', 'm']],
    ['conflict', 409, ['a', 'b', 't']],
    ['lost-update', 200, ['a', 'b', 'm']],
  ] as const)('%s', async (concurrent, status, left) => {
    const { mine, ids } = await overlapping(concurrent);
    expect(mine.status).toBe(status);
    expect(ids()).toEqual(left);
  });

  it('lost-update counts what it takes away as removed', async () => {
    const { simulator } = await overlapping('lost-update');
    const counts = Object.values(simulator.endpointCounts(ORGANIZATION));
    expect(counts.filter(({ removed }) => removed > 0)).toEqual([
      { add: 1, added: 1, remove: 0, removed: 1 },
    ]);
  });

  it.each(['conflict', 'lost-update'] as const)(
    '%s ends with the answer of the other',
    async (concurrent) => {
      const { add, ids } = await overlapping(concurrent);
      const before = ids() ?? [];
      expect((await add(endpoint('n'))).status).toBe(200);
      expect(ids()).toEqual([...before, 'n']);
    },
  );

  it('a call whose connection was reset is over', async () => {
    const { add, simulator } = await start({ concurrent: 'conflict' });
    simulator.next({ transport: 'reset-after' });
    await expect(add(endpoint('c'))).rejects.toThrow('fetch failed');
    expect((await add(endpoint('d'))).status).toBe(200);
  });
});
