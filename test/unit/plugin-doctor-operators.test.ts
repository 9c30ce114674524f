import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  configMapsOf,
  type DeploymentObject,
  readDeployment,
} from '../../src/cli/doctor/deployment.ts';
import { deploymentNameIn, leadingWith, paired } from '../../src/cli/doctor/pairing.ts';
import { compareReleases } from '../../src/cli/doctor/versions.ts';
import { parseConfig } from '../../src/config/config.ts';
import { deployment, lease } from '../support/doctor.ts';

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
    ['', undefined],
  ])('the holder %j is of the Deployment %j', (holder, name) => {
    expect(deploymentNameIn(lease('any', { holder }))).toBe(name);
  });
});

test.each([
  ['1.2.3', '1.2.3', 0],
  ['1.10.0', '1.9.9', 1],
  ['1.2.3-rc.1', '1.2.3', -1],
  ['1.2.3', '1.2.3+build', 0],
  ['2.0.0-a', '1.9.0', 1],
])('version %s beside %s', (a, b, order) => {
  expect(Math.sign(compareReleases(a, b))).toBe(order);
  expect(Math.sign(compareReleases(b, a)) + order).toBe(0);
});
