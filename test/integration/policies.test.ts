import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { activityType } from '../../src/kinds/activity/resource.ts';
import { organizationType } from '../../src/kinds/organization/resource.ts';
import { newNamespace } from '../controlplane/client.ts';
import { ensureCrds, goodOrganization, goodSpec, manifest, pipeSettings } from '../support/crd.ts';
import { EVERYTHING, OBJECTS, type Person, personIn, STATUS } from '../support/person.ts';
import { installPolicies, type Policies } from '../support/policies.ts';

const CREATE = ['create', '-f', '-'];
const TRY = ['create', '--dry-run=server', '-f', '-'];

/** One of each kind, with this in its spec. */
function objects(name: string, spec: object) {
  const credentialsSecretRef = { name: 'management-api' };
  const { organizationId } = goodSpec;
  return [
    pipeSettings(name, { ...goodSpec, ...spec }),
    manifest(organizationType, name, { ...goodOrganization, ...spec }),
    manifest(activityType, name, {
      organizationId,
      activityId: 'a',
      credentialsSecretRef,
      ...spec,
    }),
  ];
}

const merge = (name: string, patch: object): readonly string[] => [
  'patch',
  'pipesettings.pipewright.dev',
  name,
  '--type=merge',
  '-p',
  JSON.stringify(patch),
];

/** Two namespaces in which no other test works, each with a tenant who has all rights there. */
let a: string;
let b: string;
let inA: Person;
let inB: Person;
let policies: Policies;

