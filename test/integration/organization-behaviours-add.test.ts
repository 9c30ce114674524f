import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OrganizationBehaviour } from '../simulator/organization-types.ts';
import { type Case, type Lab, ledgerOf, openLab, told } from '../support/organization-behaviour-lab.ts';
import { endpoint } from '../support/organization-scene.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab.end());

/** Someone adds `theirs` after the operator has read the list and before its own add arrives. */
async function outrun(one: Case, list: readonly string[], theirs: string): Promise<void> {
  one.next({ hold: true });
  await one.declare({ name: 'Acme', privateEndpoints: list.map((id) => endpoint(id, { description: 'ours' })) });
  await one.arrived(1);
  lab.scene.simulator.setOrganization(one.id, { add: [{ ...endpoint(theirs), description: 'theirs' }] });
  lab.scene.simulator.release();
}

const SILENT = ['no-op', 'upsert', 'duplicate'] as const;
const LOUD = ['bad-request', 'conflict'] as const;

describe.each(['id', 'tuple'] as const)('an add that meets an endpoint of the same %s', (matchBy) => {
  test.each(SILENT)('with 200 (%s) is ours, after two calls', async (addExisting) => {
    const one = lab.open({ behaviour: { addExisting, matchBy } });
    await outrun(one, ['a', 'b'], 'a');
    const object = await one.until('Applied');
    expect(ledgerOf(object)).toEqual({ a: 'Added Present', b: 'Added Present' });
    expect(one.said()).toEqual(['name', 'name+a+b']);
    expect(one.ids()).toEqual(addExisting === 'duplicate' ? ['a', 'a', 'b'] : ['a', 'b']);
    const theirs = { field: 'privateEndpoints[a].description', declared: 'ours', reported: 'theirs' };
    expect(object.status['differences']).toEqual(addExisting === 'upsert' ? undefined : [theirs]);
    await one.rests();
    await one.declare({ name: 'Acme', privateEndpoints: [] });
    await one.until('Applied');
    expect(one.ids()).toEqual([]);
    expect(one.said().slice(2)).toEqual(['name-a-b']);
  });

  test.each(LOUD)('with 4xx (%s), on its own, was found and is not ours: three calls', async (addExisting) => {
    const one = lab.open({ behaviour: { addExisting, matchBy } });
    await outrun(one, ['a'], 'a');
    const object = await one.until('Applied');
    expect(ledgerOf(object)).toEqual({ a: 'Found Present' });
    expect(one.said()).toEqual(['name', 'name+a', 'name']);
    await one.rests();
    await one.declare({ name: 'Acme', privateEndpoints: [] });
    await one.until('Applied');
    await one.rests();
    expect(one.ids()).toEqual(['a']);
    expect(one.said().slice(3)).toEqual(['name']);
  });

  test.each(LOUD)(
    'with 4xx (%s), among others, is there after all, and the others get in: four calls',
    async (addExisting) => {
      const one = lab.open({ behaviour: { addExisting, matchBy } });
      await outrun(one, ['a', 'b', 'c'], 'b');
      const object = await one.until('Applied');
      expect(ledgerOf(object)).toEqual({ a: 'Added Present', b: 'Added Present', c: 'Added Present' });
      expect(one.said()).toEqual(['name', 'name+a+b+c', 'name', '+a+c']);
      expect(one.ids().toSorted()).toEqual(['a', 'b', 'c']);
      await one.rests();
    },
  );

  test.each(LOUD)('with 4xx (%s) after a part went in: what is in is not sent again', async (addExisting) => {
    const one = lab.open({ behaviour: { addExisting, matchBy, onError: 'partial' } });
    await outrun(one, ['a', 'b', 'c'], 'b');
    const object = await one.until('Applied');
    expect(ledgerOf(object)).toEqual({ a: 'Added Present', b: 'Added Present', c: 'Added Present' });
    expect(one.said()).toEqual(['name', 'name+a+b+c', 'name', '+c']);
    await one.rests();
  });
});

