import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect } from 'vitest';
import { parse } from 'yaml';
import type { Match } from '../simulator/types.ts';
import { ORGANIZATION } from '../support/examples.ts';
import { pageBlocks } from '../support/page.ts';
import { follow } from './follow.ts';
import { type GuideObjects, guideObjects, type Stored } from './guide-objects.ts';
import { type GuideWorld, install, openGuideWorld } from './guide-world.ts';
import { BUILD_MS } from './helm.ts';

/**
 * Every command of the plugin's page, where all is well; then those of the page on troubles, each
 * with an object in the state that it is about: what the page says to do ends that state. The
 * operator is the one of install.yaml.
 */
const API = '/apis/pipewright.dev/v1alpha1/namespaces/ingest';
const ORDERS = `${API}/pipesettings/orders`;
const COPY = `${API}/pipesettings/orders-copy`;
const ACME = `${API}/organizations/acme`;
const ACME_COPY = `${API}/organizations/acme-copy`;
const FLAGS = '/api/v1/namespaces/pipewright/configmaps/pipewright-flags';
const DEPLOYMENT = '/apis/apps/v1/namespaces/pipewright/deployments/pipewright';
const ROLE = '/apis/rbac.authorization.k8s.io/v1/clusterroles/pipewright';

const orders = parse(readFileSync('deploy/examples/pipesettings.yaml', 'utf8')) as Stored;
const PIPE: Match = { pathIncludes: '/pipes/' };
const PLACE = { cloudProvider: 'gcp', region: 'ap-northeast-1' };

let world: GuideWorld;
let objects: GuideObjects;

beforeAll(async () => {
  world = await openGuideWorld({
    simulator: { keys: { 'OLD-ID': 'OLD-SECRET' } },
    programs: { helm: 'helm' },
  });
  objects = guideObjects(world.own, 'ingest');
  await install(world);
  await world.succeed('kubectl create namespace ingest');
  await objects.key('management-api', { keyId: 'OLD-ID', keySecret: 'OLD-SECRET' });
  await world.succeed('kubectl apply -f deploy/examples/pipesettings.yaml');
  await world.node.sync();
}, BUILD_MS);
afterAll(() => world.end());

async function replicas(count: number): Promise<void> {
  await objects.edit(DEPLOYMENT, ({ spec, ...rest }) => ({
    ...rest,
    spec: { ...spec, replicas: count },
  }));
  await world.node.sync();
}

/** From now on the API answers like this, and the object has something to send. */
async function answered(status: number, error: string, reason: string): Promise<void> {
  world.simulator.clear();
  world.simulator.always({ status, error }, PIPE);
  await retried(reason);
}

/** Again and again, as the value of a Secret is in use for five seconds. */
function retried(reason: string): Promise<void> {
  return objects.retryUntil(ORDERS, reason);
}

async function well(): Promise<void> {
  world.simulator.clear();
  await retried('Applied');
}

async function declare(object_storage_concurrency: number): Promise<void> {
  await objects.edit(ORDERS, (stored) => ({
    ...stored,
    spec: { ...orders.spec, settings: { object_storage_concurrency } },
  }));
}

async function acme(spec: object, name = 'acme'): Promise<void> {
  const credentialsSecretRef = { name: 'management-api' };
  await objects.put(`${API}/organizations`, {
    apiVersion: 'pipewright.dev/v1alpha1',
    kind: 'Organization',
    metadata: { name },
    spec: { organizationId: ORGANIZATION, credentialsSecretRef, ...spec },
  });
}

/** The ids that the API has, by somebody's list of them. */
const idsAtApi = () =>
  world.simulator.organization(ORGANIZATION)?.privateEndpoints.map(({ id }) => id);

const endpoints = (count: number, prefix = 'psc') =>
  Array.from({ length: count }, (_, index) => ({ id: `${prefix}-${index}`, ...PLACE }));

const keyFile = (text: string) => world.succeed(`printf '${text}' > key.yaml`);

async function withoutRights(): Promise<void> {
  await well();
  await objects.edit(ROLE, ({ rules, ...rest }) => ({
    ...rest,
    rules: rules.filter(({ resources }) => !resources.includes('secrets')),
  }));
  await objects.mayReadSecret('management-api', false);
  await retried('SecretForbidden');
}

