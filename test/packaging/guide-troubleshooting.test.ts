import { readFileSync } from 'node:fs';
import { afterAll, beforeAll } from 'vitest';
import { waitFor } from '../controlplane/client.ts';
import type { Match } from '../simulator/types.ts';
import { pageBlocks } from '../support/page.ts';
import { follow, type GuideWorld, install, openGuideWorld } from './guide-world.ts';
import { BUILD_MS } from './helm.ts';

/**
 * Every command of the plugin's page, where all is well; then those of the page on troubles, each
 * with an object in the state that it is about: what the page says to do ends that state. The
 * operator is the one of install.yaml.
 */
const ORDERS = readFileSync('deploy/examples/pipesettings.yaml', 'utf8');
const ORGANIZATION_ID = '0b1d7c52-4f0e-4d0b-9a53-2f1c6e1d8a10';
const PIPE: Match = { pathIncludes: '/pipes/' };
const PLACE = { cloudProvider: 'gcp', region: 'ap-northeast-1' };

let world: GuideWorld;

beforeAll(async () => {
  world = await openGuideWorld({ simulator: { keys: { 'OLD-ID': 'OLD-SECRET' } } });
  await install(world);
  await world.succeed('kubectl create namespace ingest');
  await key('management-api', { keyId: 'OLD-ID', keySecret: 'OLD-SECRET' });
  await apply(ORDERS);
  await world.node.sync();
}, BUILD_MS);
afterAll(() => world.end());

/** `name` has these keys and no others. */
async function key(name: string, values: Readonly<Record<string, string>>): Promise<void> {
  const literals = Object.entries(values).map(
    ([field, value]) => `--from-literal=${field}=${value}`,
  );
  await world.succeed(
    `kubectl -n ingest create secret generic ${name} ${literals.join(' ')} --dry-run=client -o json | kubectl replace --force -f -`,
  );
}

async function apply(manifest: string | object): Promise<void> {
  const text = typeof manifest === 'string' ? manifest : JSON.stringify(manifest);
  await world.succeed(`kubectl apply -f - <<'END'\n${text}\nEND`);
}

async function reasonIs(reason: string, object = 'pipesettings.pipewright.dev/orders') {
  await world.succeed(
    `kubectl -n ingest wait --for=jsonpath='{.status.conditions[?(@.type=="Ready")].reason}'=${reason} ${object} --timeout=30s`,
  );
}

/** From now on the API answers like this, and the object has something to send. */
async function answered(status: number, error: string, reason: string): Promise<void> {
  world.simulator.clear();
  world.simulator.always({ status, error }, PIPE);
  await world.succeed('kubectl pipewright retry pset/orders -n ingest');
  await reasonIs(reason);
}

async function well(): Promise<void> {
  world.simulator.clear();
  await world.succeed('kubectl pipewright retry pset/orders -n ingest --wait');
}

async function acme(spec: object): Promise<void> {
  await apply({
    apiVersion: 'pipewright.dev/v1alpha1',
    kind: 'Organization',
    metadata: { name: 'acme', namespace: 'ingest' },
    spec: {
      organizationId: ORGANIZATION_ID,
      credentialsSecretRef: { name: 'management-api' },
      ...spec,
    },
  });
}

const endpoints = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `psc-${index}`, ...PLACE }));
const ACME = 'organizations.pipewright.dev/acme';

/** All Secrets may be read no more, and the object names one that was never read. */
async function withoutRights(): Promise<void> {
  await well();
  const { stdout } = await world.own.kubectl(['get', 'clusterrole', 'pipewright', '-o', 'json']);
  const role = JSON.parse(stdout) as { rules: { resources: string[] }[] };
  const rules = role.rules.filter(({ resources }) => !resources.includes('secrets'));
  await apply({ ...role, rules });
  await untilMayReadSecret('no');
  await key('management-api', { keyId: 'NEW-ID', keySecret: 'NEW-SECRET' });
  await world.succeed('kubectl pipewright retry pset/orders -n ingest');
  await reasonIs('SecretForbidden');
}

/** The API server hears of its own rules a moment after it has stored them. */
async function untilMayReadSecret(answer: 'yes' | 'no'): Promise<void> {
  const ask = 'kubectl auth can-i get secrets/management-api -n ingest';
  await waitFor(() => world.shell(`${ask} --as=system:serviceaccount:pipewright:pipewright`), {
    what: `the right to the Secret: ${answer}`,
    until: ({ stdout }) => stdout.trim() === answer,
  });
}

