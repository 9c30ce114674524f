import { toYaml } from '../src/cli/yaml.ts';

/** What is read of values.schema.json. Whatever has no properties is a leaf and has a default. */
export interface ValueSchema {
  readonly description?: string;
  readonly default?: unknown;
  /** Still taken, from values of before; not shown to anybody. */
  readonly deprecated?: true;
  /** Taken, and of no use to whoever installs the chart by itself. */
  readonly unlisted?: true;
  readonly properties?: Readonly<Record<string, ValueSchema>>;
  readonly definitions?: Readonly<Record<string, ValueSchema>>;
  readonly $ref?: string;
}

interface Leaf {
  /** As `--set` takes it. */
  readonly path: string;
  readonly description: string;
  readonly default: unknown;
}

/** values.yaml: every value with its description and default. */
export function valuesFile(schema: ValueSchema): string {
  return blocks(schema, schema, '').join('\n');
}

function blocks(root: ValueSchema, parent: ValueSchema, indent: string): string[] {
  return properties(root, parent).flatMap(([name, value]) => {
    const comment = `${indent}# ${described(name, value)}\n`;
    if (value.properties)
      return [`${comment}${indent}${name}:`, ...blocks(root, value, `${indent}  `)];
    const lines = toYaml({ [name]: value.default })
      .trimEnd()
      .split('\n');
    return [`${comment}${lines.map((line) => indent + line).join('\n')}`];
  });
}

/**
 * Every value that can be set, in the order of the schema. Throws where one has no description or
 * no default.
 */
export function leaves(root: ValueSchema, parent: ValueSchema = root, prefix = ''): Leaf[] {
  return properties(root, parent).flatMap(([name, value]) => {
    const path = prefix + name;
    if (value.properties) return leaves(root, value, `${path}.`);
    if (value.default === undefined) throw new Error(`values.schema.json: ${path} has no default`);
    return [{ path, description: described(path, value), default: value.default }];
  });
}

/** What no null may take away: values whose default says something, but not maps, which may be emptied. */
export function neededValues(schema: ValueSchema): string[] {
  return leaves(schema)
    .filter(({ default: value }) =>
      Array.isArray(value) ? value.length > 0 : value !== '' && typeof value !== 'object',
    )
    .map(({ path }) => path);
}

/** The values as a table in Markdown. */
export function valuesTable(schema: ValueSchema): string {
  const rows = leaves(schema).map(
    (leaf) =>
      `| \`${leaf.path}\` | \`${JSON.stringify(leaf.default)}\` | ${leaf.description.replaceAll('|', '\\|')} |`,
  );
  return ['| Value | Default | Meaning |', '|---|---|---|', ...rows].join('\n');
}

function properties(root: ValueSchema, parent: ValueSchema): (readonly [string, ValueSchema])[] {
  return Object.entries(parent.properties ?? {})
    .filter(([, value]) => !(value.deprecated ?? value.unlisted))
    .map(([name, value]) => [name, resolved(root, value)]);
}

function resolved(root: ValueSchema, value: ValueSchema): ValueSchema {
  if (value.$ref === undefined) return value;
  const target = root.definitions?.[value.$ref.replace('#/definitions/', '')];
  if (!target) throw new Error(`values.schema.json: nothing stands at ${value.$ref}`);
  return { ...target, ...value };
}

function described(path: string, { description }: ValueSchema): string {
  if (!description) throw new Error(`values.schema.json: ${path} has no description`);
  return description;
}
