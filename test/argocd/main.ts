import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { ensureBundles } from '../bundles.ts';
import { progressLines, step } from '../controlplane/progress.ts';
import { pageBlocks } from '../support/page.ts';
import { type Application, openWorld, type World } from './world.ts';

/**
 * A real Argo CD with what deploy/argocd has: its health checks, and its Application over CRDs and
 * the objects of deploy/examples, from a git repository on disk.
 */
const STEPS: readonly (readonly [law: string, run: (world: World) => Promise<void>])[] = [
  ['it syncs CRDs and an object of each kind, and is Healthy when the API has them', syncs],
  ['it stays Synced without a difference, however it applies and compares', staysSynced],
  ['a value that the API refuses is Degraded, in the words of the API', degrades],
  ['the mend in Git heals it', heals],
  ['pruning an Organization removes the endpoint that it added, and no other', prunes],
];

interface Manifest {
  readonly metadata: object;
  readonly spec: Readonly<Record<string, unknown>>;
}

const ORGANIZATION = example('organization');
const PIPE = example('pipesettings');
const ACTIVITY = example('activity');
const ORGANIZATION_ID = String(ORGANIZATION.spec['organizationId']);
const OWN_ENDPOINT = '102600141743718403';
/** Added by somebody else, before. */
const FOREIGN_ENDPOINT = { id: 'foreign', cloudProvider: 'gcp', region: 'ap-northeast-1' };
/** Ways to apply and to compare; what is shipped comes last. */
const WAYS = [
  { syncOptions: [], compare: '' },
  { syncOptions: ['ServerSideApply=true'], compare: 'ServerSideDiff=true' },
  { syncOptions: ['CreateNamespace=true', 'ServerSideApply=true'], compare: '' },
];
const REFRESH = 'argocd.argoproj.io/refresh';

function example(name: string): Manifest {
  return parse(readFileSync(`deploy/examples/${name}.yaml`, 'utf8')) as Manifest;
}

/** The text of the manifest, with these fields in place of those of its spec. */
function inWave(wave: number, { metadata, spec, ...rest }: Manifest, changes = {}): string {
  const annotations = { 'argocd.argoproj.io/sync-wave': String(wave) };
  return JSON.stringify({
    ...rest,
    metadata: { ...metadata, annotations },
    ...(spec && { spec: { ...spec, ...changes } }),
  });
}

const pipeWith = (threads: number): Record<string, string> => ({
  'ingest/pipe.yaml': inWave(3, PIPE, { settings: { engine_max_threads: threads } }),
});

async function syncs(world: World): Promise<void> {
  const { simulator, kubectl } = world;
  for (const { script } of pageBlocks('deploy/argocd/README.md'))
    await kubectl(script.trim().split(' ').slice(1));
  simulator.setOrganization(ORGANIZATION_ID, { name: 'Before', add: [FOREIGN_ENDPOINT] });
  const activity = { id: String(ACTIVITY.spec['activityId']), type: 'create' };
  simulator.setRecord(`/v1/organizations/${ORGANIZATION_ID}/activities/${activity.id}`, activity);
  const crds = readdirSync('crds').filter((name) => name.endsWith('.yaml'));
  const texts = crds.map((name) => [`operator/${name}`, readFileSync(`crds/${name}`, 'utf8')]);
  const deletionPolicy = 'RemovePrivateEndpoints';
  const commit = await world.commit({
    ...Object.fromEntries(texts),
    'ingest/namespace.yaml': '{ apiVersion: v1, kind: Namespace, metadata: { name: ingest } }',
    'ingest/secret.yaml': inWave(1, example('secret')),
    'ingest/organization.yaml': inWave(2, ORGANIZATION, { deletionPolicy }),
    'ingest/activity.yaml': inWave(3, ACTIVITY),
    ...pipeWith(2),
  });
  await kubectl(['apply', '-f', '-'], JSON.stringify(shippedApplication(world)));
  await world.until('the Organization to wait for the operator', ({ status }) =>
    Boolean(status?.resources?.some(({ kind, health }) => kind === 'Organization' && health)),
  );
  await world.startOperator();
  await untilHealthy(world, commit);
  assert.deepEqual(endpointIds(world), [FOREIGN_ENDPOINT.id, OWN_ENDPOINT]);
}

