import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findProgram } from '../controlplane/programs.ts';
import { type Ran, run } from '../packaging/run.ts';
import { type ApplicationView, resourceIn } from './applications.ts';
import { activity, callsFor, organization, pathTo, pipeSettings, secret } from './manifests.ts';
import type { Reader } from './reader.ts';
import type { World } from './world.ts';

const REQUESTED_AT = 'pipewright.dev/reconcile-requested-at';
const ORDERS = '9e44d1a3-0c7b-4f35-b8e2-71a6c9d05f32';

interface Acted {
  readonly metadata: {
    readonly generation: number;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: { readonly suspend?: boolean };
  readonly status: {
    readonly lastHandledReconcileAt?: string;
    readonly conditions: readonly { readonly type: string; readonly reason: string }[];
  };
}

/** The commands of the page, on the Application that the page makes. */
export async function actionsOfThePage(world: World): Promise<void> {
  const path = pathTo('pipesettings', 'ingest', 'orders');
  const before = world.simulator.callCount({ pathIncludes: callsFor(ORDERS) });
  const { metadata } = await objectAt(world, path);
  await world.reader.follow('Actions');
  const { metadata: after, spec } = await objectAt(world, path);
  assert.equal(spec.suspend, false);
  assert.equal(after.generation, metadata.generation + 2, 'one for suspend, one for resume');
  await world.until(
    'orders to be sent again',
    () => world.simulator.callCount({ pathIncludes: callsFor(ORDERS) }),
    (calls) => calls > before,
  );
  await world.until(
    'orders to be Applied',
    () => objectAt(world, path),
    (object) => reasonOf(object) === 'Applied',
  );
}

/** The page's lines for argocd-rbac-cm allow these actions, for its project, and no others. */
export async function rightsOfThePage({ reader }: World): Promise<void> {
  const page = await readFile('deploy/argocd/README.md', 'utf8');
  const policy = join(reader.folder, 'policy.csv');
  await writeFile(policy, (page.match(/^p, .*\n/gm) ?? []).join(''));
  const action = 'action/pipewright.dev/PipeSettings/suspend';
  for (const [what, where, answer] of [
    [action, 'default/pipewright', 'Yes'],
    [action, 'another/pipewright', 'No'],
    ['action/apps/Deployment/restart', 'default/pipewright', 'No'],
  ] as const) {
    const args = ['admin', 'settings', 'rbac', 'can', 'role:platform', what, 'applications', where];
    const { stdout, stderr } = await argocd(reader, [...args, '--policy-file', policy]);
    assert.equal(stdout.trim(), answer, `${what} in ${where}: ${stderr}`);
  }
}

/** Each kind acts on what Argo CD's API server makes of its live object. */
export async function actionsOnEachKind(world: World): Promise<void> {
  const { simulator, repository, apps } = world;
  const id = '7f0e1d2c-3b4a-4958-8776-655443322c10';
  simulator.setOrganization(id, {});
  simulator.setActivity('0b1d7c52-91a4-4f0e-8a3b-6f1e2d3c4b5a', {
    id: 'acted-record',
    type: 'create',
  });
  await repository.commit('objects for actions', {
    'apps/acted/secret.yaml': secret(),
    'apps/acted/pipe.yaml': pipeSettings('acted-pipe'),
    'apps/acted/stated.yaml': pipeSettings('stated-pipe', { spec: { suspend: false } }),
    'apps/acted/org.yaml': organization('acted-org', id, { spec: { privateEndpoints: [] } }),
    'apps/acted/record.yaml': activity('acted-record'),
  });
  await apps.create({ name: 'acted', path: 'apps/acted', namespace: 'acted' });
  await apps.untilHealthy('acted');
  for (const [kind, plural, name, calls] of [
    ['PipeSettings', 'pipesettings', 'acted-pipe', callsFor('acted-pipe')],
    ['Organization', 'organizations', 'acted-org', id],
    ['Activity', 'activities', 'acted-record', '/acted-record'],
  ] as const)
    await reconciledTwice(world, { kind, name, calls, path: pathTo(plural, 'acted', name) });
  await suspendedWhereGitIsSilent(world);
  await suspendedWhereGitSaysNo(world);
}

/** Two requests within a second or so are two values, and the operator acts on the second. */
async function reconciledTwice(
  world: World,
  target: {
    readonly kind: string;
    readonly name: string;
    readonly calls: string;
    readonly path: string;
  },
): Promise<void> {
  const { kind, name, calls, path } = target;
  const match = { pathIncludes: calls };
  const before = world.simulator.callCount(match);
  const { metadata, status } = await objectAt(world, path);
  const values = new Set<string | undefined>();
  for (let time = 0; time < 2; time += 1) {
    await act(world, 'reconcile', kind, name);
    values.add((await objectAt(world, path)).metadata.annotations?.[REQUESTED_AT]);
  }
  const [first, second] = [...values];
  assert.ok(first && second, `${kind}: the second request has the value of the first, ${first}`);
  const handled = await world.until(
    `${kind} ${name} to act on ${second}`,
    () => objectAt(world, path),
    (object) => object.status.lastHandledReconcileAt === second,
  );
  assert.ok(world.simulator.callCount(match) > before, `${kind}: no call was made`);
  assert.equal(handled.metadata.generation, metadata.generation, `${kind}: the spec was edited`);
  assert.deepEqual(handled.status.conditions[0]?.reason, status.conditions[0]?.reason);
}

/** Argo CD finds no difference, so the object stays suspended until it is resumed. */
async function suspendedWhereGitIsSilent(world: World): Promise<void> {
  const { apps } = world;
  const path = pathTo('pipesettings', 'acted', 'acted-pipe');
  await act(world, 'suspend', 'PipeSettings', 'acted-pipe');
  const shown = await apps.until('acted', 'Suspended', isShown('acted-pipe', 'Suspended'));
  assert.equal(shown.status?.sync?.status, 'Synced');
  const looked = shown.status?.reconciledAt;
  await apps.refresh('acted', 'hard');
  const compared = await apps.until('acted', 'compared anew', ({ status }) =>
    Boolean(status?.reconciledAt && status.reconciledAt !== looked),
  );
  assert.equal(compared.status?.sync?.status, 'Synced');
  assert.equal((await objectAt(world, path)).spec.suspend, true);
  await act(world, 'resume', 'PipeSettings', 'acted-pipe');
  await apps.until('acted', 'Healthy', isShown('acted-pipe', 'Healthy'));
  assert.equal((await objectAt(world, path)).spec.suspend, false);
  assert.equal((await apps.get('acted')).status?.sync?.status, 'Synced');
}

/** With selfHeal, what Git says comes back by itself. */
async function suspendedWhereGitSaysNo(world: World): Promise<void> {
  const path = pathTo('pipesettings', 'acted', 'stated-pipe');
  const { metadata } = await objectAt(world, path);
  await act(world, 'suspend', 'PipeSettings', 'stated-pipe');
  const back = await world.until(
    'Git to win',
    () => objectAt(world, path),
    (object) => object.spec.suspend === false && object.metadata.generation > metadata.generation,
  );
  assert.equal(back.metadata.generation, metadata.generation + 2);
  await world.apps.until('acted', 'Healthy', isShown('stated-pipe', 'Healthy'));
}

const isShown =
  (name: string, health: string) =>
  (app: ApplicationView): boolean =>
    resourceIn(app, 'PipeSettings', name)?.health?.status === health;

async function act(world: World, action: string, kind: string, name: string): Promise<void> {
  const args = ['app', 'actions', 'run', 'acted', action, '--kind', kind, '--resource-name', name];
  const { code, stdout, stderr } = await argocd(world.reader, args);
  assert.equal(code, 0, `argocd ${args.join(' ')}: ${stdout}${stderr}`);
}

async function argocd({ env }: Reader, args: readonly string[]): Promise<Ran> {
  return run(await findProgram('argocd'), args, { env: { ...env, ARGOCD_BINARY_NAME: 'argocd' } });
}

async function objectAt(world: World, path: string): Promise<Acted> {
  const object = await world.read<Acted>(path);
  assert.ok(object, `${path} is gone`);
  return object;
}

const reasonOf = ({ status }: Acted): string | undefined =>
  status.conditions.find(({ type }) => type === 'Ready')?.reason;
