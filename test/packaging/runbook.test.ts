import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../controlplane/client.ts';
import { ORGANIZATION as ACME, PIPE } from '../support/examples.ts';
import { pageBlocks } from '../support/page.ts';
import { follow } from './follow.ts';
import { BUILD_MS } from './helm.ts';
import { ORDERS, openRunbookWorld, type RunbookWorld } from './runbook-world.ts';

let world: RunbookWorld;

beforeAll(async () => {
  world = await openRunbookWorld();
}, BUILD_MS);
afterAll(() => world.end());

/** From now on the API answers like this, and the object has been told. */
const answers =
  (status: number, reason: string): (() => Promise<void>) =>
  async () => {
    world.simulator.always({ status, error: 'the service is down' }, { pathIncludes: '/pipes/' });
    await world.tryNow();
    await world.reasonIs(reason);
  };

async function well(): Promise<void> {
  world.simulator.clear();
  await world.tryNow();
}

async function drifted(): Promise<void> {
  world.simulator.setSettings(PIPE, { object_storage_polling_interval_ms: 12_345 });
  await world.tryNow();
  await waitFor(() => world.succeed(`kubectl -n ingest get ${ORDERS} -o json`), {
    what: 'drift in the status',
    until: (text) => text.includes('12345'),
  });
}

const endpoint = (id: string) => ({ id, cloudProvider: 'gcp', region: 'ap-northeast-1' });
const SEVEN = Array.from({ length: 7 }, (_, index) => endpoint(`psc-${index}`));

function atTheApi(): string[] {
  return world.simulator.organization(ACME)?.privateEndpoints.map(({ id }) => id) ?? [];
}

/** The older one holds the organization, and owns more endpoints than one change may remove. */
async function twoForOne(): Promise<void> {
  const spec = {
    organizationId: ACME,
    credentialsSecretRef: { name: 'management-api' },
    privateEndpoints: SEVEN,
    deletionPolicy: 'RemovePrivateEndpoints',
  };
  await organization('acme', spec);
  await reasonOf('acme', 'Applied');
  const { organizationId, credentialsSecretRef } = spec;
  await organization('acme-copy', { organizationId, credentialsSecretRef, privateEndpoints: [] });
  await reasonOf('acme-copy', 'TargetConflict');
  expect(atTheApi()).toHaveLength(7);
}

const organization = (name: string, spec: object): Promise<void> =>
  world.create({
    apiVersion: 'pipewright.dev/v1alpha1',
    kind: 'Organization',
    metadata: { name, namespace: 'ingest' },
    spec,
  });

async function reasonOf(name: string, reason: string): Promise<void> {
  await world.succeed(
    `kubectl -n ingest wait --for=jsonpath='{.status.conditions[?(@.type=="Ready")].reason}'=${reason} organizations.pipewright.dev/${name} --timeout=30s`,
  );
}

/** What a deletion that was given up leaves: an endpoint without an object, and a line in the log. */
async function abandoned(): Promise<void> {
  await world.succeed('kubectl -n ingest delete organizations.pipewright.dev acme-copy');
  world.simulator.setOrganization(ACME, {
    remove: SEVEN.map(({ id }) => id),
    add: [endpoint('psc-left')],
  });
  world.logs('deleting an Organization with private endpoints left at the API');
}

async function keyDeleted(): Promise<void> {
  world.simulator.setKey('old-id', undefined);
  await world.tryNow();
  await world.reasonIs('Unauthorized');
  world.simulator.setKey('new-id', 'new-secret');
  await writeFile(join(world.folder, 'key-id'), 'new-id');
  await writeFile(join(world.folder, 'key-secret'), 'new-secret');
}

async function allAtTheApi(): Promise<void> {
  expect(atTheApi()).toEqual(SEVEN.map(({ id }) => id));
}

async function nothingAtTheApi(): Promise<void> {
  expect(atTheApi()).toEqual([]);
}

/** What a person has put on the Secret stays, and no copy of the key is left anywhere. */
async function onlyTheKeyIsNew(): Promise<void> {
  const secret = await world.succeed('kubectl -n ingest get secret management-api -o yaml');
  expect(secret).toContain('kept: "yes"');
  expect(secret).not.toContain('new-secret');
  expect(secret.match(new RegExp(Buffer.from('new-secret').toString('base64'), 'g'))).toHaveLength(
    1,
  );
  for (const file of ['key-id', 'key-secret', 'patch.json'])
    expect(existsSync(join(world.folder, file)), file).toBe(false);
}

