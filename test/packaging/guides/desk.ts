import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installManifest } from '../../../deploy/install-manifest.ts';
import { type ControlPlane, startControlPlane } from '../../controlplane/controlplane.ts';
import { findProgram, type ProgramName } from '../../controlplane/programs.ts';
import { waitFor } from '../../controlplane/wait-for.ts';
import { startSimulator } from '../../simulator/simulator.ts';
import type { Simulator, SimulatorOptions } from '../../simulator/types.ts';
import { makePluginFolder } from '../../support/plugin-folder.ts';
import { type Reader, readerAt } from '../../support/reader.ts';
import { startControllers } from './controllers.ts';
import { type PlayedNode, playNode } from './played-node.ts';
import { freeStuckCrds } from './stuck-crds.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** The simulated API has no https, which the chart refuses unless it is meant. */
const HTTP_ALLOWED = { '--set api.url=': '--set api.allowHttp=true --set api.url=' };

/** Where somebody follows a page: a cluster of their own, kubectl with the plugin, a checkout. */
export interface Desk extends Reader {
  readonly own: ControlPlane;
  /** Has the address that all pages name. */
  readonly simulator: Simulator;
  /** The operator as the Deployment `pipewright` now has it. */
  readonly node: PlayedNode;
  end(): Promise<void>;
}

export interface DeskOptions {
  readonly simulator?: SimulatorOptions;
  /** On the PATH beside kubectl. */
  readonly programs?: readonly ProgramName[];
  /** With what makes Pods, ends namespaces and adds roles together. */
  readonly controllers?: true;
}

export async function openDesk(options: DeskOptions = {}): Promise<Desk> {
  await using stack = new AsyncDisposableStack();
  const simulator = await startSimulator(options.simulator);
  stack.defer(() => simulator.stop());
  const own = await startControlPlane({ say: () => {} });
  stack.defer(own.stop);
  if (options.controllers) {
    stack.defer((await startControllers(own)).stop);
    stack.defer(freeStuckCrds(own));
  }
  const node = playNode(own, simulator.url);
  stack.defer(node.stop);
  const bin = await makePluginFolder(own.folder, own.kubectlProgram);
  for (const name of options.programs ?? [])
    await symlink(await findProgram(name), join(bin, name));
  const folder = await makeCheckout(join(own.folder, 'checkout'));
  const env = {
    PATH: [join(folder, 'npm', 'bin'), bin, process.env['PATH']].join(':'),
    HOME: folder,
    KUBECONFIG: own.adminKubeconfig,
    KUBECACHEDIR: join(own.folder, 'kubectl'),
    KUBERC: 'off',
    NO_COLOR: '1',
    npm_config_prefix: join(folder, 'npm'),
  };
  const here = { 'https://api.example.com': simulator.url, ...HTTP_ALLOWED };
  const rest = stack.move();
  const end = () => rest.disposeAsync();
  return { own, simulator, node, end, ...readerAt({ folder, env, here }) };
}

/** What commands of guides read of this project and its release, where they may write too. */
async function makeCheckout(folder: string): Promise<string> {
  await mkdir(join(folder, 'dist'), { recursive: true });
  const packed = ['package.json', 'LICENSE', 'THIRD-PARTY-NOTICES', 'kubectl-pipewright.js'];
  for (const name of ['crds', 'deploy', ...packed.map((file) => join('dist', file))])
    await cp(join(ROOT, name), join(folder, name), { recursive: true });
  await writeFile(join(folder, 'install.yaml'), await installManifest());
  return folder;
}

/** What `kubectl apply -f install.yaml` makes, served, with an address for the operator. */
export async function install({ succeed }: Desk): Promise<void> {
  await succeed('kubectl apply -f install.yaml');
  const flags = '--from-literal=PIPEWRIGHT_API_URL=https://api.example.com';
  await succeed(`kubectl -n pipewright create configmap pipewright-flags ${flags}`);
  await waitFor(() => succeed('kubectl get pipewright -A'), {
    what: 'the kinds to be served',
    until: () => true,
  });
}