async function install(
  only: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<void> {
  policies = await installPolicies({
    namespaces: [a, b],
    only: [only],
    variables: { [only]: variables },
  });
}

beforeAll(async () => {
  [a, b] = await Promise.all([newNamespace(), newNamespace()]);
  await ensureCrds();
  [inA, inB] = await Promise.all([
    personIn(a, 'tenant', [EVERYTHING]),
    personIn(b, 'tenant', [EVERYTHING]),
  ]);
});

describe('who writes a status', () => {
  const NAME = 'pipewright-status-writers';
  let operator: Person;
  const status = { attempts: 7 };

  beforeAll(async () => {
    operator = await personIn(a, 'operator', [OBJECTS, STATUS]);
    await install(NAME, { writers: `['${operator.user}']` });
  });
  afterAll(() => policies.remove());

  test('is the operator; a tenant with all rights is refused for each kind, and told who may', async () => {
    for (const object of objects('forged', { suspend: true })) {
      await inA.succeeds(CREATE, object);
      const kind = `${object.kind}.pipewright.dev`;
      const patch = ['patch', kind, 'forged', '--type=merge', '-p', JSON.stringify({ status })];
      expect(await inA.fails([...patch, '--subresource=status'])).toContain(
        `denied request: only ${operator.user} may write the status of `,
      );
      // By the object itself there is no way: the API server leaves the status as it is.
      await inA.succeeds(patch);
      const read = ['get', kind, 'forged', '-o', 'jsonpath={.status.attempts}'];
      expect(await inA.succeeds(read)).toBe('');
      await operator.succeeds([...patch, '--subresource=status']);
      expect(await inA.succeeds(read)).toBe('7');
    }
  });

  test('is whoever is put into the list, such as the account of a restore', async () => {
    const patch = [...merge('forged', { status: { attempts: 8 } }), '--subresource=status'];
    expect(await inA.fails(patch)).toContain(`${inA.user}; leave the status out`);
    await policies.set(NAME, 'writers', `['${operator.user}', '${inA.user}']`);
    await inA.succeeds(patch);
  });
});

describe('who refers to a Secret may get it', () => {
  const ref = (name: string) => ({ credentialsSecretRef: { name } });
  /** May write objects, and get one Secret by its name. */
  let writer: Person;
  /** May list all Secrets and get none. */
  let outsider: Person;

  beforeAll(async () => {
    const secrets = { apiGroups: [''], resources: ['secrets'] };
    [writer, outsider] = await Promise.all([
      personIn(a, 'writer', [OBJECTS, { ...secrets, verbs: ['get'], resourceNames: ['mine'] }]),
      personIn(a, 'outsider', [OBJECTS, { ...secrets, verbs: ['list', 'watch', 'create'] }]),
    ]);
    await install('pipewright-secret-readers');
  });
  afterAll(() => policies.remove());

  test('one that names another is refused for each kind, with the rule that is missing', async () => {
    for (const object of objects('new', ref('db-password'))) {
      for (const args of [TRY, ['apply', '--server-side', '-f', '-']]) {
        const complaint = await writer.fails(args, object);
        expect(complaint).toContain(
          `${writer.user} may not get the Secret "db-password" in namespace "${a}"`,
        );
        expect(complaint).toContain('resourceNames: ["db-password"], verbs: ["get"]}');
      }
    }
    for (const object of objects('new', ref('mine'))) await writer.succeeds(TRY, object);
  });

  test('to list Secrets is not enough, and another namespace is none of theirs', async () => {
    for (const object of objects('new', ref('mine')))
      expect(await outsider.fails(TRY, object)).toContain('may not get the Secret "mine"');
  });

  test('each change of the spec uses the key, and one of a label does not', async () => {
    await writer.succeeds(CREATE, pipeSettings('used', { ...goodSpec, ...ref('mine') }));
    for (const spec of [ref('db-password'), { suspend: true }])
      expect(await outsider.fails(merge('used', { spec }))).toContain('may not get the Secret');
    expect(await writer.fails(merge('used', { spec: ref('db-password') }))).toContain(
      'may not get the Secret "db-password"',
    );
    await writer.succeeds(merge('used', { spec: { suspend: true } }));
    await outsider.succeeds(merge('used', { metadata: { labels: { team: 'x' } } }));
  });
});

describe('the organizations that a namespace may name', () => {
  const NAME = 'pipewright-organizations';
  const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()] as const;
  const of = (organizationId: string) => objects('one', { organizationId });
  const allowed = (byNamespace: Readonly<Record<string, readonly string[]>>): Promise<void> =>
    policies.set(NAME, 'organizations', JSON.stringify({ '': [''], ...byNamespace }));

  beforeAll(() => install(NAME));
  afterAll(() => policies.remove());

  test('are none where nothing is said of it', async () => {
    for (const object of of(first))
      expect(await inA.fails(CREATE, object)).toContain(
        `denied request: namespace "${a}" may not name the organization "${first}" (spec.organizationId), but none; to allow it, add the id to the entry "${a}" of the variable \`organizations\` of the policy`,
      );
  });

  test('are those of its entry, or all', async () => {
    await allowed({ [a]: [first, second], [b]: ['*'] });
    for (const object of [...of(first), ...of(second)]) await inA.succeeds(TRY, object);
    for (const object of of(third)) {
      expect(await inA.fails(TRY, object)).toContain(`but ${first}, ${second}; to allow it`);
      await inB.succeeds(TRY, object);
    }
    // An id is not allowed by being a part of one that is.
    await inA.fails(TRY, pipeSettings('one', { ...goodSpec, organizationId: first.slice(0, 8) }));
  });

  test('cannot be widened by a tenant with all rights in its namespace', async () => {
    // It may even do this, which is why no label or annotation of the Namespace is asked.
    await inA.succeeds(['annotate', 'namespace', a, 'pipewright.dev/organizations=*']);
    const deletion = ['delete', 'validatingadmissionpolicy', policies.named(NAME)];
    expect(await inA.fails(deletion)).toContain('forbidden');
    for (const object of of(third)) expect(await inA.fails(TRY, object)).toContain(NAME);
  });

  test('are no matter to what exists, which can be edited and has the organization for good', async () => {
    await inA.succeeds(CREATE, of(second)[0]);
    await allowed({});
    await inA.fails(TRY, of(second)[0]);
    await inA.succeeds(merge('one', { spec: { suspend: true } }));
    const change = merge('one', { spec: { organizationId: third } });
    expect(await inA.fails(change)).toContain('immutable');
  });
});
