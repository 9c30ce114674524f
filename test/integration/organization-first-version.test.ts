import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../controlplane/client.ts';
import { asAdmin } from '../support/cluster.ts';
import {
  type Kept,
  keptOrganizations,
  keptPipeSettings,
  restore,
} from '../support/first-version.ts';
import type { InnerOperator } from '../support/inner-operator.ts';
import { slowClock } from '../support/movable-clock.ts';
import { endpoint, type Org, type Organizations } from '../support/organizations.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { ORGANIZATION, type Pset, SERVICE } from '../support/scene-objects.ts';
import { expectCurrent, ready } from '../support/watching.ts';

/** Objects that the first version left in every state, and the operator of today. */
const organizations = keptOrganizations();
const pipes = keptPipeSettings();

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** `--api-timeout` and a minute: so long a change that another process sent may be at work. */
const SETTLED_MS = 95 * SECOND;
const credentialsSecretRef = { name: 'management-api' };

/** What they come to; all others to `Applied`. */
const ENDS: Readonly<Record<string, string>> = {
  planned: 'Planned',
  suspended: 'Suspended',
  'suspended-when-done': 'Suspended',
  'endpoint-conflict': 'EndpointConflict',
  'removal-blocked': 'RemovalBlocked',
};
/** Nothing is to be called for these. */
const CALLED_FOR_NOTHING = ['planned', 'suspended', 'suspended-when-done', 'deleted'];

/** An add on record, of which nobody knows whether it was done; the API tells the three apart. */
const OPEN = ['being-changed', 'being-changed-and-done', 'being-changed-long-ago'];
/** Calls for an add of unknown outcome, before it was settled. */
let early: unknown;

let scene: Scene;
let orgs: Organizations;
let operator: InnerOperator;
const ids = new Map<string, string>();

beforeAll(async () => {
  scene = await openScene({ start: false });
  orgs = scene.orgs;
  const group = `/apis/pipewright.dev/v1alpha1/namespaces/${scene.namespace}`;
  for (const { name, kept } of organizationCases()) {
    populate(name, kept);
    const spec = { organizationId: idOf(name), credentialsSecretRef };
    const agoMs = name === 'being-changed-long-ago' ? 10 * MINUTE : MINUTE;
    await restore(`${group}/organizations`, kept, { spec, agoMs, name });
  }
  for (const kept of pipes) {
    const { name } = kept.metadata;
    const target = { organizationId: ORGANIZATION, serviceId: SERVICE, pipeId: name };
    await restore(`${group}/pipesettings`, kept, {
      spec: { ...target, credentialsSecretRef },
      agoMs: MINUTE,
    });
  }
  operator = await scene.startInner({ clock: slowClock() });
  await waitFor(() => orgs.calls(idOf('being-changed')).length, {
    what: 'the open add to be looked after',
  });
  await operator.idle();
  operator.clock.advance(SETTLED_MS - 30 * SECOND);
  await operator.idle();
  early = addsOf('being-changed', 'psc-1');
  await untilAllRest();
}, 120_000);

afterAll(async () => {
  await scene.end();
});

function organizationCases(): { readonly name: string; readonly kept: Kept<Org> }[] {
  return organizations.flatMap((kept) => {
    const { name } = kept.metadata;
    return (name === OPEN[0] ? OPEN : [name]).map((one) => ({ name: one, kept }));
  });
}

function idOf(name: string): string {
  const id = ids.get(name) ?? randomUUID();
  ids.set(name, id);
  return id;
}

/**
 * What the API holds is what the status says that it reported, and an endpoint of somebody else.
 */
function populate(name: string, { status: { organization } }: Kept<Org>): void {
  const reported = (organization?.privateEndpoints ?? []).map(({ id = '', region = '' }) =>
    endpoint(id, { region }),
  );
  const done = OPEN.slice(1).includes(name) ? [endpoint('psc-1')] : [];
  scene.simulator.setOrganization(idOf(name), {
    name: organization?.name ?? 'As it was',
    add: [...reported, ...done, endpoint('theirs')].map((one) => ({ ...one })),
  });
}

function addsOf(name: string, id: string): number {
  return scene.simulator.endpointCounts(idOf(name))[`gcp/ap-northeast-1/${id}`]?.add ?? 0;
}

async function all(): Promise<Pset[]> {
  const group = `/apis/pipewright.dev/v1alpha1/namespaces/${scene.namespace}`;
  const lists = await Promise.all(
    ['organizations', 'pipesettings'].map((plural) =>
      asAdmin<{ items: Pset[] }>('GET', `${group}/${plural}`),
    ),
  );
  return lists.flatMap(({ items }) => items);
}

/** Whether it has come to its end, or is held back from being gone by somebody else. */
function isAtRest({ metadata: { name, generation, deletionTimestamp }, status }: Pset): boolean {
  if (deletionTimestamp) return name === 'deleted';
  const condition = status.conditions.find(({ type }) => type === 'Ready');
  return (
    condition?.reason === (ENDS[name] ?? 'Applied') && condition.observedGeneration === generation
  );
}

