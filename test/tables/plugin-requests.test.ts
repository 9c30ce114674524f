import { expect, test } from 'vitest';
import { pipe } from './plugin/objects.ts';
import { type Answers, NOW, pipewright } from './plugin/run.ts';

const called = (name: string, namespace = 'ingest') => pipe({ metadata: { name, namespace } });
const FULL = 'pipesettings.pipewright.dev';
const AT = 'pipewright.dev/reconcile-requested-at';
const WITH = '--type=merge -p';
const PRINT = '-o jsonpath={.metadata.generation}{"\\n"}';

test.each([
  ['retry', 'asked to be tried now', `{"metadata":{"annotations":{"${AT}":"${NOW}"}}}`],
  ['suspend', 'suspended; a call that is in flight still ends', '{"spec":{"suspend":true}}'],
  ['resume', 'resumed', '{"spec":{"suspend":null}}'],
])('%s is one patch of all of a namespace: %s', async (verb, done, patch) => {
  const items = [called('one'), called('two'), called('three', 'other')];
  const args = [verb, '-A', '-l', 'a=b', '--context', 'c'];
  const { stdout, asked } = await pipewright(args, { get: { items }, patch: '4\n5\n' });
  expect(stdout.split('\n')[2]).toBe(`pset/three in other: ${done}`);
  expect(asked.toSorted()).toEqual([
    `get ${FULL},organizations.pipewright.dev,activities.pipewright.dev -A -l a=b -o json --context=c`,
    `patch ${FULL}/one ${FULL}/two -n ingest ${WITH} ${patch} ${PRINT} --context=c`,
    `patch ${FULL}/three -n other ${WITH} ${patch} ${PRINT} --context=c`,
  ]);
});

test.each(['pset', 'pipesettings', 'PipeSettings', FULL])('%s/NAME is one object', async (kind) => {
  const { asked } = await pipewright(['status', `${kind}/a`], { get: pipe() });
  expect(asked).toEqual([`get ${FULL}/a -o json`]);
});

const late = { code: 1, stderr: 'error: timed out waiting for the condition' };
test.each<[string, object, Answers, string, number, string]>([
  [
    'suspend',
    { observedGeneration: 5 },
    { wait: '' },
    'observedGeneration}=5',
    0,
    'Ready (Applied).',
  ],
  [
    'retry',
    { lastHandledReconcileAt: NOW },
    { wait: '' },
    `lastHandledReconcileAt}=${NOW}`,
    0,
    'Ready (Applied).',
  ],
  ['retry', {}, { wait: late }, `lastHandledReconcileAt}=${NOW}`, 1, 'no answer yet'],
])('%s --wait ends with %o', async (verb, status, answers, condition, code, says) => {
  const all = { get: pipe({ status }), patch: '5\n', ...answers };
  const ran = await pipewright([verb, 'pset/one', '--wait', '--timeout', '90s'], all);
  const wait = `wait ${FULL}/one -n ingest --for=jsonpath={.status.${condition} --timeout=90s`;
  expect([ran.code, ran.asked[2]]).toEqual([code, wait]);
  expect(ran.stdout).toContain(`pset/one in ingest: ${says}`);
  expect(ran.stderr).toMatch(code === 0 ? /^$/ : /^error: 1 of 1 object had no answer in 90s: /);
});

test.each<[string, string, object, object]>([
  ['suspend', 'Argo CD manages', { annotations: { 'argocd.argoproj.io/tracking-id': 'x' } }, {}],
  ['resume', 'Flux manages', { labels: { 'kustomize.toolkit.fluxcd.io/name': 'x' } }, {}],
  ['retry', 'is suspended; resume it first', {}, { suspend: true }],
])('%s warns where something else wins: %s', async (verb, why, metadata, spec) => {
  const answers = { get: pipe({ metadata }, spec), patch: '4\n' };
  const { code, stderr } = await pipewright([verb, 'pset/one'], answers);
  expect([code, stderr.split('\n').length]).toEqual([0, 2]);
  expect(stderr).toMatch(/^warning: .*pset\/one/);
  expect(stderr).toContain(why);
});