const untilRuleIsHeeded = () => objects.mayReadSecret('management-api', true);

/** An object that owns several endpoints, and whose deletion removes them. */
async function removing(): Promise<void> {
  const deletionPolicy = 'RemovePrivateEndpoints';
  await acme({ privateEndpoints: endpoints(3, 'held'), deletionPolicy });
  await objects.reasonIs(ACME, 'Applied');
}

/** One that lists nothing of what the other owns, and so would keep nothing of it. */
async function twoOrganizations(): Promise<void> {
  await acme({ privateEndpoints: [] }, 'acme-copy');
  await objects.reasonIs(ACME_COPY, 'TargetConflict');
}

/** Own endpoints in the list, and one that was taken out of it and is still there. */
async function found(): Promise<void> {
  const theirs = { id: 'by-hand', ...PLACE };
  world.simulator.setOrganization(ORGANIZATION, { add: [theirs] });
  await acme({ privateEndpoints: [...endpoints(3), theirs] });
  await objects.until(ACME, 'Found', ({ status }) =>
    Boolean(status?.privateEndpoints?.some(({ origin }) => origin === 'Found')),
  );
  await acme({ privateEndpoints: endpoints(3) });
  await objects.reasonIs(ACME, 'Applied');
}

async function adopted(): Promise<void> {
  await objects.reasonIs(ACME, 'Applied');
  await objects.until(ACME, 'all its own', ({ status }) => status?.privateEndpoints?.length === 4);
  expect(idsAtApi()).toEqual(expect.arrayContaining(['psc-0', 'psc-1', 'psc-2', 'by-hand']));
}

async function hanging(): Promise<void> {
  await objects.edit(ACME, ({ spec, ...rest }) => ({
    ...rest,
    spec: { ...spec, deletionPolicy: 'RemovePrivateEndpoints' },
  }));
  await objects.until(ACME, 'the finalizer', ({ metadata }) => Boolean(metadata.finalizers));
  await objects.reasonIs(ACME, 'Applied');
  await replicas(0);
  await objects.remove(ACME);
}

const flags = async () => {
  const data = await world.succeed(
    "kubectl -n pipewright get configmap pipewright-flags -o jsonpath='{.data}'",
  );
  return JSON.parse(data) as Record<string, string>;
};

/** What a person has put on the Secret stays, and no copy of the key is left anywhere. */
async function onlyTheKeyIsNew(): Promise<void> {
  const secret = await world.succeed('kubectl -n ingest get secret management-api -o yaml');
  expect(secret).toContain('pipewright.dev/credentials: "true"');
  expect(secret).not.toContain('last-applied-configuration');
  await world.succeed('test ! -e key.yaml');
}

async function retained(): Promise<void> {
  expect(idsAtApi()).toEqual(expect.arrayContaining(['held-0', 'held-1', 'held-2']));
}

/** Applied by somebody, so that another apply takes out what it does not name. */
async function otherFlags(): Promise<void> {
  await objects.remove(FLAGS);
  await world.succeed(
    'kubectl -n pipewright create configmap pipewright-flags --from-literal=PIPEWRIGHT_API_RATE=0 --dry-run=client -o yaml | kubectl apply -f -',
  );
}

async function otherFlagsStay(): Promise<void> {
  const PIPEWRIGHT_API_URL = world.simulator.url;
  expect(await flags()).toEqual({ PIPEWRIGHT_API_RATE: '0', PIPEWRIGHT_API_URL });
}

async function otherValuesStay(): Promise<void> {
  const values = await world.succeed('helm -n pipewright get values pipewright -o json');
  expect(JSON.parse(values)).toMatchObject({ api: { rate: '5/10s' }, namespaces: ['ingest'] });
}

/** So that the rest of the page does not wait for the pace that the page has set. */
async function faster(): Promise<void> {
  expect(await flags()).toMatchObject({ PIPEWRIGHT_API_RATE: '5/10s' });
  await world.node.sync();
  await objects.edit(FLAGS, (stored) => ({ ...stored, data: { PIPEWRIGHT_API_RATE: '0' } }));
  // As `kubectl rollout restart`, which is refused within a second of another.
  await world.succeed(
    `kubectl -n pipewright patch deployment pipewright --patch='{"spec":{"template":{"metadata":{"annotations":{"restarted":"again"}}}}}'`,
  );
  await world.node.sync();
}

