import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { newNamespace, waitFor } from '../controlplane/client.ts';
import { allow, asAdmin, change, createOrReplace, operatorRules } from '../support/cluster.ts';
import type { InnerOperator } from '../support/inner-operator.ts';
import {
  endpoint,
  ledgerOf,
  list,
  type Org,
  type Organizations,
} from '../support/organizations.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { ORGANIZATION } from '../support/scene-objects.ts';
import { ready, settled, side } from '../support/watching.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const FINALIZER = 'pipewright.dev/remove-private-endpoints';

let scene: Scene;
let orgs: Organizations;
let operator: InnerOperator;
let other: string;
beforeEach(async () => {
  [scene, other] = await Promise.all([openScene({ start: false }), newNamespace()]);
  orgs = scene.orgs;
  await shareWith(other);
  operator = await scene.startInner({ namespaces: [scene.namespace, other] });
  scene.simulator.setOrganization(ORGANIZATION, { add: [endpoint('theirs')] });
  return async () => {
    await scene.end();
  };
});

/** Gives the scene's operator the same rights in another namespace, and that the same key. */
async function shareWith(namespace: string): Promise<void> {
  await allow(namespace, 'operator', await operatorRules(), { from: scene.namespace });
  const secret = {
    metadata: { name: 'management-api' },
    stringData: { keyId: scene.key.id, keySecret: scene.key.secret },
  };
  await createOrReplace(`/api/v1/namespaces/${namespace}/secrets`, secret);
}

describe('of two objects for one organization', () => {
  test('that are made in the same second one acts, and the other names it', async () => {
    const ids = Array.from({ length: 6 }, () => randomUUID());
    await Promise.all(
      ids.flatMap((organizationId, index) =>
        ['a', 'b'].map((half) =>
          orgs.create(`${half}-${index}`, { organizationId, ...list(`of-${half}`) }),
        ),
      ),
    );
    for (const [index, organizationId] of ids.entries()) {
      const both = await waitFor(
        () => Promise.all([orgs.get(`a-${index}`), orgs.get(`b-${index}`)]),
        {
          what: 'one applied, one in conflict',
          until: (objects) =>
            objects
              .map((object) => ready(object).reason)
              .toSorted()
              .join() === 'Applied,TargetConflict',
        },
      );
      const [winner, loser] = both.toSorted((a, b) =>
        ready(a).reason < ready(b).reason ? -1 : 1,
      ) as [Org, Org];
      expect(ready(loser).message).toContain(`"${winner.metadata.name}"`);
      expect(side(loser)).toBe('Reconciling');
      expect(loser.status.applied).toBeUndefined();
      expect(loser.status.pendingChange).toBeUndefined();
      expect(orgs.ids(organizationId)).toEqual([`of-${winner.metadata.name.slice(0, 1)}`]);
      const said = orgs.said(organizationId);
      expect(said.filter((one) => one !== 'look')).toEqual([
        `+of-${winner.metadata.name.slice(0, 1)}`,
      ]);
      expect(said.length, 'a look of each at most').toBeLessThanOrEqual(3);
    }
  });

  test('the one that waits is stalled after five minutes, with one event; edits and requests of it send nothing', async () => {
    await orgs.create('holder', list('ours'));
    await orgs.until('holder', 'Applied');
    await orgs.create('rival', list('ours', 'more'));
    expect(side(await orgs.until('rival', 'TargetConflict'))).toBe('Reconciling');
    operator.clock.advance(4 * MINUTE);
    await settled(scene, operator);
    expect(side(await orgs.get('rival'))).toBe('Reconciling');
    operator.clock.advance(MINUTE + 2 * SECOND);
    await orgs.untilIt('rival', 'stalled', (object) => side(object) === 'Stalled');
    const value = await orgs.request('rival');
    await orgs.untilIt(
      'rival',
      'acknowledged',
      ({ status }) => status.lastHandledReconcileAt === value,
    );
    await orgs.create('rival', { name: 'Rival', ...list('ours') });
    expect(side(await orgs.until('rival', 'TargetConflict'))).toBe('Stalled');
    operator.clock.advance(90 * MINUTE);
    await settled(scene, operator);
    const told = (await scene.events('rival')).map(({ type, reason }) => `${type} ${reason}`);
    expect(told).toEqual(['Warning TargetConflict']);
    expect(orgs.patches()).toHaveLength(2);
  });

  test.each([
    { way: 'without a finalizer', finalizers: [] },
    { way: 'with a finalizer that somebody put on it', finalizers: [FINALIZER] },
  ])(
    'the one that waits is deleted $way without a call and without a trace in the other',
    async ({ finalizers }) => {
      await orgs.create('stays', list('ours'));
      const stays = await orgs.until('stays', 'Applied');
      await orgs.create('goes', {
        ...list('ours', 'more'),
        deletionPolicy: 'RemovePrivateEndpoints',
      });
      await orgs.until('goes', 'TargetConflict');
      await change(orgs.pathTo('goes'), (stored) => ({
        ...stored,
        metadata: { ...stored.metadata, finalizers },
      }));
      await settled(scene, operator);
      await orgs.remove('goes');
      await orgs.untilGone('goes');
      await settled(scene, operator);
      expect(orgs.patches()).toHaveLength(2);
      expect(orgs.ids()).toEqual(['theirs', 'ours']);
      expect((await orgs.get('stays')).metadata.resourceVersion).toBe(
        stays.metadata.resourceVersion,
      );
    },
  );

  test('that swap their lists each say so: nothing is lost, and nothing of others is touched', async () => {
    await orgs.create('holder', list('a', 'theirs'));
    await orgs.until('holder', 'Applied');
    await orgs.create('rival', list('b'));
    await orgs.until('rival', 'TargetConflict');
    await Promise.all([
      orgs.create('holder', list('b')),
      orgs.create('rival', list('a', 'theirs')),
    ]);
    expect(ledgerOf(await orgs.until('holder', 'Applied'))).toEqual(['b Added Present']);
    expect(ledgerOf(await orgs.until('rival', 'TargetConflict'))).toEqual([]);
    expect(orgs.ids()).toEqual(['theirs', 'b']);
    await orgs.remove('holder');
    const taken = await orgs.until('rival', 'Applied');
    expect(ledgerOf(taken)).toEqual(['a Added Present', 'theirs Found Present']);
    expect(orgs.ids().toSorted()).toEqual(['a', 'b', 'theirs']);
  });

  test('a winner whose deletion somebody else holds up keeps the organization until it is gone', async () => {
    await orgs.create('held', { ...list('ours'), deletionPolicy: 'RemovePrivateEndpoints' });
    await orgs.until('held', 'Applied');
    await change(orgs.pathTo('held'), (stored) => ({
      ...stored,
      metadata: { ...stored.metadata, finalizers: [FINALIZER, 'example.com/hold'] },
    }));
    await orgs.create('next', list('ours', 'more'));
    await orgs.until('next', 'TargetConflict');
    await orgs.remove('held');
    await orgs.untilIt(
      'held',
      'let go by us',
      ({ metadata }) => !metadata.finalizers?.includes(FINALIZER),
    );
    await settled(scene, operator);
    expect(ready(await orgs.get('next')).reason).toBe('TargetConflict');
    expect(orgs.patches()).toHaveLength(2);
    await change(orgs.pathTo('held'), (stored) => ({
      ...stored,
      metadata: { ...stored.metadata, finalizers: [] },
    }));
    expect(ledgerOf(await orgs.until('next', 'Applied'))).toEqual([
      'more Added Present',
      'ours Found Present',
    ]);
    expect(orgs.ids()).toEqual(['theirs', 'ours', 'more']);
  });
});

