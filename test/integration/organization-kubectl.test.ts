import { afterAll, beforeAll, expect, test } from 'vitest';
import { kubectl, waitFor } from '../controlplane/client.ts';
import { printedTable } from '../support/columns.ts';
import { kstatus, type Verdict } from '../support/kstatus.ts';
import { endpoint, list, type Org, type Organizations } from '../support/organizations.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { ready, side } from '../support/watching.ts';

/** One state of each verdict, how it comes about, and what tools have to make of it. */
interface State {
  readonly name: string;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly reason: string;
  readonly verdict: Verdict;
}

const STATES: readonly State[] = [
  {
    name: 'applied',
    spec: { name: 'Acme', ...list('ours') },
    reason: 'Applied',
    verdict: 'Current',
  },
  {
    name: 'held',
    spec: { ...list('ours'), deletionPolicy: 'RemovePrivateEndpoints' },
    reason: 'Applied',
    verdict: 'Current',
  },
  {
    name: 'planned',
    spec: { mode: 'Plan', ...list('ours') },
    reason: 'Planned',
    verdict: 'InProgress',
  },
  { name: 'refused', spec: list('bad', 'good'), reason: 'Rejected', verdict: 'Failed' },
  {
    name: 'keyless',
    spec: { ...list('ours'), credentialsSecretRef: { name: 'nowhere' } },
    reason: 'SecretNotFound',
    verdict: 'InProgress',
  },
];

let scene: Scene;
let orgs: Organizations;
const organizationIds = new Map(STATES.map(({ name }) => [name, crypto.randomUUID()]));
beforeAll(async () => {
  scene = await openScene();
  orgs = scene.orgs;
  scene.simulator.play({ organization: { refusedIds: ['bad'] } });
  for (const { name, spec } of STATES) {
    const organizationId = organizationIds.get(name) ?? '';
    scene.simulator.setOrganization(organizationId, { add: [endpoint('theirs')] });
    await orgs.create(name, { organizationId, ...spec });
  }
  for (const { name, reason } of STATES) await orgs.until(name, reason);
});
afterAll(() => scene.end());

/** Resolves when a call for the organization waits for its answer. */
async function openCalls(organizationId: string): Promise<void> {
  const calls = () => scene.simulator.calls({ pathIncludes: organizationId });
  await waitFor(() => calls().some(({ answeredAt }) => answeredAt === undefined), {
    what: 'a call to be on its way',
  });
}

test('the columns of every state say what stands in it, and kstatus reads it rightly', async () => {
  const everyObject = (): Promise<Org[]> => Promise.all(STATES.map(({ name }) => orgs.get(name)));
  const versions = (objects: readonly Org[]): string =>
    objects.map(({ metadata }) => metadata.resourceVersion).join();
  const look = async () => ({
    before: await everyObject(),
    rows: await printedTable(['porg', '-n', scene.namespace, '-o', 'wide']),
    objects: await everyObject(),
  });
  const { rows, objects } = await waitFor(look, {
    what: 'a look between two attempts',
    until: ({ before, objects: after }) => versions(before) === versions(after),
  });
  for (const [index, { name, reason, verdict }] of STATES.entries()) {
    const object = objects[index] as Org;
    const { status, spec } = object;
    expect({ name, verdict: kstatus(object) }).toEqual({ name, verdict });
    expect(rows.find((row) => row['NAME'] === name)).toMatchObject({
      READY: ready(object).status,
      REASON: reason,
      STALLED: side(object) === 'Stalled' ? 'True' : '',
      ORGANIZATION: spec['organizationId'],
      'REQUEST ID': status.lastRequest?.requestId ?? '',
      'NEXT ATTEMPT': status.nextAttemptTime ?? '',
      'LAST APPLIED': expect.stringMatching(status.applied ? /^\d+[smh]/ : /^$/),
      MESSAGE: ready(object).message,
    });
  }
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
  expect((await wait('refused', 'Stalled', 20)).code).toBe(0);
  expect((await wait('refused', 'Ready', 1)).code).not.toBe(0);
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
  expect(kstatus(await orgs.get('held'))).toBe('Terminating');
  const gone = ['wait', 'porg/held', '-n', scene.namespace, '--for=delete'];
  expect((await kubectl([...gone, '--timeout=1s'])).code).not.toBe(0);
  scene.simulator.release();
  expect((await kubectl([...gone, '--timeout=20s'])).code).toBe(0);
  expect(orgs.ids(organizationId)).toEqual(['theirs']);
});
