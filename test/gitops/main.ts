import { once } from 'node:events';
import { progressLines, step } from '../controlplane/progress.ts';
import { BUILD, runQuietly } from '../steps.ts';
import { actionScripts } from './action-scripts.ts';
import { actionsOfThePage, actionsOnEachKind, rightsOfThePage } from './actions.ts';
import {
  deletion,
  hopelessDeletion,
  outage,
  pruning,
  refusedValue,
  renaming,
  waves,
} from './changes.ts';
import { healthChecks } from './health.ts';
import {
  appOfApps,
  appOfAppsDeleted,
  oneApplication,
  oneApplicationDeleted,
  withoutOperator,
} from './install.ts';
import { startKubelet } from './kubelet.ts';
import { openOverrides } from './overrides.ts';
import { openQuiet, staysQuiet } from './quiet.ts';
import { teams } from './teams.ts';
import { buildWorld, type World } from './world.ts';

/**
 * A real Argo CD syncs objects of the three kinds to a real API server, from a git repository on
 * disk.
 */
async function story(world: World): Promise<void> {
  const { say } = world;
  const kubelet = startKubelet(world);
  await step(say, 'Installing the health checks and actions', () =>
    world.reader.follow('Install the health checks and actions'),
  );
  await step(say, 'One Application with CRDs, operator, Secret and objects', () =>
    oneApplication(world),
  );
  await behaviour(world);
  await step(say, 'Deleting that Application', () => oneApplicationDeleted(world, kubelet));
  await step(say, 'The same as an app of apps, the operator from Git', () => appOfApps(world));
  await step(say, 'Deleting that', () => appOfAppsDeleted(world, kubelet));
  await kubelet.stop();
  await step(say, 'An Organization whose operator is gone', () => withoutOperator(world));
  world.reader.hasRunAll();
}

async function behaviour(world: World): Promise<void> {
  const { say } = world;
  await step(say, 'Opening an application for each way of syncing', () => openQuiet(world));
  const quiet = step(say, 'Synced and Healthy, with no difference for 2 minutes, in each way', () =>
    staysQuiet(world),
  );
  const stuck = step(say, 'Deleting an application while the API fails', () =>
    hopelessDeletion(world, 'deleted-in-vain', '7f0e1d2c-3b4a-4958-8776-655443322b10'),
  );
  const scripts = step(say, 'Health and actions, by the program of Argo CD', () =>
    shippedScripts(world),
  );
  // They are awaited below; until then a failure of theirs must not end the process in the middle
  // of another step.
  for (const slow of [quiet, stuck, scripts]) slow.catch(() => undefined);
  await step(say, 'The actions of the page', () => actionsOfThePage(world));
  await step(say, 'Who may run them', () => rightsOfThePage(world));
  await step(say, 'Actions on each kind', () => actionsOnEachKind(world));
  await step(say, 'An Application for each team', () => teams(world));
  await step(say, 'A refused value is Degraded, in the words of the API', () =>
    refusedValue(world),
  );
  await step(say, 'Pruning', () => pruning(world));
  await step(say, 'A wave waits for the one before', () => waves(world));
  await step(say, 'Renaming', () => renaming(world, 'renamed', []));
  await step(say, 'Renaming, pruned last', () =>
    renaming(world, 'renamed-last', ['PruneLast=true']),
  );
  await step(say, 'Deleting an application with its Secret', () =>
    deletion(world, 'deleted', '7f0e1d2c-3b4a-4958-8776-655443322a10'),
  );
  await stuck;
  // Those that are quiet stay so: what is applied needs no API.
  await step(say, 'An outage is Progressing, and Healthy by itself when it is over', () =>
    outage(world),
  );
  await Promise.all([quiet, scripts]);
}

async function shippedScripts({ say }: World): Promise<void> {
  await using overrides = await openOverrides();
  say(`The health of ${await healthChecks(overrides)} states`);
  say(`${await actionScripts(overrides)} runs of actions`);
}

async function main(): Promise<boolean> {
  if (!(await runQuietly(BUILD))) return false;
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => stop.abort(new Error(signal)));
  const say = progressLines();
  const world = await buildWorld({ say, signal: stop.signal });
  let holds = false;
  try {
    await Promise.race([story(world), once(stop.signal, 'abort')]);
    stop.signal.throwIfAborted();
    say('All of it holds');
    holds = true;
  } finally {
    const folder = await world.end(!holds);
    if (!holds) say(`The logs are in ${folder}`);
  }
  return holds;
}

try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
