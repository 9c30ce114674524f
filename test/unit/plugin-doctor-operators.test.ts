import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  configMapsOf,
  type DeploymentObject,
  readDeployment,
  releaseOf,
} from '../../src/cli/doctor/deployment.ts';
import { findOperators } from '../../src/cli/doctor/operators.ts';
import { deploymentNameIn, leadingWith, paired } from '../../src/cli/doctor/pairing.ts';
import { Report } from '../../src/cli/doctor/report.ts';
import { compareReleases } from '../../src/cli/doctor/versions.ts';
import { parseConfig } from '../../src/config/config.ts';
import type { KubeObject } from '../../src/kube/resource.ts';
import { deployment, fakeKubectl, lease } from '../support/doctor.ts';

const BASE = new URL('../../deploy/kustomize/base/deployment.yaml', import.meta.url);

describe('the flags of a Deployment', () => {
  test.each([
    {},
    { PIPEWRIGHT_NAMESPACES: 'b, a' },
    { PIPEWRIGHT_SELECTOR: ' team == x,tier' },
    { PIPEWRIGHT_NAMESPACES: 'a', PIPEWRIGHT_LEADER_ELECT_NAME: 'mine' },
    { PIPEWRIGHT_LEADER_ELECT_NAMESPACE: 'leases', PIPEWRIGHT_SECRET_SELECTOR: 'key' },
    { PIPEWRIGHT_LEADER_ELECT: 'false' },
  ])('of the manifests are read as the operator reads them: %j', async (data) => {
    const object = parse(await readFile(BASE, 'utf8')) as DeploymentObject;
    expect(configMapsOf(object)).toEqual(['pipewright-flags']);
    const all = { PIPEWRIGHT_API_URL: 'https://api.example.com', ...data };
    const { flags } = readDeployment(object, new Map([['pipewright-flags', all]]));
    const env = { ...all, KUBERNETES_SERVICE_HOST: '10.0.0.1' };
    const parsed = parseConfig({ argv: [], env, version: 'test' });
    if (!parsed.ok) throw new Error(parsed.message);
    const { config } = parsed;
    expect(flags).toEqual({
      namespaces: config.namespaces,
      selector: config.selector ?? '',
      secretSelector: config.secretSelector ?? '',
      elects: config.leaderElect,
      leaseNamespace: config.leaderElectNamespace ?? 'pipewright',
      leaseName: config.leaderElectName,
      isElsewhere: false,
    });
  });

  test('stand in arguments, which win, in a ConfigMap or in variables', () => {
    const one = deployment({ PIPEWRIGHT_NAMESPACES: 'a' }, { args: ['--namespaces=b'] });
    expect(one.flags?.namespaces).toEqual(['b']);
    expect(one.source('namespaces')).toEqual({ in: 'arguments' });
    const key = 'PIPEWRIGHT_NAMESPACES';
    expect(deployment({ [key]: 'a' }).source('namespaces')).toEqual({
      in: 'config-map',
      name: 'pipewright-flags',
      key,
    });
    const own = deployment({}, { env: [{ name: key, value: 'c' }] });
    expect(own.flags?.namespaces).toEqual(['c']);
    expect(own.source('namespaces')).toEqual({ in: 'variables' });
  });

  test('that the operator would refuse are not guessed at', () => {
    expect(deployment({ PIPEWRIGHT_SELECTOR: 'a=b=c' }).flags).toBeUndefined();
    expect(deployment({ PIPEWRIGHT_NAMESPACES: 'A' }).flags).toBeUndefined();
    expect(deployment({ PIPEWRIGHT_LEADER_ELECT_NAME: '--all' }).flags).toBeUndefined();
    expect(deployment({ PIPEWRIGHT_LEADER_ELECT_NAMESPACE: '-x' }).flags).toBeUndefined();
  });

  const NAMESPACES = 'PIPEWRIGHT_NAMESPACES';
  test.each([
    ['a Secret', { secretKeyRef: { name: 'flags', key: 'namespaces' } }],
    ['a field', { fieldRef: { fieldPath: 'metadata.labels' } }],
    ['a ConfigMap that was not read', { configMapKeyRef: { name: 'other', key: NAMESPACES } }],
    ['a ConfigMap that cannot be', { configMapKeyRef: { name: '..', key: NAMESPACES } }],
  ])('that come from %s are not taken as not given', (_, valueFrom) => {
    const unread = (more: object = {}) =>
      deployment({}, { env: [{ name: NAMESPACES, valueFrom }], ...more }).flags;
    expect(unread()).toBeUndefined();
    // An argument wins, so then nothing is unknown.
    expect(unread({ args: ['--namespaces=b'] })?.namespaces).toEqual(['b']);
  });

  test('that may come with all variables of something are not taken as not given', () => {
    const { metadata } = lease('any');
    const flagsWith = (envFrom: readonly object[]) => {
      const containers = [{ name: 'pipewright', envFrom }];
      const object: DeploymentObject = { metadata, spec: { template: { spec: { containers } } } };
      return readDeployment(object, new Map()).flags;
    };
    expect(flagsWith([{ configMapRef: { name: 'pipewright-flags' } }])).toBeUndefined();
    expect(flagsWith([])).toBeDefined();
  });

  test('are not given by a key that the ConfigMap has not, whatever its name', () => {
    const valueFrom = { configMapKeyRef: { name: 'pipewright-flags', key: 'constructor' } };
    const one = deployment({}, { env: [{ name: NAMESPACES, valueFrom }] });
    expect(one.flags?.namespaces).toEqual([]);
  });

  test('are known where the variable is the namespace of the Deployment', () => {
    const valueFrom = { fieldRef: { fieldPath: 'metadata.namespace' } };
    const one = deployment({}, { env: [{ name: NAMESPACES, valueFrom }] });
    expect(one.flags?.namespaces).toEqual(['pipewright']);
  });

  test('are known where only what doctor does not look at comes from a Secret', () => {
    const valueFrom = { secretKeyRef: { name: 'api', key: 'url' } };
    const names = ['HTTPS_PROXY', 'PIPEWRIGHT_API_URL'];
    const env = names.map((name) => ({ name, valueFrom }));
    expect(deployment({}, { env }).flags?.namespaces).toEqual([]);
  });

  test.each(['--patch-file=x', '..', '-n'])('are in no ConfigMap of the name %j', (name) => {
    const variable = 'PIPEWRIGHT_NAMESPACES';
    const valueFrom = { configMapKeyRef: { name, key: variable } };
    const one = deployment({}, { env: [{ name: variable, valueFrom }] });
    expect(one.source('namespaces')).toEqual({ in: 'variables' });
  });
});