const TOGETHER: readonly Partial<OrganizationBehaviour>[] = [
  { addExisting: 'conflict', list: 'shuffled', refusedText: 'generic' },
  { addExisting: 'bad-request', list: 'doubled', onError: 'partial', description: 'dropped' },
  { addExisting: 'duplicate', list: 'reversed', matchBy: 'tuple', description: 'null-for-none' },
  { addExisting: 'conflict', onError: 'partial', order: 'add-first', others: 'come-and-go' },
  { addExisting: 'upsert', echo: 'fresh', entries: 'null-among', description: 'absent-for-none' },
];

test.each(TOGETHER)('together: %o', async (behaviour) => {
  const one = lab.open({ behaviour });
  await outrun(one, ['a', 'b', 'c', 'd'], 'c');
  const object = await one.until('Applied');
  expect(Object.keys(ledgerOf(object)).toSorted()).toEqual(['a', 'b', 'c', 'd']);
  expect(new Set(one.ids().filter((id) => !id.startsWith('other-')))).toEqual(new Set(['a', 'b', 'c', 'd']));
  expect(one.calls().length).toBeLessThanOrEqual(5);
  const counts = lab.scene.simulator.endpointCounts(one.id, { keyId: lab.scene.key.id });
  for (const [key, { added }] of Object.entries(counts)) expect(added, key).toBeLessThanOrEqual(1);
  await one.rests();
});

describe('an add whose id is somebody else’s under another place', () => {
  const elsewhere = endpoint('a', { region: 'eu-west-1' });

  test('and was so when the list was read, is not sent: the rest goes on', async () => {
    const one = lab.open({ others: [elsewhere] });
    await one.declare({ privateEndpoints: [endpoint('a'), endpoint('b')] });
    const object = await one.until('EndpointConflict');
    expect(told(object)).toBe('EndpointConflict Stalled');
    expect(one.said()).toEqual(['list', '+b']);
    expect(ledgerOf(object)).toEqual({ b: 'Added Present' });
    await one.rests();
    await one.retry();
    expect(one.said()).toEqual(['list', '+b', 'list']);
    await one.someone.remove('a');
    await one.retry();
    expect(told(await one.until('Applied'))).toBe('Applied');
    expect(lab.orgs.held(one.id).privateEndpoints).toMatchObject([endpoint('b'), endpoint('a')]);
  });

  test.each(['no-op', 'bad-request', 'conflict'] as const)(
    'and became so meanwhile, with %s: it is not touched, and not asked for again',
    async (addExisting) => {
      const one = lab.open({ behaviour: { addExisting, matchBy: 'id' } });
      one.next({ hold: true });
      await one.declare({ privateEndpoints: [endpoint('a'), endpoint('b')] });
      await one.arrived(1);
      lab.scene.simulator.setOrganization(one.id, { add: [{ ...elsewhere }] });
      lab.scene.simulator.release();
      for (let turns = 0; turns < 4; turns += 1) {
        const object = await one.untilIt('a verdict', (seen) => /NotConfirmed|EndpointConflict/.test(told(seen)));
        if (told(object) === 'EndpointConflict Stalled') break;
        await one.retry();
      }
      const object = await one.until('EndpointConflict');
      expect(ledgerOf(object)).toEqual({ b: 'Added Present' });
      expect(lab.orgs.held(one.id).privateEndpoints.filter(({ id }) => id === 'a')).toEqual([elsewhere]);
      const counts = lab.scene.simulator.endpointCounts(one.id);
      expect(counts['gcp/ap-northeast-1/a']).toMatchObject({ add: 1, added: 0 });
      expect(counts['gcp/eu-west-1/a']?.remove ?? 0).toBe(0);
      await one.rests();
    },
  );

  test('is found where it is listed as the API reports it, and stays when it is listed no more', async () => {
    const one = lab.open({ behaviour: { matchBy: 'tuple' }, others: [elsewhere] });
    await one.declare({ privateEndpoints: [elsewhere] });
    const object = await one.until('Applied');
    expect(ledgerOf(object)).toEqual({ 'a@gcp/eu-west-1': 'Found Present' });
    await one.declare({ privateEndpoints: [] });
    await one.until('Applied');
    expect(lab.orgs.held(one.id).privateEndpoints).toEqual([elsewhere]);
  });
});
