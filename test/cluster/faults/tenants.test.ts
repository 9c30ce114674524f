import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newNamespace } from '../../controlplane/client.ts';
import { leaks, spellings } from '../../support/canary.ts';
import { allow, asAdmin, shippedRules } from '../../support/cluster.ts';
import { list, type Organizations, organizationsOf } from '../../support/organizations.ts';
import { type Psets, psetsOf } from '../../support/pipe-settings.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { SERVICE } from '../../support/scene-objects.ts';
import { type Secrets, secretsOf } from '../../support/scene-secrets.ts';

const ATTACK_MS = 15_000;
const PIPES = ['orders', 'clicks', 'stock'];

/** One who owns a namespace, an organization at the API, and the only key that works for it. */
interface Tenant {
  readonly namespace: string;
  readonly organizationId: string;
  readonly key: { readonly id: string; readonly secret: string };
  readonly psets: Psets;
  readonly orgs: Organizations;
  readonly secrets: Secrets;
}

let scene: Scene;
let tenants: readonly [Tenant, Tenant];
beforeAll(async () => {
  scene = await openScene({ start: false, flags: ['--log-level=info'] });
  const other = await newNamespace();
  await allow(other, 'operator', await shippedRules('ClusterRole'), { from: scene.namespace });
  tenants = [await newTenant(scene.namespace), await newTenant(other)];
  const namespaces = [scene.namespace, other].join(',');
  await scene.start({ flags: ['--namespaces', namespaces, '--api-rate', '20/1s'] });
});
afterAll(() => scene.end());

async function newTenant(namespace: string): Promise<Tenant> {
  const { simulator, user } = scene;
  const organizationId = randomUUID();
  const secrets = secretsOf({ namespace, simulator });
  const own = async (name: string) => {
    const key = await secrets.newKey(name);
    simulator.setKey(key.id, key.secret, { organizations: [organizationId] });
    return key;
  };
  const key = await own('management-api');
  const slow = await own('slow');
  simulator.always({ slowMs: 3_000 }, { keyId: slow.id });
  simulator.setOrganization(organizationId, { name: 'before' });
  const parts = { namespace, simulator, user, key };
  return { ...parts, organizationId, secrets, psets: psetsOf(parts), orgs: organizationsOf(parts) };
}

/** Objects for all that is the victim's, older than its own, with a key that is of no use there. */
async function lieInWait(self: Tenant, { organizationId }: Tenant): Promise<void> {
  const none = { credentialsSecretRef: { name: 'no-such-secret' } };
  const ways = [none, { suspend: true }, { mode: 'Plan' }, {}];
  for (const [nth, way] of ways.entries()) {
    for (const pipeId of PIPES)
      await self.psets.create(`wait-${pipeId}-${nth}`, { organizationId, pipeId, ...way });
    const adopts = { adoptPrivateEndpoints: true, ...list('link-0', 'link-1') };
    await self.orgs.create(`wait-${nth}`, { organizationId, ...adopts, ...way });
  }
}

/** One round of all that a tenant can do to another. */
async function attack(self: Tenant, victim: Tenant, round: number): Promise<void> {
  const { organizationId } = victim;
  for (const pipeId of PIPES) {
    const settings = { streaming_max_insert_wait_ms: 30_000 + round };
    await self.psets.create(`take-${pipeId}`, { organizationId, pipeId, settings });
  }
  await self.orgs.create('grab', {
    organizationId,
    name: 'taken over',
    ...(round % 2 === 0 ? list() : list('link-1')),
    adoptPrivateEndpoints: true,
    deletionPolicy: 'RemovePrivateEndpoints',
  });
  if (round % 3 === 2) await self.orgs.remove('grab');
  for (let nth = 0; nth < 10; nth += 1) {
    const name = `made-up-${nth}`;
    await self.secrets.secret(name, { keyId: randomUUID(), keySecret: `made-up-${round}` });
    const credentialsSecretRef = { name };
    const settings = { streaming_max_insert_wait_ms: 500 + round };
    await self.psets.create(name, { organizationId, credentialsSecretRef, settings });
    const slow = { credentialsSecretRef: { name: 'slow' }, organizationId: self.organizationId };
    await self.psets.create(`hangs-${nth}`, { ...slow, settings });
  }
}

