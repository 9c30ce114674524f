import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { doctor } from '../../src/cli/doctor/doctor.ts';
import { fakeKubectl } from '../support/doctor.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { fakeTerminal } from '../support/fake-terminal.ts';

const OF_DATA = {
  labels: { 'app.kubernetes.io/managed-by': 'Helm' },
  annotations: {
    'meta.helm.sh/release-name': 'data',
    'meta.helm.sh/release-namespace': 'platform',
  },
};
/** The operator's own, as `nameOverride: ops` would name it, and so that its Lease is not waited for. */
const BASE = parse(await readFile('deploy/kustomize/base/deployment.yaml', 'utf8')) as {
  readonly spec: object;
};
const OPS = {
  metadata: { name: 'data-ops', namespace: 'platform', ...OF_DATA },
  spec: { ...BASE.spec, replicas: 0 },
};
const OTHER = {
  metadata: { name: 'web', namespace: 'platform' },
  spec: { template: { spec: { containers: [{ name: 'web', args: ['--api-url=x'] }] } } },
};

/** What doctor finds out of operators where there are these Deployments, none with the usual label. */
async function found(
  deployments: readonly object[],
  { crd = OF_DATA, operatorNamespace }: { crd?: object; operatorNamespace?: string } = {},
) {
  const kubectl = fakeKubectl(([, , path = '']) => {
    if (path.includes('/customresourcedefinitions/')) return JSON.stringify({ metadata: crd });
    const isAsked = path.endsWith('/deployments');
    return JSON.stringify({ items: isAsked ? deployments : [], metadata: {} });
  });
  let printed = '';
  await doctor(
    {
      kubectl,
      terminal: fakeTerminal({
        print: () => undefined,
        document: (text) => void (printed = text),
      }),
      clock: new FakeClock(),
      version: '1.0.0',
      env: {},
      stop: new AbortController().signal,
    },
    [],
    { allNamespaces: true, output: 'json', ...(operatorNamespace && { operatorNamespace }) },
  );
  const { findings } = JSON.parse(printed) as {
    findings: { check: string; object?: string; says: string; command?: string }[];
  };
  return findings.filter(({ check }) => check === 'operator' || check === 'leader');
}

test('an operator of another name that has never led is seen, and none is installed beside it', async () => {
  expect(await found([OTHER, OPS])).toMatchObject([
    { check: 'leader', object: 'deployment/data-ops in namespace platform' },
  ]);
});

test.each([undefined, 'elsewhere'])(
  'where there is none, the release that has the CRDs keeps them (--operator-namespace %s)',
  async (operatorNamespace) => {
    const [one, ...others] = await found([OTHER], {
      ...(operatorNamespace && { operatorNamespace }),
    });
    expect(others).toEqual([]);
    expect(one?.command).toMatch(/^helm upgrade --install data \S+ --namespace platform /);
    expect(one?.command).toContain(' --reset-then-reuse-values ');
    expect(one?.says).toContain('release data of Helm in namespace platform');
    expect(one?.says).toContain('with Helm 3, which has no --force-conflicts, leave that flag out');
  },
);

test('CRDs of no release are for the usual one', async () => {
  const [one] = await found([], { crd: {} });
  expect(one?.command).toMatch(/^helm upgrade --install pipewright \S+ --namespace pipewright /);
  expect(one?.says).not.toContain('CRDs came with');
});
