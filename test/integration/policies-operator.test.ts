import { expect, onTestFinished, test } from 'vitest';
import { organizationType } from '../../src/kinds/organization/resource.ts';
import { audit, newNamespace } from '../controlplane/client.ts';
import { allApplied, allDeleted, createAll } from '../packaging/whole-job.ts';
import { operatorRules } from '../support/cluster.ts';
import { ensureCrds, goodOrganization, manifest, succeed } from '../support/crd.ts';
import { EVERYTHING, personIn } from '../support/person.ts';
import { installPolicies } from '../support/policies.ts';
import { openScene } from '../support/scene.ts';
import { ORGANIZATION } from '../support/scene-objects.ts';

const NAME = 'pipewright-operator-finalizers';

test('with all policies in force the operator does its whole job, and is refused nothing', async () => {
  const scene = await openScene({ start: false });
  onTestFinished(() => scene.end());
  const { namespace, user } = scene;
  await succeed(['label', 'namespace', namespace, 'pipewright.dev/environment=production']);
  const policies = await installPolicies({
    namespaces: [namespace],
    variables: {
      'pipewright-status-writers': { writers: `['${user}']` },
      [NAME]: { operators: `['${user}']` },
      'pipewright-organizations': {
        organizations: JSON.stringify({ [namespace]: [ORGANIZATION] }),
      },
      'pipewright-removals': { deletionPolicies: "['Retain', 'RemovePrivateEndpoints']" },
    },
  });
  onTestFinished(() => policies.remove());
  await scene.start();
  await createAll(scene);
  await allApplied(scene);
  await allDeleted(scene);
  const refused = (await audit({ user })).filter(({ code }) => code === 403 || code === 422);
  expect(refused).toEqual([]);
});

test('the right to patch Organizations is for the own finalizer and nothing else of them', async () => {
  const [namespace] = await Promise.all([newNamespace(), ensureCrds()]);
  const operator = await personIn(namespace, 'operator', await operatorRules());
  const owner = await personIn(namespace, 'owner', [EVERYTHING]);
  const own = 'pipewright.dev/remove-private-endpoints';
  const metadata = {
    name: 'one',
    labels: { a: 'b' },
    annotations: { c: 'd' },
    finalizers: ['example.com/other'],
  };
  await owner.succeeds(['create', '-f', '-'], {
    ...manifest(organizationType, 'one', goodOrganization),
    metadata,
  });
  const patch = (change: unknown, type = 'merge') =>
    [
      'patch',
      'organizations.pipewright.dev',
      'one',
      `--type=${type}`,
      '-p',
      JSON.stringify(change),
    ] as const;
  const renamed = patch({ spec: { name: 'Somebody else' } });
  // What RBAC alone lets it do.
  await operator.succeeds(renamed);
  const policies = await installPolicies({
    namespaces: [namespace],
    only: [NAME],
    variables: { [NAME]: { operators: `['${operator.user}']` } },
  });
  onTestFinished(() => policies.remove());

  const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'y' };
  const forbidden: readonly (readonly [what: string, args: readonly string[]])[] = [
    ['spec', patch({ spec: { name: 'Yet another' } })],
    [
      'spec',
      patch([{ op: 'add', path: '/spec/deletionPolicy', value: 'RemovePrivateEndpoints' }], 'json'),
    ],
    ['metadata.labels', patch({ metadata: { labels: { a: 'c' } } })],
    ['metadata.labels', patch({ metadata: { labels: null } })],
    [
      'metadata.annotations',
      patch({ metadata: { annotations: { 'pipewright.dev/reconcile-requested-at': 'x' } } }),
    ],
    ['metadata.ownerReferences', patch({ metadata: { ownerReferences: [reference] } })],
    ['finalizers of others', patch({ metadata: { finalizers: null } })],
    ['finalizers of others', patch({ metadata: { finalizers: [own] } })],
    [
      'finalizers of others',
      patch({ metadata: { finalizers: ['example.com/other', 'example.com/more', own] } }),
    ],
    [
      'spec, metadata.labels',
      patch({
        spec: { name: 'x' },
        metadata: { labels: { a: null }, finalizers: ['example.com/other', own] },
      }),
    ],
  ];
  for (const [what, args] of forbidden)
    expect(await operator.fails(args)).toContain(
      `denied request: ${operator.user} is an operator and may add and remove its own finalizer, but this request changes ${what}; use another account for that`,
    );
  const applied = {
    ...manifest(organizationType, 'one', { ...goodOrganization, name: 'Applied' }),
    metadata: { name: 'one', namespace },
  };
  expect(
    await operator.fails(['apply', '--server-side', '--force-conflicts', '-f', '-'], applied),
  ).toContain('changes spec');

  await operator.succeeds(patch({ metadata: { finalizers: ['example.com/other', own] } }));
  await operator.succeeds(patch({ metadata: { finalizers: ['example.com/other'] } }));
  await owner.succeeds(
    patch({ spec: { name: 'Mine' }, metadata: { labels: { a: 'e' }, finalizers: null } }),
  );
});
