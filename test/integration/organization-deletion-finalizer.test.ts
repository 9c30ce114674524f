import { beforeEach, describe, expect, test } from 'vitest';
import { audit, waitFor } from '../controlplane/client.ts';
import { allow, change, operatorRules } from '../support/cluster.ts';
import type { InnerOperator } from '../support/inner-operator.ts';
import { endpoint, type Org, type Organizations } from '../support/organizations.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { ORGANIZATION } from '../support/scene-objects.ts';
import { settled } from '../support/watching.ts';

const MINUTE = 60_000;
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

function setFinalizers(name: string, finalizers: readonly string[]): Promise<void> {
  return change(orgs.pathTo(name), (stored) => ({
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

describe('the finalizer', () => {
  test('is on before anything is sent, and costs one write', async () => {
    const { metadata } = await applied();
    expect(metadata.finalizers).toEqual([FINALIZER]);
    expect(await written()).toEqual(['finalizers', 'status', 'status']);
    const [hold] = await orgs.writes('acme');
    const [first] = orgs.calls();
    expect(hold?.completed).toBeLessThanOrEqual(first?.receivedAt ?? 0);
  });

  test.each([
    { says: 'Retain', spec: { deletionPolicy: 'Retain' } },
    { says: 'nothing', spec: {} },
  ])('is not put on where the policy says $says, and deletion makes no call', async ({ spec }) => {
    const { metadata } = await applied(spec);
    expect(metadata.finalizers).toBeUndefined();
    expect(await written()).toEqual(['status', 'status']);
    await orgs.remove('acme');
    await expect(orgs.get('acme'), 'gone at once').rejects.toThrow('404');
    await settled(scene, operator);
    expect(orgs.patches()).toHaveLength(2);
    expect(orgs.ids()).toEqual(['theirs', 'ours']);
  });

  test('is not put on while nothing but a name is declared', async () => {
    await orgs.create('acme', { name: 'Acme', ...REMOVING });
    expect((await orgs.until('acme', 'Applied')).metadata.finalizers).toBeUndefined();
    expect(await written()).toEqual(['status']);
  });

  test('comes on where the policy is set later, also when the list is absent by then', async () => {
    await applied({});
    await orgs.create('acme', { name: 'Acme', ...REMOVING });
    const { metadata, status } = await orgs.until('acme', 'Applied');
    expect(metadata.finalizers).toEqual([FINALIZER]);
    expect(status.privateEndpoints).toMatchObject([{ id: 'ours', origin: 'Added' }]);
    await orgs.remove('acme');
    await orgs.untilGone('acme');
    expect(orgs.ids()).toEqual(['theirs']);
  });

  test('goes when the policy is taken back, with a call for nothing but the new generation', async () => {
    await applied();
    await orgs.create('acme', { privateEndpoints: [endpoint('ours')], deletionPolicy: 'Retain' });
    const { metadata } = await orgs.until('acme', 'Applied');
    expect(metadata.finalizers).toBeUndefined();
    expect(orgs.patches().slice(2)).toEqual([{ privateEndpoints: { add: [], remove: [] } }]);
    await orgs.remove('acme');
    await expect(orgs.get('acme')).rejects.toThrow('404');
  });

  test.each([
    { way: 'suspend', spec: { suspend: true }, reason: 'Suspended' },
    { way: 'Plan', spec: { mode: 'Plan' }, reason: 'Planned' },
  ])('goes when the policy is taken back together with $way', async ({ spec, reason }) => {
    await applied();
    await orgs.create('acme', {
      privateEndpoints: [endpoint('ours')],
      deletionPolicy: 'Retain',
      ...spec,
    });
    expect((await orgs.until('acme', reason)).metadata.finalizers).toBeUndefined();
  });

  test.each([
    { way: 'suspend', spec: { suspend: true }, reason: 'Suspended' },
    { way: 'Plan', spec: { mode: 'Plan' }, reason: 'Planned' },
  ])(
    'comes on where the policy is set together with $way, for endpoints that were added before',
    async (row) => {
      await applied({});
      await orgs.create('acme', { privateEndpoints: [endpoint('ours')], ...REMOVING, ...row.spec });
      expect((await orgs.until('acme', row.reason)).metadata.finalizers).toEqual([FINALIZER]);
      expect(orgs.patches()).toHaveLength(2);
      await orgs.remove('acme');
      await orgs.untilGone('acme');
      expect(orgs.ids()).toEqual(['theirs']);
    },
  );

  test('leaves those of others alone, whose object waits on for them and costs no more calls', async () => {
    await orgs.create('acme', { privateEndpoints: [endpoint('ours')], suspend: true });
    await orgs.until('acme', 'Suspended');
    await setFinalizers('acme', ['example.com/first', 'example.com/second']);
    await orgs.create('acme', { privateEndpoints: [endpoint('ours')], ...REMOVING });
    const { metadata } = await orgs.until('acme', 'Applied');
    expect(metadata.finalizers).toEqual(['example.com/first', 'example.com/second', FINALIZER]);
    await orgs.remove('acme');
    const left = await orgs.untilIt(
      'acme',
      'let go',
      (object) => !object.metadata.finalizers?.includes(FINALIZER),
    );
    expect(left.metadata.finalizers).toEqual(['example.com/first', 'example.com/second']);
    expect(orgs.ids()).toEqual([]);
    const calls = orgs.patches().length;
    operator.clock.advance(60 * MINUTE);
    await settled(scene, operator);
    expect(orgs.patches()).toHaveLength(calls);
    await setFinalizers('acme', []);
    await orgs.untilGone('acme');
  });

  test('without the right to set it nothing is added, and the log names the rule', async () => {
    const rules = await operatorRules();
    const without = rules.filter(
      ({ resources, verbs }) => !(resources.includes('organizations') && verbs.includes('patch')),
    );
    expect(without).not.toHaveLength(rules.length);
    await allow(scene.namespace, 'operator', without);
    scene.simulator.setOrganization(ORGANIZATION, {});
    await orgs.create('acme', { name: 'Acme', privateEndpoints: [endpoint('ours')], ...REMOVING });
    const line = await waitFor(
      () => operator.messages.find((one) => one.includes('"acme"') && one.includes('patch')),
      {
        what: 'a line about the rule',
      },
    );
    expect(line).toContain('apiGroups: ["pipewright.dev"], resources: ["organizations"]');
    expect(line).toMatch(/verbs: \[[^\]]*"patch"/);
    expect(orgs.ids()).toEqual([]);
    await settled(scene, operator);
    const refused = (await audit({ user: scene.user })).filter(({ code }) => code === 403);
    expect(refused.length, 'it waits longer each time').toBeLessThan(10);

    await allow(scene.namespace, 'operator', rules);
    operator.clock.advance(2 * MINUTE);
    await orgs.until('acme', 'Applied');
    expect(orgs.ids()).toEqual(['ours']);
  });
});
