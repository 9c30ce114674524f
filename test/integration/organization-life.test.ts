import { beforeEach, expect, test } from 'vitest';
import { audit, waitFor } from '../controlplane/client.ts';
import { allow, change, operatorRules } from '../support/cluster.ts';
import type { InnerOperator } from '../support/inner-operator.ts';
import { slowClock } from '../support/movable-clock.ts';
import { endpoint, list, type Org, type Organizations } from '../support/organizations.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { settled } from '../support/watching.ts';

/** What an Organization has to do with Kubernetes; all else is lived through in the simulation. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const FINALIZER = 'pipewright.dev/remove-private-endpoints';
const REMOVING = { deletionPolicy: 'RemovePrivateEndpoints' } as const;

type Spec = Readonly<Record<string, unknown>>;

let scene: Scene;
let orgs: Organizations;
let operator: InnerOperator;
beforeEach(async () => {
  scene = await openScene({
    start: 'inner',
    clock: slowClock(),
    holds: { add: [endpoint('theirs')] },
  });
  ({ orgs } = scene);
  operator = scene.inner();
  return () => scene.end();
});

/** An applied object with an endpoint of its own beside one of somebody else. */
async function applied(spec: Spec = REMOVING): Promise<Org> {
  await orgs.create('acme', { ...list('ours'), ...spec });
  return orgs.until('acme', 'Applied');
}

function setFinalizers(finalizers: readonly string[]): Promise<void> {
  return change(orgs.pathTo('acme'), (stored) => ({
    ...stored,
    metadata: { ...stored.metadata, finalizers },
  }));
}

/** What each write of the operator to the object was about, in order: `finalizers` or `status`. */
async function written(): Promise<string[]> {
  await operator.idle();
  return (await orgs.writes('acme')).map(({ subresource }) =>
    subresource === 'status' ? 'status' : 'finalizers',
  );
}

test('the finalizer is on before anything is added; a deletion persists what it removes, and then lets go', async () => {
  const { metadata, status } = await applied();
  expect(metadata.finalizers).toEqual([FINALIZER]);
  expect(status.privateEndpoints).toMatchObject([{ id: 'ours', origin: 'Added' }]);
  expect(await written()).toEqual(['finalizers', 'status', 'status']);
  const [hold] = await orgs.writes('acme');
  const [, add] = orgs.calls();
  expect(hold?.completed).toBeLessThanOrEqual(add?.receivedAt ?? 0);
  await orgs.remove('acme');
  await orgs.untilGone('acme');
  expect(orgs.said()).toEqual(['look', '+ours', 'look', '-ours']);
  const left = (await written()).slice(3);
  expect([left[0], left.at(-1)]).toEqual(['status', 'finalizers']);
  expect(left.length).toBeLessThanOrEqual(3);
  expect(orgs.ids()).toEqual(['theirs']);
});

test('the finalizers of others are left alone, and the object waits on for them without a call', async () => {
  await orgs.create('acme', { ...list('ours'), suspend: true });
  await orgs.until('acme', 'Suspended');
  await setFinalizers(['example.com/first', 'example.com/second']);
  const { metadata } = await applied();
  expect(metadata.finalizers).toEqual(['example.com/first', 'example.com/second', FINALIZER]);
  await orgs.remove('acme');
  const left = await orgs.untilIt(
    'acme',
    'let go',
    (object) => !object.metadata.finalizers?.includes(FINALIZER),
  );
  expect(left.metadata.finalizers).toEqual(['example.com/first', 'example.com/second']);
  const calls = orgs.patches().length;
  operator.clock.advance(60 * MINUTE);
  await settled(scene, operator);
  expect(orgs.patches()).toHaveLength(calls);
  await setFinalizers([]);
  await orgs.untilGone('acme');
});

test('without the right to set the finalizer nothing is added, and the log says what is not allowed', async () => {
  const rules = await operatorRules();
  const without = rules.filter(
    ({ resources, verbs }) => !(resources.includes('organizations') && verbs.includes('patch')),
  );
  expect(without).not.toHaveLength(rules.length);
  await allow(scene.namespace, 'operator', without);
  await orgs.create('acme', { name: 'Acme', ...list('ours'), ...REMOVING });
  const line = await waitFor(
    () => operator.messages.find((one) => one.includes('"acme"') && one.includes('patch')),
    { what: 'a line about the right' },
  );
  expect(line).toContain('cannot patch resource "organizations" in API group "pipewright.dev"');
  expect(orgs.ids()).toEqual(['theirs']);
  await settled(scene, operator);
  const refused = (await audit({ user: scene.user })).filter(({ code }) => code === 403);
  expect(refused.length, 'it waits longer each time').toBeLessThan(10);

  await allow(scene.namespace, 'operator', rules);
  operator.clock.advance(2 * MINUTE);
  await orgs.until('acme', 'Applied');
  expect(orgs.ids()).toEqual(['theirs', 'ours']);
});

test('what the API server has stored is what was written: in whatever state a restart costs nothing', async () => {
  const ids = Array.from({ length: 7 }, () => crypto.randomUUID());
  const [a, b, c, d, f, g, h] = ids;
  const described = (description: string): Spec => ({
    organizationId: g,
    privateEndpoints: [endpoint('ours', { description })],
  });
  const capped = { organizationId: f, maxPrivateEndpointRemovals: 0 };
  const states: readonly (readonly [name: string, spec: Spec, reason: string])[] = [
    ['named', { organizationId: a, name: 'Acme' }, 'Applied'],
    ['listed', { organizationId: b, ...list('ours'), ...REMOVING }, 'Applied'],
    ['waiting', { organizationId: b, ...list('ours'), name: 'Waits' }, 'TargetConflict'],
    ['suspended', { organizationId: c, ...list('ours'), suspend: true }, 'Suspended'],
    ['planned', { organizationId: d, name: 'Acme', ...list('ours'), mode: 'Plan' }, 'Planned'],
    ['blocked', { ...capped, ...list('ours') }, 'Applied'],
    ['blocked', { ...capped, ...list() }, 'RemovalBlocked'],
    ['described', described('one'), 'Applied'],
    ['described', described('two'), 'Applied'],
    [
      'keyless',
      { organizationId: h, credentialsSecretRef: { name: 'nowhere' }, ...list() },
      'SecretNotFound',
    ],
  ];
  for (const [name, spec, reason] of states) {
    await orgs.create(name, spec);
    await orgs.until(name, reason);
  }
  await settled(scene, operator);
  const names = [...new Set(states.map(([name]) => name))];
  const versions = async (): Promise<string[]> =>
    Promise.all(
      names.map(async (name) => `${name} ${(await orgs.get(name)).metadata.resourceVersion}`),
    );
  const before = await versions();
  const calls = scene.simulator.calls({ method: 'PATCH' }).length;
  await operator.stop();
  operator.clock.advance(2 * SECOND);
  operator = await scene.startInner({ clock: operator.clock });
  await settled(scene, operator);
  expect(await versions()).toEqual(before);
  expect(scene.simulator.calls({ method: 'PATCH' })).toHaveLength(calls);
});