async function untilAllRest(): Promise<void> {
  const restless = async (): Promise<string[]> => {
    await operator.idle();
    operator.clock.advance(10 * SECOND);
    await operator.idle();
    const objects = await all();
    return objects
      .filter((one) => !isAtRest(one))
      .map((one) => `${one.metadata.name}: ${ready(one).reason}`);
  };
  await waitFor(restless, {
    what: 'all to come right',
    until: ({ length }) => length === 0,
    timeoutMs: 60_000,
  });
}

describe.each(organizationCases().filter(({ name }) => name !== 'deleted-with-cleanup'))(
  'an Organization that the first version left $name',
  ({ name, kept }) => {
    test('comes right: nothing is open, and the conditions speak of what is declared', async () => {
      const object = await orgs.get(name);
      expect(object.status.pendingChange).toBeUndefined();
      expect(orgs.calls(idOf(name)).length > 0).toBe(!CALLED_FOR_NOTHING.includes(name));
      if (!object.metadata.deletionTimestamp) expectLegal(object);
    });

    test('keeps what is its own, and leaves alone what is not', async () => {
      const { status } = await orgs.get(name);
      const events = await scene.events(name);
      const ours = kept.status.privateEndpoints?.filter(({ state }) => state !== 'Refused') ?? [];
      const lostWithoutAWord = ours.filter(({ id, origin }) => {
        const now = status.privateEndpoints?.find((entry) => entry.id === id);
        return now?.origin !== origin && !events.some(({ note }) => note.includes(id));
      });
      expect(lostWithoutAWord).toEqual([]);
      expect(orgs.ids(idOf(name))).toEqual(
        expect.arrayContaining(['theirs', ...ours.map(({ id }) => id)]),
      );
      const counts = Object.values(scene.simulator.endpointCounts(idOf(name)));
      expect(counts.map(({ remove }) => remove)).toEqual(counts.map(() => 0));
    });
  },
);

describe('an add that the first version left open', () => {
  test('is not sent again while it may be at work, and then once', async () => {
    expect(early).toBe(0);
    expect(addsOf('being-changed', 'psc-1')).toBe(1);
    expect((await orgs.get('being-changed')).status.privateEndpoints).toMatchObject([
      { id: 'psc-1', origin: 'Added' },
    ]);
  });

  test('and that was done is ours, and not sent again', async () => {
    const { status } = await orgs.get('being-changed-and-done');
    expect(status.privateEndpoints).toMatchObject([
      { id: 'psc-1', origin: 'Added', state: 'Present' },
    ]);
    expect(addsOf('being-changed-and-done', 'psc-1')).toBe(0);
  });

  test('and that was found done long afterwards may be somebody else’s: an event says so', async () => {
    const name = 'being-changed-long-ago';
    const { status } = await orgs.get(name);
    expect(status.privateEndpoints).toMatchObject([
      { id: 'psc-1', origin: 'Found', state: 'Present' },
    ]);
    expect((await scene.events(name)).map(({ note }) => note)).toContainEqual(
      expect.stringContaining('psc-1'),
    );
    expect(addsOf(name, 'psc-1')).toBe(0);
  });
});

test('an endpoint that the first version had refused has no owner until it is added', async () => {
  const { status } = await orgs.get('endpoint-refused');
  expect(status.privateEndpoints).toMatchObject([
    { id: 'psc-1', origin: 'Added', state: 'Present' },
    { id: 'psc-2', origin: 'Added', state: 'Present' },
  ]);
  expect([addsOf('endpoint-refused', 'psc-1'), addsOf('endpoint-refused', 'psc-2')]).toEqual([
    0, 1,
  ]);
});

test('a deletion that the first version had begun takes away what was its own, and ends', async () => {
  const name = 'deleted-with-cleanup';
  await orgs.untilGone(name);
  expect(orgs.ids(idOf(name))).toEqual(['theirs']);
  expect(scene.simulator.endpointCounts(idOf(name))).toMatchObject({
    'gcp/ap-northeast-1/psc-1': { removed: 1 },
  });
});

test.each(pipes.map((kept) => ({ name: kept.metadata.name, kept })))(
  'a PipeSettings that the first version left $name comes right',
  async ({ name }) => {
    const object = await scene.psets.get(name);
    const isCalledFor = !CALLED_FOR_NOTHING.includes(name);
    expect(scene.psets.puts(name)).toHaveLength(isCalledFor ? 1 : 0);
    const held = scene.simulator.settingsOf(`${ORGANIZATION}/${SERVICE}/${name}`);
    expect(held ?? {}).toEqual(isCalledFor ? object.spec['settings'] : {});
    if (!object.metadata.deletionTimestamp) expectLegal(object);
  },
);

/** `Ready`, and one other at most that says the same, all of the present generation. */
function expectLegal(object: Pset): void {
  expectCurrent(object);
  const { reason, message } = ready(object);
  const others = object.status.conditions.filter(({ type }) => type !== 'Ready');
  expect(others.length).toBe(['Applied', 'Planned', 'Suspended'].includes(reason) ? 0 : 1);
  for (const one of others) expect(one).toMatchObject({ status: 'True', reason, message });
}
