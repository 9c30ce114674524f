import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { type ApplicationView, resourceIn, type WantedApplication } from './applications.ts';
import { callsFor, organization, pathTo, pipeSettings, secret } from './manifests.ts';
import type { World } from './world.ts';

/** Commits, has the application look at Git, and gives the commit. */
async function push(
  world: World,
  app: string,
  files: Readonly<Record<string, string | null>>,
): Promise<string> {
  const inFolder = Object.entries(files).map(
    ([name, text]) => [`apps/${app}/${name}`, text] as const,
  );
  const commit = await world.repository.commit(`a change of ${app}`, Object.fromEntries(inFolder));
  await world.apps.refresh(app);
  return commit;
}

/** An application that is Synced and Healthy. */
async function open(
  world: World,
  name: string,
  files: Readonly<Record<string, string>>,
  more: Partial<WantedApplication> = {},
): Promise<void> {
  const inFolder = Object.entries(files).map(([file, text]) => [`apps/${name}/${file}`, text]);
  await world.repository.commit(`the application ${name}`, Object.fromEntries(inFolder));
  await world.apps.create({ name, path: `apps/${name}`, namespace: name, ...more });
  await world.apps.untilHealthy(name);
}

const hasHealth =
  (health: string) =>
  ({ status }: ApplicationView): boolean =>
    status?.health?.status === health;

/**
 * A value that the API refuses makes the application Degraded, in the words of the API, and a
 * correction makes it Healthy.
 */
export async function refusedValue(world: World): Promise<void> {
  const { apps, simulator } = world;
  await open(world, 'refused', {
    'secret.yaml': secret(),
    'pipe.yaml': pipeSettings('refused-pipe'),
  });
  simulator.always(
    { play: { settings: { ranges: { engine_max_threads: [1, 4] } } } },
    { pathIncludes: callsFor('refused-pipe') },
  );
  await push(world, 'refused', {
    'pipe.yaml': pipeSettings('refused-pipe', { spec: { settings: { engine_max_threads: 7 } } }),
  });
  const degraded = await apps.until('refused', 'Degraded', hasHealth('Degraded'));
  const call = simulator.calls({ pathIncludes: callsFor('refused-pipe') }).at(-1);
  const { message = '' } = resourceIn(degraded, 'PipeSettings', 'refused-pipe')?.health ?? {};
  assert.match(message, /^Rejected: .*HTTP 400.*engine_max_threads/);
  assert.ok(
    call?.requestId && message.includes(call.requestId),
    `${message} does not name the request ${call?.requestId}`,
  );
  const fixed = pipeSettings('refused-pipe', { spec: { settings: { engine_max_threads: 3 } } });
  await apps.untilHealthy('refused', await push(world, 'refused', { 'pipe.yaml': fixed }));
}

/**
 * While the API does not listen, a change is Progressing; when it listens again, it is Healthy
 * without anybody's help.
 */
export async function outage(world: World): Promise<void> {
  const { apps, simulator } = world;
  await open(world, 'outage', {
    'secret.yaml': secret(),
    'pipe.yaml': pipeSettings('outage-pipe'),
  });
  await simulator.down();
  const changed = pipeSettings('outage-pipe', { spec: { settings: { engine_max_threads: 2 } } });
  const commit = await push(world, 'outage', { 'pipe.yaml': changed });
  const failing = ({ status }: ApplicationView): boolean =>
    status?.resources?.some(({ health }) => health?.message?.startsWith('Unavailable')) === true;
  const seen = await apps.until('outage', 'a failing attempt', failing);
  assert.equal(seen.status?.health?.status, 'Progressing');
  await simulator.up();
  await apps.untilHealthy('outage', commit);
}

/** An object that leaves Git leaves the cluster, and the pipe keeps its settings. */
export async function pruning(world: World): Promise<void> {
  const kept = { 'secret.yaml': secret(), 'kept.yaml': pipeSettings('kept-pipe') };
  await open(world, 'pruned', { ...kept, 'pruned.yaml': pipeSettings('pruned-pipe') });
  const commit = await push(world, 'pruned', { 'pruned.yaml': null });
  await world.apps.untilHealthy('pruned', commit);
  const ask = () => world.read(pathTo('pipesettings', 'pruned', 'pruned-pipe'));
  await world.until('the object to be gone', ask, (object) => object === undefined);
  assert.equal(
    world.simulator.callCount({ pathIncludes: callsFor('pruned-pipe') }),
    1,
    'deletion made a call',
  );
}

/**
 * An object that gets another name in Git: the new one takes over, and the application is never
 * Degraded.
 */
