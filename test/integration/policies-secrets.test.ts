import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { activityType } from '../../src/kinds/activity/resource.ts';
import { organizationType } from '../../src/kinds/organization/resource.ts';
import { newNamespace } from '../controlplane/client.ts';
import { asAdmin, type Stored } from '../support/cluster.ts';
import { ensureCrds, goodOrganization, goodSpec, manifest, pipeSettings } from '../support/crd.ts';
import { EVERYTHING, OBJECTS, type Person, personIn, SECRETS, STATUS } from '../support/person.ts';
import { installPolicies, type Policies } from '../support/policies.ts';

let a: string;
let policies: Policies;

beforeAll(async () => {
  [a] = await Promise.all([newNamespace(), ensureCrds()]);
  policies = await installPolicies({
    namespaces: [a],
    only: ['pipewright-secret-readers', 'pipewright-secrets-by-label'],
    variables: {
      'pipewright-secrets-by-label': {
        users: `['system:serviceaccount:${a}:sync']`,
        groups: `['pipewright:credentials']`,
      },
    },
  });
});
afterAll(() => policies.remove());

const inA = (plural: string, name: string): string =>
  `/apis/pipewright.dev/v1alpha1/namespaces/${a}/${plural}/${name}`;

describe('who refers to a Secret may get it', () => {
  const NOT = 'may not get the Secret "db-password"';
  const ref = (name: string) => ({ credentialsSecretRef: { name } });
  /** May write objects, and get one Secret by its name. */
  let writer: Person;
  /** May list all Secrets and get none. */
  let outsider: Person;
  const patch = (...changes: object[]): readonly (readonly string[])[] =>
    changes.map((change) => [
      'patch',
      'pipesettings.pipewright.dev',
      'mine',
      '--type=merge',
      '-p',
      JSON.stringify(change),
    ]);

  beforeAll(async () => {
    [writer, outsider] = await Promise.all([
      personIn(a, 'writer', [
        OBJECTS,
        { apiGroups: [''], resources: ['secrets'], verbs: ['get'], resourceNames: ['mine'] },
      ]),
      personIn(a, 'outsider', [
        OBJECTS,
        STATUS,
        { apiGroups: [''], resources: ['secrets'], verbs: ['list', 'watch', 'create', 'update'] },
      ]),
    ]);
    await writer.succeeds(
      ['create', '-f', '-'],
      pipeSettings('mine', { ...goodSpec, ...ref('mine') }),
    );
  });

  test.each([
    pipeSettings('new', { ...goodSpec, ...ref('db-password') }),
    manifest(organizationType, 'new', { ...goodOrganization, ...ref('db-password') }),
    manifest(activityType, 'new', {
      organizationId: goodSpec.organizationId,
      activityId: 'a',
      ...ref('db-password'),
    }),
  ])(
    'a $kind that names another Secret is refused, with the rule that is missing',
    async (object) => {
      const tries: readonly (readonly string[])[] = [
        ['create', '-f', '-'],
        ['apply', '-f', '-'],
        ['apply', '--server-side', '-f', '-'],
      ];
      for (const args of tries) {
        expect(await writer.fails(args, object)).toContain(
          `denied request: ${writer.user} may not get the Secret "db-password" in namespace "${a}", which spec.credentialsSecretRef names; name one that this user may get, or allow it: {apiGroups: [""], resources: ["secrets"], resourceNames: ["db-password"], verbs: ["get"]}`,
        );
      }
      const allowed = { ...object, spec: { ...(object.spec as object), ...ref('mine') } };
      await writer.succeeds(['create', '--dry-run=server', '-f', '-'], allowed);
    },
  );

  test('an object cannot be pointed at another Secret later, by patch, replace or apply', async () => {
    const stored = await asAdmin<Stored & { spec: object }>('GET', inA('pipesettings', 'mine'));
    const pointed = { ...stored, spec: { ...stored.spec, ...ref('db-password') } };
    const named = pipeSettings('mine', pointed.spec);
    for (const args of patch({ spec: ref('db-password') }))
      expect(await writer.fails(args)).toContain(NOT);
    expect(await writer.fails(['replace', '-f', '-'], pointed)).toContain(NOT);
    expect(
      await writer.fails(['replace', '--force', '-f', '-'], {
        ...pointed,
        metadata: { name: 'other', namespace: a },
      }),
    ).toContain(NOT);
    expect(await writer.fails(['apply', '-f', '-'], named)).toContain(NOT);
    expect(
      await writer.fails(['apply', '--server-side', '--force-conflicts', '-f', '-'], named),
    ).toContain(NOT);
  });

  test('whoever may not get the Secret changes nothing that is sent with it, but labels, the request to try now, and deletes', async () => {
    for (const args of patch(
      { spec: { settings: { engine_max_threads: 12 } } },
      { spec: { suspend: true } },
      { spec: { credentialsSecretRef: { keyIdKey: 'other' } } },
    ))
      expect(await outsider.fails(args)).toContain('may not get the Secret "mine"');
    for (const args of patch(
      { metadata: { labels: { team: 'x' } } },
      { metadata: { annotations: { 'pipewright.dev/reconcile-requested-at': 'now' } } },
    ))
      await outsider.succeeds(args);
    const status = ['--subresource=status', '--type=merge', '-p', '{"status":{"attempts":1}}'];
    await outsider.succeeds(['patch', 'pipesettings.pipewright.dev', 'mine', ...status]);
    for (const args of patch({ spec: { settings: { engine_max_threads: 9 } } }))
      await writer.succeeds(args);
    await outsider.succeeds(['delete', 'pipesettings.pipewright.dev', 'mine', '--dry-run=server']);
  });
});

