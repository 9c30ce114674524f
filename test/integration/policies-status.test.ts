import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { activityType } from '../../src/kinds/activity/resource.ts';
import { organizationType } from '../../src/kinds/organization/resource.ts';
import { newNamespace, waitFor } from '../controlplane/client.ts';
import { allow, asAdmin, operatorRules } from '../support/cluster.ts';
import { goodOrganization, manifest, pipeSettings } from '../support/crd.ts';
import { startOperator } from '../support/operator.ts';
import { EVERYTHING, OBJECTS, type Person, personIn, STATUS } from '../support/person.ts';
import { installPolicies, type Policies } from '../support/policies.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { ORGANIZATION, type Pset, SERVICE } from '../support/scene-objects.ts';

/** `pipewright-status-writers`, with the operator of the scene as the one that may write. */
const NAME = 'pipewright-status-writers';

let scene: Scene;
/** A tenant's namespace; the operator works in that of the scene and in this one. */
let b: string;
let tenant: Person;
const installed: Policies[] = [];

beforeAll(async () => {
  [scene, b] = await Promise.all([openScene({ start: false }), newNamespace()]);
  await allow(b, 'operator', await operatorRules(), { from: scene.namespace });
  tenant = await personIn(b, 'tenant', [EVERYTHING]);
});
afterEach(async () => {
  for (const policies of installed.splice(0)) await policies.remove();
});
afterAll(() => scene.end());

async function protect(writers = `['${scene.user}']`): Promise<Policies> {
  const policies = await installPolicies({
    namespaces: [scene.namespace, b],
    only: [NAME],
    variables: { [NAME]: { writers } },
  });
  installed.push(policies);
  return policies;
}

const pathTo = (namespace: string, plural: string, name: string): string =>
  `/apis/pipewright.dev/v1alpha1/namespaces/${namespace}/${plural}/${name}`;
const inB = <T>(plural: string, name: string): Promise<T> =>
  asAdmin<T>('GET', pathTo(b, plural, name));

const KINDS = [
  ['pipesettings', pipeSettings('forged', { ...pipeSpec('p'), suspend: true })],
  ['organizations', manifest(organizationType, 'forged', goodOrganization)],
  [
    'activities',
    manifest(activityType, 'forged', {
      organizationId: ORGANIZATION,
      activityId: 'a',
      credentialsSecretRef: { name: 'management-api' },
    }),
  ],
] as const;

function pipeSpec(pipeId: string) {
  return {
    organizationId: ORGANIZATION,
    serviceId: SERVICE,
    pipeId,
    credentialsSecretRef: { name: 'management-api' },
    settings: { engine_max_threads: 8 },
  };
}

describe.each(KINDS)('a status of %s', (plural, object) => {
  const resource = `${plural}.pipewright.dev`;
  const status = { attempts: 7 };

  test('by a user with all rights in the namespace is refused by every way there is, and says to whom it is left', async () => {
    await protect();
    await tenant.succeeds(['create', '-f', '-'], { ...object, status });
    onTestFinished(() => asAdmin('DELETE', pathTo(b, plural, 'forged')));
    const stored = await inB<Pset>(plural, 'forged');
    const whole = { ...stored, status: { ...stored.status, ...status } };
    const { managedFields: _, ...bare } = { managedFields: [], ...stored.metadata };
    const { resourceVersion: __, uid: ___, ...named } = bare;
    const applied = { ...object, metadata: { ...named, namespace: b }, status };
    const ways: readonly (readonly [readonly string[], unknown?])[] = [
      [
        [
          'patch',
          resource,
          'forged',
          '--subresource=status',
          '--type=merge',
          '-p',
          JSON.stringify({ status }),
        ],
      ],
      [
        [
          'patch',
          resource,
          'forged',
          '--subresource=status',
          '--type=json',
          '-p',
          '[{"op":"add","path":"/status/attempts","value":7}]',
        ],
      ],
      [['replace', '--subresource=status', '-f', '-'], whole],
      [['apply', '--server-side', '--force-conflicts', '--subresource=status', '-f', '-'], applied],
    ];
    for (const [args, body] of ways) {
      const complaint = await tenant.fails(args, body);
      expect(complaint).toContain(`'${NAME}-`);
      expect(complaint).toContain(
        `denied request: only ${scene.user} may write the status of ${plural}, not ${tenant.user}; leave the status out, or, for a restore, have this user added to the variable \`writers\` of the policy`,
      );
    }
    // By the object itself there is no way: the API server leaves the status as it is.
    await tenant.succeeds(['replace', '-f', '-'], whole);
    await tenant.succeeds(['apply', '--server-side', '--force-conflicts', '-f', '-'], applied);
    await tenant.succeeds([
      'patch',
      resource,
      'forged',
      '--type=merge',
      '-p',
      JSON.stringify({ status }),
    ]);
    await tenant.succeeds(['apply', '--server-side', '-f', '-'], {
      ...applied,
      metadata: { name: 'new', namespace: b },
    });
    onTestFinished(() => asAdmin('DELETE', pathTo(b, plural, 'new')));
    for (const name of ['forged', 'new'])
      expect((await inB<Pset>(plural, name)).status.attempts).toBeUndefined();
  });
});

