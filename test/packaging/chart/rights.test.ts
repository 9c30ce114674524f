import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { cp, readFile, realpath, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { audit, waitFor } from '../../controlplane/client.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { KINDS, PLURALS } from '../../support/kinds.ts';
import { startOperator } from '../../support/operator.ts';
import { list } from '../../support/organizations.ts';
import { fencesIn } from '../../support/page.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { CLUSTER_WIDE, kustomized, rendered } from './helm.ts';
import { all, type Manifest, only } from './manifests.ts';
import { type Installed, installRights, rulesOf } from './rights.ts';

/** `groups | resources | names | verbs` of each rule. */
const shown = (manifest: Manifest): string[] =>
  rulesOf([manifest]).map(({ apiGroups, resources, resourceNames = [], verbs }) =>
    [apiGroups, resources, resourceNames, verbs].map((words) => words.join()).join(' | '),
  );

/** Of the operator, where it works. */
const rulesWith = (secrets = ''): string[] => [
  `pipewright.dev | ${PLURALS.join()} |  | get,list,watch`,
  'pipewright.dev | organizations |  | patch',
  `pipewright.dev | ${PLURALS.map((plural) => `${plural}/status`).join()} |  | update`,
  ` | secrets | ${secrets} | get`,
  'events.k8s.io | events |  | create',
];

describe('the rules of the chart', () => {
  test('are these', async () => {
    const manifests = await rendered();
    expect(shown(only(manifests, 'ClusterRole', 'pipewright'))).toEqual(rulesWith());
    expect(shown(only(manifests, 'Role'))).toEqual([
      'coordination.k8s.io | leases | pipewright | get,update',
      'coordination.k8s.io | leases |  | create',
      'events.k8s.io | events |  | create',
    ]);
  });

  test('are the same in each of its namespaces, and then none is for the cluster', async () => {
    const values = { namespaces: ['a', 'b'], secrets: { names: ['one', 'two'] } };
    const manifests = await rendered({ values: { ...values, crds: { enabled: false } } });
    const roles = all(manifests, 'Role', 'pipewright');
    expect(roles.map((one) => [one.metadata.namespace, shown(one)])).toEqual([
      ['a', rulesWith('one,two')],
      ['b', rulesWith('one,two')],
    ]);
    expect(manifests.filter(({ kind }) => kind.startsWith('Cluster'))).toEqual([]);
  });

  test('have no wildcard, and none but the operator writes a status', async () => {
    for (const manifests of [
      await rendered(),
      await rendered({ values: { namespaces: ['a'] } }),
      await kustomized(CLUSTER_WIDE),
    ]) {
      expect(JSON.stringify(rulesOf(manifests))).not.toContain('*');
      const status = manifests.filter((one) => JSON.stringify(rulesOf([one])).includes('/status'));
      expect(new Set(status.map(({ metadata }) => metadata.name))).toEqual(new Set(['pipewright']));
    }
  });
});

test('what install.md adds for one namespace leaves no right elsewhere', async () => {
  const page = fencesIn(readFileSync('deploy/guides/install.md', 'utf8'));
  const patch = page.find(({ lines }) => lines[0] === 'patches:');
  const folder = await temporaryFolder();
  await cp(CLUSTER_WIDE, folder, { recursive: true });
  const file = join(folder, 'kustomization.yaml');
  const there = relative(await realpath(folder), 'deploy/kustomize');
  const text = (await readFile(file, 'utf8')).replaceAll('- ../../', `- ${there}/`);
  await writeFile(file, [text, ...(patch?.lines ?? [])].join('\n'));
  const bindings = (await kustomized(folder)).filter(({ kind }) => kind.endsWith('Binding'));
  expect(bindings.map(({ kind, metadata }) => [kind, metadata.namespace, metadata.name])).toEqual([
    ['RoleBinding', 'ingest', 'pipewright'],
    ['RoleBinding', 'pipewright', 'pipewright-leader'],
  ]);
});

const NAME = 'whole-job';

/** All that the operator ever does: an event, and a cleanup with its finalizer, too. */
async function wholeJob({ psets, orgs, acts, objects, events }: Scene): Promise<void> {
  acts.record(NAME);
  await psets.create(NAME);
  await orgs.create(NAME, { ...list('psc-1'), deletionPolicy: 'RemovePrivateEndpoints' });
  await acts.create(NAME);
  await psets.until(NAME, 'Applied');
  await orgs.until(NAME, 'Applied');
  await acts.until(NAME, 'Fetched');
  await psets.create(NAME, { settings: { engine_max_threads: 9 } });
  await psets.until(NAME, 'Applied');
  await waitFor(() => events(NAME), { what: 'an event', until: ({ length }) => length > 0 });
  for (const kind of [psets, orgs, acts]) {
    await kind.remove(NAME);
    await kind.untilGone(NAME);
  }
  for (const kind of KINDS) {
    const { create, untilIt } = objects(kind);
    await create('any');
    await untilIt('any', 'a status', ({ status }) => status.observedGeneration > 0);
  }
}

/** Of this user, the rights that it has not used; those after a conflict of writes do not count. */
async function unusedOf({ user, rights }: Installed): Promise<string[]> {
  const used = (await audit({ user })).map(
    ({ resource, subresource, verb }) => `${resource}${subresource && '/'}${subresource} ${verb}`,
  );
  const afterConflict = PLURALS.map((plural) => `${plural} get`);
  return rights.filter((right) => ![...used, ...afterConflict].includes(right));
}

describe('under the rules of the chart the operator does its whole job, refused nothing', () => {
  test.each([
    ['in all namespaces', () => ({})],
    [
      'in one namespace, with the Secrets it may read by name',
      ({ namespace }: Scene) => ({
        namespaces: [namespace],
        secrets: { names: ['management-api'] },
      }),
    ],
  ])('%s', async (_, valuesFor) => {
    const scene = await openScene({ start: false });
    onTestFinished(() => scene.end());
    const { namespace, simulator } = scene;
    const name = `rights-${randomUUID().slice(0, 8)}`;
    const installed = await installRights({ name, namespace, values: valuesFor(scene) });
    const start = async (until: string) => {
      const { kubeconfig, flags } = installed;
      const operator = await startOperator({ kubeconfig, apiUrl: simulator.url, flags, until });
      onTestFinished(() => operator.kill());
      return operator;
    };
    const operator = await start('working');
    const standby = await start('started');
    await wholeJob(scene);
    expect(await operator.stop(), operator.output().slice(-3_000)).toBe(0);
    // Who takes over has looked at the Lease.
    await standby.waitForLine(({ msg }) => msg === 'working', 'the standby took over');
    expect(await standby.stop()).toBe(0);
    // A watch is logged when the API server has seen that it has ended.
    const what = 'every right to be used';
    await waitFor(() => unusedOf(installed), { what, until: ({ length }) => length === 0 });
    const refused = (await audit({ user: installed.user })).filter(({ code }) => code === 403);
    expect(refused).toEqual([]);
  });
});
