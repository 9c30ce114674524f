import { beforeEach, describe, expect, test } from 'vitest';
import type { AuditEntry } from '../controlplane/audit.ts';
import { waitFor } from '../controlplane/client.ts';
import { strangers } from '../simulator/organization-types.ts';
import { type SomeoneElse, someoneElse } from '../simulator/someone-else.ts';
import type { InnerOperator } from '../support/inner-operator.ts';
import {
  endpoint,
  ledgerOf,
  list,
  type Org,
  type Organizations,
} from '../support/organizations.ts';
import { openScene, type Scene, type SeenEvent } from '../support/scene.ts';
import { ORGANIZATION } from '../support/scene-objects.ts';
import { metric, ready, settled, side } from '../support/watching.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

type Spec = Readonly<Record<string, unknown>>;

let scene: Scene;
let orgs: Organizations;
let operator: InnerOperator;
let someone: SomeoneElse;
beforeEach(async () => {
  scene = await openScene({
    start: 'inner',
    holds: { name: 'First', add: [endpoint('theirs'), endpoint('found')] },
  });
  ({ orgs } = scene);
  operator = scene.inner();
  someone = someoneElse(scene.simulator, { organizationId: ORGANIZATION });
  return () => scene.end();
});

async function applied(spec: Spec): Promise<Org> {
  await orgs.create('acme', spec);
  return orgs.until('acme', 'Applied');
}

/**
 * The object after the annotation has been acted on and all that follows from it: what a look
 * misses is looked at again after a minute.
 */
async function asked(): Promise<Org> {
  const value = await orgs.request('acme');
  const isDone = ({ status }: Org): boolean => status.lastHandledReconcileAt === value;
  const first = await orgs.untilIt(
    'acme',
    'asked',
    (object) => isDone(object) && ready(object).reason !== 'Pending',
  );
  return ready(first).reason === 'Applied' ? first : confirmed();
}

/** One look said that something is missing: the next one has the last word. */
async function confirmed(): Promise<Org> {
  await orgs.until('acme', 'NotConfirmed');
  operator.clock.advance(MINUTE + SECOND);
  return orgs.until('acme', 'Applied');
}

function driftOf({ status }: Org): unknown {
  return status['drift'];
}

async function drifted(): Promise<number> {
  return metric(await operator.metrics(), 'pipewright_drift_total', { kind: 'Organization' });
}

async function driftEvents(): Promise<SeenEvent[]> {
  return (await scene.events('acme')).filter(({ reason }) => reason === 'DriftDetected');
}

async function writes(): Promise<AuditEntry[]> {
  await operator.idle();
  return orgs.writes('acme');
}

function adds(id: string): number {
  const counts = scene.simulator.endpointCounts(ORGANIZATION, { keyId: scene.key.id });
  return counts[`gcp/ap-northeast-1/${id}`]?.add ?? 0;
}

