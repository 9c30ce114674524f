import { beforeEach, describe, expect, test } from 'vitest';
import { waitFor } from '../controlplane/client.ts';
import { asAdmin } from '../support/cluster.ts';
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
import { metric, ready, secretKnown, settled } from '../support/watching.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const FINALIZER = 'pipewright.dev/remove-private-endpoints';
const REMOVING = { deletionPolicy: 'RemovePrivateEndpoints' } as const;

let scene: Scene;
let orgs: Organizations;
let operator: InnerOperator;
beforeEach(async () => {
  scene = await openScene({ start: 'inner' });
  ({ orgs } = scene);
  operator = scene.inner();
  return () => scene.end();
});

/** An applied object with an endpoint of its own beside one of somebody else. */
async function applied(spec: Readonly<Record<string, unknown>> = REMOVING): Promise<Org> {
  scene.simulator.setOrganization(ORGANIZATION, { add: [endpoint('theirs')] });
  await orgs.create('acme', { privateEndpoints: [endpoint('ours')], ...spec });
  return orgs.until('acme', 'Applied');
}

/** What each write of the operator to the object was about, in order: `finalizers` or `status`. */
async function written(): Promise<string[]> {
  await operator.idle();
  return (await orgs.writes('acme')).map(({ subresource }) =>
    subresource === 'status' ? 'status' : 'finalizers',
  );
}

