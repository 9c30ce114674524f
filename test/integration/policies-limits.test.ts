import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { activityType } from '../../src/kinds/activity/resource.ts';
import { organizationType } from '../../src/kinds/organization/resource.ts';
import { newNamespace } from '../controlplane/client.ts';
import { asAdmin } from '../support/cluster.ts';
import {
  ensureCrds,
  goodOrganization,
  goodSpec,
  manifest,
  pipeSettings,
  succeed,
} from '../support/crd.ts';
import { EVERYTHING, type Person, personIn } from '../support/person.ts';
import { installPolicies, type Policies } from '../support/policies.ts';

/** Two tenants, each with all rights in a namespace: those of a RoleBinding to cluster-admin. */
let a: string;
let b: string;
let inA: Person;
let inB: Person;

beforeAll(async () => {
  [a, b] = await Promise.all([newNamespace(), newNamespace()]);
  await ensureCrds();
  [inA, inB] = await Promise.all([
    personIn(a, 'tenant', [EVERYTHING]),
    personIn(b, 'tenant', [EVERYTHING]),
  ]);
});

const CREATE = ['create', '-f', '-'];
const TRY = ['create', '--dry-run=server', '-f', '-'];

describe('the organizations that a namespace may name', () => {
  const NAME = 'pipewright-organizations';
  const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()] as const;
  let policies: Policies;
  const allowed = (byNamespace: Readonly<Record<string, readonly string[]>>): Promise<void> =>
    policies.set(NAME, 'organizations', JSON.stringify({ '': [''], ...byNamespace }));
  const objects = (organizationId: string) => [
    pipeSettings('one', { ...goodSpec, organizationId }),
    manifest(organizationType, 'one', { ...goodOrganization, organizationId }),
    manifest(activityType, 'one', {
      organizationId,
      activityId: 'x',
      credentialsSecretRef: { name: 'management-api' },
    }),
  ];

  beforeAll(async () => {
    policies = await installPolicies({ namespaces: [a, b], only: [NAME] });
  });
  afterAll(() => policies.remove());

  test('are none where nothing is said of it', async () => {
    for (const object of objects(first))
      expect(await inA.fails(CREATE, object)).toContain(
        `denied request: namespace "${a}" may not name the organization "${first}" (spec.organizationId), but none; to allow it, add the id to the entry "${a}" of the variable \`organizations\` of the policy`,
      );
  });

  test('are those of its entry, or all', async () => {
    await allowed({ [a]: [first, second], [b]: ['*'] });
    for (const object of [...objects(first), ...objects(second)]) await inA.succeeds(TRY, object);
    for (const object of objects(third)) {
      expect(await inA.fails(TRY, object)).toContain(`but ${first}, ${second}; to allow it`);
      expect(await inA.fails(['apply', '--server-side', '-f', '-'], object)).toContain(NAME);
      await inB.succeeds(TRY, object);
    }
    // An id is not allowed by being a part of one that is.
    await inA.fails(TRY, pipeSettings('one', { ...goodSpec, organizationId: first.slice(0, 8) }));
  });

  test('cannot be widened by a tenant with all rights in its namespace', async () => {
    // It may even do this, which is why no label or annotation of the Namespace is asked.
    await inA.succeeds(['annotate', 'namespace', a, 'pipewright.dev/organizations=*']);
    const name = (
      await asAdmin<{ items: { metadata: { name: string } }[] }>(
        'GET',
        '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
      )
    ).items.find(({ metadata }) => metadata.name.startsWith(NAME))?.metadata.name;
    expect(name).toBeDefined();
    expect(await inA.fails(['delete', 'validatingadmissionpolicy', name ?? ''])).toContain(
      'forbidden',
    );
    for (const object of objects(third)) expect(await inA.fails(TRY, object)).toContain(NAME);
  });

  test('are no matter to what exists, which can be edited and deleted, and has the organization for good', async () => {
    await allowed({ [a]: [second] });
    await inA.succeeds(CREATE, objects(second)[0]);
    await allowed({});
    await inA.fails(TRY, objects(second)[0]);
    const patch = ['patch', 'pipesettings.pipewright.dev', 'one', '--type=merge', '-p'];
    await inA.succeeds([...patch, '{"spec":{"suspend":true}}']);
    expect(
      await inA.fails([...patch, JSON.stringify({ spec: { organizationId: third } })]),
    ).toContain('immutable');
    expect(await inA.fails(['replace', '--force', '-f', '-'], objects(third)[0])).toContain(NAME);
  });
});