describe('the label that lets Pipewright use a Secret', () => {
  const LABEL = 'pipewright.dev/credentials';
  const secret = (name: string, labels: object = {}) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, labels },
    stringData: { keyId: 'x' },
  });
  let tenant: Person;
  let sync: Person;

  beforeAll(async () => {
    [tenant, sync] = await Promise.all([
      personIn(a, 'tenant', [EVERYTHING]),
      personIn(a, 'sync', [SECRETS]),
    ]);
    await tenant.succeeds(['create', '-f', '-'], secret('plain'));
    await sync.succeeds(['create', '-f', '-'], secret('labelled', { [LABEL]: 'true' }));
  });

  test('is put on by those who are named, and by nobody else', async () => {
    const complaint = `denied request: ${tenant.user} may not put the label ${LABEL}=true on a Secret, which lets Pipewright use it; leave it out, or ask one of ${sync.user}, pipewright:credentials`;
    const labelled = secret('plain', { [LABEL]: 'true' });
    const tries: readonly (readonly [readonly string[], object?])[] = [
      [['label', 'secret', 'plain', `${LABEL}=true`]],
      [['create', '-f', '-'], secret('new', { [LABEL]: 'true' })],
      [['replace', '-f', '-'], labelled],
      [['apply', '--server-side', '--force-conflicts', '-f', '-'], labelled],
    ];
    for (const [args, object] of tries)
      expect(await tenant.fails(args, object)).toContain(complaint);
    expect(
      await tenant.fails(['label', 'secret', 'labelled', '--overwrite', `${LABEL}=`]),
    ).toContain(`the label ${LABEL}= on a Secret`);
    await sync.succeeds(['label', 'secret', 'plain', `${LABEL}=true`]);
    await sync.succeeds(['label', 'secret', 'plain', `${LABEL}-`]);
  });

  test('hinders nobody who changes what the Secret holds, other labels, or takes it off', async () => {
    const change = ['patch', 'secret', 'labelled', '--type=merge', '-p'];
    await tenant.succeeds([...change, '{"stringData":{"keyId":"y"}}']);
    await tenant.succeeds(['label', 'secret', 'labelled', 'team=x']);
    await tenant.succeeds(['label', 'secret', 'labelled', `${LABEL}-`]);
    expect(await tenant.fails(['label', 'secret', 'labelled', `${LABEL}=true`])).toContain(LABEL);
  });
});
