import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newNamespace } from '../../controlplane/client.ts';
import { ensureCrds } from '../../support/crd.ts';
import { GOOD, KINDS, type Kind, manifestOf } from '../../support/kinds.ts';
import { EVERYTHING, OBJECTS, type Person, personIn, STATUS } from '../../support/person.ts';
import { installPolicy, type Policy } from '../../support/policies.ts';

/** The admission policies of deploy/policies, against tenants with kubectl. */

const CREATE = ['create', '-f', '-'];
const TRY = ['create', '--dry-run=server', '-f', '-'];

const object = (kind: Kind, name: string, spec: object) =>
  manifestOf(kind, name, { ...GOOD[kind], ...spec });
function merge(kind: Kind, name: string, patch: object): readonly string[] {
  return ['patch', kind, name, '--type=merge', '-p', JSON.stringify(patch)];
}

/** Two namespaces in which no other test works, each with a tenant who has all rights there. */
let a: string;
let b: string;
let inA: Person;
let inB: Person;
let policy: Policy;

async function install(name: string, variables?: Readonly<Record<string, string>>): Promise<void> {
  policy = await installPolicy(name, [a, b], variables);
}

beforeAll(async () => {
  [a, b] = await Promise.all([newNamespace(), newNamespace()]);
  await ensureCrds();
  inA = await personIn(a, 'tenant', [EVERYTHING]);
  inB = await personIn(b, 'tenant', [EVERYTHING]);
});

describe('who writes a status', () => {
  const NAME = 'pipewright-status-writers';
  const patchOf = (kind: Kind, attempts: number) => merge(kind, 'forged', { status: { attempts } });
  let operator: Person;

  beforeAll(async () => {
    operator = await personIn(a, 'operator', [OBJECTS, STATUS]);
    await install(NAME, { writers: `['${operator.user}']` });
  });
  afterAll(() => policy.remove());

  test.each(KINDS)(
    'is the operator; a tenant with all rights is told who may: %s',
    async (kind) => {
      await inA.succeeds(CREATE, object(kind, 'forged', { suspend: true }));
      expect(await inA.fails([...patchOf(kind, 7), '--subresource=status'])).toContain(
        `denied request: only ${operator.user} may write the status of `,
      );
      // By the object itself there is no way: the API server leaves the status as it is.
      await inA.succeeds(patchOf(kind, 7));
      const read = ['get', kind, 'forged', '-o', 'jsonpath={.status.attempts}'];
      expect(await inA.succeeds(read)).toBe('');
      await operator.succeeds([...patchOf(kind, 7), '--subresource=status']);
      expect(await inA.succeeds(read)).toBe('7');
    },
  );
});

describe('who refers to a Secret may get it', () => {
  const ref = (name: string) => ({ credentialsSecretRef: { name } });
  /** May write objects, and get one Secret by its name. */
  let writer: Person;
  /** May list all Secrets and get none. */
  let outsider: Person;

  beforeAll(async () => {
    const secrets = { apiGroups: [''], resources: ['secrets'] };
    const [get, list] = [['get'], ['list', 'watch', 'create']];
    const mine = { ...secrets, verbs: get, resourceNames: ['mine'] };
    writer = await personIn(a, 'writer', [OBJECTS, mine]);
    outsider = await personIn(a, 'outsider', [OBJECTS, { ...secrets, verbs: list }]);
    await install('pipewright-secret-readers');
  });
  afterAll(() => policy.remove());

  test.each(KINDS)('and is else told the rule that is missing: %s', async (kind) => {
    for (const args of [TRY, ['apply', '--server-side', '-f', '-']]) {
      const complaint = await writer.fails(args, object(kind, 'new', ref('db-password')));
      expect(complaint).toContain(
        `${writer.user} may not get the Secret "db-password" in namespace "${a}"`,
      );
      expect(complaint).toContain('resourceNames: ["db-password"], verbs: ["get"]}');
    }
    await writer.succeeds(TRY, object(kind, 'new', ref('mine')));
    expect(await outsider.fails(TRY, object(kind, 'new', ref('mine')))).toContain(
      'may not get the Secret "mine"',
    );
  });

  test('for each change of the spec, which uses the key, and not for one of a label', async () => {
    await writer.succeeds(CREATE, object('pset', 'used', ref('mine')));
    const edit = (spec: object) => merge('pset', 'used', { spec });
    for (const spec of [ref('db-password'), { suspend: true }])
      expect(await outsider.fails(edit(spec))).toContain('may not get the Secret');
    expect(await writer.fails(edit(ref('db-password')))).toContain('may not get the Secret "db-p');
    await writer.succeeds(edit({ suspend: true }));
    await outsider.succeeds(merge('pset', 'used', { metadata: { labels: { team: 'x' } } }));
  });
});

describe('the organizations that a namespace may use', () => {
  const NAME = 'pipewright-organizations';
  const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()] as const;
  const all = (organizationId: string) =>
    KINDS.map((kind) => object(kind, 'one', { organizationId }));
  const allow = (byNamespace: Readonly<Record<string, readonly string[]>>): Promise<void> =>
    policy.set({ organizations: JSON.stringify({ '': [''], ...byNamespace }) });

  beforeAll(() => install(NAME));
  afterAll(() => policy.remove());

  test('are none where nothing is said of it', async () => {
    for (const one of all(first))
      expect(await inA.fails(CREATE, one)).toContain(
        `denied request: namespace "${a}" may not use the organization "${first}" (spec.organizationId); allowed here: none; to allow it, add the id to the entry "${a}" of the variable \`organizations\` of the policy`,
      );
  });

  test('are those of its entry, or all', async () => {
    await allow({ [a]: [first, second], [b]: ['*'] });
    for (const one of [...all(first), ...all(second)]) await inA.succeeds(TRY, one);
    for (const one of all(third)) {
      expect(await inA.fails(TRY, one)).toContain(`allowed here: ${first}, ${second}; to allow it`);
      await inB.succeeds(TRY, one);
    }
    // An id is not allowed by being a part of one that is.
    const part = object('pset', 'one', { organizationId: first.slice(0, 8) });
    expect(await inA.fails(TRY, part)).toContain('may not use the organization');
  });

  test('cannot be widened by a tenant with all rights in its namespace', async () => {
    // It may even do this, which is why no label or annotation of the Namespace is asked.
    await inA.succeeds(['annotate', 'namespace', a, 'pipewright.dev/organizations=*']);
    const deletion = ['delete', 'validatingadmissionpolicy', policy.name];
    expect(await inA.fails(deletion)).toContain('forbidden');
    for (const one of all(third)) expect(await inA.fails(TRY, one)).toContain(NAME);
  });

  test('are no matter to what exists, which has its organization for good', async () => {
    await inA.succeeds(CREATE, object('pset', 'there', { organizationId: second }));
    await allow({});
    const made = object('pset', 'new', { organizationId: second });
    expect(await inA.fails(TRY, made)).toContain('may not use the organization');
    await inA.succeeds(merge('pset', 'there', { spec: { suspend: true } }));
    const change = merge('pset', 'there', { spec: { organizationId: third } });
    expect(await inA.fails(change)).toContain('immutable');
  });
});
