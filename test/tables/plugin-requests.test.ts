import { describe, expect, test } from 'vitest';
import { pipe, type Told } from './plugin/objects.ts';
import { type Answers, NOW, pipewright } from './plugin/run.ts';

const called = (name: string, told: Told = {}) =>
  pipe({ ...told, metadata: { ...told.metadata, name } });
const elsewhere = called('two', { metadata: { namespace: 'other' } });
const FULL = 'pipesettings.pipewright.dev';
const AT = 'pipewright.dev/reconcile-requested-at';

test.each([
  ['retry', 'asked to be tried now', `{"metadata":{"annotations":{"${AT}":"${NOW}"}}}`],
  ['suspend', 'suspended; a call that is in flight still ends', '{"spec":{"suspend":true}}'],
  ['resume', 'resumed', '{"spec":{"suspend":null}}'],
])('%s is one patch of all: %s', async (verb, done, patch) => {
  const answers = { get: { items: [called('one'), called('two')] }, patch: '4\n5\n' };
  const { stdout, asked } = await pipewright([verb, 'pset/one', 'PSET/two'], answers);
  expect(stdout).toBe(`pset/one in ingest: ${done}\npset/two in ingest: ${done}\n`);
  expect(asked).toEqual([
    `get ${FULL}/one ${FULL}/two -o json`,
    `patch ${FULL}/one ${FULL}/two -n ingest --type=merge -p ${patch} -o jsonpath={.metadata.generation}{"\\n"}`,
  ]);
});

test('each namespace is patched by itself, through the cluster that the flags name', async () => {
  const args = ['resume', '-l', 'a=b', '-A', '--kubeconfig', 'k', '--context', 'c'];
  const answers = { get: { items: [called('one'), elsewhere] }, patch: '4\n' };
  const { asked } = await pipewright(args, answers);
  expect(asked.map((line) => line.replace(/ --type.* -o .*\}/, '')).toSorted()).toEqual([
    `get ${FULL},organizations.pipewright.dev,activities.pipewright.dev -A -l a=b -o json --kubeconfig=k --context=c`,
    `patch ${FULL}/one -n ingest --kubeconfig=k --context=c`,
    `patch ${FULL}/two -n other --kubeconfig=k --context=c`,
  ]);
});

test.each<[string, Answers, string, number, string]>([
  [
    'suspend',
    { get: called('one', { status: { observedGeneration: 5 } }), patch: '5\n', wait: '' },
    'observedGeneration}=5',
    0,
    'Ready (Applied). it says Applied',
  ],
  [
    'retry',
    { get: called('one', { status: { lastHandledReconcileAt: NOW } }), patch: '4\n', wait: '' },
    `lastHandledReconcileAt}=${NOW}`,
    0,
    'Ready (Applied). it says Applied',
  ],
  [
    'retry',
    { get: called('one'), patch: '4\n', wait: { code: 1, stderr: 'error: timed out waiting' } },
    `lastHandledReconcileAt}=${NOW}`,
    1,
    'no answer yet',
  ],
])(
  '%s --wait waits for the answer to the patch, and says what came out',
  async (verb, answers, condition, code, says) => {
    const ran = await pipewright([verb, 'pset/one', '--wait', '--timeout', '90s'], answers);
    const wait = `wait ${FULL}/one -n ingest --for=jsonpath={.status.${condition} --timeout=90s`;
    expect(ran.asked[2]).toBe(wait);
    expect(ran).toMatchObject({ code, stdout: `pset/one in ingest: ${says}\n` });
    expect(ran.stderr).toMatch(
      code === 0 ? /^$/ : /^error: 1 of 1 object had no answer in 90s: .*\n$/,
    );
  },
);

test.each<[string, string, Told, object]>([
  [
    'suspend',
    'Argo CD manages',
    { metadata: { annotations: { [AT]: '1', 'argocd.argoproj.io/tracking-id': 'x' } } },
    {},
  ],
  [
    'resume',
    'Flux manages',
    { metadata: { labels: { 'kustomize.toolkit.fluxcd.io/name': 'x' } } },
    {},
  ],
  ['retry', 'is suspended; resume it first', {}, { suspend: true }],
])('%s warns where something else wins: %s', async (verb, why, told, spec) => {
  const answers = { get: pipe(told, spec), patch: '4\n' };
  const { code, stderr } = await pipewright([verb, 'pset/one'], answers);
  expect([code, stderr.split('\n').length]).toEqual([0, 2]);
  expect(stderr).toMatch(/^warning: .*pset\/one/);
  expect(stderr).toContain(why);
});

describe('refused before anything is asked', () => {
  test.each([
    ['retry', 'say what to retry: names such as pset/orders, labels with -l, or every object with'],
    ['suspend pset/a --wait --timeout 5', '--timeout "5" is no time; write it as 90s, 10m or 1h'],
    ['retry --selector=', '-l is empty, which would select every object; give labels, or leave -l'],
    ['status --namespace=', '-n is empty; give the name of a namespace, or leave -n out'],
    ['status pset/a -A', 'pset/a is named, so -l and -A say nothing; leave out the one or the'],
    ['status pod/a', '"pod" is not a kind of Pipewright; name an object as one of pset/NAME, porg'],
    ['status pset/', '"pset/" names no object; write it as pset/NAME'],
    ['retreat', "unknown command 'retreat'"],
  ])('%s', async (line, says) => {
    const { code, stdout, stderr, asked } = await pipewright(line.split(' '));
    expect({ code, stdout, asked }).toEqual({ code: 1, stdout: '', asked: [] });
    expect(stderr).toContain(`error: ${says}`);
  });

  test.each(['pset', 'pipesettings', 'PipeSettings', FULL])('but not %s/NAME', async (kind) => {
    const { asked } = await pipewright(['status', `${kind}/a`], { get: pipe() });
    expect(asked).toEqual([`get ${FULL}/a -o json`]);
  });
});

describe('what kubectl says is passed on as one line', () => {
  const forbidden = 'Error from server (Forbidden):';
  const patching =
    'error when applying patch:\n{}\nto:\nfor: "STDIN": error when patching "STDIN":';
  test.each([
    ['Error from server (NotFound): no "a"', 'Error from server (NotFound): no "a"'],
    ['E1128 06:00:00.0 1 memcache.go:1] x\nWarning: old\nIt was refused\n', 'It was refused'],
    [`${forbidden} ${patching} x is forbidden`, `${forbidden} x is forbidden`],
    [
      'error: no matches for kind "x"',
      'no matches for kind "x". The CRDs of Pipewright are not installed: kubectl pipewright check',
    ],
    ['', 'kubectl get ended with 1 and gave no reason'],
  ])('%j', async (stderr, says) => {
    const ran = await pipewright(['status', 'pset/a'], { get: { code: 1, stderr } });
    expect(ran).toMatchObject({ code: 1, stdout: '', stderr: `error: ${says}\n` });
  });

  test('with how many were changed, where some were', async () => {
    const refused = { code: 1, stderr: 'it is forbidden' };
    const get = { items: [called('one'), elsewhere] };
    const answers = { get, [`patch ${FULL}/two`]: refused, patch: '4\n' };
    const { code, stderr } = await pipewright(['suspend', '-A'], answers);
    expect([code, stderr]).toEqual([1, 'error: it is forbidden; 1 of 2 were changed\n']);
  });
});
