import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitFor } from '../controlplane/client.ts';
import { type ControlPlane, startControlPlane } from '../controlplane/controlplane.ts';
import { findProgram } from '../controlplane/programs.ts';
import { startSimulator } from '../simulator/simulator.ts';
import type { Simulator } from '../simulator/types.ts';
import { type RunningOperator, startOperator } from '../support/operator.ts';
import type { Pset } from '../support/scene-objects.ts';
import { startControllers } from './controllers.ts';
import { BUILD_MS, CHART, EXAMPLES, helm } from './helm.ts';
import { freeingStuckCrds } from './stuck-crds.ts';

/**
 * The life of one release, in order, on a control plane of its own with controllers. There are no
 * nodes, so no Pod ever runs: helm does not wait for them and runs no hook, and the operator is a
 * process with the token of the ServiceAccount.
 */
/** Garbage, namespaces and CRDs take long to go where the machine is busy. */
const PATIENCE_MS = 180_000;

let own: ControlPlane;
let controllers: Awaited<ReturnType<typeof startControllers>>;
let simulator: Simulator;
let operator: RunningOperator | undefined;
let before: Pset;

beforeAll(async () => {
  for (const name of ['helm', 'kube-controller-manager'] as const) await findProgram(name);
  own = await startControlPlane({ say: () => {} });
  controllers = await startControllers(own);
  simulator = await startSimulator({ keys: { 'key-1': 'secret-1' } });
}, BUILD_MS);
afterAll(async () => {
  await operator?.kill();
  await simulator.stop();
  await controllers.stop();
  await own.stop();
});

async function kubectl(args: string, stdin?: string): Promise<string> {
  const { code, stdout, stderr } = await own.kubectl(args.split(' '), stdin);
  if (code !== 0) throw new Error(`kubectl ${args} ended with ${code}: ${stderr}`);
  return stdout;
}

async function release(args: string): Promise<string> {
  const { code, stdout, stderr } = await helm(args.split(' '), { kubeconfig: own.adminKubeconfig });
  if (code !== 0) throw new Error(`helm ${args} ended with ${code}: ${stderr}`);
  return stdout;
}

async function refused(args: string): Promise<string> {
  const { code, stderr } = await helm(args.split(' '), { kubeconfig: own.adminKubeconfig });
  expect(code).not.toBe(0);
  return stderr;
}

const IN = '--namespace pipewright';
const PRODUCTION = `--values ${EXAMPLES}/production.yaml`;
const orders = async (): Promise<Pset> =>
  JSON.parse(await kubectl('get pset orders -n ingest -o json')) as Pset;
const images = (): Promise<string> =>
  kubectl('get pods -n pipewright -o jsonpath={.items[*].spec.containers[*].image}');

test('install: the controllers make both Pods in a namespace with the restricted standard, and the CRDs are served', async () => {
  await kubectl('create namespace pipewright');
  await kubectl('label namespace pipewright pod-security.kubernetes.io/enforce=restricted');
  const notes = await release(`install pipewright ${CHART} ${IN} ${PRODUCTION}`);
  expect(notes).toContain('works against https://api.example.com in all namespaces.');
  await waitFor(images, { what: 'two Pods', until: (text) => text.split(' ').length === 2 });
  await kubectl('wait --for=condition=Established --timeout=30s crd --all');
  await kubectl(
    'get poddisruptionbudget,networkpolicy,configmap,serviceaccount pipewright -n pipewright',
  );
});

test('the operator works with the rights of the release', async () => {
  await kubectl('create namespace ingest');
  await kubectl(
    'create secret generic management-api -n ingest --from-literal=keyId=key-1 --from-literal=keySecret=secret-1',
  );
  await waitFor(() => kubectl('apply -f deploy/examples/pipesettings.yaml'), {
    what: 'the CRD to be served',
  });
  const lease = ['--leader-elect', '--leader-elect-namespace', 'pipewright', '--api-rate', '0'];
  const kubeconfig = await own.serviceAccountKubeconfig('pipewright', 'pipewright');
  operator = await startOperator({ kubeconfig, apiUrl: simulator.url, flags: lease });
  before = await waitFor(orders, {
    what: 'the object to be applied',
    until: ({ status }) =>
      status.conditions.some(({ type, reason }) => type === 'Ready' && reason === 'Applied'),
  });
  expect(await operator.stop()).toBe(0);
});

/**
 * Everything the user and the operator know of an object; nothing of it may change with a release.
 */
const known = ({ metadata, spec, status }: Pset) => ({
  uid: metadata.uid,
  generation: metadata.generation,
  spec,
  status,
});