export async function renaming(
  world: World,
  name: string,
  syncOptions: readonly string[],
): Promise<void> {
  const { apps } = world;
  const target = { pipeId: `${name}-pipe` };
  await open(
    world,
    name,
    { 'secret.yaml': secret(), 'pipe.yaml': pipeSettings(`${name}-old`, { spec: target }) },
    { syncOptions },
  );
  const over = new AbortController();
  const seen = new Set<string>();
  const watching = (async () => {
    while (!over.signal.aborted) {
      seen.add((await apps.get(name)).status?.health?.status ?? 'none');
      await pause(100);
    }
  })();
  const commit = await push(world, name, {
    'pipe.yaml': pipeSettings(`${name}-new`, { spec: target }),
  });
  try {
    await apps.untilHealthy(name, commit);
  } finally {
    over.abort();
    await watching;
  }
  assert.ok(!seen.has('Degraded'), `${name} was ${[...seen].join(', ')}`);
  assert.equal(await world.read(pathTo('pipesettings', name, `${name}-old`)), undefined);
  const renamed = await world.read<{ status: { conditions: { reason: string }[] } }>(
    pathTo('pipesettings', name, `${name}-new`),
  );
  assert.equal(renamed?.status.conditions[0]?.reason, 'Applied');
}

/** What is in the next wave is not there before the object of the first one is Healthy. */
export async function waves(world: World): Promise<void> {
  const { apps, simulator, repository } = world;
  const match = { pathIncludes: callsFor('first-pipe') };
  simulator.always({ status: 424, error: 'FAILED_DEPENDENCY: the pipe is stopped' }, match);
  await repository.commit('two waves', {
    'apps/waves/secret.yaml': secret(),
    'apps/waves/first.yaml': pipeSettings('first-pipe', { wave: 0 }),
    'apps/waves/second.yaml': pipeSettings('second-pipe', { wave: 1 }),
  });
  await apps.create({ name: 'waves', path: 'apps/waves', namespace: 'waves' });
  await apps.until('waves', 'the first object failing', ({ status }) =>
    Boolean(
      status?.resources?.some(({ health }) => health?.message?.startsWith('DependencyNotReady')),
    ),
  );
  await apps.until('waves', 'the operation to wait for the first', ({ status }) => {
    const { phase, message = '' } = status?.operationState ?? {};
    return phase === 'Running' && /waiting for healthy state of .*first-pipe/.test(message);
  });
  assert.equal(await world.read(pathTo('pipesettings', 'waves', 'second-pipe')), undefined);
  simulator.always({ play: {} }, match);
  await apps.untilHealthy('waves');
  assert.ok(await world.read(pathTo('pipesettings', 'waves', 'second-pipe')));
}

/**
 * Deleting an application with its Secret leaves nothing in the cluster, and takes back at the API
 * what it added there.
 */
export async function deletion(world: World, name: string, organizationId: string): Promise<void> {
  const { apps, simulator } = world;
  await openToDelete(world, name, organizationId);
  await apps.remove(name);
  await apps.untilGone(name);
  await nothingLeft(world, name);
  assert.deepEqual(endpointsOf(simulator, organizationId), []);
}

/**
 * The same while the API refuses everything: at --cleanup-deadline the operator lets go, and an
 * event says what is left.
 */
export async function hopelessDeletion(
  world: World,
  name: string,
  organizationId: string,
): Promise<void> {
  const { apps, simulator } = world;
  await openToDelete(world, name, organizationId);
  simulator.always({ status: 500 }, { pathIncludes: organizationId });
  await apps.remove(name);
  await apps.untilGone(name, 240_000);
  await nothingLeft(world, name);
  assert.deepEqual(endpointsOf(simulator, organizationId), [`psc-${name}`]);
  const abandoned = async () => {
    const path = `/apis/events.k8s.io/v1/namespaces/${name}/events`;
    const events = await world.read<{ items: { reason: string; note: string }[] }>(path);
    return events?.items.find(({ reason }) => reason === 'CleanupAbandoned');
  };
  // The object goes first, and the event is sent beside.
  const event = await world.until('the event', abandoned, (found) => found !== undefined);
  assert.match(event?.note ?? 'no event', new RegExp(`psc-${name}`));
}

async function openToDelete(world: World, name: string, organizationId: string): Promise<void> {
  world.simulator.setOrganization(organizationId, {});
  for (const { id } of world.simulator.organization(organizationId)?.privateEndpoints ?? [])
    world.simulator.setOrganization(organizationId, { remove: [id] });
  const ours = { id: `psc-${name}`, cloudProvider: 'gcp', region: 'ap-northeast-1' };
  const spec = { privateEndpoints: [ours], deletionPolicy: 'RemovePrivateEndpoints' };
  await open(world, name, {
    'secret.yaml': secret(),
    'pipe.yaml': pipeSettings(`${name}-pipe`),
    'org.yaml': organization(`${name}-org`, organizationId, { spec }),
  });
  assert.deepEqual(endpointsOf(world.simulator, organizationId), [ours.id]);
}

async function nothingLeft(world: World, namespace: string): Promise<void> {
  const paths = [
    pathTo('pipesettings', namespace),
    pathTo('organizations', namespace),
    `/api/v1/namespaces/${namespace}/secrets`,
  ];
  for (const path of paths)
    assert.deepEqual((await world.read<{ items: unknown[] }>(path))?.items, [], path);
}

function endpointsOf(simulator: World['simulator'], organizationId: string): string[] | undefined {
  return simulator.organization(organizationId)?.privateEndpoints.map(({ id }) => id);
}