describe('at the next reply', () => {
  test('a name that nobody declared and somebody changed is recorded, told, counted once, and left', async () => {
    await applied(list('ours'));
    await someone.rename('Second');
    await settled(scene, operator);
    expect(driftOf(await orgs.get('acme')), 'unseen before a reply').toBeUndefined();
    const seen = await asked();
    expect(driftOf(seen)).toEqual([
      { field: 'name', from: 'First', to: 'Second', time: expect.any(String) },
    ]);
    expect(seen.status.organization?.name).toBe('Second');
    const [event] = await waitFor(driftEvents, {
      what: 'the event',
      until: ({ length }) => length > 0,
    });
    expect(event).toMatchObject({
      type: 'Warning',
      note: expect.stringContaining('First → Second'),
    });
    expect(await drifted()).toBe(1);
    expect(driftOf(await asked())).toHaveLength(1);
    await settled(scene, operator);
    expect(await driftEvents()).toHaveLength(1);
    expect(orgs.held().name).toBe('Second');
  });

  test('an endpoint of ours that somebody removed is missed first, then recorded, told, counted, and put back', async () => {
    await applied(list('ours', 'too'));
    await someone.remove('ours');
    await orgs.request('acme');
    const missed = await orgs.until('acme', 'NotConfirmed');
    expect(ledgerOf(missed)).toEqual(['ours Added Missing', 'too Added Present']);
    expect(side(missed)).toBe('Reconciling');
    expect(ready(missed).message).toContain('ours');
    expect(driftOf(missed)).toBeUndefined();
    const seen = await confirmed();
    expect(driftOf(seen)).toEqual([
      { field: 'privateEndpoints[ours]', from: 'gcp/ap-northeast-1', time: expect.any(String) },
    ]);
    expect(ledgerOf(seen)).toEqual(['ours Added Present', 'too Added Present']);
    expect(orgs.ids().toSorted()).toEqual(['found', 'ours', 'theirs', 'too']);
    expect([adds('ours'), adds('too')]).toEqual([2, 1]);
    const [event] = await waitFor(driftEvents, {
      what: 'the event',
      until: ({ length }) => length > 0,
    });
    expect(event?.note).toContain('ours');
    expect(await drifted()).toBe(1);
    expect(driftOf(await asked())).toHaveLength(1);
    expect(adds('ours')).toBe(2);
  });

  test('two things that changed are two drifts, and each has its event', async () => {
    await applied(list('ours'));
    await someone.change({ name: 'Second', remove: ['ours'] });
    expect(driftOf(await asked())).toMatchObject([
      { field: 'name' },
      { field: 'privateEndpoints[ours]' },
    ]);
    expect(await drifted()).toBe(2);
    await settled(scene, operator);
    expect(await driftEvents()).toHaveLength(2);
  });

  test('also where that reply belongs to a change of ours', async () => {
    await applied(list('ours'));
    await someone.change({ name: 'Second', remove: ['ours'] });
    await orgs.create('acme', list('ours', 'more'));
    const seen = await confirmed();
    expect(driftOf(seen)).toMatchObject([{ field: 'name' }, { field: 'privateEndpoints[ours]' }]);
    expect(orgs.ids().toSorted()).toEqual(['found', 'more', 'ours', 'theirs']);
  });

  test('what others added and removed is no drift, nor is the order of a list', async () => {
    await applied(list('ours', 'found'));
    await someone.remove('theirs');
    scene.simulator.setOrganization(ORGANIZATION, { add: strangers(3) });
    scene.simulator.play({ organization: { list: 'reversed' } });
    await asked();
    scene.simulator.play({ organization: { list: 'doubled' } });
    expect(driftOf(await asked())).toBeUndefined();
    expect(await drifted()).toBe(0);
    expect(orgs.ids().toSorted()).toEqual(['found', 'ours', 'theirs-1', 'theirs-2', 'theirs-3']);
  });

  test('a declared endpoint that was only found and is gone is no drift; it is added and ours from then on', async () => {
    await applied(list('found'));
    await someone.remove('found');
    const seen = await asked();
    expect(driftOf(seen)).toBeUndefined();
    expect(seen.status.privateEndpoints).toMatchObject([{ id: 'found', origin: 'Added' }]);
  });

  test('an adopted one that is gone is drift, and put back', async () => {
    await applied({ ...list('found'), adoptPrivateEndpoints: true });
    await someone.remove('found');
    const seen = await asked();
    expect(driftOf(seen)).toMatchObject([{ field: 'privateEndpoints[found]' }]);
    expect(orgs.ids().toSorted()).toEqual(['found', 'theirs']);
  });

  test('one of ours that is no longer managed and is gone leaves the ledger, as drift, and is not put back', async () => {
    await applied({ name: 'First', ...list('ours') });
    await applied({ name: 'First' });
    await someone.remove('ours');
    expect(ledgerOf(await asked())).toEqual(['ours Added Missing']);
    operator.clock.advance(MINUTE + SECOND);
    const seen = await orgs.untilIt(
      'acme',
      'forgotten',
      ({ status }) => status.privateEndpoints === undefined,
    );
    expect(driftOf(seen)).toMatchObject([{ field: 'privateEndpoints[ours]' }]);
    expect(adds('ours')).toBe(1);
  });

  test('of many drifts the last twelve are kept', async () => {
    await applied(list('ours'));
    for (let round = 1; round <= 14; round += 1) {
      await someone.rename(`Name ${round}`);
      await asked();
    }
    const kept = driftOf(await orgs.get('acme')) as readonly { readonly to: string }[];
    expect(kept.map(({ to }) => to)).toEqual(
      Array.from({ length: 12 }, (_, index) => `Name ${index + 3}`),
    );
  });
});

