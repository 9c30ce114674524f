import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { FLAG_LIST, flagOf } from '../../src/config/flags.ts';

const CHART = 'deploy/helm/pipewright';
const read = (path: string): string => readFileSync(path, 'utf8');

/** What the chart knows by itself, or a process in a Pod does. */
const NO_VALUE = /^(context|kubeconfig|leader-elect|leader-elect-na.*|listen)$/;

test('the comments of values.yaml name every flag that has a value', () => {
  const named = [...read(`${CHART}/values.yaml`).matchAll(/\(--([a-z-]+)\)/g)].map(
    ([, one = '']) => one,
  );
  const flags = FLAG_LIST.map(([name]) => flagOf(name).slice(2));
  expect(named.toSorted()).toEqual(flags.filter((name) => !NO_VALUE.test(name)).toSorted());
});

test('no map of values takes keys that the schema does not name, but those of Kubernetes', () => {
  const schema = parse(read(`${CHART}/values.schema.json`)) as Schema;
  const values = parse(read(`${CHART}/values.yaml`)) as object;
  expect(open(schema, values, schema)).toEqual([
    'resources.requests',
    'resources.limits',
    'podSecurityContext',
    'securityContext',
  ]);
});

interface Schema {
  readonly $ref?: string;
  readonly additionalProperties?: boolean | object;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly definitions?: Readonly<Record<string, Schema>>;
}

/** Maps of values whose schema takes keys that it does not name. */
function open(schema: Schema, values: object, root: Schema, prefix = ''): string[] {
  return Object.entries(values).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
    const named = schema.properties?.[name];
    const own = root.definitions?.[named?.$ref?.split('/').at(-1) ?? ''] ?? named;
    if (own?.additionalProperties === undefined) return [prefix + name];
    return open(own, value, root, `${prefix}${name}.`);
  });
}
