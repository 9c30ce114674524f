import { readFileSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EVENTS } from '../../src/kinds/status/event-reasons.ts';
import { waitFor } from '../controlplane/client.ts';
import { type ControlPlane, startControlPlane } from '../controlplane/controlplane.ts';
import { findProgram } from '../controlplane/programs.ts';
import { startSimulator } from '../simulator/simulator.ts';
import type { Simulator } from '../simulator/types.ts';
import { nodeStatus, startKubelet } from '../support/fake-node.ts';
import { type PageBlock, pageBlocks, pageQueries } from '../support/page.ts';
import { makePluginFolder } from '../support/plugin-folder.ts';
import { alertsIn, plainRules, RUNBOOK } from './alerts.ts';
import { BUILD_MS, CHART } from './helm.ts';
import { type PlayedNode, playNode } from './played-node.ts';
import { complaintsOf } from './promtool.ts';
import { type Ran, run } from './run.ts';

const PAGE = readFileSync(RUNBOOK, 'utf8');
const PIPE =
  '0b1d7c52-4f0e-4d0b-9a53-2f1c6e1d8a10/5c2f9b7e-86a1-4b6c-8f07-5d9c0a4b3e21/9e44d1a3-0c7b-4f35-b8e2-71a6c9d05f32';
const POD = 'pipewright-5d8f7c9b4-x2k7q';
const ORDERS = 'pipesettings.pipewright.dev/orders';

let own: ControlPlane;
let simulator: Simulator;
let node: PlayedNode;
let kubelet: Awaited<ReturnType<typeof startKubelet>>;
let desk: string;
let path: string;

/** As a person types it, in a folder with a checkout's `deploy` and files of their own. */
function shell(script: string): Promise<Ran> {
  const home = join(own.folder, 'home');
  return run('sh', ['-e', '-c', script], {
    cwd: desk,
    env: {
      PATH: path,
      HOME: home,
      KUBECONFIG: own.adminKubeconfig,
      KUBECACHEDIR: join(own.folder, 'kubectl'),
      KUBERC: 'off',
    },
  });
}

async function succeed(script: string): Promise<string> {
  const { code, stdout, stderr } = await shell(script);
  if (code !== 0) throw new Error(`${script}\nended with ${code}: ${stderr}`);
  return stdout;
}

async function create(...objects: readonly object[]): Promise<void> {
  const items = objects.map((one) => ({ apiVersion: 'v1', ...one }));
  const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  await succeed(`kubectl apply -f - <<'END'\n${list}\nEND`);
}

beforeAll(async () => {
  const helm = await findProgram('helm');
  own = await startControlPlane({ say: () => {} });
  simulator = await startSimulator({ keys: { 'old-id': 'old-secret' } });
  node = playNode({ own, namespace: 'pipewright', name: 'pipewright', apiUrl: simulator.url });
  kubelet = await startKubelet((pod) => (pod === POD ? { now: node.output() } : undefined));
  desk = join(own.folder, 'desk');
  await mkdir(desk);
  await symlink(resolve('deploy'), join(desk, 'deploy'));
  const bin = await makePluginFolder(own.folder, own.kubectlProgram);
  path = [bin, dirname(helm), process.env['PATH']].join(':');
  await installed();
  await withPod();
  await withObject();
}, BUILD_MS);
afterAll(async () => {
  await node.stop();
  await kubelet.close();
  await simulator.stop();
  await own.stop();
});

async function installed(): Promise<void> {
  await succeed(
    `helm install pipewright ${CHART} -n pipewright --create-namespace --set api.url=https://api.example.com --set networkPolicy.enabled=true`,
  );
  await node.sync();
}

/** The one that the controllers would make for the Deployment. */
async function withPod(): Promise<void> {
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
  const status = JSON.stringify({ status: nodeStatus(kubelet.port) });
  await succeed(`kubectl patch node one --subresource=status --type=merge --patch='${status}'`);
}

async function withObject(): Promise<void> {
  await create(
    { kind: 'Namespace', metadata: { name: 'ingest' } },
    {
      kind: 'Secret',
      metadata: { name: 'management-api', namespace: 'ingest' },
      stringData: { keyId: 'old-id', keySecret: 'old-secret' },
    },
  );
  await waitFor(() => succeed('kubectl apply -f deploy/examples/pipesettings.yaml'), {
    what: 'the kinds to be served',
  });
  await reasonIs('Applied');
}

