import { expect, test } from 'vitest';
import { NAMES } from '../../support/kinds.ts';
import { pipe } from './objects.ts';
import { NOW, pipewright } from './run.ts';

const called = (name: string, namespace = 'ingest') => pipe({ metadata: { name, namespace } });
const FULL = 'pipesettings.pipewright.dev';
const ALL = Object.values(NAMES)
  .map(({ plural }) => `${plural}.pipewright.dev`)
  .join();
const AT = 'pipewright.dev/reconcile-requested-at';
const WITH = '--type=merge -p';
const PRINT = '-o jsonpath={.metadata.generation}{"\\n"}';

test.each([
  ['retry', 'retry requested', `{"metadata":{"annotations":{"${AT}":"${NOW}"}}}`],
  ['suspend', 'suspended; a call that is in flight still ends', '{"spec":{"suspend":true}}'],
  ['resume', 'resumed', '{"spec":{"suspend":null}}'],
])('%s is one patch of all of a namespace: %s', async (verb, done, patch) => {
  const items = [called('one'), called('two'), called('three', 'other')];
  const args = [verb, '-A', '-l', 'a=b', '--context', 'c'];
  const { stdout, asked } = await pipewright(args, { get: { items }, patch: '4\n5\n' });
  expect(stdout.split('\n')[2]).toBe(`pset/three in other: ${done}`);
  expect(asked.toSorted()).toEqual([
    `get ${ALL} -A -l a=b -o json --context=c`,
    `patch ${FULL}/one ${FULL}/two -n ingest ${WITH} ${patch} ${PRINT} --context=c`,
    `patch ${FULL}/three -n other ${WITH} ${patch} ${PRINT} --context=c`,
  ]);
});

test.each(['pset', 'pipesettings', 'PipeSettings', FULL])('%s/NAME is one object', async (kind) => {
  const { asked } = await pipewright(['status', `${kind}/a`], { get: pipe() });
  expect(asked).toEqual([`get ${FULL}/a -o json`]);
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
