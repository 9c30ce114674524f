import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../controlplane/client.ts';
import { asAdmin } from '../support/cluster.ts';
import { succeed } from '../support/crd.ts';
import { metric } from '../support/exposition.ts';
import { endpoint, list, type Org } from '../support/organizations.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { ready, settled } from '../support/watching.ts';

/** What a deletion has to do with what it needs: its key, its time, and somebody who reads. */

const REMOVING = { deletionPolicy: 'RemovePrivateEndpoints' } as const;

let scene: Scene;
/** The deletion of this one never succeeds; it is let go in the last test. */
const stuck = { name: 'stuck', id: randomUUID() };

async function organization(name: string, id = randomUUID(), to = scene) {
  to.simulator.setOrganization(id, { add: [endpoint('theirs')] });
  await to.secret(`key-of-${name}`, { keyId: to.key.id, keySecret: to.key.secret });
  const credentialsSecretRef = { name: `key-of-${name}` };
  const spec = { organizationId: id, credentialsSecretRef, ...list('ours'), ...REMOVING };
  await to.orgs.create(name, spec);
  await to.orgs.until(name, 'Applied');
  return { id, spec, ids: () => to.orgs.ids(id), match: { pathIncludes: id } };
}

beforeAll(async () => {
  scene = await openScene({ flags: ['--cleanup-deadline', '1m'] });
  const { match } = await organization(stuck.name, stuck.id);
  scene.simulator.always({ status: 503, error: 'maintenance until noon' }, match);
  await scene.orgs.remove(stuck.name);
});
afterAll(() => scene.end());

/** Whether an attempt of this deletion has failed. */
function hasFailed({ status, metadata }: Org): boolean {
  return status.observedGeneration === metadata.generation && (status.attempts ?? 0) > 0;
}

test('while it waits it says that it is a deletion, what is left, what is in the way, until when, and how to free it', async () => {
  const held = await scene.orgs.untilIt(stuck.name, 'a failed attempt', hasFailed);
  const deadline = new Date(Date.parse(held.metadata.deletionTimestamp ?? '') + 60_000);
  const until = deadline.toISOString().replace('.000Z', 'Z');
  expect(ready(held).message).toMatch(
    new RegExp(
      `^Being deleted: still to be removed: 1 private endpoint \\(ours\\); let go at ${until} at the latest, or at once with spec.deletionPolicy: Retain. In the way: .*maintenance until noon`,
    ),
  );
  expect(ready(held).message).not.toMatch(/edit|change the spec/i);
  expect(Date.parse(held.status.nextAttemptTime ?? '')).toBeLessThanOrEqual(deadline.getTime());
});

test('it persists what it removes before it sends it, and then lets go', async () => {
  const { id, ids, match } = await organization('leaving');
  await settled(scene);
  const before = (await scene.orgs.writes('leaving')).length;
  scene.simulator.next({ hold: true }, { match: { ...match, bodyIncludes: 'gcp' } });
  await scene.orgs.remove('leaving');
  const held = await scene.orgs.untilIt('leaving', 'the change to be sent', ({ status }) => {
    return status.pendingChange !== undefined;
  });
  expect(held.status.pendingChange).toMatchObject({ add: [], remove: [{ id: 'ours' }] });
  await scene.simulator.waitForCalls(1, { match: { ...match, bodyIncludes: '"remove":[{' } });
  scene.simulator.release();
  await scene.orgs.untilGone('leaving');
  expect(scene.orgs.said(id)).toEqual(['look', '+ours', 'look', '-ours']);
  expect(ids()).toEqual(['theirs']);
  await settled(scene);
  expect((await scene.orgs.writes('leaving')).length - before).toBeLessThanOrEqual(3);
});

test('Retain frees one that waits, and leaves what it owns', async () => {
  const { spec, ids, match } = await organization('retained');
  scene.simulator.always({ status: 422, error: 'not now' }, match);
  await scene.orgs.remove('retained');
  await scene.orgs.untilIt('retained', 'a failed attempt', hasFailed);
  await scene.orgs.create('retained', { ...spec, deletionPolicy: 'Retain' });
  await scene.orgs.untilGone('retained');
  expect(ids()).toEqual(['theirs', 'ours']);
});

