import { FLAGS } from '../src/config/flag-table.ts';
import { environmentName, type Flag } from '../src/config/flags.ts';
import { leaves, neededValues, type ValueSchema } from './values-schema.ts';

/** What a Pod waits for; without any other key the operator starts with its own default. */
const REQUIRED = environmentName('api-url');
const PROXY = ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'];

/**
 * What Pods take from the ConfigMap, each by its name: with `envFrom` whoever writes the ConfigMap
 * would run code in the operator, by NODE_OPTIONS.
 */
function variables(): string[] {
  const flags = (FLAGS as readonly Flag[]).filter((flag) => !flag.commandLineOnly);
  return [...flags.map(({ name }) => environmentName(name)), ...PROXY];
}

/**
 * The entries of a container's `env`. Without that for a kubeconfig, which names a server and the
 * file of a token: whoever writes the ConfigMap would have the operator's own token sent to him.
 */
export function environmentEntries(configMap: string, indent: string): string {
  const names = variables().filter((name) => name !== environmentName('kubeconfig'));
  const entries = names.flatMap((name) => [
    `- name: ${name}`,
    '  valueFrom:',
    '    configMapKeyRef:',
    `      name: ${configMap}`,
    `      key: ${name}`,
    ...(name === REQUIRED ? [] : ['      optional: true']),
  ]);
  return entries.map((line) => `${indent}${line}\n`).join('');
}

/**
 * Their names for the templates of the chart, and the value that sets each: the first one whose
 * description says so, as in (--log-level) or (NO_PROXY). Then the values that the chart needs.
 */
export function variablesTemplate(schema: ValueSchema): string {
  const all = leaves(schema);
  const flags = new Map(
    (FLAGS as readonly Flag[]).map(({ name }) => [environmentName(name), `--${name}`]),
  );
  const values = variables().map((variable) => {
    const written = `(${flags.get(variable) ?? variable})`;
    const value = all.find(({ description }) => description.includes(written));
    if (!value) throw new Error(`values.schema.json: no description has ${written}`);
    return [variable, value.path];
  });
  return [
    template('variables', variables()),
    template('valueOf', Object.fromEntries(values) as object),
    template('needed', neededValues(schema)),
  ].join('');
}

function template(name: string, content: object): string {
  return `{{- define "pipewright.${name}" -}}\n${JSON.stringify(content, undefined, 2)}\n{{- end -}}\n`;
}
