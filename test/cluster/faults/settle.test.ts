import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { endpoint, inventoryOf, list, type Org } from '../../support/organizations.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { isNow } from '../../support/scene-objects.ts';
import { ready } from '../../support/watching.ts';

/** `--api-timeout` + 60 s: so long the API may be at work on what it has not answered. */
const SETTLED_MS = 70_000;

let scene: Scene;
beforeAll(async () => {
  scene = await openScene({ clock: true, flags: ['--api-timeout', '10s'] });
});
afterAll(() => scene.end());

/** Applied, with an organization of its own that lists one endpoint of somebody else. */
async function applied(name: string, ...ids: string[]): Promise<string> {
  const organizationId = randomUUID();
  scene.simulator.setOrganization(organizationId, { add: [endpoint('theirs')] });
  await scene.orgs.create(name, { organizationId, ...list(...ids) });
  await scene.orgs.until(name, 'Applied');
  return organizationId;
}

const untilLost = (name: string): Promise<Org> =>
  scene.orgs.untilIt(name, 'its change to be lost', ({ status }) => status.attempts === 1);
const untilApplied = (name: string): Promise<Org> =>
  scene.passUntil(
    `${name} to be Applied`,
    () => scene.orgs.get(name),
    (object) => isNow(object, 'Applied'),
  );

/** What was said beside looks, and how long after the first of it. */
function said(organizationId: string): string[] {
  return scene.orgs.said(organizationId).filter((one) => one !== 'look');
}

test('an add that nobody carried out is sent again, and not before --api-timeout + 60 s are over', async () => {
  const organizationId = await applied('lost-add', 'a');
  scene.simulator.next({ transport: 'reset-before' }, { match: { bodyIncludes: '"b"' } });
  await scene.orgs.create('lost-add', { organizationId, ...list('a', 'b') });
  const lost = await untilLost('lost-add');
  expect(lost.status.pendingChange?.add.map(({ id }) => id)).toEqual(['b']);
  const settledAt = Date.parse(lost.status.pendingChange?.time ?? '') + SETTLED_MS;
  const early: string[][] = [];
  await scene.passUntil(
    'the second add',
    async () => {
      const object = await scene.orgs.get('lost-add');
      if (scene.now() < settledAt) early.push(said(organizationId));
      return object;
    },
    () => said(organizationId).length === 3,
  );
  expect(early).not.toEqual([]);
  for (const one of early) expect(one).toEqual(['+a', '+b']);
  await untilApplied('lost-add');
  expect(said(organizationId)).toEqual(['+a', '+b', '+b']);
  expect(scene.orgs.ids(organizationId)).toEqual(['theirs', 'a', 'b']);
});

test('a removal that nobody carried out is sent again, and not before --api-timeout + 60 s are over', async () => {
  const organizationId = await applied('lost-removal', 'a', 'b');
  scene.simulator.next({ transport: 'reset-before' }, { match: { bodyIncludes: '"remove":[{' } });
  await scene.orgs.create('lost-removal', { organizationId, ...list('a') });
  const lost = await untilLost('lost-removal');
  const settledAt = Date.parse(lost.status.pendingChange?.time ?? '') + SETTLED_MS;
  await scene.pass(settledAt - scene.now() - 15_000);
  const waiting = await scene.orgs.untilIt(
    'lost-removal',
    'a look shortly before',
    ({ status }) => Date.parse(status.lastRequest?.time ?? '') > settledAt - 16_000,
  );
  expect(inventoryOf(waiting)).toEqual(['a Added Present', 'b Added Removing']);
  expect(said(organizationId)).toEqual(['+a+b', '-b']);
  await untilApplied('lost-removal');
  expect(said(organizationId)).toEqual(['+a+b', '-b', '-b']);
  expect(scene.orgs.ids(organizationId)).toEqual(['theirs', 'a']);
});

test('settings edited after an unanswered PUT are sent once more when that one can land no longer', async () => {
  await scene.psets.create('twice', { settings: { engine_max_threads: 1 } });
  await scene.psets.until('twice', 'Applied');
  // It lands last, after the PUT of the edit that follows it.
  scene.simulator.next({ transport: 'reset-before' }, { match: { pathIncludes: '/twice/' } });
  await scene.psets.create('twice', { settings: { engine_max_threads: 2 } });
  await scene.psets.until('twice', 'OutcomeUnknown');
  await scene.psets.create('twice', { settings: { engine_max_threads: 3 } });
  const object = await scene.psets.untilIt(
    'twice',
    'the edit to be taken',
    ({ status }) => status.lastRequest?.outcome === 'Succeeded' && status.observedGeneration === 3,
  );
  expect(ready(object).message).toContain('are sent once more');
  const lostAt = Date.parse((object.status['unconfirmedWrite'] as { time: string }).time);
  scene.simulator.setSettings('twice', { engine_max_threads: 2 });
  await scene.pass(lostAt + SETTLED_MS - 3_000 - scene.now());
  expect(scene.psets.puts('twice')).toHaveLength(3);
  await scene.passUntil(
    'nothing to be unconfirmed',
    () => scene.psets.get('twice'),
    ({ status }) => status['unconfirmedWrite'] === undefined,
  );
  expect(scene.now()).toBeGreaterThanOrEqual(lostAt + SETTLED_MS);
  const bodies = scene.psets.puts('twice').map(({ body }) => body);
  expect(bodies.slice(2)).toEqual([{ engine_max_threads: 3 }, { engine_max_threads: 3 }]);
});
