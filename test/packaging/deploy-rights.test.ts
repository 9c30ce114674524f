import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import { definitions } from '../../src/kinds/definitions.ts';
import { audit, kubectl, waitFor } from '../controlplane/client.ts';
import { findProgram } from '../controlplane/programs.ts';
import type { Rule } from '../support/cluster.ts';
import { startOperator } from '../support/operator.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { BUILD_MS, rendered } from './helm.ts';
import { overlay } from './kustomize.ts';
import { only } from './manifests.ts';
import { installRights, rightsOf, rulesOf } from './rights.ts';
import { allApplied, allDeleted, createAll, JOBS, readyMessages } from './whole-job.ts';

/** The roles for users come with the CRDs. */
const NO_CRDS = { crds: { install: false } };
const PLURALS = definitions.map(({ type }) => type.plural);

beforeAll(() => findProgram('helm'), BUILD_MS);

/** A scene without its own operator; ends with the test. */
async function scenery(): Promise<{ scene: Scene; name: string }> {
  const scene = await openScene({ start: false });
  onTestFinished(() => scene.end());
  return { scene, name: `rights-${randomUUID().slice(0, 8)}` };
}

async function operate(
  scene: Scene,
  access: { kubeconfig: string; flags: readonly string[] },
  until?: string,
) {
  const operator = await startOperator({
    kubeconfig: access.kubeconfig,
    apiUrl: scene.simulator.url,
    flags: access.flags,
    ...(until !== undefined && { until }),
  });
  onTestFinished(() => operator.kill());
  return operator;
}

test('there is a job for every kind', () => {
  expect(Object.keys(JOBS).sort()).toEqual(definitions.map(({ type }) => type.kind).sort());
});

describe('the rules of the chart', () => {
  const shown = (rules: unknown): string[] =>
    (rules as (Rule & { resourceNames?: string[] })[]).map(
      ({ apiGroups, resources, resourceNames = [], verbs }) =>
        [
          apiGroups.join(),
          resources.join(),
          ...resourceNames.map((name) => `"${name}"`),
          '=',
          verbs.join(),
        ].join(' '),
    );

  test('are these', async () => {
    const manifests = await rendered();
    expect(shown(only(manifests, 'ClusterRole', 'pipewright')['rules'])).toEqual([
      `pipewright.dev ${PLURALS.join()} = get,list,watch`,
      'pipewright.dev organizations = patch',
      `pipewright.dev ${PLURALS.map((plural) => `${plural}/status`).join()} = update`,
      ' secrets = get,list,watch',
      'events.k8s.io events = create',
    ]);
    expect(shown(only(manifests, 'Role')['rules'])).toEqual([
      'coordination.k8s.io leases "pipewright" = get,list,watch,update',
      'coordination.k8s.io leases = create',
    ]);
    expect(shown(only(manifests, 'ClusterRole', 'pipewright-view')['rules'])).toEqual([
      'pipewright.dev pipesettings,organizations = get,list,watch',
    ]);
    expect(shown(only(manifests, 'ClusterRole', 'pipewright-edit')['rules'])).toEqual([
      'pipewright.dev pipesettings,organizations,activities = get,list,watch,create,update,patch,delete',
    ]);
  });

  test('are the same in each namespace where it works in some, and then no ClusterRole is left', async () => {
    const everywhere = only(await rendered(), 'ClusterRole', 'pipewright')['rules'];
    const values = { namespaces: ['a', 'b'], secrets: { all: true }, ...NO_CRDS };
    const manifests = await rendered({ values });
    const roles = manifests.filter(
      ({ kind, metadata }) => kind === 'Role' && metadata.name === 'pipewright',
    );
    expect(roles.map(({ metadata, rules }) => [metadata.namespace, rules])).toEqual([
      ['a', everywhere],
      ['b', everywhere],
    ]);
    expect(manifests.filter(({ kind }) => kind.startsWith('Cluster'))).toEqual([]);
  });

  test('name the Secrets where there are names, and nothing else by name', async () => {
    const manifests = await rendered({ values: { secrets: { names: ['one', 'two'] } } });
    const named = shown(only(manifests, 'ClusterRole', 'pipewright')['rules']).filter((rule) =>
      rule.includes('"'),
    );
    expect(named).toEqual([' secrets "one" "two" = get,list,watch']);
  });

  test('let no Secret be read that is not named, where it works in some namespaces, unless all are meant', async () => {
    const values = { namespaces: ['a', 'b'], secrets: { names: ['one'] }, ...NO_CRDS };
    const chart = await rendered({ values });
    for (const manifests of [chart, await overlay('one-namespace')]) {
      const secrets = rulesOf(manifests).filter(({ resources }) => resources.includes('secrets'));
      expect(secrets.length).toBeGreaterThan(0);
      for (const { resourceNames = [] } of secrets) expect(resourceNames).toHaveLength(1);
    }
  });

  test('have no wildcard, and none but the operator writes a status, whatever the values', async () => {
    const all = await Promise.all([
      rendered(),
      rendered({ values: { namespaces: ['a'], secrets: { all: true } } }),
      rendered({ values: { selector: 'shard=a' } }),
      overlay('cluster-wide'),
      overlay('one-namespace'),
    ]);
    for (const manifests of all) {
      expect(JSON.stringify(rulesOf(manifests))).not.toContain('*');
      const status = manifests.filter((one) => JSON.stringify(rulesOf([one])).includes('/status'));
      expect(new Set(status.map(({ metadata }) => metadata.name))).toEqual(new Set(['pipewright']));
    }
  });

  test.each<readonly [selector: string, namespaces: readonly string[], name?: string]>([
    ['', []],
    ['', ['ingest']],
    ['', ['ingest', 'audit', 'data']],
    ['team=data', []],
    [' team  ==  data ,tier=gold', []],
    ['tier=gold,team=data,tier==gold', ['data', 'ingest']],
    ['env in (prod,  stage , prod)', []],
    ['env   notin ( test,dev )', []],
    ['env in(b,a) , env notin (c)', []],
    ['! legacy', []],
    ['example.com/shard', []],
    ['team != data', []],
    ['team=', []],
    ['Zone=a,area=b,!Zone,x-1.y', []],
    ['env in (b,a),!legacy,team!=x,shard', ['ingest']],
    ['team=data', ['ingest'], 'one-of-a-kind'],
  ])(
    'name the Lease as the operator does: selector %j, namespaces %j',
    async (selector, namespaces, name = '') => {
      const leaderElection = { name };
      const values = { selector, namespaces, secrets: { all: true }, leaderElection };
      const manifests = await rendered({ values });
      const env = only(manifests, 'ConfigMap')['data'] as Record<string, string>;
      const parsed = parseConfig({ argv: ['--leader-elect=false'], env, version: 'test' });
      const rules = rulesOf([only(manifests, 'Role', 'pipewright-leader')]);
      expect(parsed).toMatchObject({
        ok: true,
        config: { leaderElectName: rules[0]?.resourceNames?.[0] },
      });
    },
  );
});

