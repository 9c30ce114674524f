import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBundles } from '../bundles.ts';
import { startControlPlane } from '../controlplane/controlplane.ts';
import { installOperator } from '../controlplane/install.ts';
import { type Say, step } from '../controlplane/progress.ts';
import { startSimulator } from '../simulator/simulator.ts';
import { someoneElse } from '../simulator/someone-else.ts';
import type { Call } from '../simulator/types.ts';
import { ORGANIZATION, PIPE, RECORD, RECORD_PATH } from '../support/examples.ts';
import { startOperator } from '../support/operator.ts';
import { makePluginFolder } from '../support/plugin-folder.ts';

export const NAMESPACE = 'ingest';

export type World = Awaited<ReturnType<typeof buildWorld>>;

/** Everything that the story plays on, on free ports; what was made is removed by `end`. */
export async function buildWorld(say: Say, onCall: (call: Call) => void) {
  await ensureBundles();
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'pipewright-demo-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const controlPlane = await startControlPlane({ say, stopOnSignal: false });
  stack.defer(controlPlane.stop);
  const keys = {
    first: { id: 'demo-key-1', secret: 'first-secret' },
    next: { id: 'demo-key-2', secret: 'next-secret' },
  };
  const simulator = await startSimulator({
    anyPipe: false,
    pipes: [PIPE],
    keys: { [keys.first.id]: keys.first.secret, [keys.next.id]: keys.next.secret },
    latencyMs: 50,
    onCall,
  });
  stack.defer(simulator.stop);
  simulator.setOrganization(ORGANIZATION, { name: 'Trial account' });
  simulator.setRecord(RECORD_PATH, RECORD);
  const kubeconfig = await step(say, 'Applying the CRDs and the RBAC rules', () =>
    installOperator(controlPlane),
  );
  const operator = await step(say, 'Starting the operator, with its own rights only', () =>
    startOperator({
      kubeconfig,
      apiUrl: simulator.url,
      // The story makes more calls in ten seconds than a cluster does.
      flags: [
        '--leader-elect',
        '--leader-elect-namespace=pipewright',
        '--api-rate=100/10s',
        '--log-level=info',
      ],
    }),
  );
  stack.defer(async () => void (await operator.stop()));
  const programs = await makePluginFolder(controlPlane.folder, controlPlane.kubectlProgram);
  // So that the story's commands are as a user types them, with the plugin and a manifest at hand.
  process.env['PATH'] = `${programs}:${process.env['PATH'] ?? ''}`;
  process.chdir(folder);
  const rest = stack.move();
  return {
    controlPlane,
    simulator,
    operator,
    keys,
    someone: someoneElse(simulator, ORGANIZATION),
    programs,
    end: () => rest.disposeAsync(),
  };
}