describe('deletion', () => {
  test('removes what was added and what was adopted, and does not touch what was found', async () => {
    scene.simulator.setOrganization(ORGANIZATION, {
      add: ['theirs', 'adopted'].map((id) => endpoint(id)),
    });
    await orgs.create('acme', {
      ...list('adopted', 'ours'),
      adoptPrivateEndpoints: true,
      ...REMOVING,
    });
    expect(ledgerOf(await orgs.until('acme', 'Applied'))).toEqual([
      'adopted Adopted Present',
      'ours Added Present',
    ]);
    await orgs.remove('acme');
    await orgs.untilGone('acme');
    expect(orgs.ids()).toEqual(['theirs']);
    expect(orgs.said()).toEqual(['look', '+ours', 'look', '-adopted-ours']);
  });

  test('releases what was adopted where that is taken back with it', async () => {
    scene.simulator.setOrganization(ORGANIZATION, { add: [endpoint('adopted')] });
    await orgs.create('acme', {
      ...list('adopted', 'ours'),
      adoptPrivateEndpoints: true,
      ...REMOVING,
    });
    await orgs.until('acme', 'Applied');
    await operator.stop();
    await orgs.create('acme', {
      ...list('adopted', 'ours'),
      adoptPrivateEndpoints: false,
      ...REMOVING,
    });
    await orgs.remove('acme');
    operator = await scene.startInner({ clock: operator.clock });
    await orgs.untilGone('acme');
    expect(orgs.ids()).toEqual(['adopted']);
  });

  test('leaves what another object of the namespace lists, and an event names it', async () => {
    await applied({ ...list('ours', 'shared'), ...REMOVING });
    await orgs.create('heir', list('shared'));
    await orgs.until('heir', 'TargetConflict');
    await orgs.remove('acme');
    expect(ledgerOf(await orgs.until('heir', 'Applied'))).toEqual(['shared Found Present']);
    expect(orgs.ids()).toEqual(['theirs', 'shared']);
    const left = async () =>
      (await scene.events('acme')).filter(({ reason }) => reason === 'EndpointLeft');
    const [event] = await waitFor(left, { what: 'the event', until: ({ length }) => length > 0 });
    expect(event?.note).toContain('shared');
  });

  test('looks first, sends no name, and writes the intent and one result before it lets go', async () => {
    await applied({ name: 'Acme', ...REMOVING });
    const before = (await written()).length;
    await orgs.remove('acme');
    await orgs.untilGone('acme');
    expect(orgs.said().slice(-2)).toEqual(['look', '-ours']);
    expect((await written()).slice(before)).toEqual(['status', 'status', 'finalizers']);
    expect(await scene.events('acme')).not.toContainEqual(
      expect.objectContaining({ type: 'Warning' }),
    );
  });

  test('makes no call where nothing was added', async () => {
    scene.simulator.setOrganization(ORGANIZATION, { add: [endpoint('found')] });
    await orgs.create('acme', { privateEndpoints: [endpoint('found')], ...REMOVING });
    await orgs.until('acme', 'Applied');
    const calls = orgs.patches().length;
    await orgs.remove('acme');
    await orgs.untilGone('acme');
    expect(orgs.patches()).toHaveLength(calls);
    expect(orgs.ids()).toEqual(['found']);
  });

  test('removes more than the cap allows, at once', async () => {
    const nine = Array.from({ length: 9 }, (_, index) => endpoint(`ours-${index}`));
    await applied({ privateEndpoints: nine, maxPrivateEndpointRemovals: 0, ...REMOVING });
    await orgs.remove('acme');
    await orgs.untilGone('acme');
    expect(orgs.ids()).toEqual(['theirs']);
  });

  test('of a namespace, where Secrets and objects go in any order, ends', async () => {
    await applied();
    await asAdmin('DELETE', `/api/v1/namespaces/${scene.namespace}/secrets`);
    await secretKnown(scene, 'management-api', 'SecretNotFound');
    await asAdmin('DELETE', `/api/v1/namespaces/${scene.namespace}`);
    await asAdmin('DELETE', orgs.pathTo('').replace(/\/$/, ''));
    const held = await orgs.until('acme', 'SecretNotFound');
    expect(held.metadata.finalizers).toEqual([FINALIZER]);
    operator.clock.advance(9 * MINUTE);
    await orgs.untilIt('acme', 'tried again', ({ status }) => (status.attempts ?? 0) >= 2);
    operator.clock.advance(MINUTE + SECOND);
    await orgs.untilGone('acme');
    await operator.idle();
    expect(operator.messages.filter((line) => line.includes('left at the API'))).toHaveLength(1);
  });

  test('goes on by itself when what was in its way is mended', async () => {
    await applied();
    await scene.removeSecret('management-api');
    await secretKnown(scene, 'management-api', 'SecretNotFound');
    await orgs.remove('acme');
    await orgs.until('acme', 'SecretNotFound');
    await scene.secret('management-api', { keyId: scene.key.id, keySecret: scene.key.secret });
    await orgs.untilGone('acme');
    expect(orgs.ids()).toEqual(['theirs']);
    expect(metric(await operator.metrics(), 'pipewright_cleanup_abandoned_total')).toBe(0);
  });

  test('ends at once, without a call, when the policy is taken back', async () => {
    await applied();
    scene.simulator.play({ organization: { remove: 'refused' } });
    await orgs.remove('acme');
    await orgs.until('acme', 'Rejected');
    const calls = orgs.patches().length;
    await orgs.create('acme', { privateEndpoints: [endpoint('ours')], deletionPolicy: 'Retain' });
    await orgs.untilGone('acme');
    expect(orgs.patches()).toHaveLength(calls);
    expect(orgs.ids()).toEqual(['theirs', 'ours']);
    expect(metric(await operator.metrics(), 'pipewright_cleanup_abandoned_total')).toBe(0);
  });

  test('is tried again at once with the annotation', async () => {
    await applied();
    scene.simulator.play({ organization: { remove: 'refused' } });
    await orgs.remove('acme');
    await orgs.until('acme', 'Rejected');
    scene.simulator.play({ organization: { remove: 'honoured' } });
    await orgs.request('acme');
    await orgs.untilGone('acme');
    expect(orgs.ids()).toEqual(['theirs']);
  });

  test('removes what it can, and leaves and names what the API refuses', async () => {
    await applied({
      privateEndpoints: ['bad', 'ours', 'too'].map((id) => endpoint(id)),
      ...REMOVING,
    });
    scene.simulator.play({ organization: { refuseRemoves: ['bad'] } });
    await orgs.remove('acme');
    await orgs.until('acme', 'Rejected');
    expect(orgs.ids()).toEqual(['theirs', 'bad']);
    operator.clock.advance(10 * MINUTE + SECOND);
    await orgs.untilGone('acme');
    await settled(scene, operator);
    const [event] = (await scene.events('acme')).filter(
      ({ reason }) => reason === 'CleanupAbandoned',
    );
    expect(event?.note).toContain('bad');
    expect(event?.note).not.toMatch(/ours|too/);
  });

  test('that nobody can look at and the API refuses costs a handful of calls, and says so', async () => {
    await applied();
    const before = orgs.said().length;
    scene.simulator.play({ organization: { emptyLists: 'bad-request', remove: 'refused' } });
    await orgs.remove('acme');
    const held = await orgs.until('acme', 'Rejected');
    expect(ready(held).message).toMatch(/Refused: ours\. .*is attached to a service/);
    await settled(scene, operator);
    expect(orgs.said().length - before).toBeLessThanOrEqual(6);
  });

  test('that nobody can look at goes unseen', async () => {
    await applied();
    scene.simulator.play({ organization: { emptyLists: 'bad-request' } });
    await orgs.remove('acme');
    await orgs.untilGone('acme');
    expect(orgs.ids()).toEqual(['theirs']);
  });

  test.each([
    { became: 'took effect late', late: [endpoint('ours')], removed: 1 },
    { became: 'never took effect', late: [], removed: 0 },
  ])(
    'while nobody knows of an add waits until it is certain, and leaves nothing: it $became',
    async (row) => {
      scene.simulator.next({ transport: 'reset-before' }, { match: { bodyIncludes: 'ours' } });
      await orgs.create('acme', { privateEndpoints: [endpoint('ours')], ...REMOVING });
      await orgs.until('acme', 'OutcomeUnknown');
      await orgs.remove('acme');
      const held = await orgs.until('acme', 'OutcomeUnknown');
      expect(held.metadata.deletionTimestamp).toBeDefined();
      scene.simulator.setOrganization(ORGANIZATION, { add: row.late });
      // Settled --api-timeout and a minute after it was sent.
      operator.clock.advance(96 * SECOND);
      await orgs.untilGone('acme');
      expect(orgs.ids()).toEqual([]);
      const counts = scene.simulator.endpointCounts(ORGANIZATION)['gcp/ap-northeast-1/ours'];
      expect(counts).toMatchObject({ add: 1, removed: row.removed });
      expect(metric(await operator.metrics(), 'pipewright_cleanup_abandoned_total')).toBe(0);
    },
  );

  test('after the operator was away over the whole deadline still removes', async () => {
    await applied();
    await operator.stop();
    await orgs.remove('acme');
    operator.clock.advance(60 * MINUTE);
    operator = await scene.startInner({ clock: operator.clock });
    await orgs.untilGone('acme');
    expect(orgs.ids()).toEqual(['theirs']);
    expect(metric(await operator.metrics(), 'pipewright_cleanup_abandoned_total')).toBe(0);
  });

  test('after the operator was away over the whole deadline tries once, and then lets go', async () => {
    await applied();
    await operator.stop();
    await orgs.remove('acme');
    scene.simulator.always({ status: 500 }, { keyId: scene.key.id });
    operator.clock.advance(60 * MINUTE);
    const before = orgs.calls().length;
    operator = await scene.startInner({ clock: operator.clock });
    await orgs.untilGone('acme');
    expect(orgs.calls().length - before).toBeGreaterThanOrEqual(1);
    expect(metric(await operator.metrics(), 'pipewright_cleanup_abandoned_total')).toBe(1);
    expect(orgs.ids()).toEqual(['theirs', 'ours']);
  });

  test('while the API does not listen waits, and ends at the deadline with what is left', async () => {
    await applied();
    await scene.simulator.down();
    await orgs.remove('acme');
    const held = await orgs.until('acme', 'Unavailable');
    expect(ready(held).status).toBe('False');
    operator.clock.advance(10 * MINUTE + SECOND);
    await orgs.untilGone('acme');
    await scene.simulator.up();
    await settled(scene, operator);
    const [event, ...more] = (await scene.events('acme')).filter(
      ({ reason }) => reason === 'CleanupAbandoned',
    );
    expect(event).toMatchObject({ type: 'Warning', note: expect.stringContaining('ours') });
    expect(more).toEqual([]);
  });
});
