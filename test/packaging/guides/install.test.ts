import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { versionOf } from '../../controlplane/go-build.ts';
import { waitFor } from '../../controlplane/wait-for.ts';
import { ORGANIZATION } from '../../support/examples.ts';
import { pageBlocks } from '../../support/page.ts';
import { type Desk, install, openDesk } from './desk.ts';
import { type Following, follow } from './follow.ts';
import { guideObjects } from './objects.ts';

/** Pages on which CRDs and namespaces come and go, in a cluster with controllers. */
const FINALIZER = 'pipewright.dev/remove-private-endpoints';
/** The endpoint of deploy/examples. */
const OURS = '102600141743718403';
const ACME = '/apis/pipewright.dev/v1alpha1/namespaces/ingest/organizations/acme';
const KINDS =
  'crd,clusterroles,clusterrolebindings,deployments,roles,rolebindings,configmaps,serviceaccounts,networkpolicies';
const PATIENCE = { timeoutMs: 180_000 };

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk({
    programs: ['helm'],
    controllers: true,
    simulator: { keys: { 'key-1': 'secret-1' } },
  });
});
afterAll(() => desk.end());

const endpoints = () =>
  desk.simulator.organization(ORGANIZATION)?.privateEndpoints.map(({ id }) => id) ?? [];

/** Namespaces end, and what they hold with them, a while after they are deleted. */
async function nothingIsLeft(): Promise<void> {
  const ours = async (): Promise<string[]> =>
    (await desk.succeed(`kubectl get ${KINDS} -A -o name`))
      .split('\n')
      .filter((name) => name.includes('pipewright'));
  const until = ({ length }: readonly string[]): boolean => length === 0;
  await waitFor(ours, { what: 'nothing to be left', until, ...PATIENCE });
}

/** An Organization whose endpoint is at the platform, deleted in one command with its operator. */
async function deleteAllAtOnce(): Promise<void> {
  const { succeed, shell, node, own } = desk;
  await install(desk);
  await succeed('kubectl get namespace ingest || kubectl create namespace ingest');
  const objects = guideObjects(own, 'ingest');
  await objects.key('management-api', { keyId: 'key-1', keySecret: 'secret-1' });
  const policy = 's/deletionPolicy: Retain/deletionPolicy: RemovePrivateEndpoints/';
  await succeed(`sed '${policy}' deploy/examples/organization.yaml | kubectl apply -f -`);
  await node.sync();
  await objects.until(ACME, 'an endpoint of ours', ({ metadata, status }) =>
    Boolean(
      metadata.finalizers?.includes(FINALIZER) &&
        status?.privateEndpoints?.some(({ origin }) => origin === 'Added'),
    ),
  );
  await objects.reasonIs(ACME, 'Applied');
  expect(endpoints()).toContain(OURS);

  // Its Pods end with their namespace, which is the first thing in the file. In the seconds that
  // they have left they may or may not begin; here they do not.
  await node.kill();
  // What kubectl would wait for one after the other, the namespace first.
  await succeed('kubectl delete -f install.yaml --wait=false');
  const until = ({ code }: { readonly code: number }): boolean => code !== 0;
  const gone = () => shell('kubectl get namespace pipewright');
  await waitFor(gone, { what: 'the namespace of the operator to go', until, ...PATIENCE });
  const { stderr } = await shell(
    'kubectl wait --for=delete crd/organizations.pipewright.dev --timeout=2s',
  );
  expect(stderr).toMatch(/timed out waiting for the condition on customresourcedefinitions\/org/);
  await objects.until(ACME, 'its deletion', ({ metadata }) => Boolean(metadata.deletionTimestamp));
  expect(endpoints()).toContain(OURS);
}

const crds = () =>
  desk.succeed('kubectl get crds -l helm.sh/chart -o jsonpath={.items[*].metadata.uid}');
let before: string;

const following: Following = {
  before: {
    'Go back': async () => {
      before = await crds();
      expect(before.split(' ')).toHaveLength(3);
    },
    'When the deletion hangs': deleteAllAtOnce,
    'When the deletion hangs >> kubectl wait': () => desk.node.sync(),
  },
  after: {
    'Go back': async () => expect(await crds(), 'the CRDs are others').toBe(before),
    'Uninstall with Helm': nothingIsLeft,
    'With kubectl alone': nothingIsLeft,
    'With kustomize': nothingIsLeft,
    'When the deletion hangs': async () => {
      expect(endpoints()).not.toContain(OURS);
      await nothingIsLeft();
    },
  },
};

follow(pageBlocks('deploy/guides/install.md'), () => desk, following);

/** Of that module, in the go.mod of this folder of test/controlplane/go. */
const versionIn = (folder: string, module: string) => versionOf({ folder, module }).slice(1);

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
