import { afterAll, beforeAll, expect, test } from 'vitest';
import { newNamespace, waitFor } from '../controlplane/client.ts';
import {
  allow,
  asAdmin,
  change,
  createOrReplace,
  operatorRules,
  type Stored,
} from '../support/cluster.ts';
import type { InnerOperator } from '../support/inner-operator.ts';
import { slowClock } from '../support/movable-clock.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { ORGANIZATION, type Pset, SERVICE } from '../support/scene-objects.ts';
import { ready, settled, side } from '../support/watching.ts';

const MINUTE = 60_000;

let scene: Scene;
let operator: InnerOperator;
let other: string;
beforeAll(async () => {
  [scene, other] = await Promise.all([openScene({ start: false }), newNamespace()]);
  await shareWith(other);
  operator = await scene.startInner({ namespaces: [scene.namespace, other], clock: slowClock() });
});
afterAll(async () => {
  await scene.end();
});

/** Gives the scene's operator the same rights in another namespace, and that the same Secret. */
async function shareWith(namespace: string): Promise<void> {
  await allow(namespace, 'operator', await operatorRules(), { from: scene.namespace });
  const secret = {
    metadata: { name: 'management-api' },
    stringData: { keyId: scene.key.id, keySecret: scene.key.secret },
  };
  await createOrReplace(`/api/v1/namespaces/${namespace}/secrets`, secret);
}

function pathsOf(namespace: string): string {
  return `/apis/pipewright.dev/v1alpha1/namespaces/${namespace}/pipesettings`;
}

test('of two objects made together one acts and the other names it, whichever came first to whom', async () => {
  await Promise.all([
    scene.psets.create('twin-a', { pipeId: 'twins' }),
    scene.psets.create('twin-b', { pipeId: 'twins' }),
  ]);
  const both = await waitFor(
    () => Promise.all([scene.psets.get('twin-a'), scene.psets.get('twin-b')]),
    {
      what: 'one applied, one in conflict that names it',
      until: (objects) => {
        const [first, second] = objects
          .toSorted((a, b) => (ready(a).reason < ready(b).reason ? -1 : 1))
          .map(ready);
        const isDecided = first?.reason === 'Applied' && second?.reason === 'TargetConflict';
        return isDecided && second.message.includes('is held by');
      },
    },
  );
  const [winner, loser] = both.toSorted((a, b) => (ready(a).reason < ready(b).reason ? -1 : 1)) as [
    Pset,
    Pset,
  ];
  expect(ready(loser).message).toContain(`"${winner.metadata.name}"`);
  expect(ready(loser).status).toBe('False');
  expect(side(loser)).toBe('Reconciling');
  expect(loser.status.applied).toBeUndefined();
  await settled(scene);
  expect(scene.psets.puts('twins')).toHaveLength(1);
  expect(await scene.events(loser.metadata.name)).toEqual([]);
});

test('a rename in Git passes without a warning: the new one waits, and takes over at once when the old one is pruned', async () => {
  await scene.psets.create('old-name', { pipeId: 'renamed', settings: { engine_max_threads: 4 } });
  await scene.psets.until('old-name', 'Applied');
  await scene.psets.create('new-name', { pipeId: 'renamed', settings: { engine_max_threads: 6 } });
  const waiting = await scene.psets.until('new-name', 'TargetConflict');
  expect(side(waiting)).toBe('Reconciling');
  expect(scene.psets.puts('renamed')).toHaveLength(1);
  await scene.psets.remove('old-name');
  const taken = await scene.psets.until('new-name', 'Applied');
  expect(Date.parse(String(taken.status.applied?.['time']))).toBeLessThan(
    Date.parse(waiting.status.nextAttemptTime ?? ''),
  );
  expect(taken.status.nextAttemptTime).toBeUndefined();
  expect(scene.psets.puts('renamed').map(({ body }) => body)).toEqual([
    { engine_max_threads: 4 },
    { engine_max_threads: 6 },
  ]);
  await settled(scene, operator);
  expect((await scene.events('new-name')).filter(({ type }) => type === 'Warning')).toEqual([]);
});