describe('a Deployment and its Lease', () => {
  const POD = 'pipewright-5d8f7c9b4-x2k7q_0b1d7c52';

  test('belong together by the name that follows from the flags', () => {
    const ours = deployment({ PIPEWRIGHT_NAMESPACES: 'a' });
    const right = lease(ours.flags?.leaseName ?? '', { holder: 'x_1', namespaces: ['a', 'b'] });
    const [one, ...others] = paired([ours], [lease('pipewright', { holder: '' }), right]);
    expect(one).toMatchObject({ lease: right, works: { namespaces: ['a'] } });
    expect(others).toEqual([]);
  });

  test('say what it works on once it is seen to lead, and not what another one wrote before', () => {
    const ours = deployment({ PIPEWRIGHT_LEADER_ELECT_NAME: 'shared', PIPEWRIGHT_NAMESPACES: 'a' });
    const [before] = paired([ours], [lease('shared', { holder: 'x_1' })]);
    if (!before) throw new Error('no operator');
    expect(before.works?.namespaces).toEqual(['a']);
    const seen = leadingWith(before, lease('shared', { namespaces: ['a', 'b'] }));
    expect(seen.works?.namespaces).toEqual(['a', 'b']);
    const old = leadingWith(before, lease('shared', { isOfOthers: true }));
    expect([old.works?.namespaces, old.announced]).toEqual([['a'], undefined]);
  });

  test('belong together by the holder where the flags cannot be read', () => {
    const ours = deployment({}, { isUnread: true });
    const its = lease('any', { holder: POD });
    expect(paired([ours], [lease('other', { holder: 'x_1' }), its])).toMatchObject([
      { deployment: ours, lease: its },
      { lease: { metadata: { name: 'other' } } },
    ]);
  });

  test('are one operator, whatever the Deployment held before it had other flags', () => {
    const ours = deployment({ PIPEWRIGHT_NAMESPACES: 'a' });
    const left = lease('pipewright', { holder: POD });
    expect(paired([ours], [left])).toMatchObject([{ deployment: ours }]);
    expect(paired([ours], [left])[0]?.lease).toBeUndefined();
    expect(paired([ours], [left])[0]?.works?.namespaces).toEqual(['a']);
  });

  test('are missing of one that runs outside; a Lease of others is none of ours', () => {
    expect(paired([], [lease('theirs', { isOfOthers: true })])).toEqual([]);
    expect(paired([], [lease('ours', { holder: '' })])).toEqual([]);
    expect(paired([], [lease('ours')])).toMatchObject([{ leaseAt: { name: 'ours' } }]);
  });

  test('of one without leader election: there is no Lease to look for', () => {
    const [one] = paired([deployment({ PIPEWRIGHT_LEADER_ELECT: 'false' })], [lease('pipewright')]);
    expect(one?.leaseAt).toBeUndefined();
  });

  test.each([
    [POD, 'pipewright'],
    ['my-team-pipewright-6f9d-abcde_1', 'my-team-pipewright'],
    ['laptop_1', undefined],
    ['..-6f9d-abcde_1', undefined],
    ['--all-6f9d-abcde_1', undefined],
    ['', undefined],
  ])('the holder %j is of the Deployment %j', (holder, name) => {
    expect(deploymentNameIn(lease('any', { holder }))).toBe(name);
  });
});

