import { readdirSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { findProgram } from '../controlplane/programs.ts';
import { BUILD_MS, CHART, EXAMPLES, HELMS, helm, template } from './helm.ts';
import { VALUE_CASES, withValue } from './value-cases.ts';

beforeAll(async () => {
  for (const program of HELMS) await findProgram(program);
}, BUILD_MS);

const examples = readdirSync(EXAMPLES).map((file) => file.replace('.yaml', ''));
/** Values that cannot be set beside most others. */
const ALONE = [
  'leaderElection.enabled',
  'proxy.secret',
  'proxy.key',
  'networkPolicy.enabled',
  'strategy',
  'hostNetwork',
  'serviceAccount.create',
  'crds.keep',
  'secrets.names',
];
const url = { api: { url: 'https://api.example.com' } };

/** As many values as go together, each with another value than its default. */
function manyValues(): object {
  const chosen = Object.entries(VALUE_CASES).filter(
    ([path]) => !ALONE.some((one) => path.startsWith(one)),
  );
  return chosen.reduce<object>((all, [path, { to, beside = {} }]) => {
    const laid = merged(all, beside);
    return withValue(path, to, laid);
  }, url);
}

function merged(one: object, other: object): object {
  const both = { ...one } as Record<string, unknown>;
  for (const [key, value] of Object.entries(other))
    both[key] = isMap(value) && isMap(both[key]) ? merged(both[key], value) : value;
  return both;
}

function isMap(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A Helm 3 that was not built by its own script takes an old Kubernetes for granted. */
const ON = ['--kube-version', '1.36.0'];

/** Empty lines, which the two place differently, say nothing in YAML of this chart. */
const lines = (text: string): string[] => text.split('\n').filter((line) => line.trim() !== '');

describe('Helm 3 and Helm 4 make the same of', () => {
  test.each(examples)('values/%s.yaml', async (example) => {
    expect(await sameFrom({ example })).toContain('kind: Deployment');
  });

  test('nearly every value at once', async () => {
    const values = manyValues();
    expect(Object.keys(values).length).toBeGreaterThan(40);
    expect(await sameFrom({ values })).toContain('kind: Deployment');
  });

  test('nulls that take a default away', async () => {
    const values = { ...url, podSecurityContext: { runAsUser: null }, securityContext: null };
    const text = await sameFrom({ values });
    expect(text).toContain('runAsGroup: 65532');
    expect(text).not.toMatch(/runAsUser|readOnlyRootFilesystem/);
  });
});

async function sameFrom(rendering: { values?: object; example?: string }): Promise<string> {
  const [four, three] = await Promise.all(
    HELMS.map((program) => template({ ...rendering, program, flags: ON })),
  );
  expect(three?.stderr).toBe('');
  expect(three?.code).toBe(0);
  expect(lines(three?.stdout ?? '')).toEqual(lines(four?.stdout ?? ''));
  return three?.stdout ?? '';
}

test.each([
  [{}, 'api.url is required'],
  [{ ...url, replicaCounts: 2 }, 'replicaCounts'],
  [{ ...url, replicas: 2, replicaCount: 1 }, 'leave replicas out'],
])('Helm 3 refuses %j', async (values, why) => {
  const { code, stderr } = await template({ values, program: 'helm3', flags: ON });
  expect(code).not.toBe(0);
  expect(stderr).toContain(why);
});

test('Helm 3 lints the chart without complaint', async () => {
  const args = ['lint', '--strict', CHART, ...ON];
  const { code, stdout } = await helm(args, { values: url, program: 'helm3' });
  expect(stdout).toContain('1 chart(s) linted, 0 chart(s) failed');
  expect(code).toBe(0);
});