describe('what a change or a deletion of an Organization may remove', () => {
  const NAME = 'pipewright-removals';
  let policies: Policies;
  const org = (spec: object) =>
    manifest(organizationType, 'capped', { ...goodOrganization, ...spec });
  const patch = (change: object) =>
    [
      'patch',
      'organizations.pipewright.dev',
      'capped',
      '--type=merge',
      '-p',
      JSON.stringify(change),
    ] as const;
  const tooMany =
    'denied request: spec.maxPrivateEndpointRemovals is 11, but at most 10 is allowed here; set it to that or less';
  const removes =
    'denied request: spec.deletionPolicy is RemovePrivateEndpoints, but only Retain is allowed here; set it to that';

  beforeAll(async () => {
    await inA.succeeds(
      CREATE,
      manifest(organizationType, 'before', { ...goodOrganization, maxPrivateEndpointRemovals: 50 }),
    );
    policies = await installPolicies({ namespaces: [a], only: [NAME] });
  });
  afterAll(() => policies.remove());

  test('is capped when it is made and when it is changed', async () => {
    expect(await inA.fails(CREATE, org({ maxPrivateEndpointRemovals: 11 }))).toContain(tooMany);
    expect(await inA.fails(CREATE, org({ deletionPolicy: 'RemovePrivateEndpoints' }))).toContain(
      removes,
    );
    await inA.succeeds(CREATE, org({ maxPrivateEndpointRemovals: 10, deletionPolicy: 'Retain' }));
    expect(await inA.fails(patch({ spec: { maxPrivateEndpointRemovals: 11 } }))).toContain(tooMany);
    expect(
      await inA.fails(patch({ spec: { deletionPolicy: 'RemovePrivateEndpoints' } })),
    ).toContain(removes);
    await inA.succeeds(patch({ spec: { maxPrivateEndpointRemovals: null, deletionPolicy: null } }));
    await inB.succeeds(
      TRY,
      org({ maxPrivateEndpointRemovals: 100, deletionPolicy: 'RemovePrivateEndpoints' }),
    );
  });

  test('is no matter to an object from before, until its spec is changed', async () => {
    const before = ['patch', 'organizations.pipewright.dev', 'before', '--type=merge', '-p'];
    await inA.succeeds([...before, '{"metadata":{"labels":{"a":"b"}}}']);
    expect(await inA.fails([...before, '{"spec":{"name":"Other"}}'])).toContain(
      'is 50, but at most 10',
    );
    await inA.succeeds([...before, '{"spec":{"name":"Other","maxPrivateEndpointRemovals":3}}']);
  });

  test('is as the variables of the policy say, and an absent field counts as what the operator takes it for', async () => {
    await policies.set(NAME, 'maxRemovals', '0');
    expect(await inA.fails(TRY, { ...org({}), metadata: { name: 'new' } })).toContain(
      'spec.maxPrivateEndpointRemovals is 5 where it is absent, but at most 0 is allowed here',
    );
    await inA.succeeds(TRY, {
      ...org({ maxPrivateEndpointRemovals: 0 }),
      metadata: { name: 'new' },
    });
    await policies.set(NAME, 'deletionPolicies', "['RemovePrivateEndpoints']");
    const capped = { ...org({ maxPrivateEndpointRemovals: 0 }), metadata: { name: 'new' } };
    expect(await inA.fails(TRY, capped)).toContain(
      'spec.deletionPolicy is Retain where it is absent',
    );
  });
});