/** As it is shipped, but for addresses; the CRDs stand for the chart, whose Pod has no node. */
function shippedApplication({ repository }: World): object {
  const text = readFileSync('deploy/argocd/application.yaml', 'utf8');
  const shipped = parse(text) as { spec: { sources: [chart: object, objects: object] } };
  const crds = { repoURL: repository, targetRevision: 'main', path: 'operator' };
  const sources = [crds, { ...shipped.spec.sources[1], repoURL: repository }];
  return { ...shipped, spec: { ...shipped.spec, sources } };
}

async function untilHealthy({ until }: World, commit: string): Promise<void> {
  await until(`commit ${commit} to be Synced and Healthy`, ({ status }) => {
    const { sync, health, operationState } = status ?? {};
    const isSynced = sync?.status === 'Synced' && operationState?.phase === 'Succeeded';
    const isOfCommit = sync?.revisions?.every((revision) => revision === commit);
    return isSynced && isOfCommit === true && health?.status === 'Healthy';
  });
}

async function staysSynced(world: World): Promise<void> {
  const isRefreshed = (seen: Application): boolean => !seen.metadata.annotations?.[REFRESH];
  const summary = ({ status }: Application): unknown[] => {
    const { sync, health, operationState } = status ?? {};
    return [sync?.status, health?.status, operationState?.startedAt];
  };
  const before = summary(await world.until('the Application', isRefreshed));
  assert.deepEqual(before.slice(0, 2), ['Synced', 'Healthy']);
  for (const { syncOptions, compare } of WAYS) {
    const annotations = { [REFRESH]: 'hard', 'argocd.argoproj.io/compare-options': compare };
    await world.patch({ metadata: { annotations }, spec: { syncPolicy: { syncOptions } } });
    const seen = await world.until('a hard refresh', isRefreshed);
    assert.deepEqual(summary(seen), before, JSON.stringify({ syncOptions, compare }));
  }
  for (const kind of ['organizations', 'pipesettings', 'activities']) {
    const path = 'jsonpath={.items[*].metadata.generation}';
    const generations = await world.kubectl(['get', kind, '-n', 'ingest', '-o', path]);
    assert.equal(generations, '1', `${kind} were edited`);
  }
}

async function degrades(world: World): Promise<void> {
  const calls = { pathIncludes: `/${String(PIPE.spec['pipeId'])}/` };
  world.simulator.play({ settings: { ranges: { engine_max_threads: [1, 4] } } });
  await push(world, pipeWith(7));
  const isDegraded = (seen: Application): boolean => seen.status?.health?.status === 'Degraded';
  const { status } = await world.until('it to be Degraded', isDegraded);
  const pipe = status?.resources?.find(({ kind }) => kind === 'PipeSettings');
  const { requestId } = world.simulator.calls(calls).at(-1) ?? {};
  const told = RegExp(`^Rejected: .*HTTP 400.*engine_max_threads.*${requestId}`);
  assert.match(pipe?.health?.message ?? '', told);
}

async function heals(world: World): Promise<void> {
  await untilHealthy(world, await push(world, pipeWith(3)));
}

async function prunes(world: World): Promise<void> {
  await untilHealthy(world, await push(world, { 'ingest/organization.yaml': '' }));
  assert.equal(await world.kubectl(['get', 'organizations', '-n', 'ingest', '-o', 'name']), '');
  assert.deepEqual(endpointIds(world), [FOREIGN_ENDPOINT.id]);
}

/** Commits, and has Argo CD look at Git now, not at its next turn. */
async function push(world: World, files: Record<string, string>): Promise<string> {
  const commit = await world.commit(files);
  await world.patch({ metadata: { annotations: { [REFRESH]: 'normal' } } });
  return commit;
}

function endpointIds({ simulator }: World): string[] | undefined {
  return simulator.organization(ORGANIZATION_ID)?.privateEndpoints.map(({ id }) => id);
}

async function main(): Promise<boolean> {
  await ensureBundles();
  const say = progressLines();
  await using world = await openWorld(say);
  let passed = 0;
  try {
    for (const [law, run] of STEPS) {
      await step(say, law, () => run(world));
      passed += 1;
    }
  } catch (error) {
    // Each step stands on the one before.
    const why = error instanceof Error ? error.message : String(error);
    console.log(`FAIL  ${STEPS[passed]?.[0]}: ${why}`);
  }
  const isWhole = passed === STEPS.length;
  console.log(`${passed} passed, ${isWhole ? 0 : 1} failed`);
  return isWhole;
}

process.exitCode = (await main()) ? 0 : 1;