test('a deletion that is suspended or planned is carried out all the same', async () => {
  const { spec, ids } = await organization('resting');
  await scene.orgs.create('resting', { ...spec, suspend: true, mode: 'Plan' });
  await scene.orgs.until('resting', 'Suspended');
  await scene.orgs.remove('resting');
  await scene.orgs.untilGone('resting');
  expect(ids()).toEqual(['theirs']);
});

describe('a deletion whose Secret went first', () => {
  test('cleans up with the last value that was read, by a process that has started since too', async () => {
    const one = await organization('keyless-1');
    const two = await organization('keyless-2');
    await scene.removeSecret('key-of-keyless-1');
    await scene.orgs.remove('keyless-1');
    await scene.orgs.untilGone('keyless-1');
    await scene.operator().stop();
    await scene.start();
    await settled(scene);
    await scene.removeSecret('key-of-keyless-2');
    await scene.orgs.remove('keyless-2');
    await scene.orgs.untilGone('keyless-2');
    expect([one.ids(), two.ids()]).toEqual([['theirs'], ['theirs']]);
  });

  test('waits for it where the process never read it, and goes on when it is there', async () => {
    const { ids } = await organization('never-read');
    await scene.operator().stop();
    await scene.removeSecret('key-of-never-read');
    await scene.orgs.remove('never-read');
    await scene.start();
    const held = await scene.orgs.until('never-read', 'SecretNotFound');
    expect(ready(held).message).toMatch(
      /^Being deleted: .*ours.*"key-of-never-read" does not exist/,
    );
    const { key } = scene;
    await scene.secret('key-of-never-read', { keyId: key.id, keySecret: key.secret });
    await scene.orgs.untilGone('never-read');
    expect(ids()).toEqual(['theirs']);
  });
});

test('a namespace that is deleted leaves nothing at a slow API, though its Secret goes meanwhile', async () => {
  const ending = await openScene();
  try {
    const names = ['acme-0', 'acme-1', 'acme-2', 'acme-3'];
    const all = await Promise.all(names.map((name) => organization(name, randomUUID(), ending)));
    ending.simulator.play({ latencyMs: 300 });
    const before = ending.simulator.callCount();
    await asAdmin('DELETE', `/api/v1/namespaces/${ending.namespace}`);
    // The control plane has nobody who empties a namespace.
    await Promise.all(names.map((name) => ending.orgs.remove(name)));
    await ending.simulator.waitForCalls(before + 1, {});
    await Promise.all(names.map((name) => ending.removeSecret(`key-of-${name}`)));
    await Promise.all(names.map((name) => ending.orgs.untilGone(name)));
    expect(all.map(({ ids }) => ids())).toEqual(names.map(() => ['theirs']));
    expect(ending.operator().output()).not.toContain('left at the API');
  } finally {
    await ending.end();
  }
});

test('at the deadline it lets go, and event, log and metric say what may be left and where', async () => {
  await scene.orgs.untilGone(stuck.name, 90_000);
  const abandoned = await waitFor(
    async () =>
      (await scene.events(stuck.name)).find(({ reason }) => reason === 'CleanupAbandoned'),
    { what: 'the event CleanupAbandoned' },
  );
  expect(abandoned?.note).toBe(
    `Deleted, because --cleanup-deadline has passed. Private endpoints of organization ${stuck.id} that may be left at the API: ours (gcp/ap-northeast-1). If they are not wanted, remove them at the API`,
  );
  const line = scene.operator().lines.find(({ msg }) => msg.includes('left at the API'));
  expect(line).toMatchObject({ level: 'warn', organizationId: stuck.id });
  const page = await scene.operator().page('metrics');
  expect(metric(page, 'pipewright_cleanup_abandoned_total')).toBe(1);
  expect(scene.orgs.ids(stuck.id)).toEqual(['theirs', 'ours']);
  const shown = await succeed([
    'events',
    '-n',
    scene.namespace,
    '--for',
    `organization/${stuck.name}`,
  ]);
  expect(shown).toMatch(/Warning +CleanupAbandoned/);
}, 100_000);
