import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { waitFor } from '../controlplane/client.ts';
import { asAdmin } from '../support/cluster.ts';
import type { InnerOperator } from '../support/inner-operator.ts';
import { kstatus } from '../support/kstatus.ts';
import {
  type Broken,
  DELETION_ROWS,
  type DeletionRow,
  OBSTACLES,
} from '../support/organization-deletion-rows.ts';
import { endpoint, type Org, type Organizations } from '../support/organizations.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { metric, ready, secretKnown, settled } from '../support/watching.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const FINALIZER = 'pipewright.dev/remove-private-endpoints';

let scene: Scene;
let orgs: Organizations;
let operator: InnerOperator;
beforeEach(async () => {
  scene = await openScene({ start: 'inner', flags: ['--api-timeout', '2s'] });
  ({ orgs } = scene);
  operator = scene.inner();
  return () => scene.end();
});

type Case = DeletionRow & Broken;

/**
 * An object with an endpoint of its own at an organization of its own, which has one of somebody
 * else too.
 */
async function applied(
  name: string,
  spec: Readonly<Record<string, unknown>> = {},
): Promise<Broken> {
  const organizationId = randomUUID();
  const key = await scene.newKey(name);
  scene.simulator.setOrganization(organizationId, { add: [endpoint('theirs')] });
  const whole = {
    organizationId,
    credentialsSecretRef: { name },
    privateEndpoints: [endpoint(`of-${name}`)],
    deletionPolicy: 'RemovePrivateEndpoints',
  };
  await orgs.create(name, whole);
  await orgs.until(name, 'Applied');
  if (Object.keys(spec).length > 0) await orgs.create(name, { ...whole, ...spec });
  return { scene, name, organizationId, key };
}

async function names(): Promise<string[]> {
  const path = `/apis/pipewright.dev/v1alpha1/namespaces/${scene.namespace}/organizations`;
  const { items } = await asAdmin<{ readonly items: readonly Org[] }>('GET', path);
  return items.map(({ metadata }) => metadata.name);
}

function abandonedLines(name: string): string[] {
  return operator.messages.filter(
    (line) => line.includes('left at the API') && line.includes(`"name":"${name}"`),
  );
}

async function warnings(name: string): Promise<string[]> {
  return (await scene.events(name))
    .filter(({ reason }) => reason === 'CleanupAbandoned')
    .map(({ note }) => note);
}

function expectHeld(object: Org): void {
  const deletion = Date.parse(object.metadata.deletionTimestamp ?? '');
  expect(object.metadata.finalizers).toContain(FINALIZER);
  expect(kstatus(object)).toBe('Terminating');
  const next = Date.parse(object.status.nextAttemptTime ?? '');
  expect(next, 'the deadline is an attempt').toBeLessThanOrEqual(deletion + 10 * MINUTE + SECOND);
}

describe.each(OBSTACLES)('deleted with $with in the way', ({ spec, reason }) => {
  test('nothing holds an object for ever: it tries until the deadline, not a moment less, and says what it leaves', async () => {
    const cases = await Promise.all(
      DELETION_ROWS.map(
        async (row): Promise<Case> => ({ ...row, ...(await applied(row.name, spec)) }),
      ),
    );
    await Promise.all(cases.map(({ name }) => orgs.until(name, reason)));
    for (const one of cases) await one.break(one);
    await secretKnown(scene, 'secret-gone', 'SecretNotFound');
    await secretKnown(scene, 'secret-empty', 'SecretInvalid');
    await Promise.all(cases.map(({ name }) => orgs.remove(name)));
    for (const { name, reason: expected } of cases) {
      const held = await orgs.untilIt(
        name,
        `${expected}`,
        (object) => isTold(object) && expected.test(reasonOf(object)),
      );
      expectHeld(held);
    }

    operator.clock.advance(4 * MINUTE);
    const leftBehind = cases.filter(({ gone }) => !gone).map(({ name }) => name);
    await waitFor(names, {
      what: 'those that are gone at the API to go',
      until: (all) => all.length === leftBehind.length,
    });
    expect((await names()).toSorted()).toEqual(leftBehind.toSorted());
    operator.clock.advance(5 * MINUTE);
    await settled(scene, operator);
    expect((await names()).toSorted(), 'before the deadline').toEqual(leftBehind.toSorted());
    const gone = cases.length - leftBehind.length;
    expect(metric(await operator.metrics(), 'pipewright_cleanup_abandoned_total')).toBe(gone);

    operator.clock.advance(MINUTE);
    await waitFor(names, { what: 'all to go', until: ({ length }) => length === 0 });
    await settled(scene, operator);
    for (const { name, organizationId } of cases) {
      const told = await waitFor(() => warnings(name), {
        what: `the event of ${name}`,
        until: ({ length }) => length > 0,
      });
      const naming = (texts: readonly string[]): boolean[] =>
        texts.map((text) => text.includes(`of-${name}`));
      expect({ name, told: naming(told) }).toEqual({ name, told: [true] });
      expect({ name, logged: naming(abandonedLines(name)) }).toEqual({ name, logged: [true] });
      expect(orgs.ids(organizationId), name).toEqual(['theirs', `of-${name}`]);
    }
    expect(metric(await operator.metrics(), 'pipewright_cleanup_abandoned_total')).toBe(
      cases.length,
    );
  });
});

function reasonOf(object: Org): string {
  return ready(object).reason;
}

/**
 * Whether the status speaks of the deletion, which is a generation of its own, and of a next
 * attempt.
 */
function isTold({ metadata, status }: Org): boolean {
  return status.observedGeneration === metadata.generation && status.nextAttemptTime !== undefined;
}