async function reasonIs(reason: string): Promise<void> {
  await succeed(
    `kubectl -n ingest wait --for=jsonpath='{.status.conditions[?(@.type=="Ready")].reason}'=${reason} ${ORDERS} --timeout=30s`,
  );
}

const tryNow = (): Promise<string> =>
  succeed(
    `kubectl -n ingest annotate ${ORDERS} pipewright.dev/reconcile-requested-at=${performance.now()} --overwrite`,
  );

/** From now on the API answers like this, and the object has been told. */
const answers =
  (status: number, reason: string): (() => Promise<void>) =>
  async () => {
    simulator.always({ status, error: 'as the test says' }, { pathIncludes: '/pipes/' });
    await tryNow();
    await reasonIs(reason);
  };

async function well(): Promise<void> {
  simulator.clear();
  await tryNow();
}

async function drifted(): Promise<void> {
  simulator.setSettings(PIPE, { object_storage_polling_interval_ms: 12_345 });
  await tryNow();
  await waitFor(() => succeed(`kubectl -n ingest get ${ORDERS} -o json`), {
    what: 'drift in the status',
    until: (text) => text.includes('12345'),
  });
}

async function keyDeleted(): Promise<void> {
  simulator.setKey('old-id', undefined);
  await tryNow();
  await reasonIs('Unauthorized');
  simulator.setKey('new-id', 'new-secret');
  await writeFile(join(desk, 'key-id'), 'new-id');
  await writeFile(join(desk, 'key-secret'), 'new-secret');
}

/** For another cluster, whose certificate nobody checks. */
async function unverified(): Promise<void> {
  await succeed(`
    kubectl --kubeconfig=blind config set-cluster other --server=https://other.example.com --insecure-skip-tls-verify=true
    kubectl -n pipewright create secret generic other-cluster --from-file=kubeconfig=blind`);
  await writeFile(join(desk, 'ca.crt'), own.ca);
}

/** What is done before a block, by the place of the block: its section, and how it begins. */
const BEFORE: Readonly<Record<string, () => Promise<unknown>>> = {
  'PipewrightNotReady: kubectl -n ingest get': answers(503, 'OutcomeUnknown'),
  'PipewrightNotReady: kubectl -n ingest annotate': async () => simulator.clear(),
  'PipewrightStalled: kubectl -n ingest describe': answers(422, 'Rejected'),
  'PipewrightStalled: kubectl -n ingest wait': async () => {
    simulator.clear();
    await succeed(
      `kubectl -n ingest patch ${ORDERS} --type=merge --patch='{"spec":{"suspend":false}}'`,
    );
  },
  'PipewrightDrift: kubectl get events': drifted,
  'PipewrightCredentialRefused: kubectl get': keyDeleted,
  'PipewrightApiFailing: kubectl get': answers(503, 'OutcomeUnknown'),
  'PipewrightApiFailing: kubectl -n ingest wait': well,
  'PipewrightKubernetesUnverified: kubectl -n pipewright get secret': unverified,
};

/** What a block prints, where a person is to read something in it. */
const PRINTS: Readonly<Record<string, RegExp>> = {
  'Runbook: what to do about each alert: kubectl get': /ingest +pipesettings\S+orders[^]+"msg":"/,
  'PipewrightNotReady: kubectl -n ingest get': /503[^]+Reason: +OutcomeUnknown/,
  'PipewrightStalled: kubectl -n ingest describe': /Reason: +Rejected/,
  'PipewrightDrift: kubectl get events':
    /ingest .+DriftDetected[^]+Z object_storage_polling_interval_ms: 30000 to 12345\n/,
  'PipewrightCredentialRefused: kubectl get': /ingest .*orders .*Unauthorized[^]+management-api/,
  'PipewrightRateLimited: kubectl get': /1 ingest\/management-api\n[^]*api:\n/,
  'PipewrightApiFailing: kubectl get': /OutcomeUnknown[^]+OutcomeUnknown/,
  'PipewrightApiFailing: kubectl -n pipewright get': /egress[^]+PIPEWRIGHT_API_URL/,
  'PipewrightNoLeader: kubectl -n pipewright get leases': new RegExp(
    `^NAME.*\\n+pipewright +${POD}_\\S+ +20\\d\\d-[^]+\\nyes\\n[^]+became the leader`,
  ),
  'PipewrightTwoLeaders: kubectl -n pipewright get leases':
    /pipewright +pipewright-\S+ +20\d\d-[^]+NAMESPACE.*\n+pipewright +pipewright +1\n/,
  'PipewrightAbsent: kubectl -n pipewright get deployments': /deployment.apps\/pipewright[^]+pod\//,
  'PipewrightWatchRefused: kubectl -n pipewright logs': /yes\nyes\nyes\n$/,
};