describe('under exactly the rules of the chart the operator does its whole job, and is refused nothing', () => {
  test.each([
    [
      'in all namespaces, as one shard',
      (scene: Scene) => ({ selector: `scene=${scene.namespace}` }),
    ],
    [
      'in one namespace',
      (scene: Scene) => ({ namespaces: [scene.namespace], secrets: { all: true } }),
    ],
    [
      'with the Secrets it may read by name',
      (scene: Scene) => ({ namespaces: [scene.namespace], secrets: { names: ['management-api'] } }),
    ],
  ])('%s', async (_, values) => {
    const { scene, name } = await scenery();
    const access = await installRights({ name, namespace: scene.namespace, values: values(scene) });
    const operator = await operate(scene, access);
    await createAll(scene, { scene: scene.namespace });
    const standby = await operate(scene, access, 'started');
    await allApplied(scene);
    await allDeleted(scene);
    const code = await operator.stop();
    expect(code, operator.output().slice(-3_000)).toBe(0);
    // Who takes over has looked at the Lease, and watched it.
    await standby.waitForLine(({ msg }) => msg === 'working', 'the standby took over');
    expect(await standby.stop()).toBe(0);

    const afterConflict = Object.values(JOBS).map(({ plural }) => `${plural} get`);
    const rights = rightsOf(await rendered({ values: { ...values(scene), ...NO_CRDS } })).filter(
      (right) => !afterConflict.includes(right),
    );
    const unused = async (): Promise<string[]> => {
      const used = (await audit({ user: access.user })).map(
        ({ resource, subresource, verb }) =>
          `${resource}${subresource && '/'}${subresource} ${verb}`,
      );
      return rights.filter((right) => !used.includes(right));
    };
    // A watch is logged when the API server has seen that it has ended.
    const what = 'every right to be used';
    expect(await waitFor(unused, { what, until: ({ length }) => length === 0 })).toEqual([]);
    expect((await audit({ user: access.user })).filter(({ code }) => code === 403)).toEqual([]);
  });
});