test('a winner that is being deleted keeps the pipe until it is gone', async () => {
  await scene.psets.create('held', { pipeId: 'held-pipe' });
  await scene.psets.until('held', 'Applied');
  await setFinalizers('held', ['example.com/hold']);
  await scene.psets.create('next', { pipeId: 'held-pipe' });
  await scene.psets.until('next', 'TargetConflict');
  await scene.psets.remove('held');
  await settled(scene);
  expect(scene.psets.puts('held-pipe')).toHaveLength(1);
  expect(ready(await scene.psets.get('next')).reason).toBe('TargetConflict');
  await setFinalizers('held', []);
  await scene.psets.until('next', 'Applied');
  expect(scene.psets.puts('held-pipe')).toHaveLength(2);
});

async function setFinalizers(name: string, finalizers: readonly string[]): Promise<void> {
  const edit = (stored: Stored): unknown => ({
    ...stored,
    metadata: { ...stored.metadata, finalizers },
  });
  await change(`${pathsOf(scene.namespace)}/${name}`, edit);
}

test('after five minutes the loser is stalled, with one event; an edit or a request of it sends nothing', async () => {
  await scene.psets.create('holder', { pipeId: 'disputed' });
  await scene.psets.until('holder', 'Applied');
  await scene.psets.create('rival', { pipeId: 'disputed' });
  const early = await scene.psets.until('rival', 'TargetConflict');
  expect(early.status.nextAttemptTime).toBeDefined();
  operator.clock.advance(4 * MINUTE);
  await settled(scene);
  expect(side(await scene.psets.get('rival'))).toBe('Reconciling');
  operator.clock.advance(MINUTE + 2_000);
  await scene.psets.untilIt('rival', 'stalled', (object) => side(object) === 'Stalled');
  await waitFor(() => scene.events('rival'), {
    what: 'the event',
    until: ({ length }) => length > 0,
  });

  const value = await scene.psets.request('rival');
  await scene.psets.untilIt(
    'rival',
    'acknowledged',
    ({ status }) => status.lastHandledReconcileAt === value,
  );
  await scene.psets.create('rival', { pipeId: 'disputed', settings: { engine_max_threads: 2 } });
  const edited = await scene.psets.until('rival', 'TargetConflict');
  expect(side(edited)).toBe('Stalled');
  operator.clock.advance(90 * MINUTE);
  await settled(scene);
  expect((await scene.events('rival')).map(({ type, reason }) => `${type} ${reason}`)).toEqual([
    'Warning TargetConflict',
  ]);
  expect(scene.psets.puts('disputed')).toHaveLength(1);
});

test('deleting the loser makes no call', async () => {
  await scene.psets.create('stays', { pipeId: 'two-of-us' });
  const stays = await scene.psets.until('stays', 'Applied');
  await scene.psets.create('goes', { pipeId: 'two-of-us' });
  await scene.psets.until('goes', 'TargetConflict');
  await scene.psets.remove('goes');
  await settled(scene);
  expect(scene.psets.puts('two-of-us')).toHaveLength(1);
  expect((await scene.psets.get('stays')).metadata.resourceVersion).toBe(
    stays.metadata.resourceVersion,
  );
});

test('objects of two namespaces are rivals like any others', async () => {
  await scene.psets.create('here', { pipeId: 'shared' });
  await scene.psets.until('here', 'Applied');
  const there = `${pathsOf(other)}/there`;
  await asAdmin('POST', pathsOf(other), {
    apiVersion: 'pipewright.dev/v1alpha1',
    kind: 'PipeSettings',
    metadata: { name: 'there' },
    spec: {
      organizationId: ORGANIZATION,
      serviceId: SERVICE,
      pipeId: 'shared',
      credentialsSecretRef: { name: 'management-api' },
      settings: { engine_max_threads: 3 },
    },
  });
  const reasonThere = (reason: string): Promise<Pset> =>
    waitFor(() => asAdmin<Pset>('GET', there), {
      what: `the one there to be ${reason}`,
      until: (object) => ready(object).reason === reason,
    });
  const { message } = ready(await reasonThere('TargetConflict'));
  expect(message).toContain('held by an object in another namespace');
  expect(message).not.toContain(scene.namespace);
  await scene.psets.remove('here');
  await reasonThere('Applied');
  expect((await scene.psets.putsUntil('shared', 2)).map(({ body }) => body)).toEqual([
    { engine_max_threads: 8 },
    { engine_max_threads: 3 },
  ]);
});