describe('in production', () => {
  let policies: Policies;
  let deployer: Person;
  const objects = (spec: object) => [
    pipeSettings('live', { ...goodSpec, ...spec }),
    manifest(organizationType, 'live', { ...goodOrganization, ...spec }),
  ];
  const remove = { deletionPolicy: 'RemovePrivateEndpoints' };

  beforeAll(async () => {
    deployer = await personIn(b, 'deployer', [EVERYTHING]);
    await succeed(['label', 'namespace', b, 'pipewright.dev/environment=production']);
    const groups = "['system:masters']";
    policies = await installPolicies({
      namespaces: [a, b],
      only: ['pipewright-plan-only-production', 'pipewright-production-label'],
      variables: {
        'pipewright-plan-only-production': { users: `['${deployer.user}']`, groups },
        'pipewright-production-label': { groups },
      },
    });
  });
  afterAll(() => policies.remove());

  test('others than the deployers have objects in mode Plan, and cannot make them act', async () => {
    for (const object of objects({}))
      expect(await inB.fails(CREATE, object)).toContain(
        `denied request: namespace "${b}" is production: ${inB.user} may write objects there with spec.mode Plan, not Apply; set spec.mode to Plan, and let one of ${deployer.user}, system:masters apply it`,
      );
    for (const object of objects({ mode: 'Plan' })) {
      await inB.succeeds(CREATE, object);
      const { kind } = object;
      for (const mode of ['"Apply"', 'null'])
        await inB.fails(['patch', kind, 'live', '--type=merge', '-p', `{"spec":{"mode":${mode}}}`]);
      await inB.fails(['apply', '-f', '-'], {
        ...object,
        spec: { ...(object.spec as object), mode: 'Apply' },
      });
      await inB.succeeds([
        'patch',
        kind,
        'live',
        '--type=merge',
        '-p',
        '{"spec":{"suspend":true}}',
      ]);
      await deployer.succeeds([
        'patch',
        kind,
        'live',
        '--type=merge',
        '-p',
        '{"spec":{"mode":"Apply"}}',
      ]);
      await inB.fails(['patch', kind, 'live', '--type=merge', '-p', '{"spec":{"suspend":false}}']);
      await inB.succeeds(['annotate', kind, 'live', 'note=x']);
      await inB.succeeds(['patch', kind, 'live', '--type=merge', '-p', '{"spec":{"mode":"Plan"}}']);
      await inA.succeeds(TRY, objects({})[0]);
    }
  });

  test('others than the deployers can neither prepare nor begin a deletion that removes endpoints, which heeds no mode', async () => {
    const [, planned] = objects({ mode: 'Plan', ...remove });
    const named = { ...planned, metadata: { name: 'removes' } };
    expect(await inB.fails(CREATE, named)).toContain(
      `${inB.user} may not write an Organization with spec.deletionPolicy RemovePrivateEndpoints there, since its deletion removes private endpoints in every mode; use Retain`,
    );
    await deployer.succeeds(CREATE, named);
    for (const args of [
      ['delete', 'organizations.pipewright.dev', 'removes'],
      ['delete', 'organizations.pipewright.dev', '--all', '--dry-run=server'],
    ])
      expect(await inB.fails(args)).toContain(`${inB.user} may not delete an Organization`);
    const collection = `/apis/pipewright.dev/v1alpha1/namespaces/${b}/organizations`;
    expect(await inB.fails(['delete', '--raw', collection])).toContain(
      'may not delete an Organization',
    );
    await deployer.succeeds(['delete', 'organizations.pipewright.dev', 'removes']);
    await inB.succeeds(['delete', 'pipesettings.pipewright.dev', 'live']);
  });

  test('a tenant with all rights in its namespace cannot take the label off, nor put it on another', async () => {
    expect(await inB.fails(['label', 'namespace', b, 'pipewright.dev/environment-'])).toContain(
      `${inB.user} may not change the label pipewright.dev/environment of namespace "${b}" from production to (none); ask one of system:masters`,
    );
    await inB.fails(['label', 'namespace', b, '--overwrite', 'pipewright.dev/environment=test']);
    await inA.fails(['label', 'namespace', a, 'pipewright.dev/environment=production']);
    await inB.succeeds(['label', 'namespace', b, 'other=label']);
  });

  test('nor by the subresources of the Namespace, and it cannot delete the whole of it', async () => {
    const off = JSON.stringify({ metadata: { labels: { 'pipewright.dev/environment': null } } });
    const patch = ['patch', 'namespace', b, '--subresource=status', '--type=merge', '-p', off];
    expect(await inB.fails(patch)).toContain('may not change the label');
    const { metadata, ...rest } = await asAdmin<{ metadata: { labels: object } }>(
      'GET',
      `/api/v1/namespaces/${b}`,
    );
    const finalize = ['replace', '--raw', `/api/v1/namespaces/${b}/finalize`, '-f', '-'];
    const without = { ...rest, metadata: { ...metadata, labels: {} } };
    expect(await inB.fails(finalize, without)).toContain('may not change the label');
    expect(await inB.fails(['delete', 'namespace', b, '--dry-run=server'])).toContain(
      `namespace "${b}" is production: ${inB.user} may not delete it`,
    );
    await inA.succeeds(['delete', 'namespace', a, '--dry-run=server']);
  });
});

test('the quota of the example bounds objects and Secrets, by a message that names it', async () => {
  const namespace = await newNamespace();
  const person = await personIn(namespace, 'tenant', [EVERYTHING]);
  await succeed(['apply', '-n', namespace, '-f', 'deploy/policies/quota.yaml']);
  const path = `/api/v1/namespaces/${namespace}/resourcequotas/pipewright`;
  const quota = await asAdmin<{ spec: { hard: Record<string, string> } }>('GET', path);
  // What the quota controller writes, which these tests run without.
  const hard = Object.fromEntries(Object.keys(quota.spec.hard).map((what) => [what, '1']));
  const used = Object.fromEntries(Object.keys(hard).map((what) => [what, '0']));
  await asAdmin('PUT', `${path}/status`, { ...quota, status: { hard, used } });
  const [pset, organization, activity] = [
    (name: string) => pipeSettings(name, goodSpec),
    (name: string) => manifest(organizationType, name, goodOrganization),
    (name: string) =>
      manifest(activityType, name, {
        organizationId: 'o',
        activityId: 'a',
        credentialsSecretRef: { name: 'x' },
      }),
  ];
  const secret = (name: string) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name } });
  for (const [what, make] of [
    ['pipesettings.pipewright.dev', pset],
    ['organizations.pipewright.dev', organization],
    ['activities.pipewright.dev', activity],
    ['secrets', secret],
  ] as const) {
    await person.succeeds(CREATE, make('first'));
    expect(await person.fails(CREATE, make('second'))).toContain(
      `exceeded quota: pipewright, requested: count/${what}=1`,
    );
  }
});
