import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { PLURALS } from '../../support/kinds.ts';
import { failed, pipe, type Told } from './objects.ts';
import { type Answers, pipewright } from './run.ts';

const crd = (name: string, version = 'v1alpha1') => {
  const versions = [{ name: version, served: true }];
  return { metadata: { name: `${name}.pipewright.dev` }, spec: { versions } };
};
const others = PLURALS.filter((plural) => plural !== 'pipesettings').map((name) => crd(name));
const lease = (renewTime: string) => {
  const old = { metadata: { name: 'pipewright-old' }, spec: { renewTime: '2026-01-01T00:00:00Z' } };
  return {
    items: [
      old,
      { metadata: { name: 'pipewright' }, spec: { renewTime, holderIdentity: 'pod-1' } },
    ],
  };
};
const secret = (keySecret: string) => {
  const data = { keyId: btoa('id'), keySecret: btoa(keySecret) };
  return { items: [{ metadata: { name: 'api' }, data }] };
};
/** Those of each kind, and three more. */
const RULES = 4 * PLURALS.length + 3;
const forbidden = { code: 1, stderr: 'Error from server (Forbidden): it is forbidden' };
const WELL: Answers = {
  'get crd': { items: [crd('pipesettings'), ...others] },
  'get lease': lease('2026-03-01T11:59:50.000000Z'),
  'get deployments': { items: [{ spec: { serviceAccountName: 'pw' } }] },
  'get secrets': secret('secret'),
  'get pipesettings': { items: [pipe(), pipe()] },
  create: 'true\n'.repeat(RULES),
};
const check = (answers: Answers) => pipewright(['check', '-A'], { ...WELL, ...answers });

test('finds nothing where all is well', async () => {
  const { code, stdout } = await check({});
  const parts = stdout.split('\n').map((line) => line.slice(0, 30));
  expect([code, ...parts]).toEqual([
    0,
    `ok       ${PLURALS.length} CRDs are installed`,
    'ok       pod-1 leads, by Lease',
    'ok       The operator (system:',
    'ok       1 Secret of namespace',
    'ok       2 objects: 2 Applied',
    '0 problems found, 0 unknown.',
    '',
  ]);
});

const RENEWED =
  'Lease pipewright in namespace pipewright was renewed 1m ago; see why its Pod is not';
const RIGHTS =
  'may not get, list pipesettings of pipewright.dev in namespace ingest; give a Role with';
const SERVES = 'serves v1, but not pipewright.dev/v1alpha1; apply the CRDs of';
const ABSENT =
  'Create it with the keys keyId and keySecret; it is used within a minute (used by pset/one and 1 more in';
test.each<[string, Answers]>([
  ['CRD pipesettings.pipewright.dev is not installed; apply', { 'get crd': { items: others } }],
  [SERVES, { 'get crd': { items: [crd('pipesettings', 'v1'), ...others] } }],
  ['No operator has run in namespace pipewright: it has no', { 'get lease': { items: [] } }],
  [RENEWED, { 'get lease': lease('2026-03-01T11:59:00Z') }],
  [RIGHTS, { create: `false\nfalse\n${'true\n'.repeat(RULES - 2)}` }],
  [ABSENT, { 'get secrets': '' }],
  ['its key "keySecret"', { 'get secrets': secret('s3cr3t\u0001') }],
])('says what is wrong and what to do, and no value of a Secret: %s', async (says, answers) => {
  const { stdout, code } = await check(answers);
  expect(code).toBe(2);
  expect(stdout.match(/^PROBLEM .*$/gm)).toEqual([expect.stringContaining(says)]);
  expect(stdout).toMatch(/\n1 problem found, 0 unknown\.\n$/);
  expect(stdout).not.toMatch(/s3cr3t|czNjcjN0/);
});

test.each<[string, Answers]>([
  ['The Secrets of namespace ingest could not be read', { 'get secrets': forbidden }],
  ['not checked, because namespace pipewright has no', { 'get deployments': { items: [] } }],
])('what may not be read is no problem, and the rest goes on: %s', async (says, answers) => {
  const { stdout, code } = await check(answers);
  expect(code).toBe(0);
  expect(stdout.match(/^unknown .*$/gm)).toEqual([expect.stringContaining(says)]);
  expect(stdout).toMatch(/\n0 problems found, 1 unknown\.\n$/);
});

test.each<[string, ...Told[]]>([
  ['ok       2 objects: 1 Suspended, 1 Planned\n', { reason: 'Suspended' }, failed('Planned')],
  ['note     2 objects: 1 Applied, 1 Rejected; see ', {}, failed('Rejected', 'Stalled')],
  ['note     1 object: 1 Unavailable; see kubectl ', failed('Unavailable', 'Reconciling')],
])('objects are counted, and those that fail are no problem of it: %s', async (says, ...told) => {
  const { stdout, code } = await check({
    'get pipesettings': { items: told.map((one) => pipe(one)) },
  });
  expect(code).toBe(0);
  expect(stdout).toContain(`\n${says}`);
});

const NOTHING =
  'nothing could be read from the cluster; ask its administrator for the rights that the lines above name';
test.each<[string, Answers]>([
  [NOTHING, { get: forbidden }],
  ['It was refused', { get: { code: 1, stderr: 'It was refused' } }],
])('it is not said that all is well: %s', async (says, answers) => {
  const { code, stderr } = await pipewright(['check'], answers);
  expect([code, stderr]).toEqual([1, `error: ${says}\n`]);
});

type Rule = Readonly<Record<'apiGroups' | 'resources' | 'verbs', readonly string[]>>;

test('the rights that are asked for are those that the manifests give', async () => {
  const source = readFileSync('deploy/kustomize/base/rbac.yaml', 'utf8');
  const roles = [...parseAllDocuments(source)].map((one) => one.toJS());
  const { rules }: { rules: Rule[] } = roles.find(({ kind }) => kind === 'ClusterRole');
  const given = rules.flatMap(({ apiGroups, resources, verbs }) =>
    resources.flatMap((path) => verbs.map((verb) => `${verb} ${path} ${apiGroups[0]}`)),
  );
  const { items } = JSON.parse((await check({})).input);
  const asked = items.map(({ spec }: { spec: { resourceAttributes: Record<string, string> } }) => {
    const { resource, subresource, verb, group } = spec.resourceAttributes;
    return `${verb} ${[resource, subresource].filter(Boolean).join('/')} ${group}`;
  });
  expect(asked.toSorted()).toEqual(given.toSorted());
  expect(items[0].spec.user).toBe('system:serviceaccount:pipewright:pw');
});
