import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kubectl, waitFor } from '../controlplane/client.ts';
import type { Call } from '../simulator/types.ts';
import { printedTable } from '../support/columns.ts';
import { kstatus } from '../support/kstatus.ts';
import { OWN_KEY, STATES, type State } from '../support/organization-state-rows.ts';
import type { Org, Organizations } from '../support/organizations.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { expectReadable } from '../support/status-law.ts';
import { expectCurrent, ready, side } from '../support/watching.ts';

type Row = Readonly<Record<string, string>>;

let scene: Scene;
let orgs: Organizations;
let rows: ReadonlyMap<string, Row>;
const objects = new Map<string, Org>();
const organizationIds = new Map(STATES.map(({ name }) => [name, crypto.randomUUID()]));

/** Every state at once, by the operator's bundle; read and printed without a change between. */
beforeAll(async () => {
  scene = await openScene();
  orgs = scene.orgs;
  await scene.newKey(OWN_KEY);
  for (const state of STATES) await reach(state);
  for (const { name, reason } of STATES) await orgs.until(name, reason);
  rows = await waitFor(printed, {
    what: 'all states to stand still for a moment',
    until: (all) => all.size > 0,
  });
}, 120_000);
afterAll(() => scene.end());

async function reach({ name, steps, play, fault, found = [] }: State): Promise<void> {
  const organizationId = organizationIds.get(name) ?? '';
  const match = { pathIncludes: organizationId };
  scene.simulator.setOrganization(organizationId, { add: [...found] });
  for (const [index, { called = name, spec, reason }] of steps.entries()) {
    const isLast = index === steps.length - 1;
    if (isLast && play) scene.simulator.always({ play: { organization: play } }, match);
    if (isLast && fault) scene.simulator.always(fault, match);
    await orgs.create(called, { organizationId, ...spec });
    if (reason !== undefined) await orgs.until(called, reason);
  }
}

/**
 * The printed rows by object; none where an object has changed meanwhile or its operator is in the
 * middle of something.
 */
async function printed(): Promise<ReadonlyMap<string, Row>> {
  const before = await everyObject();
  const table = await printedTable(['porg', '-n', scene.namespace, '-o', 'wide']);
  const after = await everyObject();
  for (const object of after) objects.set(object.metadata.name, object);
  const versions = (all: readonly Org[]): string =>
    all.map(({ metadata }) => metadata.resourceVersion).join();
  const isStill =
    versions(before) === versions(after) &&
    STATES.every(({ name, reason }) => ready(objectOf(name)).reason === reason);
  return new Map(isStill ? table.map((row) => [row['NAME'] ?? '', row]) : []);
}

function everyObject(): Promise<Org[]> {
  return Promise.all(STATES.map(({ name }) => orgs.get(name)));
}

function objectOf(name: string): Org {
  const object = objects.get(name);
  if (!object) throw new Error(`there is no ${name}`);
  return object;
}

/** Resolves when a call for the organization waits for its answer. */
async function openCalls(organizationId: string): Promise<void> {
  const calls = (): Call[] => scene.simulator.calls({ pathIncludes: organizationId });
  await waitFor(() => calls().some(({ answeredAt }) => answeredAt === undefined), {
    what: 'a call to be on its way',
  });
}

describe.each(STATES)('$name', ({ name, reason, verdict, status }) => {
  test('is read rightly by kstatus and says so in conditions of the present generation', () => {
    const object = objectOf(name);
    expect({
      verdict: kstatus(object),
      status: ready(object).status,
      reason: ready(object).reason,
    }).toEqual({
      verdict,
      status,
      reason,
    });
    expectCurrent(object);
    expectReadable(object.status.conditions.map(({ message }) => message));
    const sides = {
      Current: undefined,
      InProgress: 'Reconciling',
      Failed: 'Stalled',
      Terminating: undefined,
    };
    expect(side(object)).toBe(
      ['Suspended', 'Planned'].includes(reason) ? undefined : sides[verdict],
    );
  });

  test('prints its columns', () => {
    const { status: said, spec } = objectOf(name);
    const row = rows.get(name) ?? {};
    expect(row).toMatchObject({
      READY: status,
      REASON: reason,
      STALLED: side(objectOf(name)) === 'Stalled' ? 'True' : '',
      ORGANIZATION: spec['organizationId'],
    });
    expect(row['REQUEST ID']).toBe(said.lastRequest?.requestId ?? '');
    expect(row['NEXT ATTEMPT']).toBe(said.nextAttemptTime ?? '');
    expect(row['LAST APPLIED']).toMatch(said.applied ? /^\d+[smh]/ : /^$/);
    expect(row['MESSAGE']).toBe(ready(objectOf(name)).message);
  });
});

test('kubectl wait ends at once for what is ready, and not for what an edit has made stale', async () => {
  const wait = (name: string, condition: string, seconds: number) =>
    kubectl([
      'wait',
      `porg/${name}`,
      '-n',
      scene.namespace,
      `--for=condition=${condition}`,
      `--timeout=${seconds}s`,
    ]);
  const organizationId = organizationIds.get('applied') ?? '';
  expect((await wait('applied', 'Ready', 20)).code).toBe(0);
  expect((await wait('rejected', 'Stalled', 20)).code).toBe(0);
  expect((await wait('rejected', 'Ready', 1)).code).not.toBe(0);
  scene.simulator.next({ hold: true }, { match: { pathIncludes: organizationId } });
  await orgs.create('applied', { organizationId, name: 'Another' });
  await openCalls(organizationId);
  expect((await wait('applied', 'Ready', 1)).code, 'while the edit is on its way').not.toBe(0);
  scene.simulator.release();
  expect((await wait('applied', 'Ready', 20)).code).toBe(0);
});

test('kubectl delete waits for the finalizer, and kubectl wait sees the end', async () => {
  const organizationId = organizationIds.get('held') ?? '';
  scene.simulator.next({ hold: true }, { match: { pathIncludes: organizationId } });
  await orgs.remove('held');
  await openCalls(organizationId);
  const held = await orgs.get('held');
  expect(kstatus(held)).toBe('Terminating');
  const gone = ['wait', 'porg/held', '-n', scene.namespace, '--for=delete'];
  expect((await kubectl([...gone, '--timeout=1s'])).code).not.toBe(0);
  scene.simulator.release();
  expect((await kubectl([...gone, '--timeout=20s'])).code).toBe(0);
  expect(orgs.ids(organizationId)).toEqual([]);
});