test('a restore writes status while the policy names its account, and no longer after', async () => {
  const restore = await personIn(b, 'restore', [OBJECTS, STATUS]);
  const policies = await protect();
  await restore.succeeds(['create', '-f', '-'], pipeSettings('restored', pipeSpec('r')));
  const status = JSON.stringify({ status: { attempts: 3 } });
  const write = [
    'patch',
    'pipesettings.pipewright.dev',
    'restored',
    '--subresource=status',
    '--type=merge',
    '-p',
    status,
  ];
  expect(await restore.fails(write)).toContain(`not ${restore.user}`);
  await policies.set(NAME, 'writers', `['${scene.user}', '${restore.user}']`);
  await restore.succeeds(write);
  expect((await inB<Pset>('pipesettings', 'restored')).status.attempts).toBe(3);
  expect(await tenant.fails(write)).toContain(`only ${scene.user}, ${restore.user} may write`);
  await policies.set(NAME, 'writers', `['${scene.user}']`);
  await restore.fails(write);
});

describe('an older object in another namespace, suspended and with a forged proof,', () => {
  const pipe = 'contended';
  const forge = async (): Promise<readonly string[]> => {
    const { proof } = (await scene.psets.get('holder')).status;
    const status = JSON.stringify({ status: { proof } });
    return [
      'patch',
      'pipesettings.pipewright.dev',
      'thief',
      '--subresource=status',
      '--type=merge',
      '-p',
      status,
    ];
  };

  beforeAll(async () => {
    const suspended = { ...pipeSpec(pipe), suspend: true };
    await tenant.succeeds(['create', '-f', '-'], pipeSettings('thief', suspended));
    const age = async (): Promise<number> =>
      Date.now() -
      Date.parse(
        (await inB<Pset & { metadata: { creationTimestamp: string } }>('pipesettings', 'thief'))
          .metadata.creationTimestamp,
      );
    await waitFor(age, { what: 'it to be older by a second', until: (ms) => ms > 2_000 });
    const operator = await startOperator({
      kubeconfig: scene.kubeconfig,
      apiUrl: scene.simulator.url,
      flags: ['--namespaces', `${scene.namespace},${b}`, '--leader-elect=false', '--api-rate', '0'],
    });
    ended.push(() => operator.kill());
    await scene.psets.create('holder', { pipeId: pipe });
    await scene.psets.until('holder', 'Applied');
  });
  const ended: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const end of ended) await end();
  });

  test('is refused the forgery under the policy, and the holder goes on', async () => {
    await protect();
    expect(await tenant.fails(await forge())).toContain(NAME);
    await scene.psets.create('holder', { pipeId: pipe, settings: { engine_max_threads: 9 } });
    await scene.psets.until('holder', 'Applied');
  });

  test('displaces the holder where the policy is not in force', async () => {
    await tenant.succeeds(await forge());
    await scene.psets.create('holder', { pipeId: pipe, settings: { engine_max_threads: 10 } });
    const { spec, status } = await scene.psets.until('holder', 'TargetConflict');
    expect(spec['settings']).toEqual({ engine_max_threads: 10 });
    expect(status.applied?.generation).toBe(2);
  });
});

test('an operator that the policy does not name says in its log why it can record nothing', async () => {
  await protect("['system:serviceaccount:somewhere:else']");
  const operator = await scene.start();
  onTestFinished(() => operator.kill());
  await scene.psets.create('unrecorded', { pipeId: 'unrecorded' });
  const line = await operator.waitForLine(
    ({ level, name }) => name === 'unrecorded' && level !== 'debug' && level !== 'info',
    'it told of the refusal',
  );
  expect(JSON.stringify(line)).toContain(
    `only system:serviceaccount:somewhere:else may write the status of pipesettings, not ${scene.user}`,
  );
});
