import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect } from 'vitest';
import { parse } from 'yaml';
import { ORGANIZATION } from '../../support/examples.ts';
import { pageBlocks } from '../../support/page.ts';
import { type Desk, install, openDesk } from './desk.ts';
import { type Following, follow } from './follow.ts';
import { type GuideObjects, guideObjects, type Stored } from './objects.ts';

/**
 * Every command of the plugin's page, where all is well; then those of the page on troubles, each
 * with an object in the state that it is about: what the page says to do ends that state.
 */
const API = '/apis/pipewright.dev/v1alpha1/namespaces/ingest';
const ORDERS = `${API}/pipesettings/orders`;
const ACME = `${API}/organizations/acme`;
const PIPEWRIGHT = 'namespaces/pipewright';
const FLAGS = `/api/v1/${PIPEWRIGHT}/configmaps/pipewright-flags`;
const DEPLOYMENT = `/apis/apps/v1/${PIPEWRIGHT}/deployments/pipewright`;
const ROLE = '/apis/rbac.authorization.k8s.io/v1/clusterroles/pipewright';

const NEW = { keyId: 'NEW-ID', keySecret: 'NEW-SECRET' };
const orders = parse(readFileSync('deploy/examples/pipesettings.yaml', 'utf8')) as Stored;

let desk: Desk;
let objects: GuideObjects;

beforeAll(async () => {
  desk = await openDesk({
    simulator: { keys: { 'OLD-ID': 'OLD-SECRET' } },
    programs: ['helm'],
  });
  objects = guideObjects(desk.own, 'ingest');
  await install(desk);
  await desk.succeed('kubectl create namespace ingest');
  await objects.key('management-api', { keyId: 'OLD-ID', keySecret: 'OLD-SECRET' });
  await desk.succeed('kubectl apply -f deploy/examples/pipesettings.yaml');
  await desk.node.sync();
});
afterAll(() => desk.end());

follow(pageBlocks('deploy/guides/plugin.md'), () => desk, {
  before: { Plan: () => desk.succeed('cp -r deploy/examples manifests') },
  endsWith: { Plan: 2 },
});

const retried = (reason: string) => objects.retryUntil(ORDERS, reason);
const clear = () => desk.simulator.clear();
const settled = () => objects.reasonIs(ACME, 'Applied');

/** From now on the API answers like this, and the object has something to send. */
async function answered(status: number, error: string, reason: string): Promise<void> {
  clear();
  desk.simulator.always({ status, error }, { pathIncludes: '/pipes/' });
  await retried(reason);
}

async function scale(replicas: number): Promise<void> {
  await objects.editSpec(DEPLOYMENT, { replicas });
  await desk.node.sync();
}

/** The Organization `acme` with this spec. */
async function acme(spec: object): Promise<void> {
  const credentialsSecretRef = { name: 'management-api' };
  const kind = { apiVersion: 'pipewright.dev/v1alpha1', kind: 'Organization' };
  const whole = { organizationId: ORGANIZATION, credentialsSecretRef, ...spec };
  await objects.put(`${API}/organizations`, { ...kind, metadata: { name: 'acme' }, spec: whole });
}

const endpoints = (...ids: readonly string[]) => ({
  privateEndpoints: ids.map((id) => ({ id, cloudProvider: 'gcp', region: 'ap-northeast-1' })),
});
const THREE = ['psc-0', 'psc-1', 'psc-2'];

function theApiHas(...ids: readonly string[]): void {
  const held = desk.simulator.organization(ORGANIZATION)?.privateEndpoints.map(({ id }) => id);
  expect(held).toEqual(expect.arrayContaining([...ids]));
}

const KEY_REFUSED = 'Unauthorized, Forbidden: the API refuses the key (401, 403)';
const SECRETS = 'SecretNotFound, SecretInvalid, SecretForbidden';

