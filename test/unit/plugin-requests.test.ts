import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { runCheck } from '../../src/cli/check/check.ts';
import { rightsOnObjects, rightsOnSecret } from '../../src/cli/check/rights.ts';
import { checkSecrets } from '../../src/cli/check/secrets.ts';
import type { Outcome } from '../../src/cli/command.ts';
import { kubectlBy, type Ran } from '../../src/cli/kubectl.ts';
import { parseObjectName } from '../../src/cli/objects.ts';
import { runRequest } from '../../src/cli/request/request.ts';
import { runStatus } from '../../src/cli/status/status.ts';
import { definitions } from '../../src/kinds/definitions.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');

type Answer = string | object | Partial<Ran>;

/** Answers by the beginning of the arguments; what was asked is kept. */
function aContext(answers: Readonly<Record<string, Answer>>) {
  const asked: string[] = [];
  const inputs: string[] = [];
  const kubectl = kubectlBy((args, input = '') => {
    const line = args.join(' ');
    asked.push(line);
    inputs.push(input);
    const answer = Object.entries(answers).find(([start]) => line.startsWith(start))?.[1];
    if (answer === undefined) throw new Error(`unexpected: kubectl ${line}`);
    const stdout = typeof answer === 'string' ? answer : JSON.stringify(answer);
    const ran = typeof answer === 'object' && 'code' in answer ? answer : { stdout };
    return Promise.resolve({ code: 0, stdout: '', stderr: '', ...ran });
  });
  return { kubectl, now: () => NOW, columns: undefined, asked, inputs };
}

function aPipe(name: string, more: { readonly metadata?: object; readonly status?: object } = {}) {
  const metadata = { name, namespace: 'ingest', uid: name, generation: 4, ...more.metadata };
  const spec = { credentialsSecretRef: { name: 'api' } };
  return { kind: 'PipeSettings', metadata, spec, status: more.status };
}

const FLAGS = { timeout: '60s' };

describe('a request', () => {
  test.each([
    [
      'retry',
      '{"metadata":{"annotations":{"pipewright.dev/reconcile-requested-at":"2026-03-01T12:00:00.000Z"}}}',
    ],
    ['suspend', '{"spec":{"suspend":true}}'],
    ['resume', '{"spec":{"suspend":null}}'],
  ] as const)('to %s is one patch of all', async (verb, patch) => {
    const items = [aPipe('one'), aPipe('two')];
    const context = aContext({ get: { items }, patch: '4\n5\n' });
    const { code, lines } = await runRequest(verb, context, ['pset/one', 'pset/two'], FLAGS);
    expect([code, lines.length]).toEqual([0, 2]);
    expect(context.asked).toEqual([
      'get pipesettings.pipewright.dev/one pipesettings.pipewright.dev/two -o json',
      `patch pipesettings.pipewright.dev/one pipesettings.pipewright.dev/two -n ingest --type=merge -p ${patch} -o jsonpath={.metadata.generation}{"\\n"}`,
    ]);
  });

  test('waits for the generation that the patch has made, and says what came out', async () => {
    const status = { observedGeneration: 5 };
    const context = aContext({
      get: aPipe('one', { metadata: { generation: 5 }, status }),
      patch: '5\n',
      wait: '',
    });
    const outcome = await runRequest('suspend', context, ['pset/one'], { ...FLAGS, wait: true });
    expect(outcome).toMatchObject({
      code: 0,
      lines: [expect.stringMatching(/^pset\/one in ingest: /)],
    });
    expect(context.asked[2]).toBe(
      'wait pipesettings.pipewright.dev/one -n ingest --for=jsonpath={.status.observedGeneration}=5 --timeout=60s',
    );
  });

  test('that nobody answers is an error', async () => {
    const late = { code: 1, stderr: 'error: timed out waiting for the condition on one' };
    const context = aContext({ get: aPipe('one'), patch: '4\n', wait: late });
    const outcome = await runRequest('retry', context, ['pset/one'], { ...FLAGS, wait: true });
    expect(outcome.code).toBe(1);
    expect(outcome.lines).toEqual(['pset/one in ingest: no answer yet']);
    expect(outcome.notes?.[0]).toMatch(/^error: 1 of 1 object had no answer in 60s/);
  });

  test('that some were refused says how many were changed', async () => {
    const items = [aPipe('one'), aPipe('two', { metadata: { namespace: 'other' } })];
    const context = aContext({
      get: { items },
      'patch pipesettings.pipewright.dev/two': { code: 1, stderr: 'Error: it is forbidden' },
      patch: '4\n',
    });
    const outcome = runRequest('suspend', context, [], { ...FLAGS, allNamespaces: true });
    await expect(outcome).rejects.toThrow('Error: it is forbidden; 1 of 2 were changed');
  });

  test.each([
    ['Argo CD', { annotations: { 'argocd.argoproj.io/tracking-id': 'x' } }],
    ['Flux', { labels: { 'kustomize.toolkit.fluxcd.io/name': 'x' } }],
  ])('to suspend what %s manages warns once', async (tool, metadata) => {
    const items = [aPipe('one', { metadata }), aPipe('two', { metadata })];
    const context = aContext({ get: { items }, patch: '4\n4\n' });
    const { notes } = await runRequest('suspend', context, [], { ...FLAGS, allNamespaces: true });
    expect(notes).toEqual([
      `warning: ${tool} manages pset/one, pset/two and will undo this; set spec.suspend in Git too`,
    ]);
  });
});