const isAt = (place: string, { section, script }: PageBlock): boolean =>
  `${section}: ${script}`.startsWith(place);
const blocks = pageBlocks('deploy/guides/runbook.md').filter(({ notRun }) => notRun === undefined);

describe('every command of the page', () => {
  test.each(blocks.map((block) => ({ ...block, first: block.script.split('\n', 1)[0] })))(
    'line $line, $section: $first',
    async (block) => {
      // Only then does it matter that the operator is as the commands before have made it.
      if ([...Object.keys(BEFORE), ...Object.keys(PRINTS)].some((place) => isAt(place, block)))
        await node.sync();
      for (const [place, prepare] of Object.entries(BEFORE))
        if (isAt(place, block)) await prepare();
      const { code, stdout, stderr } = await shell(block.script);
      expect(code, `${stdout}\n${stderr}`).toBe(0);
      const wanted = Object.entries(PRINTS).filter(([place]) => isAt(place, block));
      for (const [, pattern] of wanted) expect(stdout).toMatch(pattern);
    },
  );

  test('does what the page says it does to the cluster', async () => {
    const { stdout } = await own.kubectl([
      '-n',
      'pipewright',
      'get',
      'deployment,configmap',
      '-o',
      'json',
    ]);
    expect(stdout).toMatch(/"PIPEWRIGHT_API_RATE": "5\/10s"/);
    const text = await succeed(
      "kubectl -n pipewright get secret other-cluster -o jsonpath='{.data.kubeconfig}' | base64 --decode",
    );
    expect(text).toContain(Buffer.from(own.ca).toString('base64'));
    expect(text).not.toContain('insecure-skip-tls-verify: true');
    await node.sync();
    await tryNow();
    await reasonIs('Applied');
  });

  test('has the place that this test prepares or reads', () => {
    const missing = [...Object.keys(BEFORE), ...Object.keys(PRINTS)].filter(
      (place) => !blocks.some((block) => isAt(place, block)),
    );
    expect(missing).toEqual([]);
  });
});

test('every alert has its part of the page, where its runbook_url points, and no part is of another', async () => {
  const alerts = alertsIn(await plainRules());
  const headings = [...PAGE.matchAll(/^## (.+)$/gm)].map(([, title = '']) => title);
  expect(headings.toSorted()).toEqual(alerts.map(({ alert }) => alert).sort());
  for (const { annotations } of alerts) {
    const { pathname, hash } = new URL(annotations['runbook_url'] ?? '');
    expect(pathname).toBe(`/pipewright/pipewright/blob/main/${RUNBOOK}`);
    expect(headings.map((title) => `#${title.toLowerCase()}`)).toContain(hash);
  }
});

test('every query of the page is one that Prometheus reads, and each part has one', async () => {
  const queries = pageQueries(RUNBOOK);
  expect(queries).toHaveLength(alertsIn(await plainRules()).length);
  const expected = queries.map(({ expr }) => ({ expr, eval_time: '1m', exp_samples: [] }));
  expect(await complaintsOf({ input: [], expected })).toBe('');
});

test('what the page looks for in events and in the log is what the operator writes', () => {
  const reasons = [...PAGE.matchAll(/reason=([A-Z]\w+)/g)].map(([, reason = '']) => reason);
  expect(reasons.length).toBeGreaterThan(1);
  for (const reason of reasons) expect(Object.keys(EVENTS)).toContain(reason);
  const log = readFileSync('crds/messages.md', 'utf8');
  const searched = [...PAGE.matchAll(/logs .*\| grep (?:-i )?'([^']+)'/g)];
  expect(searched.length).toBeGreaterThan(3);
  for (const [, pattern = ''] of searched)
    for (const part of pattern.split('\\|'))
      expect(log.toLowerCase()).toContain(part.toLowerCase());
});