describe('reassertInterval', () => {
  test('asks again in time, finds what changed, and undoes what is ours to undo', async () => {
    const first = await applied({ ...list('ours'), reassertInterval: '1h' });
    const next =
      Date.parse(first.status.nextAttemptTime ?? '') -
      Date.parse(String(first.status.applied?.['time']));
    expect(next).toBeGreaterThanOrEqual(HOUR);
    expect(next).toBeLessThanOrEqual(1.1 * HOUR + SECOND);
    await someone.change({ name: 'Second', remove: ['ours'] });
    const calls = orgs.calls().length;
    operator.clock.advance(next - MINUTE);
    await settled(scene, operator);
    expect(orgs.calls()).toHaveLength(calls);
    operator.clock.advance(MINUTE + SECOND);
    const seen = await orgs.untilIt('acme', 'drift', (object) => driftOf(object) !== undefined);
    expect(driftOf(seen)).toMatchObject([{ field: 'name' }]);
    expect(driftOf(await confirmed())).toMatchObject([
      { field: 'name' },
      { field: 'privateEndpoints[ours]' },
    ]);
    expect(orgs.ids()).toContain('ours');
    expect(orgs.held().name).toBe('Second');
  });

  test('overwrites a declared name that somebody changed, and what it was is on record before', async () => {
    await applied({ name: 'Acme', reassertInterval: '1h' });
    await someone.rename('Mine now');
    const held = orgs.said().length;
    scene.simulator.next({ hold: true }, { match: { keyId: scene.key.id, bodyIncludes: 'name' } });
    operator.clock.advance(1.2 * HOUR);
    await waitFor(() => orgs.said(), {
      what: 'the name',
      until: (said) => said.length === held + 2,
    });
    expect(driftOf(await orgs.get('acme'))).toMatchObject([
      { field: 'name', from: 'Acme', to: 'Mine now' },
    ]);
    scene.simulator.release();
    await orgs.until('acme', 'Applied');
    expect(orgs.held().name).toBe('Acme');
    expect(orgs.said().slice(held)).toEqual(['look', 'name']);
    await settled(scene, operator);
    expect(await driftEvents()).toHaveLength(1);
    expect(await drifted()).toBe(1);
  });

  test('without one nothing is asked, however long it takes', async () => {
    await applied(list('ours'));
    await someone.remove('ours');
    const calls = orgs.calls().length;
    operator.clock.advance(1_000 * HOUR);
    await settled(scene, operator);
    expect(orgs.calls()).toHaveLength(calls);
  });
});

describe('a description', () => {
  const described = (description: string) => ({
    privateEndpoints: [endpoint('ours', { description })],
  });

  test('is sent with the add, and a change of it is reported, explained and never sent', async () => {
    await applied(described('before'));
    const calls = orgs.patches().length;
    const seen = await applied(described('after'));
    expect(seen.status['differences']).toEqual([
      { field: 'privateEndpoints[ours].description', declared: 'after', reported: 'before' },
    ]);
    expect(ready(seen)).toMatchObject({ status: 'True', reason: 'Applied' });
    expect(side(seen)).toBeUndefined();
    expect(ready(seen).message).toMatch(
      /another description for ours .*remove the endpoint from the list.* list it again/,
    );
    expect(orgs.said().slice(calls)).toEqual(['look']);
    expect(orgs.held().privateEndpoints.find(({ id }) => id === 'ours')?.description).toBe(
      'before',
    );
    expect(await writes()).toHaveLength(3);
    const mended = await applied(described('before'));
    expect(mended.status['differences']).toBeUndefined();
    expect(ready(mended).message).not.toContain('description');
  });

  test.each(['empty-for-none', 'null-for-none', 'absent-for-none', 'dropped'] as const)(
    'that is empty equals an absent one, on a server with %s',
    async (description) => {
      scene.simulator.play({ organization: { description } });
      const seen = await applied(described(''));
      expect(seen.status['differences']).toBeUndefined();
      expect(orgs.patches().at(-1)).toEqual({ privateEndpoints: { add: [endpoint('ours')] } });
      expect((await applied(list('ours'))).status['differences']).toBeUndefined();
    },
  );

  test('that is taken out of the list and listed again is the new one', async () => {
    await applied(described('before'));
    await applied(list());
    const seen = await applied(described('after'));
    expect(seen.status['differences']).toBeUndefined();
    expect(orgs.held().privateEndpoints.find(({ id }) => id === 'ours')?.description).toBe('after');
  });
});
