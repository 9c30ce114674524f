import { mkdir, symlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { waitFor } from '../controlplane/client.ts';
import { type ControlPlane, startControlPlane } from '../controlplane/controlplane.ts';
import { findProgram } from '../controlplane/programs.ts';
import { startSimulator } from '../simulator/simulator.ts';
import type { Simulator } from '../simulator/types.ts';
import { nodeStatus, startKubelet } from '../support/fake-node.ts';
import { makePluginFolder } from '../support/plugin-folder.ts';
import { CHART } from './helm.ts';
import { type PlayedNode, playNode } from './played-node.ts';
import { type Ran, run } from './run.ts';

const POD = 'pipewright-5d8f7c9b4-x2k7q';
export const ORDERS = 'pipesettings.pipewright.dev/orders';

/** An operator that Helm installed, its Pod, and an object `orders` that is Applied. */
export interface RunbookWorld {
  readonly own: ControlPlane;
  readonly simulator: Simulator;
  readonly node: PlayedNode;
  /** Where the reader stands: a checkout's `deploy`, and files of their own. */
  readonly desk: string;
  /** As a person types it at the desk. */
  shell(script: string): Promise<Ran>;
  /** The same, where it should succeed. */
  succeed(script: string): Promise<string>;
  create(...objects: readonly object[]): Promise<void>;
  /** Waits until `orders` is Ready or not with this reason. */
  reasonIs(reason: string): Promise<void>;
  /** Has `orders` sent again. */
  tryNow(): Promise<void>;
  /** One more line in the log of the Pod, as the operator writes them. */
  logs(msg: string): void;
  end(): Promise<void>;
}

export async function openRunbookWorld(): Promise<RunbookWorld> {
  const helm = await findProgram('helm');
  const own = await startControlPlane({ say: () => {} });
  const simulator = await startSimulator({ keys: { 'old-id': 'old-secret' } });
  const node = playNode({
    own,
    namespace: 'pipewright',
    name: 'pipewright',
    apiUrl: simulator.url,
  });
  const logged: string[] = [];
  const kubelet = await startKubelet((pod) =>
    pod === POD ? { now: [node.output(), ...logged].join('\n') } : undefined,
  );
  const desk = join(own.folder, 'desk');
  await mkdir(desk);
  await symlink(resolve('deploy'), join(desk, 'deploy'));
  const bin = await makePluginFolder(own.folder, own.kubectlProgram);
  const env = {
    PATH: [bin, dirname(helm), process.env['PATH']].join(':'),
    HOME: join(own.folder, 'home'),
    KUBECONFIG: own.adminKubeconfig,
    KUBECACHEDIR: join(own.folder, 'kubectl'),
    KUBERC: 'off',
  };
  const shell = (script: string): Promise<Ran> =>
    run('sh', ['-e', '-c', script], { cwd: desk, env });
  const succeed = async (script: string): Promise<string> => {
    const { code, stdout, stderr } = await shell(script);
    if (code !== 0) throw new Error(`${script}\nended with ${code}: ${stderr}`);
    return stdout;
  };
  const world: RunbookWorld = {
    own,
    simulator,
    node,
    desk,
    shell,
    succeed,
    async create(...objects) {
      const items = objects.map((one) => ({ apiVersion: 'v1', ...one }));
      const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
      await succeed(`kubectl apply -f - <<'END'\n${list}\nEND`);
    },
    async reasonIs(reason) {
      await succeed(
        `kubectl -n ingest wait --for=jsonpath='{.status.conditions[?(@.type=="Ready")].reason}'=${reason} ${ORDERS} --timeout=30s`,
      );
    },
    async tryNow() {
      await succeed(
        `kubectl -n ingest annotate ${ORDERS} pipewright.dev/reconcile-requested-at=${performance.now()} --overwrite`,
      );
    },
    logs: (msg) => void logged.push(JSON.stringify({ level: 'warn', msg })),
    async end() {
      await node.stop();
      await kubelet.close();
      await simulator.stop();
      await own.stop();
    },
  };
  await installed(world);
  await withPod(world, kubelet.port);
  await withObject(world);
  return world;
}

async function installed({ succeed, node }: RunbookWorld): Promise<void> {
  await succeed(
    `helm install pipewright ${CHART} -n pipewright --create-namespace --set api.url=https://api.example.com --set networkPolicy.enabled=true`,
  );
  await node.sync();
}

/** The one that the controllers would make for the Deployment. */
async function withPod({ create, succeed }: RunbookWorld, kubeletPort: number): Promise<void> {
  await create(
    { kind: 'Node', metadata: { name: 'one' } },
    {
      kind: 'Pod',
      metadata: {
        name: POD,
        namespace: 'pipewright',
        labels: {
          'app.kubernetes.io/name': 'pipewright',
          'app.kubernetes.io/instance': 'pipewright',
        },
      },
      spec: {
        nodeName: 'one',
        serviceAccountName: 'pipewright',
        containers: [{ name: 'pipewright', image: 'pipewright' }],
      },
    },
  );
  const status = JSON.stringify({ status: nodeStatus(kubeletPort) });
  await succeed(`kubectl patch node one --subresource=status --type=merge --patch='${status}'`);
}

async function withObject({ create, succeed, reasonIs }: RunbookWorld): Promise<void> {
  await create(
    { kind: 'Namespace', metadata: { name: 'ingest' } },
    {
      kind: 'Secret',
      metadata: { name: 'management-api', namespace: 'ingest', labels: { kept: 'yes' } },
      stringData: { keyId: 'old-id', keySecret: 'old-secret' },
    },
  );
  await waitFor(() => succeed('kubectl apply -f deploy/examples/pipesettings.yaml'), {
    what: 'the kinds to be served',
  });
  await reasonIs('Applied');
}
