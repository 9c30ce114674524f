import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Organization, organizationType } from '../../src/kinds/organization/resource.ts';
import { SECRET } from '../../src/kube/secrets/secret-state.ts';
import { startSimulator } from '../simulator/simulator.ts';
import type { Simulator } from '../simulator/types.ts';
import { eventually } from '../support/eventually.ts';
import { FakeKubeServer } from '../support/fake-kube-server.ts';
import { startOnFakes } from '../support/operator-on-fakes.ts';

const TARGET = '0b1d7c52-91a4-4f0e-8a3b-6f1e2d3c4b50';
const KEY = 'ns/acme';
const LOOK = { pathIncludes: TARGET, bodyIncludes: '"add":[],"remove":[]' };
let kube: FakeKubeServer;
let api: Simulator;
let operator: Awaited<ReturnType<typeof startOnFakes>>;
let last: number;

beforeEach(async () => {
  last = 0;
  kube = await new FakeKubeServer().start();
  api = await startSimulator();
  kube.create(SECRET, 'ns/key', {
    data: { keyId: btoa('canary-id'), keySecret: btoa('canary-secret') },
  });
  operator = await startOnFakes(kube, api.url, ['--api-rate', '0']);
});

afterEach(async () => {
  await operator.end();
  await Promise.all([api.stop(), kube.stop()]);
});

/** A name, and an endpoint of the same name: so the name is not the last that has to be sent. */
const named = (name: string): object => ({
  organizationId: TARGET,
  credentialsSecretRef: { name: 'key' },
  name,
  privateEndpoints: [{ id: name, cloudProvider: 'gcp', region: 'eu' }],
});
const stored = (key = KEY): Organization => kube.get(organizationType, key) as Organization;

function readyOf(key: string) {
  return stored(key).status?.conditions?.[0];
}

/** What it is given as a name, in order. */
function namesSent(): readonly unknown[] {
  const calls = api.calls({ pathIncludes: TARGET, bodyIncludes: '"name"' });
  return calls.map(({ body }) => (body as { name: string }).name);
}

async function untilApplied(name: string, key = KEY): Promise<void> {
  await eventually(() => {
    const { status, metadata } = stored(key);
    const observedGeneration = metadata.generation;
    expect(status?.conditions?.[0]).toMatchObject({ reason: 'Applied', observedGeneration });
    expect(api.organization(TARGET)?.name).toBe(name);
  });
}

/** Makes an object that is brought about, and gives its status. */
async function applied(name: string, key = KEY): Promise<NonNullable<Organization['status']>> {
  kube.create(organizationType, key, { spec: named(name) });
  await untilApplied(name, key);
  const { status } = stored(key);
  if (!status) throw new Error('it has no status');
  return status;
}

/** Sends this name, whose answer stays away until `release`. */
async function sendAndHold(name: string): Promise<void> {
  api.next({ hold: true }, { match: { bodyIncludes: `"name":"${name}"` } });
  const isThere = kube.get(organizationType, KEY) !== undefined;
  kube[isThere ? 'edit' : 'create'](organizationType, KEY, { spec: named(name) });
  await eventually(() => expect(api.organization(TARGET)?.name).toBe(name));
}

/**
 * The watch tells of changes in their order: an object that is made now is acted on when all before
 * it has been heard.
 */
async function watchHasTold(): Promise<void> {
  last += 1;
  const organizationId = `${TARGET.slice(0, -1)}${last}`;
  kube.create(organizationType, `ns/last-${last}`, { spec: { ...named('last'), organizationId } });
  await eventually(() => expect(api.organization(organizationId)?.name).toBe('last'));
}

/** What a process writes that has brought the present generation about. */
function saidToBeApplied(before: NonNullable<Organization['status']>): object {
  const generation = stored().metadata.generation ?? 0;
  const time = '2100-01-01T00:00:00Z';
  return {
    ...before,
    observedGeneration: generation,
    conditions: before.conditions?.map((one) => ({ ...one, observedGeneration: generation })),
    applied: { ...before.applied, time, generation },
    lastRequest: { ...before.lastRequest, time },
  };
}

/** What was sent in the midst is put right by one more. */
const PUT_RIGHT = ['acme-1', 'acme-3', 'acme-1'];

/** Lets the held call go on, until all is as declared. */
async function namesInTheEnd(key = KEY): Promise<readonly unknown[]> {
  api.release();
  await untilApplied('acme-1', key);
  return namesSent();
}

test('a name that was sent for a spec of the past is put right, though the newer spec is said to be applied', async () => {
  const status = await applied('acme-1');
  await sendAndHold('acme-3');
  kube.edit(organizationType, KEY, { spec: named('acme-1') });
  kube.edit(organizationType, KEY, { status: saidToBeApplied(status) });
  await watchHasTold();
  expect(await namesInTheEnd()).toEqual(PUT_RIGHT);
});

test('so is one of an object that is gone, though its successor is said to be applied after it was looked at', async () => {
  const status = await applied('acme-1');
  await sendAndHold('acme-3');
  kube.remove(organizationType, KEY);
  kube.create(organizationType, KEY, { spec: named('acme-1') });
  await watchHasTold();
  api.next({ hold: true }, { match: LOOK });
  const looks = api.callCount(LOOK);
  api.release();
  await api.waitForCalls(looks + 1, { match: LOOK });
  kube.edit(organizationType, KEY, { status: saidToBeApplied(status) });
  await watchHasTold();
  expect(await namesInTheEnd()).toEqual(PUT_RIGHT);
});

test('so is one of an object that finds the organization held by another one, before it could say what it sent', async () => {
  const status = await applied('acme-1', 'ns/holder');
  kube.remove(organizationType, 'ns/holder');
  await sendAndHold('acme-3');
  kube.create(organizationType, 'ns/holder', { spec: named('acme-1'), status });
  await watchHasTold();
  expect(await namesInTheEnd('ns/holder')).toEqual(PUT_RIGHT);
  expect(stored().status?.conditions?.[0]?.reason).toBe('TargetConflict');
});

test.each([
  ['a name', { name: 'acme-3' }],
  ['a removal', { privateEndpoints: [] }],
])(
  '%s that the answer does not show yet keeps the next object waiting when the first is gone',
  async (_, change) => {
    await applied('acme-1');
    kube.create(organizationType, 'ns/next', { spec: named('acme-1') });
    await eventually(() => expect(readyOf('ns/next')?.reason).toBe('TargetConflict'));
    api.play({ organization: { echo: 'stale' } });
    kube.edit(organizationType, KEY, { spec: { ...named('acme-1'), ...change } });
    await eventually(() => expect(readyOf(KEY)?.reason).toBe('NotConfirmed'));
    const calls = api.callCount({ pathIncludes: TARGET });
    kube.remove(organizationType, KEY);
    await eventually(() =>
      expect(readyOf('ns/next')?.message).toContain('the result is not known yet'),
    );
    await watchHasTold();
    expect(api.callCount({ pathIncludes: TARGET })).toBe(calls);
  },
);
