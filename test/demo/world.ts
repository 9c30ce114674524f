import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findBinaries } from '../controlplane/binaries.ts';
import { type ControlPlane, startControlPlane } from '../controlplane/controlplane.ts';
import { withLock } from '../controlplane/lock.ts';
import { type Say, step } from '../controlplane/progress.ts';
import { startSimulator } from '../simulator/simulator.ts';
import { type SomeoneElse, someoneElse } from '../simulator/someone-else.ts';
import type { Call, Simulator } from '../simulator/types.ts';
import { BUILD } from '../steps.ts';
import { ORGANIZATION, SERVICE } from '../support/examples.ts';
import { makePluginFolder } from '../support/plugin-folder.ts';
import { createOperatorProcess, type OperatorProcess } from './operator-process.ts';

export const NAMESPACE = 'ingest';
/** The user that the operator is, as the audit log names it. */
export const OPERATOR_USER = 'system:serviceaccount:pipewright:pipewright';

/** The pipes that deploy/examples speak of. No other one exists. */
const PIPES = ['9e44d1a3-0c7b-4f35-b8e2-71a6c9d05f32', 'c2a8e6f4-5b19-4e7d-a340-98f1b2d7c643'];

export interface ApiKey {
  readonly id: string;
  readonly secret: string;
}

/** Everything that the story plays on. */
export interface World {
  readonly controlPlane: ControlPlane;
  readonly simulator: Simulator;
  /** Another client of the organization, with a key of its own. */
  readonly someone: SomeoneElse;
  readonly operator: OperatorProcess;
  /** The key in use, and the one that takes its place. */
  readonly keys: { readonly old: ApiKey; readonly next: ApiKey };
  readonly logFile: string;
  /** A folder for PATH: kubectl, and the plugin for it. */
  readonly programs: string;
  /** Where the manifests are that the story writes. */
  readonly manifests: string;
  /** Ends everything. The operator's log stays where `keepLog` says so. */
  end(keepLog: boolean): Promise<void>;
}

export interface WorldOptions {
  readonly say: Say;
  readonly onCall: (call: Call) => void;
  /**
   * Called before the first thing is made that has to be removed; until then a signal may end the
   * process as it is.
   */
  readonly onBegin: () => void;
  readonly signal: AbortSignal;
}

/**
 * Builds the world on free ports, so that any number of them stand side by side. What was made is
 * removed when it does not succeed.
 */
export async function buildWorld({ say, onCall, onBegin, signal }: WorldOptions): Promise<World> {
  const binaries = await findBinaries({ say });
  onBegin();
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'pipewright-demo-'));
  let keepLog = false;
  stack.defer(() => (keepLog ? undefined : rm(folder, { recursive: true, force: true })));
  const logFile = join(folder, 'operator.log');
  writeFileSync(logFile, '');
  const manifests = join(folder, 'manifests');
  await mkdir(manifests);
  const bundle = join(folder, 'pipewright.mjs');
  stack.defer(() => rm(bundle, { force: true }));
  await step(say, 'Bundling the operator', () => bundleTo(bundle, say));

  signal.throwIfAborted();
  // It stops itself on signals, so that one in the middle of its start ends the start; ours come on
  // top and do the rest.
  const controlPlane = await startControlPlane({ say, binaries });
  stack.defer(controlPlane.stop);

  const keys = {
    old: { id: 'demo-key-1', secret: 'first-secret' },
    next: { id: 'demo-key-2', secret: 'next-secret' },
  };
  const simulator = await startSimulator({
    anyPipe: false,
    pipes: PIPES.map((pipe) => `${ORGANIZATION}/${SERVICE}/${pipe}`),
    keys: { [keys.old.id]: keys.old.secret, [keys.next.id]: keys.next.secret },
    latencyMs: 50,
    control: true,
    onCall,
  });
  stack.defer(simulator.stop);
  simulator.setOrganization(ORGANIZATION, { name: 'Trial account' });
  say(`The simulated management API listens at ${simulator.url}`);

  signal.throwIfAborted();
  await step(say, 'Applying the CRDs and the RBAC rules', () => installManifests(controlPlane));

  signal.throwIfAborted();
  const kubeconfig = await controlPlane.serviceAccountKubeconfig('pipewright', 'pipewright');
  const flags = [
    `--api-url=${simulator.url}`,
    `--kubeconfig=${kubeconfig}`,
    '--leader-elect',
    '--leader-elect-namespace=pipewright',
    '--listen=127.0.0.1:0',
    // A story makes more calls in ten seconds than the ten that a cluster makes at most.
    '--api-rate=100/10s',
  ];
  const operator = createOperatorProcess({ bundle, flags, logFile });
  stack.defer(async () => void (await operator.stop()));
  // Ctrl-C in a terminal ends the API server as well; nobody should wait for an operator that will
  // never work.
  signal.addEventListener('abort', () => void operator.stop(), { once: true });
  await step(
    say,
    'Starting the operator, with the rights of its ServiceAccount only',
    operator.start,
  );

  const programs = await makePluginFolder(controlPlane.folder, controlPlane.kubectlProgram);
  const rest = stack.move();
  return {
    controlPlane,
    simulator,
    someone: someoneElse(simulator, { organizationId: ORGANIZATION }),
    operator,
    keys,
    logFile,
    programs,
    manifests,
    end: async (keep) => {
      keepLog = keep;
      await rest.disposeAsync();
    },
  };
}

/** Runs kubectl as the administrator; throws with what it said where it fails. */
export async function kubectl(
  controlPlane: ControlPlane,
  args: readonly string[],
  stdin?: string,
): Promise<string> {
  const { code, stdout, stderr } = await controlPlane.kubectl(args, stdin);
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')} ended with ${code}: ${stderr.trim()}`);
  return stdout;
}

/**
 * A copy, because another build may write the file while this demo still starts operators from it.
 */
async function bundleTo(copy: string, say: Say): Promise<void> {
  await withLock({ path: 'node_modules/.pipewright-demo.lock', say }, async () => {
    await promisify(execFile)(process.execPath, [...BUILD.run]);
    await copyFile('dist/pipewright.js', copy);
  });
}

async function installManifests(controlPlane: ControlPlane): Promise<void> {
  await kubectl(controlPlane, ['apply', '--server-side', '-f', 'crds/']);
  const wait = ['wait', '--for=condition=Established', '--timeout=60s', 'crd', '--all'];
  await kubectl(controlPlane, wait);
  for (const file of ['namespace.yaml', 'rbac.yaml']) {
    await kubectl(controlPlane, ['apply', '-f', join('deploy/kustomize/base', file)]);
  }
}
