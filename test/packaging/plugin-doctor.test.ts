import { spawn } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitFor } from '../controlplane/client.ts';
import { type ControlPlane, startControlPlane } from '../controlplane/controlplane.ts';
import { findProgram } from '../controlplane/programs.ts';
import { startSimulator } from '../simulator/simulator.ts';
import type { Simulator } from '../simulator/types.ts';
import { editCrd } from '../support/edit-crds.ts';
import { plugin, pluginFolder } from '../support/plugin.ts';
import { ORGANIZATION, type Pset, SERVICE } from '../support/scene-objects.ts';
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

let own: ControlPlane;
let simulator: Simulator;
let node: PlayedNode;
let path: string;

beforeAll(async () => {
  const helm = await findProgram('helm');
  own = await startControlPlane({ say: () => {} });
  simulator = await startSimulator({ keys: KEYS });
  node = playNode({ own, namespace: 'pipewright', name: 'pipewright', apiUrl: simulator.url });
  const folder = join(own.folder, 'bin');
  await mkdir(folder);
  await symlink(helm, join(folder, 'helm'));
  path = `${folder}:${await pluginFolder()}:${dirname(process.execPath)}:${process.env['PATH']}`;
  await kubectl('create', 'namespace', TEAM);
  await kubectl('create', 'namespace', 'elsewhere');
}, BUILD_MS);
afterAll(async () => {
  await node.stop();
  await simulator.stop();
  await own.stop();
});

async function kubectl(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await own.kubectl(args);
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')} ended with ${code}: ${stderr}`);
  return stdout;
}