test('with all policies of the chart in force the operator does its whole job, and nobody else writes a status', async () => {
  const { scene, name } = await scenery();
  const enabled = { enabled: true };
  const access = await installRights({
    name,
    namespace: scene.namespace,
    values: {
      namespaces: [scene.namespace],
      secrets: { names: ['management-api'] },
      policies: {
        statusWriters: enabled,
        operatorFinalizers: enabled,
        secretReaders: enabled,
      },
    },
  });
  onTestFinished(async () => {
    for (const policy of ['status-writers', 'operator-finalizers', 'secret-readers'])
      for (const kind of ['validatingadmissionpolicybinding', 'validatingadmissionpolicy'])
        expect(
          (await kubectl(['delete', kind, `${scene.namespace}-${name}-${policy}`])).stderr,
        ).toBe('');
  });
  await createAll(scene);
  const object = ['pipesettings.pipewright.dev', 'whole-job', '-n', scene.namespace];
  const change = ['--type=merge', '-p', '{"status":{"attempts":9}}', '--dry-run=server'];
  const forge = async (): Promise<string> =>
    (await kubectl(['patch', ...object, '--subresource=status', ...change])).stderr;
  const refusal = `only ${access.user} may write the status of pipesettings`;
  await waitFor(forge, { what: 'the policies', until: (said) => said.includes(refusal) });
  const operator = await operate(scene, access);
  await allApplied(scene);
  expect(await forge()).toContain(refusal);
  await allDeleted(scene);
  expect(await operator.stop()).toBe(0);
  const refused = (await audit({ user: access.user })).filter(({ code }) =>
    [403, 422].includes(code),
  );
  expect(refused).toEqual([]);
});

/** Each right, the verb that is taken away, and how that is told. */
const MISSING: readonly (readonly [resource: string, verbs: string, told: RegExp])[] = [
  ...PLURALS.flatMap((plural) => [
    [
      plural,
      'get,list,watch',
      new RegExp(`allow get, list and watch on ${plural}\\.pipewright\\.dev`),
    ] as const,
    [
      `${plural}/status`,
      'update',
      new RegExp(`cannot update resource .*"${plural}/status"`),
    ] as const,
  ]),
  [
    'organizations',
    'patch',
    /the rule \{apiGroups: \["pipewright.dev"\], resources: \["organizations"\], verbs: \[.*"patch"\]\}/,
  ],
  [
    'secrets',
    'get,list,watch',
    /the rule \{apiGroups: \[""\], resources: \["secrets"\], resourceNames: \["management-api"\], verbs: \["get", "list", "watch"\]\}/,
  ],
  [
    'events',
    'create',
    /the rule \{apiGroups: \["events.k8s.io"\], resources: \["events"\], verbs: \["create"\]\}/,
  ],
  [
    'leases',
    'get,list,watch,update',
    /the rule \{apiGroups: \["coordination.k8s.io"\], resources: \["leases"\], resourceNames: \["pipewright-\w{8}"\], verbs: \["get", "list", "watch", "update"\]\}/,
  ],
  [
    'leases',
    'create',
    /the rule \{apiGroups: \["coordination.k8s.io"\], resources: \["leases"\], verbs: \["create"\]\}/,
  ],
];

describe('a right that is missing is named', () => {
  test('for all that the rules give', async () => {
    const rights = MISSING.flatMap(([resource, verbs]) =>
      verbs.split(',').map((verb) => `${resource} ${verb}`),
    );
    expect(rights.toSorted()).toEqual(rightsOf(await rendered({ values: NO_CRDS })).toSorted());
  });

  test.each(MISSING)('%s: %s', async (resource, verbs, told) => {
    const { scene, name } = await scenery();
    const access = await installRights({
      name,
      namespace: scene.namespace,
      values: { namespaces: [scene.namespace], secrets: { all: true } },
      edit: (rules) => rules.flatMap((rule) => without(rule, resource, verbs)),
    });
    const operator = await operate(scene, access, 'started');
    await createAll(scene);
    // Events tell of changes, so there must have been one.
    if (resource === 'events') await allApplied(scene);
    const heard = async (): Promise<string> =>
      [operator.output(), ...(await readyMessages(scene))].join('\n').replaceAll('\\"', '"');
    const what = `${resource} to be named`;
    expect(await waitFor(heard, { what, until: (text) => told.test(text) })).toMatch(told);
  });
});

function without(rule: Rule, resource: string, verbs: string): Rule[] {
  if (!rule.resources.includes(resource) || rule.verbs.join() !== verbs) return [rule];
  const resources = rule.resources.filter((one) => one !== resource);
  return resources.length > 0 ? [{ ...rule, resources }] : [];
}
