import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../controlplane/client.ts';
import { findProgram } from '../controlplane/programs.ts';
import { startSimulator } from '../simulator/simulator.ts';
import type { Simulator } from '../simulator/types.ts';
import { type RunningOperator, startOperator } from '../support/operator.ts';
import { pageBlocks } from '../support/page.ts';
import { type AdminWorld, openAdminWorld, PATIENCE_MS, walkPage } from './admin-world.ts';
import { BUILD_MS } from './helm.ts';
import { freeingStuckCrds } from './stuck-crds.ts';

const ORGANIZATION = '0b1d7c52-4f0e-4d0b-9a53-2f1c6e1d8a10';
const FINALIZER = 'pipewright.dev/remove-private-endpoints';

let world: AdminWorld;
let simulator: Simulator;
let operator: RunningOperator | undefined;

beforeAll(async () => {
  for (const name of ['helm', 'kube-controller-manager'] as const) await findProgram(name);
  world = await openAdminWorld();
  simulator = await startSimulator({
    keys: { 'key-1': 'secret-1' },
    organizations: [ORGANIZATION],
  });
}, BUILD_MS);
afterAll(async () => {
  await operator?.kill();
  await simulator.stop();
  await world.end();
});

/** Namespaces end, and what they hold with them, a while after they are deleted. */
async function leaves(names: readonly string[]): Promise<void> {
  await waitFor(() => world.ours(), {
    what: `${names.join(', ') || 'nothing'} to be all that is left`,
    until: (left) => left.join() === names.join(),
    timeoutMs: 60_000,
  });
}

/** The operator as the Pod would be, of which there is none without a node. */
async function startAsPod(): Promise<void> {
  const kubeconfig = await world.own.serviceAccountKubeconfig('pipewright', 'pipewright');
  const flags = ['--leader-elect', '--leader-elect-namespace', 'pipewright', '--api-rate', '0'];
  operator = await startOperator({ kubeconfig, apiUrl: simulator.url, flags });
}

const organization = (): Promise<string> =>
  world.succeed('kubectl -n ingest get organizations.pipewright.dev acme -o json');
const endpoints = (): string[] =>
  (simulator.organization(ORGANIZATION)?.privateEndpoints ?? []).map(({ id }) => id);
const OURS = '102600141743718403';

/** An Organization whose endpoint is at the platform, deleted in one command with its operator. */
async function deleteAllAtOnce(): Promise<void> {
  const { own, succeed, shell } = world;
  await freeingStuckCrds(own, () => succeed('kubectl delete -f install.yaml --ignore-not-found'));
  await succeed('kubectl apply -f install.yaml');
  await succeed(
    'kubectl create namespace ingest --dry-run=client -o yaml | kubectl apply -f -; kubectl -n ingest create secret generic management-api --from-literal=keyId=key-1 --from-literal=keySecret=secret-1 --dry-run=client -o yaml | kubectl apply -f -',
  );
  await waitFor(
    () =>
      succeed(
        "sed 's/deletionPolicy: Retain/deletionPolicy: RemovePrivateEndpoints/' deploy/examples/organization.yaml | kubectl apply -f -",
      ),
    { what: 'the kind to be served' },
  );
  await startAsPod();
  await waitFor(organization, {
    what: 'the endpoint to be added',
    until: (text) => text.includes(FINALIZER) && text.includes('"origin": "Added"'),
  });
  expect(endpoints()).toContain(OURS);

  // Its Pods end with their namespace, which is the first thing in the file. In the seconds that they
  // have left they may or may not begin; here they do not.
  await operator?.kill();
  operator = undefined;
  // What kubectl would wait for one after the other, the namespace first.
  await succeed('kubectl delete -f install.yaml --wait=false');
  await waitFor(() => shell('kubectl get namespace pipewright'), {
    what: 'the namespace of the operator to go',
    until: (ran) => ran.code !== 0,
    timeoutMs: PATIENCE_MS,
  });
  const { code, stderr } = await shell(
    'kubectl wait --for=delete crd/organizations.pipewright.dev --timeout=2s',
  );
  expect(code).not.toBe(0);
  expect(stderr).toMatch(/timed out waiting for the condition on customresourcedefinitions\/org/);
  expect(await organization()).toContain('"deletionTimestamp"');
  expect(endpoints()).toContain(OURS);
}