/** For another cluster, whose certificate nobody checks. */
async function unverified(): Promise<void> {
  await world.succeed(`
    kubectl --kubeconfig=blind config set-cluster other --server=https://other.example.com --insecure-skip-tls-verify=true
    kubectl -n pipewright create secret generic other-cluster --from-file=kubeconfig=blind`);
  await writeFile(join(world.folder, 'ca.crt'), world.own.ca);
}

describe('every command of the page', () => {
  follow(pageBlocks('deploy/guides/runbook.md'), () => world, {
    sync: () => world.node.sync(),
    before: {
      'PipewrightNotReady >> kubectl -n ingest get': answers(503, 'OutcomeUnknown'),
      'PipewrightNotReady >> kubectl -n ingest annotate': async () => world.simulator.clear(),
      'PipewrightStalled >> kubectl -n ingest describe': answers(422, 'Rejected'),
      'PipewrightStalled >> kubectl -n ingest wait': async () => {
        world.simulator.clear();
        await world.succeed(
          `kubectl -n ingest patch ${ORDERS} --type=merge --patch='{"spec":{"suspend":false}}'`,
        );
      },
      'Before you delete an Organization >> kubectl get': twoForOne,
      'PipewrightDrift >> kubectl get events': drifted,
      'PipewrightCleanupAbandoned >> kubectl get events': abandoned,
      'PipewrightCredentialRefused >> kubectl get': keyDeleted,
      'PipewrightApiFailing >> kubectl get': answers(503, 'OutcomeUnknown'),
      'PipewrightApiFailing >> kubectl -n ingest wait': well,
      'PipewrightKubernetesUnverified >> kubectl -n pipewright get secret': unverified,
      'PipewrightWatchSilent >> kubectl -n pipewright logs': async () =>
        world.logs('cannot list or watch; retrying'),
    },
    prints: {
      'Runbook: what to do about each alert >> helm': /pipewright-\d+\.\d+\.\d+/,
      'Runbook: what to do about each alert >> kubectl -n pipewright get': /"msg":"/,
      'PipewrightNotReady >> kubectl -n ingest describe': /503[^]+Reason: +OutcomeUnknown/,
      'PipewrightStalled >> kubectl -n ingest describe': /Reason: +Rejected/,
      'PipewrightDrift >> kubectl get events': /ingest .+DriftDetected/,
      'PipewrightCleanupAbandoned >> kubectl get events': /"msg":"deleting an Organization with/,
      'PipewrightRateLimited >> kubectl get': /1 ingest\/management-api\n[^]*api:\n/,
      'PipewrightApiFailing >> kubectl get': /OutcomeUnknown[^]+OutcomeUnknown/,
      'PipewrightApiFailing >> kubectl -n pipewright get': /egress[^]+PIPEWRIGHT_API_URL/,
      'PipewrightNoLeader >> kubectl -n pipewright logs': /became the leader/,
      'PipewrightTwoLeaders >> kubectl -n pipewright get leases':
        /pipewright +pipewright-\S+ +20\d\d-/,
      'PipewrightAbsent >> kubectl -n pipewright get deployments':
        /deployment.apps\/pipewright[^]+pod\//,
      'PipewrightWatchSilent >> kubectl -n pipewright logs':
        /"msg":"cannot list or watch[^]+egress/,
    },
    after: {
      'Before you delete an Organization >> kubectl -n ingest patch': allAtTheApi,
      'PipewrightCleanupAbandoned >> kubectl -n ingest delete': nothingAtTheApi,
      'PipewrightCredentialRefused >> kubectl -n ingest create': onlyTheKeyIsNew,
    },
  });

  test('does what the page says it does to the cluster', async () => {
    const { succeed } = world;
    const made = await succeed('kubectl -n pipewright get deployment,configmap -o json');
    expect(made).toMatch(/"PIPEWRIGHT_API_RATE": "5\/10s"/);
    const text = await succeed(
      "kubectl -n pipewright get secret other-cluster -o jsonpath='{.data.kubeconfig}' | base64 --decode",
    );
    expect(text).toContain(Buffer.from(world.own.ca).toString('base64'));
    expect(text).not.toContain('insecure-skip-tls-verify: true');
    await world.node.sync();
    await world.tryNow();
    await world.reasonIs('Applied');
  });
});