describe('what is refused before anything is asked', () => {
  const context = aContext({});
  test.each<[string, () => Promise<Outcome>, RegExp]>([
    ['retry of everything', () => runRequest('retry', context, [], FLAGS), /say what to retry/],
    [
      'a --timeout that is no time',
      () => runRequest('suspend', context, ['pset/one'], { ...FLAGS, wait: true, timeout: '5' }),
      /--timeout "5" is no time; write it as 90s/,
    ],
    [
      'an empty -l',
      () => runRequest('retry', context, [], { ...FLAGS, selector: ' ' }),
      /-l is empty/,
    ],
    [
      'names and -A',
      () => runStatus(context, ['pset/a'], { allNamespaces: true }),
      /pset\/a is named/,
    ],
    ['an empty -n', () => runStatus(context, [], { namespace: '' }), /-n is empty/],
    [
      'a kind of others',
      () => runStatus(context, ['pod/a'], {}),
      /"pod" is not a kind of Pipewright/,
    ],
    ['no name', () => runStatus(context, ['pset/'], {}), /write it as pset\/NAME/],
  ])('%s', async (_, run, says) => {
    await expect(run()).rejects.toThrow(says);
    expect(context.asked).toEqual([]);
  });

  test.each([
    'pset',
    'pipesettings',
    'porg',
    'organization',
    'organizations.pipewright.dev',
    'Activities',
    'activity',
  ])('but not %s/NAME', (kind) => expect(parseObjectName(`${kind}/a`).name).toBe('a'));
});

test.each([
  [
    'Error from server (NotFound): pipesettings "a" not found',
    'Error from server (NotFound): pipesettings "a" not found',
  ],
  [
    'E1128 06:00:00.0 1 memcache.go:1] x\nThe connection was refused\n',
    'The connection was refused',
  ],
  [
    'error: the server doesn\'t have a resource type "pipesettings"',
    'not installed: kubectl pipewright check',
  ],
  [
    'Error from server (Forbidden): error when applying patch:\n{"spec":{"pipeId":"a"}}\nto:\nResource: "x", Kind=y\nfor: "STDIN": error when patching "STDIN": pipesettings "a" is forbidden: User "b" cannot patch it',
    'Error from server (Forbidden): pipesettings "a" is forbidden: User "b" cannot patch it',
  ],
])('what kubectl says is passed on as one line: %j', async (stderr, says) => {
  const context = aContext({ get: { code: 1, stderr } });
  const error = await runStatus(context, ['pset/a'], {}).catch(String);
  expect(error).toContain(says);
  expect(error).not.toContain('\n');
});

