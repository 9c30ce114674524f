import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { waitFor } from '../controlplane/client.ts';
import { asAdmin } from '../support/cluster.ts';
import type { InnerOperator } from '../support/inner-operator.ts';
import { slowClock } from '../support/movable-clock.ts';
import { endpoint, list, type Organizations } from '../support/organizations.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { ORGANIZATION, SECRET } from '../support/scene-objects.ts';
import { ready } from '../support/watching.ts';

/** What a deletion has to do with what it needs: its key, its time, and somebody who reads. */

const MINUTE = 60_000;
const REMOVING = { deletionPolicy: 'RemovePrivateEndpoints' } as const;

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

async function applied(name: string, organizationId = ORGANIZATION): Promise<void> {
  await orgs.create(name, { organizationId, ...list('ours'), ...REMOVING });
  await orgs.until(name, 'Applied');
}

/** As a process that starts later, at the time of this one and so long after it. */
async function restart(laterMs = 0): Promise<void> {
  await operator.stop();
  operator.clock.advance(laterMs);
  operator = await scene.startInner({ clock: operator.clock });
  // By then it has read the Secrets of what it has to clean up.
  await operator.idle();
}

async function reasonsOf(name: string): Promise<string[]> {
  await operator.idle();
  return (await scene.events(name)).map(({ reason }) => reason);
}

describe('a deletion whose Secret went first', () => {
  test('cleans up with the last value that was read', async () => {
    await applied('acme');
    await scene.removeSecret(SECRET);
    await orgs.remove('acme');
    await orgs.untilGone('acme');
    expect(orgs.ids()).toEqual(['theirs']);
    expect(await reasonsOf('acme')).not.toContain('CleanupAbandoned');
  });

  test('does so where the process has started since', async () => {
    await applied('acme');
    await restart();
    await scene.removeSecret(SECRET);
    await orgs.remove('acme');
    await orgs.untilGone('acme');
    expect(orgs.ids()).toEqual(['theirs']);
  });

  test('waits for it where the process never read it, says so, and lets go with a word of what is left and where', async () => {
    await applied('acme');
    await operator.stop();
    await scene.removeSecret(SECRET);
    await orgs.remove('acme');
    operator = await scene.startInner({ clock: operator.clock });
    const held = await orgs.until('acme', 'SecretNotFound');
    expect(ready(held).message).toContain(SECRET);
    expect(ready(held).message).toContain('ours');
    operator.clock.advance(11 * MINUTE);
    await orgs.untilGone('acme');
    expect(orgs.ids()).toEqual(['theirs', 'ours']);
    const abandoned = await waitFor(
      async () => (await scene.events('acme')).find(({ reason }) => reason === 'CleanupAbandoned'),
      { what: 'the event CleanupAbandoned' },
    );
    expect(abandoned?.note).toContain(ORGANIZATION);
    expect(abandoned?.note).toContain('ours (');
  });
});

test('a namespace that is deleted leaves nothing at a slow API: its Secret goes while its objects are cleaned up', async () => {
  const targets = Array.from({ length: 8 }, (_, index) => ({
    name: `acme-${index}`,
    id: randomUUID(),
  }));
  for (const { id } of targets) scene.simulator.setOrganization(id, { add: [endpoint('theirs')] });
  await Promise.all(targets.map(({ name, id }) => applied(name, id)));
  scene.simulator.play({ latencyMs: 300 });
  const before = scene.simulator.callCount();
  await asAdmin('DELETE', `/api/v1/namespaces/${scene.namespace}`);
  await Promise.all(targets.map(({ name }) => orgs.remove(name)));
  await scene.simulator.waitForCalls(before + 1, {});
  await scene.removeSecret(SECRET);
  await Promise.all(targets.map(({ name }) => orgs.untilGone(name, 60_000)));
  expect(targets.map(({ id }) => orgs.ids(id))).toEqual(targets.map(() => ['theirs']));
  await operator.idle();
  expect(operator.messages.filter((line) => line.includes('left at the API'))).toEqual([]);
});

test('in a namespace that takes no event the log names the organization and what is left', async () => {
  await applied('acme');
  scene.simulator.always({ status: 500 }, { pathIncludes: ORGANIZATION });
  await asAdmin('DELETE', `/api/v1/namespaces/${scene.namespace}`);
  await orgs.remove('acme');
  await orgs.untilIt(
    'acme',
    'a failed attempt',
    ({ status, metadata }) =>
      status.observedGeneration === metadata.generation && (status.attempts ?? 0) > 0,
  );
  operator.clock.advance(11 * MINUTE);
  await orgs.untilGone('acme');
  await operator.idle();
  const lines = operator.messages.filter((line) => /^warn .*left at the API/.test(line));
  expect(lines).toEqual([expect.stringContaining(ORGANIZATION)]);
  expect(lines[0]).toContain('ours');
});

test('a deadline that passed while the operator was away does not end a cleanup without a try', async () => {
  await applied('acme');
  await operator.stop();
  await orgs.remove('acme');
  operator.clock.advance(11 * MINUTE);
  operator = await scene.startInner({ clock: operator.clock });
  await orgs.untilGone('acme');
  expect(orgs.ids()).toEqual(['theirs']);
  expect(await reasonsOf('acme')).not.toContain('CleanupAbandoned');
});

test('no wait passes the deadline: the last try is made before it', async () => {
  await applied('acme');
  const match = { pathIncludes: ORGANIZATION };
  scene.simulator.always({ status: 422, error: 'not now' }, match);
  await orgs.remove('acme');
  const { metadata } = await orgs.get('acme');
  const deadline = Date.parse(metadata.deletionTimestamp ?? '') + 10 * MINUTE;
  const held = await orgs.until('acme', 'Rejected');
  const next = Date.parse(held.status.nextAttemptTime ?? '');
  expect(next).toBeLessThan(deadline);
  scene.simulator.clear();
  operator.clock.advance(next - operator.clock.now() + 1_000);
  await orgs.untilGone('acme');
  expect(orgs.ids()).toEqual(['theirs']);
});

test('while it waits it says that it is a deletion, what is left, what is in the way, until when, and how to free it', async () => {
  await applied('acme');
  const error = 'maintenance until noon';
  scene.simulator.always({ status: 503, error }, { pathIncludes: ORGANIZATION });
  await orgs.remove('acme');
  const held = await orgs.untilIt(
    'acme',
    'a failed attempt',
    ({ status, metadata }) =>
      status.observedGeneration === metadata.generation && (status.attempts ?? 0) > 0,
  );
  const { message } = ready(held);
  expect(message).toMatch(/delet/i);
  const deletedAt = Date.parse(held.metadata.deletionTimestamp ?? '');
  const until = new Date(deletedAt + 10 * MINUTE).toISOString().replace('.000Z', 'Z');
  for (const part of ['ours', error, until, 'Retain']) expect(message).toContain(part);
  expect(message).not.toContain('edit spec');
});