async function twoForOnePipe(): Promise<void> {
  await apply(ORDERS.replace('name: orders', 'name: orders-copy'));
  await reasonIs('TargetConflict', 'pipesettings.pipewright.dev/orders-copy');
}

async function hanging(): Promise<void> {
  await acme({ privateEndpoints: endpoints(1), deletionPolicy: 'RemovePrivateEndpoints' });
  await world.succeed(`kubectl -n ingest wait --for=condition=Ready ${ACME} --timeout=30s`);
  await world.succeed('kubectl -n pipewright scale deployment/pipewright --replicas=0');
  await world.node.sync();
  await world.succeed(`kubectl -n ingest delete ${ACME} --wait=false`);
}

follow(pageBlocks('deploy/guides/plugin.md'), () => world, {
  before: {
    'In a pull request: plan': async () => {
      await world.succeed('cp -r deploy/examples manifests');
    },
  },
  endsWith: {
    'In a pull request: plan': 2,
    'When something is not Ready: status, explain, doctor >> kubectl pipewright bundle': 2,
  },
});

follow(pageBlocks('deploy/guides/troubleshooting.md'), () => world, {
  before: {
    'Nothing happens': async () => {
      await world.succeed('kubectl -n pipewright scale deployment/pipewright --replicas=0');
      await world.node.sync();
    },
    'The API refuses the key (401) >> kubectl -n ingest get': async () => {
      world.simulator.setKey('OLD-ID', undefined);
      world.simulator.setKey('NEW-ID', 'NEW-SECRET');
      await world.succeed('kubectl pipewright retry pset/orders -n ingest');
      await reasonIs('Unauthorized');
    },
    'The key may not do this (403) >> kubectl -n ingest get': () =>
      answered(403, 'FORBIDDEN: role developer cannot change pipes', 'Forbidden'),
    'The key may not do this (403) >> kubectl pipewright retry': () =>
      Promise.resolve(world.simulator.clear()),
    'The pipe or organization is not found (404) >> kubectl -n ingest get': () =>
      answered(404, 'NOT_FOUND: no such pipe', 'NotFound'),
    'The pipe or organization is not found (404) >> kubectl -n ingest delete': () =>
      Promise.resolve(world.simulator.clear()),
    'The rate limit is reached (429) >> kubectl -n ingest get': () =>
      answered(429, 'TOO_MANY_REQUESTS: slow down', 'RateLimited'),
    'The API refuses a value (400 or 422) >> kubectl pipewright explain': async () => {
      await well();
      world.simulator.play({ settings: { ranges: { object_storage_concurrency: [1, 10] } } });
      await apply(ORDERS.replace('concurrency: 8', 'concurrency: 12'));
      await reasonIs('Rejected');
    },
    'The API is busy or down >> kubectl pipewright retry': async () => {
      await world.simulator.down();
      await world.succeed('kubectl pipewright retry pset/orders -n ingest');
      await reasonIs('Unavailable');
      await world.simulator.up();
    },
    'The API reports another value >> kubectl -n ingest get': async () => {
      world.simulator.play({
        settings: { ranges: {}, clamp: { object_storage_concurrency: [1, 4] } },
      });
      await world.succeed('kubectl pipewright retry pset/orders -n ingest');
      await reasonIs('NotConfirmed');
    },
    'The Secret is missing or incomplete >> kubectl -n ingest get': async () => {
      world.simulator.play({ settings: { clamp: {} } });
      await key('management-api', { keyId: 'NEW-ID' });
      await world.succeed('kubectl pipewright retry pset/orders -n ingest');
      await reasonIs('SecretInvalid');
    },
    'The operator may not read the Secret >> kubectl -n ingest create role': withoutRights,
    'The operator may not read the Secret >> kubectl pipewright retry': () =>
      untilMayReadSecret('yes'),
    'Two objects for one pipe >> kubectl get': twoForOnePipe,
    'A change of endpoints is stopped >> kubectl pipewright explain': async () => {
      await acme({ privateEndpoints: endpoints(6) });
      await reasonIs('Applied', ACME);
      await acme({ privateEndpoints: [] });
      await reasonIs('RemovalBlocked', ACME);
    },
    'An endpoint came back as Found >> kubectl pipewright explain': async () => {
      const theirs = { id: 'by-hand', ...PLACE };
      world.simulator.setOrganization(ORGANIZATION_ID, { add: [theirs] });
      await acme({ privateEndpoints: [theirs] });
      await world.succeed(
        `kubectl -n ingest wait --for=jsonpath='{.status.privateEndpoints[0].origin}'=Found ${ACME} --timeout=30s`,
      );
    },
    'A deletion hangs >> kubectl -n ingest get': hanging,
  },
});