test('of three objects the oldest of those that wait takes over, and finds what is there, and the youngest goes on waiting', async () => {
  await orgs.create('first', list('ours'));
  await orgs.until('first', 'Applied');
  await orgs.create('second', list('ours'));
  await orgs.until('second', 'TargetConflict');
  await orgs.create('third', list('ours'));
  await orgs.until('third', 'TargetConflict');
  const waiting = [await orgs.get('second'), await orgs.get('third')].toSorted((a, b) =>
    [a.metadata.creationTimestamp, a.metadata.uid].join() <
    [b.metadata.creationTimestamp, b.metadata.uid].join()
      ? -1
      : 1,
  );
  const [next, last] = waiting.map(({ metadata }) => metadata.name) as [string, string];
  await orgs.remove('first');
  expect(ledgerOf(await orgs.until(next, 'Applied'))).toEqual(['ours Found Present']);
  const left = await orgs.untilIt(last, `held by ${next}`, (object) =>
    ready(object).message.includes(`"${next}"`),
  );
  expect(ready(left).reason).toBe('TargetConflict');
  expect(ledgerOf(left)).toEqual([]);
  expect(orgs.ids()).toEqual(['theirs', 'ours']);
});

test.each(['Retain', 'RemovePrivateEndpoints'])(
  'an object of another namespace takes over under %s, and finds what is there, when the first is gone',
  async (deletionPolicy) => {
    const there = `/apis/pipewright.dev/v1alpha1/namespaces/${other}/organizations`;
    const theOther = (reason: string): Promise<Org> =>
      waitFor(() => asAdmin<Org>('GET', `${there}/there`), {
        what: `the one there to be ${reason}`,
        until: (object) => ready(object).reason === reason,
      });
    await orgs.create('here', { ...list('shared', 'alone'), deletionPolicy });
    await orgs.until('here', 'Applied');
    await asAdmin('POST', there, {
      apiVersion: 'pipewright.dev/v1alpha1',
      kind: 'Organization',
      metadata: { name: 'there' },
      spec: {
        organizationId: ORGANIZATION,
        credentialsSecretRef: { name: 'management-api' },
        deletionPolicy,
        ...list('shared'),
      },
    });
    const { message } = ready(await theOther('TargetConflict'));
    expect(message).toContain('an object in another namespace');
    expect(message).toContain(`-A --field-selector spec.organizationId=${ORGANIZATION}`);
    expect(message).not.toContain(scene.namespace);
    await orgs.remove('here');
    const taken = await theOther('Applied');
    const isRetained = deletionPolicy === 'Retain';
    expect(ledgerOf(taken)).toEqual([isRetained ? 'shared Found Present' : 'shared Added Present']);
    expect(orgs.ids()).toEqual(isRetained ? ['theirs', 'shared', 'alone'] : ['theirs', 'shared']);
    const counts = scene.simulator.endpointCounts(ORGANIZATION);
    // One that is not proven spares nothing at the deletion of another namespace's.
    const times = isRetained
      ? { add: 1, added: 1, remove: 0, removed: 0 }
      : { add: 2, added: 2, remove: 1, removed: 1 };
    expect(counts['gcp/ap-northeast-1/shared']).toEqual(times);
  },
);
