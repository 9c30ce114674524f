import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kubectl, waitFor } from '../../controlplane/client.ts';
import { change } from '../../support/cluster.ts';
import { kstatus, type Verdict } from '../../support/kstatus.ts';
import { endpoint, list, type Organizations } from '../../support/organizations.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import type { Spec } from '../../support/scene-objects.ts';
import { settled } from '../../support/watching.ts';

/** An Organization as kubectl, GitOps tools and the API server see it. */

const FINALIZER = 'pipewright.dev/remove-private-endpoints';
const REMOVING = { deletionPolicy: 'RemovePrivateEndpoints' } as const;

/** Each in an organization of its own. */
const STATES: readonly (readonly [name: string, Spec, reason: string, Verdict])[] = [
  ['applied', { name: 'Acme', ...list('ours') }, 'Applied', 'Current'],
  ['held', { ...list('ours'), ...REMOVING }, 'Applied', 'Current'],
  ['planned', { ...list('ours'), mode: 'Plan', name: 'Acme' }, 'Planned', 'InProgress'],
  ['refused', list('bad', 'good'), 'Rejected', 'Failed'],
  ['keyless', { credentialsSecretRef: { name: 'nowhere' } }, 'SecretNotFound', 'InProgress'],
];
const idOf = new Map(STATES.map(([name]) => [name, randomUUID()]));
const target = (name: string) => ({ organizationId: idOf.get(name) ?? '' });

let scene: Scene;
let orgs: Organizations;
beforeAll(async () => {
  scene = await openScene();
  orgs = scene.orgs;
  scene.simulator.play({ organization: { refusedIds: ['bad'] } });
  for (const [name, spec] of STATES) {
    scene.simulator.setOrganization(idOf.get(name) ?? '', { add: [endpoint('theirs')] });
    await orgs.create(name, { ...list(), ...target(name), ...spec });
  }
  await Promise.all(STATES.map(([name, , reason]) => orgs.until(name, reason)));
});
afterAll(() => scene.end());

const inNamespace = (...args: readonly string[]) => kubectl([...args, '-n', scene.namespace]);

/** Resolves while a call for it waits for its answer. */
async function openCall(name: string): Promise<void> {
  const match = { pathIncludes: idOf.get(name) ?? '' };
  const isOpen = () =>
    scene.simulator.calls(match).some(({ answeredAt }) => answeredAt === undefined);
  await waitFor(isOpen, { what: 'a call to be on its way' });
}

test.each(STATES)('%s is told by its conditions', async (name, _, reason, verdict) => {
  expect(kstatus(await orgs.until(name, reason))).toBe(verdict);
});

describe('kubectl wait', () => {
  const wait = async (name: string, what: string, seconds: number): Promise<boolean> => {
    const flags = [`--for=${what}`, `--timeout=${seconds}s`];
    return (await inNamespace('wait', `porg/${name}`, ...flags)).code === 0;
  };

  test('ends at once for what is ready, and not for what an edit has made stale', async () => {
    expect(await wait('applied', 'condition=Ready', 20)).toBe(true);
    expect(await wait('refused', 'condition=Stalled', 20)).toBe(true);
    expect(await wait('refused', 'condition=Ready', 1)).toBe(false);
    scene.simulator.next({ hold: true }, { match: { pathIncludes: idOf.get('applied') ?? '' } });
    await orgs.create('applied', { ...target('applied'), name: 'Another' });
    await openCall('applied');
    expect(await wait('applied', 'condition=Ready', 1)).toBe(false);
    scene.simulator.release();
    expect(await wait('applied', 'condition=Ready', 20)).toBe(true);
  });

  test('sees the end of a deletion, which waits for the removal of what is its own', async () => {
    expect((await orgs.get('held')).metadata.finalizers).toEqual([FINALIZER]);
    scene.simulator.next({ hold: true }, { match: { pathIncludes: idOf.get('held') ?? '' } });
    await inNamespace('delete', 'porg/held', '--wait=false');
    await openCall('held');
    expect(kstatus(await orgs.get('held'))).toBe('Terminating');
    expect(await wait('held', 'delete', 1)).toBe(false);
    scene.simulator.release();
    expect(await wait('held', 'delete', 20)).toBe(true);
    expect(orgs.ids(idOf.get('held'))).toEqual(['theirs']);
  });
});

test('the finalizer is on before anything is added, off with Retain, and leaves those of others alone', async () => {
  const setFinalizers = (finalizers: readonly string[]) =>
    change(orgs.pathTo('acme'), (stored) => ({
      ...stored,
      metadata: { ...stored.metadata, finalizers },
    }));
  await orgs.create('acme', { ...list('ours'), suspend: true });
  await orgs.until('acme', 'Suspended');
  await setFinalizers(['example.com/first', 'example.com/second']);
  await orgs.create('acme', { ...list('ours'), ...REMOVING });
  const { metadata } = await orgs.until('acme', 'Applied');
  expect(metadata.finalizers).toEqual(['example.com/first', 'example.com/second', FINALIZER]);
  await settled(scene);
  const writes = await orgs.writes('acme');
  const hold = writes.find(({ subresource }) => subresource !== 'status');
  const add = orgs.calls().find(({ text }) => text.includes('gcp'));
  expect(hold?.completed).toBeLessThanOrEqual(add?.receivedAt ?? 0);

  await orgs.create('acme', { ...list('ours'), deletionPolicy: 'Retain' });
  await orgs.untilIt('acme', 'free', (one) => !one.metadata.finalizers?.includes(FINALIZER));
  await orgs.create('acme', { ...list('ours'), ...REMOVING });
  await orgs.untilIt('acme', 'held', (one) => one.metadata.finalizers?.at(-1) === FINALIZER);
  await orgs.remove('acme');
  const left = await orgs.untilIt('acme', 'let go', (one) => one.metadata.finalizers?.length === 2);
  expect(left.metadata.finalizers).toEqual(['example.com/first', 'example.com/second']);
  const calls = orgs.calls().length;
  await settled(scene);
  expect(orgs.calls()).toHaveLength(calls);
  await setFinalizers([]);
  await orgs.untilGone('acme');
});
