import { waitFor } from '../controlplane/client.ts';
import { startSimulator } from '../simulator/simulator.ts';
import type { Simulator, SimulatorOptions } from '../simulator/types.ts';
import { type Desk, type DeskOptions, openDesk } from './desk.ts';
import { type PlayedNode, playNode } from './played-node.ts';

/** A desk with the operator. The address that all pages name is the simulated API. */
export interface GuideWorld extends Desk {
  readonly simulator: Simulator;
  /** The operator as the Deployment `pipewright` now has it. */
  readonly node: PlayedNode;
  end(): Promise<void>;
}

/** It has no https, which the chart refuses unless it is meant. */
const HTTP_ALLOWED = { '--set api.url=': '--set api.allowHttp=true --set api.url=' };

export async function openGuideWorld(
  options: { readonly simulator?: SimulatorOptions } & Pick<DeskOptions, 'programs'> = {},
): Promise<GuideWorld> {
  const { programs = {} } = options;
  const simulator = await startSimulator(options.simulator);
  const here = { 'https://api.example.com': simulator.url, ...HTTP_ALLOWED };
  const desk = await openDesk({ programs, here });
  const { own } = desk;
  const at = { namespace: 'pipewright', name: 'pipewright' };
  const node = playNode({ own, ...at, apiUrl: simulator.url });
  return {
    ...desk,
    simulator,
    node,
    async end() {
      await node.stop();
      await simulator.stop();
      await own.stop();
    },
  };
}

/** What `kubectl apply -f install.yaml` makes, served, with an address for the operator. */
export async function install({ succeed }: GuideWorld): Promise<void> {
  await succeed('kubectl apply -f install.yaml');
  await succeed(
    'kubectl -n pipewright create configmap pipewright-flags --from-literal=PIPEWRIGHT_API_URL=https://api.example.com',
  );
  await waitFor(() => succeed('kubectl get pipewright -A'), {
    what: 'the kinds to be served',
    until: () => true,
  });
}
