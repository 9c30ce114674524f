import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { cp, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { definitions } from '../../src/kinds/definitions.ts';
import { audit, waitFor } from '../controlplane/client.ts';
import { findProgram } from '../controlplane/programs.ts';
import type { Rule } from '../support/cluster.ts';
import { startOperator } from '../support/operator.ts';
import { fencesIn } from '../support/page.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { BUILD_MS, rendered } from './helm.ts';
import { built, overlay } from './kustomize.ts';
import { only } from './manifests.ts';
import { installRights, rightsOf, rulesOf } from './rights.ts';
import { allApplied, allDeleted, createAll, JOBS } from './whole-job.ts';

/** The roles for users come with the CRDs. */
const NO_CRDS = { crds: { enabled: false } };
const PLURALS = definitions.map(({ type }) => type.plural);

beforeAll(async () => {
  for (const name of ['helm', 'kustomize'] as const) await findProgram(name);
}, BUILD_MS);

const shown = (rules: unknown): string[] =>
  (rules as (Rule & { resourceNames?: string[] })[]).map(
    ({ apiGroups, resources, resourceNames = [], verbs }) =>
      [apiGroups, resources, resourceNames, verbs].map((words) => words.join()).join(' | '),
  );

describe('the rules of the chart', () => {
  test('are these', async () => {
    const manifests = await rendered();
    expect(shown(only(manifests, 'ClusterRole', 'pipewright')['rules'])).toEqual([
      `pipewright.dev | ${PLURALS.join()} |  | get,list,watch`,
      'pipewright.dev | organizations |  | patch',
      `pipewright.dev | ${PLURALS.map((plural) => `${plural}/status`).join()} |  | update`,
      ' | secrets |  | get',
      'events.k8s.io | events |  | create',
    ]);
    expect(shown(only(manifests, 'Role')['rules'])).toEqual([
      'coordination.k8s.io | leases | pipewright | get,update',
      'coordination.k8s.io | leases |  | create',
    ]);
  });

  test('are the same in each namespace where it works in some, and then no ClusterRole is left', async () => {
    const everywhere = only(await rendered(), 'ClusterRole', 'pipewright')['rules'];
    const manifests = await rendered({ values: { namespaces: ['a', 'b'], ...NO_CRDS } });
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
    const rules = shown(only(manifests, 'ClusterRole', 'pipewright')['rules']);
    expect(rules.filter((rule) => !rule.includes(' |  | '))).toEqual([
      ' | secrets | one,two | get',
    ]);
  });

  test('have no wildcard, and none but the operator writes a status', async () => {
    for (const manifests of [
      await rendered(),
      await rendered({ values: { namespaces: ['a'] } }),
      await overlay('cluster-wide'),
    ]) {
      expect(JSON.stringify(rulesOf(manifests))).not.toContain('*');
      const status = manifests.filter((one) => JSON.stringify(rulesOf([one])).includes('/status'));
      expect(new Set(status.map(({ metadata }) => metadata.name))).toEqual(new Set(['pipewright']));
    }
  });
});

test('what install.md adds to the overlay for one namespace leaves no right elsewhere', async () => {
  const page = fencesIn(readFileSync('deploy/guides/install.md', 'utf8'));
  const patch = page.find(({ lines }) => lines[0] === 'patches:');
  const folder = await mkdtemp(join(tmpdir(), 'overlay-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await cp('deploy/kustomize/overlays/cluster-wide', folder, { recursive: true });
  const file = join(folder, 'kustomization.yaml');
  const there = relative(await realpath(folder), 'deploy/kustomize');
  const text = (await readFile(file, 'utf8')).replaceAll('- ../../', `- ${there}/`);
  await writeFile(file, [text, ...(patch?.lines ?? [])].join('\n'));
  const bindings = (await built(folder)).filter(({ kind }) => kind.endsWith('Binding'));
  expect(bindings.map(({ kind, metadata }) => [kind, metadata.namespace, metadata.name])).toEqual([
    ['RoleBinding', 'ingest', 'pipewright'],
    ['RoleBinding', 'pipewright', 'pipewright-leader'],
  ]);
});

describe('under exactly the rules of the chart the operator does its whole job, and is refused nothing', () => {
  test.each([
    [
      'in all namespaces, as one shard',
      (scene: Scene) => ({ selector: `scene=${scene.namespace}` }),
    ],
    [
      'in one namespace, with the Secrets it may read by name',
      (scene: Scene) => ({ namespaces: [scene.namespace], secrets: { names: ['management-api'] } }),
    ],
  ])('%s', async (_, values) => {
    const scene = await openScene({ start: false });
    onTestFinished(() => scene.end());
    const name = `rights-${randomUUID().slice(0, 8)}`;
    const access = await installRights({ name, namespace: scene.namespace, values: values(scene) });
    const operate = async (until?: string) => {
      const operator = await startOperator({
        kubeconfig: access.kubeconfig,
        apiUrl: scene.simulator.url,
        flags: access.flags,
        ...(until !== undefined && { until }),
      });
      onTestFinished(() => operator.kill());
      return operator;
    };
    const operator = await operate();
    await createAll(scene, { scene: scene.namespace });
    const standby = await operate('started');
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