describe('check', () => {
  const crd = (name: string) => ({
    metadata: { name },
    spec: { versions: [{ name: 'v1alpha1', served: true }] },
  });
  const crds = { items: definitions.map(({ type }) => crd(`${type.plural}.pipewright.dev`)) };
  const lease = (renewTime: string) => ({
    items: [
      { metadata: { name: 'pipewright-old' }, spec: { renewTime: '2026-01-01T00:00:00Z' } },
      { metadata: { name: 'eu-pipewright' }, spec: { renewTime, holderIdentity: 'pod-1' } },
    ],
  });
  const data = (keySecret: string) => ({ keyId: btoa('id'), keySecret: btoa(keySecret) });
  const secret = (keySecret: string) => ({
    items: [{ metadata: { name: 'api' }, data: data(keySecret) }],
  });
  const deployment = { items: [{ spec: { template: { spec: { serviceAccountName: 'pw' } } } }] };
  const rights = definitions.length * 4 + 2 + 1;
  const ANSWERS = {
    'get crd': crds,
    'get lease': lease('2026-03-01T11:59:50.000000Z'),
    'get deployments': deployment,
    'get secrets': secret('secret'),
    'get pipesettings': { items: [aPipe('one'), aPipe('two')] },
    create: 'true\n'.repeat(rights),
  };
  const FOR = { operatorNamespace: 'pipewright' };
  const checked = (answers: Readonly<Record<string, Answer>>) => {
    const context = aContext({ ...ANSWERS, ...answers });
    return { context, outcome: runCheck(context, [], FOR) };
  };

  test('finds nothing where all is well, and asks for all rights at once', async () => {
    const { context, outcome } = checked({});
    expect(await outcome).toMatchObject({ code: 0 });
    expect((await outcome).lines[1]).toBe('ok       pod-1 leads, by Lease eu-pipewright');
    expect((await outcome).lines.at(-2)).toBe('ok       2 objects: 2 Pending');
    const reviews = JSON.parse(context.inputs.find((input) => input !== '') ?? '{}');
    expect(reviews.items).toHaveLength(rights);
    expect(reviews.items[0].spec.user).toBe('system:serviceaccount:pipewright:pw');
  });

  test.each<[string, Readonly<Record<string, Answer>>, string]>([
    [
      'a CRD',
      { 'get crd': { items: crds.items.slice(1) } },
      'CRD pipesettings.pipewright.dev is not installed',
    ],
    ['an operator', { 'get lease': { items: [] } }, 'No operator has run in namespace pipewright'],
    ['a leader', { 'get lease': lease('2026-03-01T11:59:00Z') }, 'was renewed 1m ago'],
    [
      'a right',
      { create: `false\n${'true\n'.repeat(rights - 1)}` },
      'may not get pipesettings of pipewright.dev in namespace ingest',
    ],
    ['a Secret', { 'get secrets': '' }, 'The Secret "api" does not exist in namespace "ingest"'],
    ['a key', { 'get secrets': secret('\n') }, 'its key "keySecret" is empty'],
  ])('says that %s is missing', async (_, answers, says) => {
    const { lines, code } = await checked(answers).outcome;
    expect(code).toBe(2);
    expect(lines.filter((line) => line.startsWith('PROBLEM')).join()).toContain(says);
  });

  test('goes on where something may not be seen, and never shows a value', async () => {
    const stderr = 'Error from server (Forbidden): secrets is forbidden: User "me" cannot list';
    const unseen = await checked({ 'get secrets': { code: 1, stderr } }).outcome;
    expect(unseen.code).toBe(0);
    expect(unseen.lines.join('\n')).toContain('unknown  The Secrets of namespace ingest could not');
    const seen = await checked({ 'get secrets': secret('s3cr3t\u0001') }).outcome;
    expect(seen.lines.join('\n')).not.toContain('s3cr3t');
  });
});

test('the rights that are asked for are those that the manifests give', () => {
  interface Manifest {
    readonly kind: string;
    readonly rules?: readonly Readonly<Record<'apiGroups' | 'resources' | 'verbs', string[]>>[];
  }
  const source = readFileSync('deploy/kustomize/base/rbac.yaml', 'utf8');
  const documents = [...parseAllDocuments(source)].map((one) => one.toJS() as Manifest);
  const { rules = [] } = documents.find(({ kind }) => kind === 'ClusterRole') ?? {};
  const given = rules.flatMap(({ apiGroups, resources, verbs }) =>
    resources.flatMap((path) => verbs.map((verb) => [apiGroups[0], path, verb].join(' '))),
  );
  const use = { namespace: 'ingest', name: 'api', ref: { name: 'api' }, objects: [] };
  const asked = [...rightsOnObjects('ingest'), rightsOnSecret(use)].map(
    ({ group, resource, subresource, verb }) =>
      [group, subresource === undefined ? resource : `${resource}/${subresource}`, verb].join(' '),
  );
  expect(asked.toSorted()).toEqual(given.toSorted());
});

test('the Secrets of many namespaces are read a few at a time', async () => {
  let running = 0;
  let most = 0;
  const kubectl = kubectlBy(async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise(setImmediate);
    running -= 1;
    return { code: 0, stdout: '', stderr: '' };
  });
  const uses = Array.from({ length: 20 }, (_, at) => {
    return { namespace: `team-${at}`, name: 'api', ref: { name: 'api' }, objects: [] };
  });
  const findings = await checkSecrets(kubectl, uses);
  expect([findings.length, most]).toEqual([20, 8]);
});
