import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { definitions } from '../../src/kinds/definitions.ts';
import { audit, waitFor } from '../controlplane/client.ts';
import { findProgram } from '../controlplane/programs.ts';
import type { Rule } from '../support/cluster.ts';
import { startOperator } from '../support/operator.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { BUILD_MS, rendered } from './helm.ts';
import { only } from './manifests.ts';
import { installRights, rightsOf } from './rights.ts';
import { allApplied, allDeleted, createAll, JOBS, readyMessages } from './whole-job.ts';

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
    expect(shown(only(manifests, 'ClusterRole')['rules'])).toEqual([
      `pipewright.dev ${PLURALS.join()} = get,list,watch`,
      'pipewright.dev organizations = patch',
      `pipewright.dev ${PLURALS.map((plural) => `${plural}/status`).join()} = update`,
      ' secrets = get,list,watch',
      'events.k8s.io events = create',
    ]);
    expect(shown(only(manifests, 'Role')['rules'])).toEqual([
      'coordination.k8s.io leases = get,list,watch,create,update',
    ]);
  });

  test('are the same in each namespace where it works in some, and then no ClusterRole is left', async () => {
    const everywhere = only(await rendered(), 'ClusterRole')['rules'];
    const manifests = await rendered({ values: { namespaces: ['a', 'b'] } });
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
    const named = shown(only(manifests, 'ClusterRole')['rules']).filter((rule) =>
      rule.includes('"'),
    );
    expect(named).toEqual([' secrets "one" "two" = get,list,watch']);
  });

  test('have no wildcard', async () => {
    expect(rightsOf(await rendered()).filter((right) => right.includes('*'))).toEqual([]);
  });
});

describe('under exactly the rules of the chart the operator does its whole job, and is refused nothing', () => {
  test.each([
    [
      'in all namespaces, as one shard',
      (scene: Scene) => ({ selector: `scene=${scene.namespace}` }),
    ],
    ['in one namespace', (scene: Scene) => ({ namespaces: [scene.namespace] })],
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
    const rights = rightsOf(await rendered({ values: values(scene) })).filter(
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
    'get,list,watch,create,update',
    /the rule \{apiGroups: \["coordination.k8s.io"\], resources: \["leases"\],.* verbs: \["get", "list", "watch", "update"\]\}/,
  ],
];

describe('a right that is missing is named', () => {
  test('for all that the rules give', async () => {
    const rights = MISSING.flatMap(([resource, verbs]) =>
      verbs.split(',').map((verb) => `${resource} ${verb}`),
    );
    expect(rights.toSorted()).toEqual(rightsOf(await rendered()).toSorted());
  });

  test.each(MISSING)('%s: %s', async (resource, verbs, told) => {
    const { scene, name } = await scenery();
    const access = await installRights({
      name,
      namespace: scene.namespace,
      values: { namespaces: [scene.namespace] },
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