test('upgrade to a chart with other CRDs and one more value: new Pods, new CRDs, the same objects, the values of before', async () => {
  const next = join(own.folder, 'next');
  await cp(CHART, next, { recursive: true });
  await edit(join(next, 'Chart.yaml'), 'ersion: 0.1.0', 'ersion: 0.2.0');
  await edit(
    join(next, 'templates', 'crds', 'pipesettings.yaml'),
    'shortNames:\n',
    'shortNames:\n    - settings\n',
  );
  await edit(
    join(next, 'values.schema.json'),
    '"global": {',
    '"later": { "type": "object" },\n"global": {',
  );
  await edit(join(next, 'values.yaml'), 'global: {}', 'global: {}\nlater: { note: added }');
  await edit(
    join(next, 'templates', 'configmap.yaml'),
    '\ndata:\n',
    '\ndata:\n  LATER: {{ .Values.later.note }}\n',
  );
  const upgrade = `upgrade pipewright ${next} ${IN} --set logLevel=debug`;
  expect(await refused(`${upgrade} --reuse-values`), 'why the README has another flag').toContain(
    'nil pointer',
  );
  const notes = await release(`${upgrade} --reset-then-reuse-values`);
  const values = await kubectl('get configmap pipewright -n pipewright -o jsonpath={.data}');
  expect(JSON.parse(values)).toMatchObject({ LATER: 'added', PIPEWRIGHT_LOG_LEVEL: 'debug' });
  expect(
    await kubectl('get deployment pipewright -n pipewright -o jsonpath={.spec.replicas}'),
  ).toBe('2');
  expect(notes).toContain('pipewright 0.2.0 works');
  await waitFor(images, { what: 'the new Pods', until: (text) => text.includes(':0.2.0') });
  await waitFor(() => kubectl('get settings -n ingest'), { what: 'the new short name' });
  expect(known(await orders())).toEqual(known(before));
});

test('rollback: the values, CRDs and image of before, the same objects', async () => {
  await release(`rollback pipewright 1 ${IN}`);
  expect(await kubectl('get deployment pipewright -n pipewright -o jsonpath={..image}')).toMatch(
    /:0\.1\.0$/,
  );
  const crd = JSON.parse(await kubectl('get crd pipesettings.pipewright.dev -o json')) as {
    spec: { names: object };
  };
  expect(crd.spec.names).toMatchObject({ shortNames: ['pset'] });
  expect(await kubectl('get configmap pipewright -n pipewright -o jsonpath={.data}')).not.toContain(
    'debug',
  );
  expect(known(await orders())).toEqual(known(before));
});

test('a second release is refused the CRDs by name, and works without them', async () => {
  const second = `install second ${CHART} --namespace ingest --set api.url=https://api.example.com --set namespaces={ingest} --set secrets.all=true`;
  expect(await refused(second)).toMatch(
    /CustomResourceDefinition.*pipewright\.dev.*exists and cannot be imported/,
  );
  await release(`${second} --set crds.enabled=false`);
  expect(await kubectl('get roles -n ingest -o name')).toContain('second-pipewright');
  await release('uninstall second --namespace ingest');
});

test(
  'uninstall: nothing of the release is left but the CRDs with the roles for users, and every object with its status',
  async () => {
    const said = await release(`uninstall pipewright ${IN}`);
    expect(said).toContain('CustomResourceDefinition] pipesettings.pipewright.dev');
    const kinds =
      'deployments,replicasets,pods,configmaps,serviceaccounts,roles,rolebindings,networkpolicies,poddisruptionbudgets';
    await waitFor(() => kubectl(`get ${kinds} -n pipewright -o name`), {
      what: 'the end of all that the release had',
      until: (text) =>
        text
          .trim()
          .split('\n')
          .every((name) => name === 'serviceaccount/default'),
      timeoutMs: 120_000,
    });
    const roles = (await kubectl('get clusterroles,clusterrolebindings -o name')).split('\n');
    expect(roles.filter((name) => name.includes('pipewright'))).toEqual(
      ['edit', 'view'].map((who) => `clusterrole.rbac.authorization.k8s.io/pipewright-${who}`),
    );
    expect(known(await orders())).toEqual(known(before));
  },
  PATIENCE_MS,
);

test('install again: the same release takes the CRDs that it left, with their objects', async () => {
  await release(`install pipewright ${CHART} ${IN} ${PRODUCTION}`);
  expect(known(await orders())).toEqual(known(before));
  await release(`uninstall pipewright ${IN}`);
});

test(
  'from install.yaml to the chart: helm takes over what kubectl has applied',
  async () => {
    await freeingStuckCrds(own, () => kubectl('delete crd -l helm.sh/chart'));
    await kubectl('apply -f deploy/install.yaml');
    await waitFor(() => kubectl('apply -f deploy/examples/pipesettings.yaml'), {
      what: 'the new CRD to be served',
    });
    const { metadata } = await orders();
    const install = `install pipewright ${CHART} ${IN} --set api.url=https://api.example.com`;
    expect(await refused(install)).toContain('exists and cannot be imported');
    await release(`${install} --take-ownership --force-conflicts`);
    expect((await orders()).metadata.uid).toBe(metadata.uid);
  },
  PATIENCE_MS,
);

test(
  'without the operator its namespace can be deleted',
  async () => {
    await kubectl('delete namespace pipewright --timeout=170s');
    expect(await kubectl('get namespaces -o name')).not.toContain('pipewright');
  },
  PATIENCE_MS,
);

async function edit(file: string, from: string, to: string): Promise<void> {
  const text = await readFile(file, 'utf8');
  expect(text).toContain(from);
  await writeFile(file, text.replaceAll(from, to));
}