describe('install.md', () => {
  walkPage(pageBlocks('deploy/guides/install.md'), () => world, {
    'Uninstall with Helm': { after: () => leaves([]) },
    'Uninstall with kubectl': { after: () => leaves([]) },
    'With kustomize': { after: () => leaves([]) },
    'When the deletion hangs': { before: deleteAllAtOnce },
    'Delete the rest': {
      before: startAsPod,
      after: async () => {
        await waitFor(() => Promise.resolve(endpoints()), {
          what: 'the endpoint to be removed',
          until: (left) => !left.includes(OURS),
        });
        await leaves([]);
      },
    },
    'Keep the endpoints instead': {
      before: async () => {
        await operator?.stop();
        await deleteAllAtOnce();
      },
      after: async () => {
        await freeingStuckCrds(world.own, () => leaves([]));
        await world.succeed(`grep ${OURS} organizations-before.yaml`);
        if (!endpoints().includes(OURS)) throw new Error('the endpoint is gone');
      },
    },
  });
});

describe('upgrade.md', () => {
  const install =
    'helm install pipewright deploy/helm/pipewright -n pipewright --create-namespace --set api.url=https://api.example.com';
  const crds = (): Promise<string> =>
    world.succeed('kubectl get crds -l helm.sh/chart -o jsonpath={.items[*].metadata.uid}');
  let before: string;
  walkPage(pageBlocks('deploy/guides/upgrade.md'), () => world, {
    Helm: { before: () => world.succeed(install) },
    'Go back': {
      // Helm takes over what kubectl has applied in between.
      before: async () => {
        await world.succeed(
          `helm uninstall pipewright -n pipewright; ${install} --take-ownership --force-conflicts`,
        );
        before = await crds();
        if (before.split(' ').length !== 3) throw new Error(`three CRDs have the uids ${before}`);
      },
      after: async () => {
        if ((await crds()) !== before) throw new Error('the CRDs are others than before');
      },
    },
  });
});

describe('operate.md', () => {
  const examples = ['secret', 'pipesettings'].map((name) => `-f deploy/examples/${name}.yaml`);
  walkPage(pageBlocks('deploy/guides/operate.md'), () => world, {
    'Through a proxy': {
      before: async () => {
        await world.succeed(
          'kubectl -n pipewright create configmap pipewright-flags --dry-run=client -o yaml | kubectl apply -f -',
        );
        await waitFor(() => world.succeed(`kubectl apply ${examples.join(' ')}`), {
          what: 'the kinds to be served',
        });
      },
    },
  });

  test('did what it is there for', async () => {
    const read = async (what: string): Promise<unknown> =>
      JSON.parse(await world.succeed(`kubectl get ${what} -o json`));
    expect(await read('configmap pipewright-flags -n pipewright')).toMatchObject({
      data: { HTTPS_PROXY: 'http://proxy.example.com:3128' },
    });
    const key = Buffer.from('NEW').toString('base64');
    expect(await read('secret management-api -n ingest')).toMatchObject({
      data: { keyId: key, keySecret: key },
    });
    expect(JSON.stringify(await read('pset orders -n ingest'))).toMatch(
      /"pipewright.dev\/reconcile-requested-at":"\d+"/,
    );
  });
});

/** The module of test/controlplane/go that has it, and the version. */
const versionIn = (folder: string, module: string): string => {
  const found = new RegExp(`${module} v(\\S+)`).exec(
    readFileSync(`test/controlplane/go/${folder}/go.mod`, 'utf8'),
  );
  return found?.[1] ?? `no ${module} in ${folder}`;
};

test('the table of versions is what the tests run', () => {
  const page = readFileSync('deploy/guides/install.md', 'utf8');
  const rows = [...page.matchAll(/^\| (Kubernetes, .*|Helm \d|kustomize) \| (.*) \|$/gm)];
  expect(rows.map(([, name, versions]) => [name, versions])).toEqual([
    ['Kubernetes, 1.32 or newer', versionIn('kubernetes', 'k8s.io/kubernetes')],
    ['Helm 3', versionIn('helm3', 'helm.sh/helm/v3')],
    ['Helm 4', versionIn('helm', 'helm.sh/helm/v4')],
    ['kustomize', versionIn('kustomize', 'sigs.k8s.io/kustomize/kustomize/v5')],
  ]);
  const chart = readFileSync('deploy/helm/pipewright/Chart.yaml', 'utf8');
  expect(chart).toContain('kubeVersion: ">=1.32.0-0"');
});
