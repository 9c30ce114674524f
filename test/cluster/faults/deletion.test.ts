import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newNamespace, waitFor } from '../../controlplane/client.ts';
import { allow, asAdmin, shippedRules } from '../../support/cluster.ts';
import { endpoint, list } from '../../support/organizations.ts';
import { openScene, openSceneOfTest, type Scene, type SeenEvent } from '../../support/scene.ts';
import { ORGANIZATION } from '../../support/scene-objects.ts';
import { ready, settled } from '../../support/watching.ts';

/** What a deletion does without what it needs: its key, its API, its time. */

const MINUTE = 60_000;
/** Of `--cleanup-deadline`. */
const DEADLINE_MS = 120 * MINUTE;

interface Cleaned {
  readonly name: string;
  readonly organizationId: string;
}

let scene: Scene;
beforeAll(async () => {
  scene = await openScene({
    clock: true,
    flags: ['--api-timeout', '10s', '--cleanup-deadline', '120m'],
  });
});
afterAll(() => scene.end());

/** Applied with an endpoint that goes with it, by a Secret of its own. */
async function applied(name: string): Promise<Cleaned> {
  const organizationId = randomUUID();
  scene.simulator.setOrganization(organizationId, { add: [endpoint('theirs')] });
  await scene.newKey(name);
  await scene.orgs.create(name, {
    organizationId,
    ...list('ours'),
    deletionPolicy: 'RemovePrivateEndpoints',
    credentialsSecretRef: { name },
  });
  await scene.orgs.until(name, 'Applied');
  return { name, organizationId };
}

/** What the API lists when the object is gone. */
async function left({ name, organizationId }: Cleaned): Promise<string[]> {
  await scene.orgs.untilGone(name, 60_000);
  return scene.orgs.ids(organizationId);
}

async function abandoned({ name }: Cleaned): Promise<string[]> {
  const events = await scene.events(name);
  return events.filter(({ reason }) => reason === 'CleanupAbandoned').map(({ note }) => note);
}

test('a Secret that went first is no hindrance: its last value is used, also by a process that started since', async () => {
  const [mine, former] = [await applied('mine'), await applied('former')];
  await scene.removeSecret(mine.name);
  await scene.orgs.remove(mine.name);
  expect(await left(mine)).toEqual(['theirs']);
  await scene.operator().kill();
  await scene.start();
  // It reads the Secrets of what it has to clean up before anything else.
  const later = await applied('later');
  await scene.removeSecret(former.name);
  await scene.orgs.remove(former.name);
  expect(await left(former)).toEqual(['theirs']);
  await scene.orgs.remove(later.name);
  expect(await left(later)).toEqual(['theirs']);
  await settled(scene);
  expect([await abandoned(mine), await abandoned(former)]).toEqual([[], []]);
});

test('without a Secret that this process ever read it waits, says what for, and lets go at the deadline with a word of what is left', async () => {
  const one = await applied('unread');
  expect(await scene.operator().stop()).toBe(0);
  await scene.removeSecret(one.name);
  await scene.orgs.remove(one.name);
  await scene.start();
  const held = await scene.orgs.until(one.name, 'SecretNotFound');
  for (const part of [one.name, 'ours', 'Retain']) expect(ready(held).message).toContain(part);
  await scene.pass(DEADLINE_MS);
  expect(await left(one)).toEqual(['theirs', 'ours']);
  const [note] = await waitFor(() => abandoned(one), {
    what: 'the event',
    until: ({ length }) => length > 0,
  });
  for (const part of [one.organizationId, 'ours (']) expect(note).toContain(part);
});

test('in a namespace that is going away the Lease has the event of what is left, and the log and the metric', async () => {
  const leases = await newNamespace();
  const lease = ['--leader-elect-name=pipewright', `--leader-elect-namespace=${leases}`];
  const flags = [...lease, '--api-timeout=10s'];
  const other = await openSceneOfTest({ clock: true, lease: true, flags, start: false });
  const { namespace, orgs, simulator } = other;
  const rules = [...(await shippedRules('ClusterRole')), ...(await shippedRules('Role'))];
  await allow(leases, 'operator', rules, { from: namespace });
  await other.start();
  await orgs.create('acme', { ...list('ours'), deletionPolicy: 'RemovePrivateEndpoints' });
  await orgs.until('acme', 'Applied');
  simulator.always({ status: 500 }, { pathIncludes: ORGANIZATION });
  await asAdmin('DELETE', `/api/v1/namespaces/${namespace}`);
  await orgs.remove('acme');
  expect(await other.operator().stop()).toBe(0);
  await other.pass(11 * MINUTE);
  const operator = await other.start();
  await orgs.untilGone('acme');
  const events = `/apis/events.k8s.io/v1/namespaces/${leases}/events`;
  const [event] = await waitFor(
    async () => (await asAdmin<{ items: SeenEvent[] }>('GET', events)).items,
    { what: 'an event on the Lease', until: ({ length }) => length > 0 },
  );
  expect(event).toMatchObject({ reason: 'CleanupAbandoned', regarding: { name: 'pipewright' } });
  expect(event?.note).toContain(ORGANIZATION);
  const line = await operator.waitForLine(({ msg }) => msg.endsWith('left at the API'), 'it');
  expect(line).toMatchObject({ level: 'warn', organizationId: ORGANIZATION });
  expect(line['left']).toContain('ours');
  expect(await operator.page('metrics')).toMatch(/^pipewright_cleanup_abandoned_total 1$/m);
});
