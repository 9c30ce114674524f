import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { activity, organization, pathTo, pipeSettings, secret } from './manifests.ts';
import type { World } from './world.ts';

const QUIET_MS = 120_000;
const LOOK_MS = 1_000;
/** A hard refresh compares everything anew, without what Argo CD remembers. */
const REFRESH_EVERY_MS = 20_000;

/** The ways in which Argo CD applies and compares. */
const WAYS = [
  { name: 'client-side', syncOptions: [], annotations: {} },
  { name: 'server-side', syncOptions: ['ServerSideApply=true'], annotations: {} },
  {
    name: 'server-side-diff',
    syncOptions: ['ServerSideApply=true'],
    annotations: { 'argocd.argoproj.io/compare-options': 'ServerSideDiff=true' },
  },
] as const;

const ORGANIZATIONS = [1, 2, 3].map((last) => `7f0e1d2c-3b4a-4958-8776-6554433221${last}0`);

/** An application for each way, with an object of each kind. */
export async function openQuiet({ repository, apps, simulator }: World): Promise<void> {
  const files: Record<string, string> = {};
  WAYS.forEach(({ name }, index) => {
    const id = ORGANIZATIONS[index] ?? '';
    simulator.setOrganization(id, { name: 'Before' });
    simulator.setActivity('0b1d7c52-91a4-4f0e-8a3b-6f1e2d3c4b5a', {
      id: `${name}-record`,
      type: 'create',
    });
    const endpoint = { id: 'psc-1', cloudProvider: 'gcp', region: 'ap-northeast-1' };
    files[`apps/${name}/secret.yaml`] = secret();
    files[`apps/${name}/pipe.yaml`] = pipeSettings(`${name}-pipe`, {
      // As people write them; the API reports its own way.
      spec: {
        reassertInterval: '60m',
        settings: { streaming_max_insert_wait_ms: 5000, engine_parallel_view_processing: true },
      },
    });
    files[`apps/${name}/org.yaml`] = organization(`${name}-org`, id, {
      spec: {
        name: 'Acme Data',
        privateEndpoints: [endpoint],
        deletionPolicy: 'RemovePrivateEndpoints',
      },
    });
    files[`apps/${name}/record.yaml`] = activity(`${name}-record`);
  });
  await repository.commit('one application for each way of syncing', files);
  for (const way of WAYS)
    await apps.create({ ...way, path: `apps/${way.name}`, namespace: way.name });
}

/** Each is Synced and Healthy, and stays so without a sync, a write to a spec or a difference. */
export async function staysQuiet(world: World): Promise<void> {
  const { apps } = world;
  const names = WAYS.map(({ name }) => name);
  const before = await Promise.all(names.map((name) => apps.untilHealthy(name)));
  const started = before.map(({ status }) => status?.operationState?.startedAt);
  const beginning = performance.now();
  let refreshes = 0;
  for (let quietMs = 0; quietMs < QUIET_MS; quietMs = performance.now() - beginning) {
    const isDue = quietMs >= (refreshes + 1) * REFRESH_EVERY_MS;
    if (isDue) for (const name of names) await apps.refresh(name, 'hard');
    refreshes += isDue ? 1 : 0;
    const after = `after ${Math.round(quietMs / 1000)} s`;
    for (const [index, name] of names.entries()) {
      const { status } = await apps.get(name);
      assert.equal(status?.sync?.status, 'Synced', `${name}: a difference ${after}`);
      assert.equal(status?.health?.status, 'Healthy', `${name} ${after}`);
      assert.equal(
        status?.operationState?.startedAt,
        started[index],
        `${name} was synced again ${after}`,
      );
    }
    await pause(LOOK_MS, undefined, { signal: world.signal });
  }
  for (const name of names) {
    for (const [plural, suffix] of [
      ['pipesettings', 'pipe'],
      ['organizations', 'org'],
      ['activities', 'record'],
    ] as const) {
      const object = await world.read<{ metadata: { generation: number } }>(
        pathTo(plural, name, `${name}-${suffix}`),
      );
      assert.equal(object?.metadata.generation, 1, `${plural} of ${name} were edited`);
    }
  }
}
