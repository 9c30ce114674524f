import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OrganizationBehaviour } from '../simulator/organization-types.ts';
import {
  type Case,
  type Lab,
  ledgerOf,
  messageOf,
  openLab,
  told,
  waitOf,
} from '../support/organization-behaviour-lab.ts';
import { endpoint } from '../support/organization-scene.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab.end());

function listOf(...ids: readonly string[]) {
  return ids.map((id) => endpoint(id));
}

/** An organization with `theirs` of others, and endpoints that the object has added. */
async function applied(behaviour: Partial<OrganizationBehaviour>, ...ids: readonly string[]): Promise<Case> {
  const one = lab.open({ behaviour, others: [endpoint('theirs')] });
  await one.declare({ privateEndpoints: listOf(...ids) });
  await one.until('Applied');
  return one;
}

describe('a remove of what somebody else has removed first', () => {
  test('answered with 200 is done: one call', async () => {
    const one = await applied({ removeAbsent: 'ok' }, 'a', 'b', 'c');
    lab.scene.simulator.setOrganization(one.id, { remove: ['a'] });
    await one.declare({ privateEndpoints: listOf('c') });
    const object = await one.until('Applied');
    expect(one.said().slice(2)).toEqual(['-a-b']);
    expect(ledgerOf(object)).toEqual({ c: 'Added Present' });
    expect(one.ids()).toEqual(['theirs', 'c']);
    await one.rests();
  });

  const LOUD = (['bad-request', 'not-found'] as const).flatMap((removeAbsent) =>
    (['all-or-nothing', 'partial'] as const).flatMap((onError) =>
      (['id', 'tuple'] as const).map((matchBy) => ({ removeAbsent, onError, matchBy })),
    ),
  );
  test.each(LOUD)(
    'answered with $removeAbsent ($onError, by $matchBy): what is left is sent once more, by halves',
    async (behaviour) => {
      const one = await applied(behaviour, 'a', 'b', 'c', 'd');
      lab.scene.simulator.setOrganization(one.id, { remove: ['b'] });
      await one.declare({ privateEndpoints: listOf('d') });
      const object = await one.until('Applied');
      const left = behaviour.onError === 'partial' ? ['-c'] : ['-a', '-c'];
      expect(one.said().slice(2)).toEqual(['-a-b-c', 'list', ...left]);
      expect(ledgerOf(object)).toEqual({ d: 'Added Present' });
      expect(one.ids()).toEqual(['theirs', 'd']);
      await one.rests();
    },
  );

  test.each(['bad-request', 'not-found'] as const)(
    'all of them, answered with %s: a read shows that it is done',
    async (removeAbsent) => {
      const one = await applied({ removeAbsent }, 'a', 'b');
      lab.scene.simulator.setOrganization(one.id, { remove: ['a', 'b'] });
      await one.declare({ privateEndpoints: [] });
      const object = await one.until('Applied');
      expect(one.said().slice(2)).toEqual(['-a-b', 'list']);
      expect(ledgerOf(object)).toEqual({});
      await one.rests();
    },
  );

  test('together with a name and adds, before an error: what is left is sent alone', async () => {
    const one = await applied({ removeAbsent: 'not-found', onError: 'partial', order: 'add-first' }, 'a', 'b');
    lab.scene.simulator.setOrganization(one.id, { remove: ['a'] });
    await one.declare({ name: 'Acme', privateEndpoints: listOf('c', 'd') });
    const object = await one.until('Applied');
    expect(ledgerOf(object)).toEqual({ c: 'Added Present', d: 'Added Present' });
    expect(one.ids()).toEqual(['theirs', 'c', 'd']);
    expect(one.said().slice(2)).toEqual(['name+c+d-a-b', 'name', '-b']);
    await one.rests();
  });
});

describe('the same id under another place', () => {
  test.each(['remove-first', 'add-first'] as const)(
    'is removed, confirmed, then added, whatever the order of the server (%s)',
    async (order) => {
      for (const matchBy of ['id', 'tuple'] as const) {
        const one = await applied({ order, matchBy }, 'a', 'b');
        const moved = endpoint('a', { cloudProvider: 'aws', region: 'eu-west-1' });
        await one.declare({ privateEndpoints: [moved, endpoint('b')] });
        const object = await one.until('Applied');
        expect(one.said().slice(2), matchBy).toEqual(['-a', '+a']);
        expect(ledgerOf(object)).toEqual({ 'a@aws/eu-west-1': 'Added Present', b: 'Added Present' });
        expect(lab.orgs.held(one.id).privateEndpoints.map(({ region }) => region)).toEqual([
          'ap-northeast-1',
          'ap-northeast-1',
          'eu-west-1',
        ]);
        await one.rests();
      }
    },
  );

  test('of somebody else keeps ours from being removed, for a server may match by id alone', async () => {
    const one = await applied({ matchBy: 'id' }, 'a', 'b');
    const theirs = endpoint('a', { region: 'eu-west-1' });
    lab.scene.simulator.setOrganization(one.id, { add: [{ ...theirs }] });
    await one.declare({ name: 'Acme', privateEndpoints: listOf('b') });
    // The last list is from before: the removal leaves. A read would have shown it; see the next test.
    await one.untilIt('a verdict', (object) => /^(Applied|EndpointConflict)/.test(told(object)));
    await one.rests();
    expect(lab.scene.simulator.endpointCounts(one.id)['gcp/ap-northeast-1/a']?.remove).toBe(1);
  });

  test('of somebody else, once it is reported, keeps ours from being removed', async () => {
    const one = await applied({ matchBy: 'id' }, 'a', 'b');
    const theirs = endpoint('a', { region: 'eu-west-1' });
    lab.scene.simulator.setOrganization(one.id, { add: [{ ...theirs }] });
    await lab.orgs.request(one.name);
    await one.arrived(3);
    await one.untilIt('the list to be known', ({ status }) => status.organization?.privateEndpointsTotal === 4);
    await one.declare({ privateEndpoints: listOf('b') });
    const object = await one.until('EndpointConflict');
    expect(told(object)).toBe('EndpointConflict Stalled');
    expect(messageOf(object)).toContain('id of a ');
    expect(ledgerOf(object)).toEqual({ a: 'Added Present', b: 'Added Present' });
    expect(lab.orgs.held(one.id).privateEndpoints).toHaveLength(4);
    await one.rests();
    lab.scene.simulator.setOrganization(one.id, { remove: ['a'] });
    lab.scene.simulator.setOrganization(one.id, { add: [endpoint('a')] });
    await one.retry();
    expect(ledgerOf(await one.until('Applied'))).toEqual({ b: 'Added Present' });
    expect(one.ids()).toEqual(['theirs', 'b']);
  });
});

