import type { Definition } from '../src/kinds/schema/definition.ts';
import type { Structural } from '../src/kinds/schema/structural.ts';
import { kindSchema } from './manifest.ts';
import { code, table } from './markdown.ts';

/**
 * The reference page for users: every field of every kind with type, bounds and meaning, as
 * Markdown.
 */
export function referencePage(definitions: readonly Definition[]): string {
  const opening = [
    '# Reference',
    '',
    'Every field of every kind. Made by `npm run generate` from the schemas in `src/kinds`; `kubectl explain` shows the same text.',
    'A field that is not marked required may be left out. A required field inside an optional object or list is needed only if that object or list is there.',
  ];
  return `${[...opening, ...definitions.flatMap(kindSection)].join('\n')}\n`;
}

function kindSection(definition: Definition): string[] {
  const { spec, status } = kindSchema(definition);
  const { group, version, kind, plural } = definition.type;
  return [
    '',
    `## ${kind}`,
    '',
    definition.about,
    '',
    `\`apiVersion: ${group}/${version}\`, \`kind: ${kind}\`; \`kubectl get ${plural}.${group}\`, or \`${definition.shortName}\` for short.`,
    '',
    `### ${kind} spec`,
    '',
    ...table(['Field', 'Type', 'Meaning'], fieldRows(spec, '')),
    '',
    `### ${kind} status`,
    '',
    String(status.description),
    '',
    ...table(['Field', 'Type', 'Meaning'], fieldRows(status, '')),
    '',
    `### ${kind} columns`,
    '',
    ...table(
      ['Column', 'Shown', 'From', 'Meaning'],
      definition.columns.map((column) => [
        column.name,
        column.wide ? '`-o wide`' : 'always',
        code(column.path),
        column.about,
      ]),
    ),
    '',
    `### ${kind} field selectors`,
    '',
    `\`kubectl get ${plural}.${group} --field-selector FIELD=VALUE\` takes \`metadata.name\`, \`metadata.namespace\` and ${definition.selectableFields
      .map((path) => code(path.slice(1)))
      .join(', ')}.`,
  ];
}

function fieldRows(schema: Structural, prefix: string): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const path = `${prefix}${name}`;
    const type = schema.required?.includes(name)
      ? `${typeOf(property)}, required`
      : typeOf(property);
    const row = [code(path), type, property.description ?? ''];
    const inner = property.items ?? property;
    return [row, ...fieldRows(inner, property.items ? `${path}[].` : `${path}.`)];
  });
}

function typeOf(schema: Structural): string {
  switch (schema.type) {
    case 'object':
      return schema.additionalProperties
        ? `at most ${schema.maxProperties} names, each with: ${typeOf(schema.additionalProperties)}`
        : 'object';
    case 'array':
      return `list of ${schema.items?.type === 'object' ? 'objects' : 'strings'}, at most ${schema.maxItems}`;
    case 'integer':
      return `integer${range(schema)}`;
    case 'boolean':
      return 'boolean';
    case 'string':
      return words(schema);
    case undefined:
    default:
      return `${schema.multipleOf === 1 ? 'integer' : 'number'}, boolean or string of at most ${schema.maxLength} characters`;
  }
}

function words(schema: Structural): string {
  if (schema.enum) return `one of ${schema.enum.map(code).join(', ')}`;
  if (schema.format === 'date-time') return 'time (RFC 3339)';
  return `string, at most ${schema.maxLength} characters`;
}

/** Bounds that only say "what a computer can hold" are left out. */
function range({
  minimum = Number.MIN_SAFE_INTEGER,
  maximum = Number.MAX_SAFE_INTEGER,
}: Structural): string {
  const low = minimum > Number.MIN_SAFE_INTEGER;
  const high = maximum < Number.MAX_SAFE_INTEGER;
  if (low && high) return ` ${minimum} to ${maximum}`;
  return low ? ` from ${minimum}` : '';
}
