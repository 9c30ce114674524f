import { waitFor } from '../controlplane/client.ts';
import { nodeStatus, startKubelet } from '../support/fake-node.ts';
import { type GuideWorld, openGuideWorld } from './guide-world.ts';
import { CHART } from './helm.ts';

const POD = 'pipewright-5d8f7c9b4-x2k7q';
export const ORDERS = 'pipesettings.pipewright.dev/orders';

/** An operator that Helm installed, its Pod, and an object `orders` that is Applied. */
export interface RunbookWorld extends GuideWorld {
  create(...objects: readonly object[]): Promise<void>;
  /** Waits until `orders` is Ready or not with this reason. */
  reasonIs(reason: string): Promise<void>;
  /** Has `orders` sent again. */
  tryNow(): Promise<void>;
  /** One more line in the log of the Pod, as the operator writes them. */
  logs(msg: string): void;
}

export async function openRunbookWorld(): Promise<RunbookWorld> {
  const guide = await openGuideWorld({
    programs: { helm: 'helm' },
    simulator: { keys: { 'old-id': 'old-secret' } },
  });
  const { node, succeed } = guide;
  const logged: string[] = [];
  const kubelet = await startKubelet((pod) =>
    pod === POD ? { now: [node.output(), ...logged].join('\n') } : undefined,
  );
  const world: RunbookWorld = {
    ...guide,
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
      await guide.end();
      await kubelet.close();
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