const refusals: Following = {
  before: {
    'Pending: nothing happens': () => scale(0),
    [KEY_REFUSED]: async () => {
      desk.simulator.setKey('OLD-ID', undefined);
      desk.simulator.setKey('NEW-ID', 'NEW-SECRET');
      await retried('Unauthorized');
      await objects.key('management-api', NEW);
    },
    [`${KEY_REFUSED} >> kubectl pipewright retry`]: async () => {
      await answered(403, 'FORBIDDEN: role developer cannot change pipes', 'Forbidden');
      clear();
    },
    'NotFound: the pipe or organization is not there (404)': async () => {
      await answered(404, 'NOT_FOUND: no such pipe', 'NotFound');
      clear();
    },
    'Rejected: the API refuses a value (400 or 422)': async () => {
      clear();
      await retried('Applied');
      desk.simulator.play({ settings: { ranges: { object_storage_concurrency: [1, 10] } } });
      const settings = { object_storage_concurrency: 12 };
      await objects.editSpec(ORDERS, { settings });
      await objects.reasonIs(ORDERS, 'Rejected');
    },
    'Unavailable, OutcomeUnknown: the API is down': async () => {
      await desk.simulator.down();
      await retried('Unavailable');
      await desk.simulator.up();
    },
    [SECRETS]: async () => {
      await objects.remove('/api/v1/namespaces/ingest/secrets/management-api');
      await retried('SecretNotFound');
    },
    [`${SECRETS} >> kubectl -n ingest create role`]: async () => {
      await objects.edit(ROLE, ({ rules, ...rest }) => ({
        ...rest,
        rules: rules.filter(({ resources }) => !resources.includes('secrets')),
      }));
      await retried('SecretForbidden');
    },
  },
};

const organizations: Following = {
  before: {
    'TargetConflict: two objects for one pipe or organization': async () => {
      const copy = { ...orders, metadata: { name: 'orders-copy' } };
      await objects.put(`${API}/pipesettings`, copy);
      await objects.reasonIs(`${API}/pipesettings/orders-copy`, 'TargetConflict');
    },
    'RemovalBlocked, EndpointConflict: a change of endpoints is stopped': async () => {
      await acme(endpoints(...THREE, 'psc-3', 'psc-4', 'psc-5'));
      await settled();
      await acme({ privateEndpoints: [] });
      await objects.reasonIs(ACME, 'RemovalBlocked');
    },
    // Own endpoints in the list, and one that was taken out of it and is still there.
    'Found: an endpoint stays': async () => {
      const add = endpoints('by-hand').privateEndpoints;
      desk.simulator.setOrganization(ORGANIZATION, { add });
      await acme(endpoints(...THREE, 'by-hand'));
      await objects.until(ACME, 'Found', ({ status }) =>
        Boolean(status?.privateEndpoints?.some(({ origin }) => origin === 'Found')),
      );
      await acme(endpoints(...THREE));
      await settled();
    },
    'A deletion hangs': async () => {
      await objects.editSpec(ACME, { deletionPolicy: 'RemovePrivateEndpoints' });
      const isHeld = ({ metadata }: Stored): boolean => Boolean(metadata.finalizers);
      await objects.until(ACME, 'the finalizer', isHeld);
      await settled();
      await scale(0);
      await objects.remove(ACME);
    },
  },
  after: {
    'Found: an endpoint stays >> cat': async () => {
      await settled();
      const isOwned = ({ status }: Stored): boolean => status?.privateEndpoints?.length === 4;
      await objects.until(ACME, 'all its own', isOwned);
      theApiHas(...THREE, 'by-hand');
    },
  },
};

const MAKE_FLAGS = 'kubectl -n pipewright create configmap pipewright-flags';
const SHOW_FLAGS = "kubectl -n pipewright get configmap pipewright-flags -o jsonpath='{.data}'";

const installation: Following = {
  before: {
    'Change a flag': async () => {
      const values = '--set api.url=https://api.example.com --set namespaces={ingest}';
      const over = '--take-ownership --force-conflicts';
      const chart = 'deploy/helm/pipewright';
      await desk.succeed(`helm install pipewright ${chart} -n pipewright ${over} ${values}`);
    },
    // Applied by somebody, so that another apply takes out what it does not name.
    'Change a flag >> kubectl': async () => {
      await objects.remove(FLAGS);
      const rate = '--from-literal=PIPEWRIGHT_API_URL=https://api.example.com';
      const made = `${MAKE_FLAGS} ${rate} --dry-run=client -o yaml`;
      await desk.succeed(`${made} | kubectl apply -f -`);
    },
  },
  after: {
    'Change a flag >> helm -n pipewright get': async () => {
      const values = await desk.succeed('helm -n pipewright get values pipewright -o json');
      const kept = { api: { rate: '5/10s' }, namespaces: ['ingest'] };
      expect(JSON.parse(values)).toMatchObject(kept);
    },
    'Change a flag >> kubectl': async () =>
      expect(JSON.parse(await desk.succeed(SHOW_FLAGS))).toEqual({
        PIPEWRIGHT_API_RATE: '5/10s',
        PIPEWRIGHT_API_URL: desk.simulator.url,
      }),
  },
};

follow(pageBlocks('deploy/guides/troubleshooting.md'), () => desk, {
  before: { ...refusals.before, ...organizations.before, ...installation.before },
  after: { ...organizations.after, ...installation.after },
});