describe('what others have', () => {
  test('is never in a request, though it comes and goes with every call', async () => {
    const one = lab.open({ behaviour: { others: 'come-and-go', matchBy: 'id' }, others: listOf('x', 'y', 'z') });
    await one.declare({ name: 'Acme', privateEndpoints: listOf('a', 'x') });
    await one.until('Applied');
    await one.declare({ name: 'Acme', privateEndpoints: listOf('b') });
    await one.until('Applied');
    await one.declare({ name: 'Acme', privateEndpoints: [] });
    expect(ledgerOf(await one.until('Applied'))).toEqual({});
    expect(one.said()).toEqual(['name', 'name+a', 'name+b-a', 'name-b']);
    expect(one.ids().filter((id) => !id.startsWith('other-'))).toEqual(['x', 'y', 'z']);
    await one.rests();
  });

  test('is ours where it is adopted, and theirs again when that is taken back', async () => {
    const one = lab.open({ others: listOf('x', 'y') });
    await one.declare({ privateEndpoints: listOf('a', 'x', 'y'), adoptPrivateEndpoints: true });
    expect(ledgerOf(await one.until('Applied'))).toEqual({
      a: 'Added Present',
      x: 'Adopted Present',
      y: 'Adopted Present',
    });
    await one.declare({ privateEndpoints: listOf('a', 'y'), adoptPrivateEndpoints: true });
    await one.until('Applied');
    expect(one.said()).toEqual(['list', '+a', '-x']);
    await one.declare({ privateEndpoints: listOf('a', 'y') });
    expect(ledgerOf(await one.until('Applied'))).toEqual({ a: 'Added Present', y: 'Found Present' });
    await one.declare({ privateEndpoints: [] });
    await one.until('Applied');
    expect(one.ids()).toEqual(['y']);
    await one.rests();
  });

  test('is not ours without that, listed or not', async () => {
    const one = lab.open({ others: listOf('x', 'y') });
    await one.declare({ privateEndpoints: listOf('x') });
    expect(ledgerOf(await one.until('Applied'))).toEqual({ x: 'Found Present' });
    await one.declare({ privateEndpoints: [], adoptPrivateEndpoints: true });
    expect(ledgerOf(await one.until('Applied'))).toEqual({});
    expect(one.ids()).toEqual(['x', 'y']);
    expect(one.said()).toEqual(['list', 'list']);
    await one.rests();
  });
});

describe('a remove', () => {
  test('that is ignored with 200 is not sent again at once: looked at three times, then the user is told', async () => {
    const one = await applied({ remove: 'ignored' }, 'a', 'b');
    await one.declare({ privateEndpoints: listOf('b') });
    let object = await one.until('NotConfirmed');
    expect(ledgerOf(object)).toEqual({ a: 'Added Removing', b: 'Added Present' });
    await one.rests();
    const before = one.calls().length;
    for (let turn = 0; turn < 4; turn += 1) object = await one.retry();
    expect(told(object)).toBe('NotConfirmed Stalled');
    expect(waitOf(object)).toBeGreaterThan(4 * 3600);
    expect(one.calls().length - before).toBeLessThanOrEqual(8);
    await one.rests();
    one.behave({ remove: 'honoured' });
    await one.retry();
    await one.until('Applied');
    expect(one.ids()).toEqual(['theirs', 'b']);
  });

  test('of more than is allowed sends nothing at all, until the spec allows it', async () => {
    const one = await applied({}, 'a', 'b', 'c');
    await one.declare({ privateEndpoints: listOf('new'), maxPrivateEndpointRemovals: 2 });
    const object = await one.until('RemovalBlocked');
    expect(told(object)).toBe('RemovalBlocked Stalled');
    expect(one.said()).toEqual(['list', '+a+b+c']);
    await one.rests();
    await one.declare({ privateEndpoints: listOf('new'), maxPrivateEndpointRemovals: 3 });
    await one.until('Applied');
    expect(one.ids()).toEqual(['theirs', 'new']);
  });
});