/** What a user does with the command: pastes it, with the two variables set. */
function pasted(command: string): Promise<Ran> {
  const home = join(own.folder, 'home');
  const child = spawn('sh', ['-c', command], {
    env: {
      PATH: path,
      HOME: home,
      KUBECONFIG: own.adminKubeconfig,
      KUBECACHEDIR: join(own.folder, 'kubectl'),
      KUBERC: 'off',
      PIPEWRIGHT_KEY_ID: 'key-1',
      PIPEWRIGHT_KEY_SECRET: 'secret-1',
      PIPEWRIGHT_API_URL: 'https://api.example.com',
    },
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  return new Promise((resolve) =>
    child.once('close', (code) => resolve({ code: code ?? -1, stdout, stderr })),
  );
}

async function run(command: string | undefined): Promise<void> {
  expect(command).toBeDefined();
  const { code, stderr } = await pasted(command ?? '');
  expect(stderr, command).not.toMatch(/error/i);
  expect(code, `${command}: ${stderr}`).toBe(0);
}

async function doctor(...more: readonly string[]): Promise<Report & { readonly code: number }> {
  const options = { kubeconfig: own.adminKubeconfig };
  const { code, stdout, stderr } = await plugin(['doctor', '-A', '-o', 'json', ...more], options);
  expect(stderr).not.toMatch(/^error/m);
  const report = JSON.parse(stdout) as Report;
  expect(stdout).not.toMatch(/secret-[12]/);
  return { ...report, code };
}

/** The one finding of a check. */
async function found(check: string): Promise<Finding> {
  const { code, findings, checked } = await doctor();
  expect(code).toBe(2);
  const [one, ...others] = findings.filter((finding) => finding.check === check);
  if (!one || others.length > 0)
    throw new Error(`not one of ${check}: ${JSON.stringify(findings)}`);
  expect(checked, 'what is wrong was looked at').toContain(check);
  return one;
}

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
  const object = {
    apiVersion: 'pipewright.dev/v1alpha1',
    kind: 'PipeSettings',
    metadata: { name, namespace: TEAM, labels },
    spec: {
      organizationId: ORGANIZATION,
      serviceId: SERVICE,
      pipeId: name,
      credentialsSecretRef: { name: secret },
      settings: { engine_max_threads: 8 },
    },
  };
  await waitFor(() => applied(object), { what: `${name} to be taken` });
}

async function applied(object: object): Promise<boolean> {
  const { code, stderr } = await own.kubectl(['apply', '-f', '-'], JSON.stringify(object));
  if (code !== 0) throw new Error(stderr);
  return true;
}

async function secret(name: string, data: Readonly<Record<string, string>>): Promise<void> {
  const values = Object.entries(data).map(([key, value]) => `--from-literal=${key}=${value}`);
  await kubectl('create', 'secret', 'generic', name, '-n', TEAM, ...values);
}

async function until(name: string, reason: string): Promise<void> {
  const look = async (): Promise<string | undefined> => {
    const { status } = JSON.parse(
      await kubectl('get', 'pset', name, '-n', TEAM, '-o', 'json'),
    ) as Pset;
    return status.conditions.find(({ type }) => type === 'Ready')?.reason;
  };
  await waitFor(look, { what: `${name} to be ${reason}`, until: (seen) => seen === reason });
}

const upgrade = (...values: readonly string[]): Promise<void> =>
  run(
    `helm upgrade pipewright deploy/helm/pipewright --namespace pipewright --reset-then-reuse-values ${values.map((one) => `--set ${one}`).join(' ')}`,
  );

test('no CRD', async () => {
  const finding = await found('crds');
  expect(finding.says).toContain('pipesettings.pipewright.dev');
  await run(finding.command);
  const { findings, checked } = await waitFor(() => doctor(), {
    what: 'the kinds to be served',
    until: ({ notChecked }) => !JSON.stringify(notChecked).includes('CRD'),
  });
  expect(findings.map(({ check }) => check)).toEqual(['operator']);
  expect(checked).toContain('crds');
});

test('old CRD', async () => {
  await makeOld();
  const finding = await found('crds');
  expect(finding.says).toContain('pipesettings.pipewright.dev, first at v1alpha1.spec.settings.');
  expect(finding.command).toContain('kubectl pipewright crds |');
  await run(finding.command);
  expect((await doctor()).findings.map(({ check }) => check)).toEqual(['operator']);
});

test('no operator', async () => {
  const finding = await found('operator');
  expect(finding.says).toContain('in any namespace');
  await run(finding.command);
  await node.sync();
  await nothingFound();
});

test('old CRD of a release, which Helm can upgrade afterwards', async () => {
  await makeOld();
  const finding = await found('crds');
  expect(finding.command).toContain('helm upgrade pipewright');
  await run(finding.command);
  await nothingFound();
});

async function makeOld(): Promise<void> {
  await editCrd(own, 'pipesettings', (crd) =>
    JSON.parse(JSON.stringify(crd).replace('"maximum":60000', '"maximum":59999')),
  );
}

test('no leader', async () => {
  await kubectl('scale', 'deployment/pipewright', '-n', 'pipewright', '--replicas=0');
  await node.sync();
  const finding = await found('leader');
  expect(finding.says).toContain('scaled to 0');
  await run(finding.command);
  await node.sync();
  await nothingFound();
});

test('wrong namespaces', async () => {
  await secret('management-api', { keyId: 'key-1', keySecret: 'secret-1' });
  await upgrade('namespaces={elsewhere}', 'secrets.all=true');
  await node.sync();
  await create('orders');
  const finding = await found('namespaces');
  expect(finding.says).toContain('works only in namespace elsewhere');
  expect(finding.says).toContain('team-a/pset/orders');
  await run(finding.command);
  await node.sync();
  await until('orders', 'Applied');
  await nothingFound();
});

test('wrong selector', async () => {
  await upgrade("'selector=tier in (gold\\,silver)'");
  await node.sync();
  await create('late', { labels: {} });
  const finding = await found('selector');
  expect(finding.says).toContain('tier in (gold,silver)');
  await run(finding.command);
  await until('late', 'Applied');
  await nothingFound();
});

test('missing rule', async () => {
  const role = ['role', 'pipewright', '-n', TEAM];
  const { rules } = JSON.parse(await kubectl('get', ...role, '-o', 'json')) as {
    readonly rules: readonly { readonly resources: readonly string[] }[];
  };
  const give = (given: typeof rules) =>
    kubectl('patch', ...role, '--type=merge', '-p', JSON.stringify({ rules: given }));
  await give(rules.filter(({ resources }) => !resources.includes('secrets')));
  const finding = await waitFor(() => found('rights'), { what: 'the rule to be missed' });
  expect(finding.says).toContain(
    `may not get, list, watch secrets management-api in namespace ${TEAM}`,
  );
  await run(finding.command);
  await nothingFound();
  await secret('second', { keyId: 'key-1', keySecret: 'secret-1' });
  await create('second', { secret: 'second' });
  const another = await waitFor(() => found('rights'), { what: 'the second rule to be missed' });
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
  await applied({
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
  await kubectl('delete', 'deployment', 'forged', '-n', 'elsewhere');
});

test('missing Secret, half Secret, refused key and paused key', async () => {
  const others = { 'database-password': 'of somebody else' };
  await secret('half', { keyId: 'key-1', ...others });
  await secret('refused', { keyId: 'key-1', keySecret: 'secret-of-before', ...others });
  await kubectl('label', 'secret', 'half', 'refused', '-n', TEAM, 'team=data');
  await secret('paused', { keyId: 'key-2', keySecret: 'secret-2' });
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
  await nothingFound();
  // What else a Secret holds is not the operator's to lose.
  for (const name of ['half', 'refused']) {
    const { data, metadata } = JSON.parse(
      await kubectl('get', 'secret', name, '-n', TEAM, '-o', 'json'),
    ) as { readonly data: object; readonly metadata: { readonly labels: object } };
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
  await nothingFound();
});

test('wrong namespaces of an installation without Helm', async () => {
  await run('helm uninstall pipewright --namespace pipewright');
  await node.sync();
  // One that a process had no right any more to release would be waited for.
  await kubectl('delete', 'leases', '--all', '-n', 'pipewright');
  await kubectl('apply', '--server-side', '--force-conflicts', '-f', 'deploy/install.yaml');
  const flags = {
    PIPEWRIGHT_API_URL: 'https://api.example.com',
    PIPEWRIGHT_NAMESPACES: 'elsewhere',
    PIPEWRIGHT_LEADER_ELECT_NAME: 'pipewright',
  };
  const values = Object.entries(flags).map(([key, value]) => `--from-literal=${key}=${value}`);
  await kubectl('create', 'configmap', 'pipewright-flags', '-n', 'pipewright', ...values);
  await node.sync();
  await create('plain');
  const finding = await found('namespaces');
  expect(finding.command).toContain('patch configmap pipewright-flags');
  await run(finding.command);
  await node.sync();
  await until('plain', 'Applied');
  await nothingFound();
});