describe('a release of Helm', () => {
  const object = (release: string, namespace = 'pipewright'): KubeObject => ({
    metadata: {
      ...deploymentMeta,
      labels: { 'app.kubernetes.io/managed-by': 'Helm' },
      annotations: {
        'meta.helm.sh/release-name': release,
        'meta.helm.sh/release-namespace': namespace,
      },
    },
  });
  const deploymentMeta = {
    name: 'pipewright',
    namespace: 'pipewright',
    uid: '1',
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
  };

  test('is one by a name that Helm takes', () => {
    expect(releaseOf(object('my.pipe-1'))).toEqual({
      release: 'my.pipe-1',
      namespace: 'pipewright',
    });
  });

  test.each([
    ['--post-renderer=./x.sh', undefined],
    ['-f', undefined],
    ['a\u001b[2J', undefined],
    ['a'.repeat(54), undefined],
    ['', undefined],
    ['pipewright', '--kubeconfig=x'],
    ['pipewright', 'a/b'],
  ])('is none by another: %j in %j', (release, namespace) => {
    expect(releaseOf(object(release, namespace))).toBeUndefined();
  });
});

describe('an operator that anybody may have made up', () => {
  /** Deployments with the label, and Leases with the annotations, in these namespaces. */
  async function seen(
    { deployments, leases = [] }: { deployments: string[]; leases?: string[] },
    namespace?: string,
  ) {
    const meta = (where: string) => ({ ...lease('pipewright').metadata, namespace: where });
    const kubectl = fakeKubectl(([, , path = '']) => {
      if (path.includes('/leases'))
        return JSON.stringify({
          items: leases.map((where) => ({ ...lease('pipewright'), metadata: meta(where) })),
        });
      if (!path.includes('labelSelector')) return 'Error: NotFound';
      const items = deployments.map((where) => ({
        metadata: { name: 'pipewright', namespace: where },
        spec: {
          template: { spec: { serviceAccountName: 'any', containers: [{ name: 'pipewright' }] } },
        },
      }));
      return JSON.stringify({ items });
    });
    const found = await findOperators({ kubectl, report: new Report(), namespace });
    return (found ?? []).map(({ namespace: where, doubt }) => [where, doubt]);
  }

  test('is not the only one, in the namespace of the documents, or in the one that is named', async () => {
    expect(await seen({ deployments: ['pipewright'], leases: ['pipewright'] })).toEqual([
      ['pipewright', undefined],
    ]);
    expect(await seen({ deployments: ['mine'] }, 'mine')).toEqual([['mine', undefined]]);
  });

  test.each([
    { deployments: ['tenant'] },
    { deployments: [], leases: ['tenant'] },
    { deployments: ['pipewright', 'tenant'] },
    { deployments: ['pipewright'], leases: ['pipewright', 'tenant'] },
  ])('may be any other: %j', async (there) => {
    const found = await seen(there);
    expect(found.map(([where]) => where)).toContain('tenant');
    for (const [where, doubt] of found)
      expect(doubt).toContain(`with --operator-namespace ${where},`);
  });
});

test.each([
  ['1.2.3', '1.2.3', 0],
  ['1.10.0', '1.9.9', 1],
  ['1.2.3-rc.1', '1.2.3', -1],
  ['1.2.3', '1.2.3+build', 0],
  ['2.0.0-a', '1.9.0', 1],
  ['1.0.0-rc.10', '1.0.0-rc.9', 1],
  ['1.0.0-rc.1.1', '1.0.0-rc.1', 1],
  ['1.0.0-rc', '1.0.0-1', 1],
  ['1.0.0-a-b', '1.0.0-a-a', 1],
  ['1.0.0-B', '1.0.0-a', -1],
  ['odd', 'odd', 0],
])('version %s beside %s', (a, b, order) => {
  expect(Math.sign(compareReleases(a, b) ?? Number.NaN)).toBe(order);
  expect(Math.sign(compareReleases(b, a) ?? Number.NaN) + order).toBe(0);
});

test.each(['abc', '', '1', '1.2', '1.2.x', '1.2.3-', 'v1.2.3', '1.2.3.4'])(
  'version %j cannot be told from another',
  (text) => {
    expect(compareReleases(text, '1.2.3')).toBeUndefined();
    expect(compareReleases('1.2.3', text)).toBeUndefined();
  },
);