follow(pageBlocks('deploy/guides/plugin.md'), () => world, {
  sync: () => world.node.sync(),
  before: {
    'In a pull request: plan': () => world.succeed('cp -r deploy/examples manifests'),
  },
  endsWith: {
    'In a pull request: plan': 2,
  },
});

follow(pageBlocks('deploy/guides/troubleshooting.md'), () => world, {
  sync: () => world.node.sync(),
  before: {
    'Nothing happens': () => replicas(0),
    'The API refuses the key (401)': async () => {
      world.simulator.setKey('OLD-ID', undefined);
      world.simulator.setKey('NEW-ID', 'NEW-SECRET');
      const secret = 'secret management-api pipewright.dev/credentials=true';
      await world.succeed(`kubectl -n ingest label ${secret}`);
      await keyFile('stringData:\\n  keyId: NEW-ID\\n  keySecret: NEW-SECRET\\n');
      await retried('Unauthorized');
    },
    'The key may not do this (403)': () =>
      answered(403, 'FORBIDDEN: role developer cannot change pipes', 'Forbidden'),
    'The key may not do this (403) >> kubectl pipewright retry': async () =>
      world.simulator.clear(),
    'The pipe or organization is not found (404)': () =>
      answered(404, 'NOT_FOUND: no such pipe', 'NotFound'),
    'The pipe or organization is not found (404) >> kubectl -n ingest delete': async () =>
      world.simulator.clear(),
    'The rate limit is reached (429)': () =>
      answered(429, 'TOO_MANY_REQUESTS: slow down', 'RateLimited'),
    'The API refuses a value (400 or 422)': async () => {
      await well();
      world.simulator.play({ settings: { ranges: { object_storage_concurrency: [1, 10] } } });
      await declare(12);
      await objects.reasonIs(ORDERS, 'Rejected');
    },
    'The API is busy or down': async () => {
      await world.simulator.down();
      await retried('Unavailable');
      await world.simulator.up();
    },
    'The API reports another value': async () => {
      world.simulator.play({
        settings: { ranges: {}, clamp: { object_storage_concurrency: [1, 4] } },
      });
      await retried('NotConfirmed');
    },
    'The Secret is missing or incomplete': async () => {
      world.simulator.play({ settings: { clamp: {} } });
      await objects.key('management-api', { keyId: 'NEW-ID' });
      await keyFile('stringData:\\n  keySecret: NEW-SECRET\\n');
      await retried('SecretInvalid');
    },
    'The operator may not read the Secret': withoutRights,
    'The operator may not read the Secret >> kubectl pipewright retry': untilRuleIsHeeded,
    'Before you delete an Organization': removing,
    'Two objects for one pipe or organization': async () => {
      await objects.put(`${API}/pipesettings`, { ...orders, metadata: { name: 'orders-copy' } });
      await objects.reasonIs(COPY, 'TargetConflict');
    },
    'Two objects for one pipe or organization >> kubectl -n ingest delete organizations':
      twoOrganizations,
    'A change of endpoints is stopped': async () => {
      await objects.remove(ACME_COPY);
      await acme({ privateEndpoints: endpoints(6) });
      await objects.reasonIs(ACME, 'Applied');
      await acme({ privateEndpoints: [] });
      await objects.reasonIs(ACME, 'RemovalBlocked');
    },
    'An endpoint came back as Found': found,
    'A deletion hangs': hanging,
    'The operator does not start': otherFlags,
    'Flags with Helm': () =>
      world.succeed(
        'helm install pipewright deploy/helm/pipewright -n pipewright --take-ownership --force-conflicts --set api.url=https://api.example.com --set namespaces={ingest} --set secrets.names={management-api}',
      ),
  },
  after: {
    'The API refuses the key (401) >> kubectl -n ingest patch': onlyTheKeyIsNew,
    'The rate limit is reached (429) >> kubectl -n pipewright patch': faster,
    'The Secret is missing or incomplete >> kubectl -n ingest patch': async () => {
      await world.succeed('test ! -e key.yaml');
    },
    'Two objects for one pipe or organization >> kubectl -n ingest delete organizations': retained,
    'An endpoint came back as Found >> cat': adopted,
    'The operator does not start': otherFlagsStay,
    'Flags with Helm >> helm -n pipewright upgrade': otherValuesStay,
  },
});