/** What a tenant does on an ordinary day. */
function workOf({ psets, orgs, organizationId }: Tenant) {
  const values = new Map<string, number>();
  let steps = 0;
  return {
    values,
    edits: () => steps,
    /** Gives how long the edit took, in ms. */
    async step(): Promise<number> {
      const pipe = PIPES[steps % PIPES.length] ?? '';
      steps += 1;
      values.set(pipe, 500 + steps);
      const since = performance.now();
      const settings = { streaming_max_insert_wait_ms: 500 + steps };
      await psets.create(pipe, { organizationId, settings });
      await psets.until(pipe, 'Applied', 60_000);
      const took = performance.now() - since;
      if (steps % 5 === 0) {
        await orgs.create('home', { organizationId, ...list('keep', `link-${(steps / 5) % 3}`) });
        await orgs.until('home', 'Applied', 60_000);
      }
      return took;
    },
  };
}

const median = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;

test('two who attack each other have what they would have alone, with as many calls, nearly as fast', async () => {
  const [a, b] = tenants;
  const pairs = [[a, b] as const, [b, a] as const];
  for (const [self, victim] of pairs) await lieInWait(self, victim);
  for (const [self, victim] of pairs) {
    const work = workOf(victim);
    const alone: number[] = [];
    const beside: number[] = [];
    for (let nth = 0; nth < 15; nth += 1) alone.push(await work.step());
    const until = performance.now() + ATTACK_MS;
    const isOver = (): boolean => performance.now() > until;
    const attacks = async (): Promise<void> => {
      for (let round = 0; !isOver(); round += 1) await attack(self, victim, round);
    };
    const edits = async (): Promise<void> => {
      while (!isOver()) beside.push(await work.step());
    };
    const probes = async (): Promise<void> => {
      for (; !isOver(); await pause(250))
        expect(await scene.operator().page('livez')).toMatch(/ok\n$/);
    };
    await Promise.all([attacks(), edits(), probes()]);
    // Behind calls that hang, or a pace that somebody else has used up, it would be seconds.
    expect(median(beside), 'the median').toBeLessThan(3 * median(alone) + 1_000);
    expect(Math.max(...beside), 'the slowest').toBeLessThan(10_000);
    expectItsOwn(victim, work);
  }
  for (const [self, victim] of pairs) {
    const forms = spellings(victim.key.id, victim.key.secret);
    expect(leaks(await readableBy(self), forms)).toEqual([]);
  }
});

function expectItsOwn(tenant: Tenant, work: ReturnType<typeof workOf>): void {
  const { organizationId, key, orgs } = tenant;
  const puts = scene.simulator.calls({
    method: 'PUT',
    pathIncludes: `${organizationId}/services/${SERVICE}/`,
  });
  const own = puts.filter(({ keyId }) => keyId === key.id);
  expect(own).toHaveLength(work.edits());
  // The attacks have reached the API, with keys that have no access.
  expect(puts.length).toBeGreaterThan(own.length);
  const names = PIPES.map((pipe) => `/pipes/${pipe}/`);
  const others = puts.filter(({ applied, keyId }) => applied && keyId !== key.id);
  expect(others.filter(({ path }) => names.some((name) => path.includes(name)))).toEqual([]);
  for (const [pipe, value] of work.values)
    expect(scene.simulator.settingsOf(`${organizationId}/${SERVICE}/${pipe}`), pipe).toMatchObject({
      streaming_max_insert_wait_ms: value,
    });
  const { name } = orgs.held(organizationId);
  expect(name).toBe('before');
  // As declared last: two adds or one removal at a time, none of them twice in a row.
  const last = Math.floor(work.edits() / 5) % 3;
  expect(orgs.ids(organizationId).toSorted()).toEqual(['keep', `link-${last}`]);
  const changes = orgs.said(organizationId).filter((said) => said !== 'look');
  expect(changes.filter((said, nth) => said === changes[nth - 1])).toEqual([]);
}

/** All that somebody may read who has no right to the Secrets of the other. */
async function readableBy({ namespace, psets, orgs }: Tenant): Promise<Record<string, string>> {
  const events = await asAdmin('GET', `/apis/events.k8s.io/v1/namespaces/${namespace}/events`);
  return {
    events: JSON.stringify(events),
    objects: JSON.stringify([await psets.list(), await orgs.list()]),
    log: scene.operator().output(),
    metrics: await scene.operator().page('metrics'),
  };
}
