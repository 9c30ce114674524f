import { beforeEach, describe, expect, test } from 'vitest';
import { type InnerOperator, startInner } from '../support/inner-operator.ts';
import { endpoint, type Organizations, organizationsOf } from '../support/organization-scene.ts';
import { ORGANIZATION, openScene, type Scene } from '../support/scene.ts';

let scene: Scene;
let orgs: Organizations;
let operator: InnerOperator;
beforeEach(async () => {
  scene = await openScene({ start: false });
  orgs = organizationsOf(scene);
  operator = await startInner(scene);
  return async () => {
    await operator.stop();
    await scene.end();
  };
});

describe('an Organization', () => {
  test('with a name costs one PATCH and one write of its status', async () => {
    await orgs.create('acme', { name: 'Acme Data' });
    const { status } = await orgs.until('acme', 'Applied');
    expect(orgs.patches()).toEqual([{ name: 'Acme Data' }]);
    expect(await orgs.writes('acme')).toHaveLength(1);
    expect(status.organization?.name).toBe('Acme Data');
  });

  test('with endpoints is read, then changed: two calls, two writes', async () => {
    scene.simulator.setOrganization(ORGANIZATION, { add: [{ ...endpoint('theirs') }, { ...endpoint('found') }] });
    await orgs.create('acme', { name: 'Acme Data', privateEndpoints: [endpoint('found'), endpoint('ours')] });
    const { status } = await orgs.until('acme', 'Applied');
    expect(orgs.patches()).toEqual([
      { name: 'Acme Data' },
      { name: 'Acme Data', privateEndpoints: { add: [endpoint('ours')] } },
    ]);
    expect(await orgs.writes('acme')).toHaveLength(2);
    expect(status.privateEndpoints).toMatchObject([
      { id: 'found', origin: 'Found', state: 'Present' },
      { id: 'ours', origin: 'Added', state: 'Present' },
    ]);
    expect(status.pendingChange).toBeUndefined();
    await orgs.create('acme', { privateEndpoints: [] });
    await orgs.until('acme', 'Applied');
    expect(orgs.patches().slice(2)).toEqual([{ privateEndpoints: { remove: [endpoint('ours')] } }]);
    expect(orgs.ids()).toEqual(['theirs', 'found']);
    expect(await orgs.writes('acme')).toHaveLength(4);
  });

  test('names a refused endpoint, and the rest gets in', async () => {
    scene.simulator.play({ organization: { refusedIds: ['bad'] } });
    const list = ['a', 'b', 'bad', 'c', 'd'].map((id) => endpoint(id));
    await orgs.create('acme', { name: 'Acme Data', privateEndpoints: list });
    const { status } = await orgs.until('acme', 'Rejected');
    expect(orgs.ids().toSorted()).toEqual(['a', 'b', 'c', 'd']);
    expect(status.privateEndpoints?.find(({ id }) => id === 'bad')).toMatchObject({
      state: 'Refused',
      lastError: { httpStatus: 400 },
    });
  });

  test('on deletion takes back what it added', async () => {
    scene.simulator.setOrganization(ORGANIZATION, { add: [{ ...endpoint('theirs') }] });
    await orgs.create('acme', { privateEndpoints: [endpoint('ours')], deletionPolicy: 'RemovePrivateEndpoints' });
    await orgs.until('acme', 'Applied');
    await orgs.remove('acme');
    await orgs.untilGone('acme');
    expect(orgs.ids()).toEqual(['theirs']);
  });
});
