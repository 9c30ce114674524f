import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { conditionsTable } from '../crds/messages.ts';
import { renderFlagTable } from '../src/config/config.ts';
import { createMetrics } from '../src/telemetry/metrics.ts';
import { chartFile } from './chart-metadata.ts';
import { environmentEntries, variablesTemplate } from './environment.ts';
import { type ValueSchema, valuesFile, valuesTable } from './values-schema.ts';

/**
 * `node deploy/generate.ts [--check] [folder]`: writes what in deploy/ follows from the CRDs, the
 * RBAC rules, the health script, the monitoring files and the chart's schema, the variables of the
 * Pods, and the tables of the guides on flags, conditions and metrics; or says what is out of date.
 * The folder is another copy of the project.
 */
const args = process.argv.slice(2).filter((arg) => arg !== '--check');
if (args.length > 1 || args[0]?.startsWith('-')) {
  console.error(
    `"${args.join(' ')}" is not understood: node deploy/generate.ts [--check] [folder]`,
  );
  process.exit(2);
}
const root = args[0] ?? fileURLToPath(new URL('..', import.meta.url));
const CHART = 'deploy/helm/pipewright';
const ARGOCD = 'deploy/argocd';
const DEPLOYMENT = 'deploy/kustomize/base/deployment.yaml';
/** In the layout of Argo CD's own repository: the scripts of each kind, beside their tests. */
const CUSTOMIZATIONS = `${ARGOCD}/resource_customizations/pipewright.dev`;
const ACTIONS = ['reconcile', 'resume', 'suspend'];
/** Tables that are made from the code, by the page that they stand in. */
const GUIDE_TABLES: Readonly<Record<string, () => string>> = {
  'deploy/guides/flags.md': () => renderFlagTable().trim(),
  'deploy/guides/conditions.md': conditionsTable,
  'deploy/guides/metrics.md': metricsTable,
};
const MARKS = ['<!-- values -->', '<!-- end of values -->'] as const;
/** What the chart holds copies of, as it can read only what is in its folder. */
const CHART_FILES: Readonly<Record<string, string>> = {
  'rbac.yaml': 'deploy/kustomize/base/rbac.yaml',
  'user-roles.yaml': 'deploy/kustomize/user-roles/user-roles.yaml',
  'monitoring/rules.yaml': 'deploy/monitoring/rules.yaml',
  'monitoring/dashboard.json': 'deploy/monitoring/dashboard.json',
  ...Object.fromEntries(
    ['status-writers', 'secret-readers'].map((name) => [
      `policies/${name}.yaml`,
      `deploy/policies/${name}.yaml`,
    ]),
  ),
};
/** Holds generated files and nothing else. */
const OWNED = [`${CHART}/templates/crds`, `${CHART}/files`, 'deploy/kustomize/crds'];
const MADE = '# Made by `npm run generate`. Do not edit.\n';
const PATCH_HEAD = `# For the ConfigMap argocd-cm of Argo CD: kubectl -n argocd patch configmap argocd-cm --type merge --patch-file deploy/argocd/argocd-cm.yaml
# Two keys for each kind, with the text of health.lua and of actions/: one key for the whole group would be
# \`resource.customizations\`, which a patch would take from everybody else who has something in it.
data:
`;

const wanted = await wantedFiles();
const owned = (await Promise.all(OWNED.map(filesIn))).flat();
const scripts = (await filesIn(CUSTOMIZATIONS)).filter((path) => path.endsWith('.lua'));
const orphans = [...owned, ...scripts].filter((path) => !wanted.has(path));
if (process.argv.includes('--check')) await check();
else await write();

async function wantedFiles(): Promise<Map<string, string>> {
  const schema = JSON.parse(await read(`${CHART}/values.schema.json`)) as ValueSchema;
  const copies = await Promise.all(
    Object.entries(CHART_FILES).map(
      async ([name, from]): Promise<[string, string]> => [
        `${CHART}/files/${name}`,
        await read(from),
      ],
    ),
  );
  const deployment = withEnvironment(await read(DEPLOYMENT));
  const crds = await readCrds();
  const names = crds.map(({ name }) => name);
  return new Map([
    ...crds.map(({ name, text }): [string, string] => [
      `${CHART}/templates/crds/${name}`,
      crdTemplate(name, text),
    ]),
    ...crds.map(({ name, text }): [string, string] => [`deploy/kustomize/crds/${name}`, text]),
    ['deploy/kustomize/crds/kustomization.yaml', kustomization(names)],
    ...copies,
    [`${CHART}/Chart.yaml`, MADE + (await chartMetadata(schema))],
    [`${CHART}/values.yaml`, `${MADE}${valuesFile(schema)}\n`],
    [`${CHART}/README.md`, between(await read(`${CHART}/README.md`), valuesTable(schema))],
    [
      `${CHART}/templates/_variables.tpl`,
      `{{/* ${MADE.slice(2).trim()} */}}\n${variablesTemplate(schema)}`,
    ],
    ...(await Promise.all(
      Object.entries(GUIDE_TABLES).map(
        async ([page, table]): Promise<[string, string]> => [page, await withTable(page, table())],
      ),
    )),
    [DEPLOYMENT, deployment],
    [
      'deploy/install.yaml',
      await installManifest(
        crds.map(({ text }) => text),
        deployment,
      ),
    ],
    ...(await customizations(crds.map(kindOf))),
  ]);
}

async function readCrds(): Promise<{ name: string; text: string }[]> {
  const names = (await readdir(join(root, 'crds'))).filter((name) => name.endsWith('.yaml')).sort();
  return Promise.all(names.map(async (name) => ({ name, text: await read(`crds/${name}`) })));
}

async function chartMetadata(schema: ValueSchema): Promise<string> {
  const { version } = JSON.parse(await read('package.json')) as { readonly version: string };
  const examples = ['pipesettings', 'organization', 'activity'];
  return chartFile({
    version,
    crds: (await readCrds()).map(({ text }) => text),
    examples: await Promise.all(examples.map((name) => read(`deploy/examples/${name}.yaml`))),
    image: String(schema.properties?.['image']?.properties?.['repository']?.default),
    changelog: await read('CHANGELOG.md'),
  });
}

/** The CRD as a template of Helm. */
function crdTemplate(name: string, text: string): string {
  const [comment = '', ...rest] = text.split('\n');
  const escaped = rest.join('\n').replaceAll('{{', '{{ "{{" }}');
  const head = /^metadata:\n {2}name: \S+\n/gm;
  if (!comment.startsWith('#') || escaped.match(head)?.length !== 1)
    throw new Error(
      `crds/${name} does not begin with a comment, or has no metadata with just a name`,
    );
  const ours =
    '  {{- with include "pipewright.crdAnnotations" . }}\n  annotations:\n    {{- . | nindent 4 }}\n  {{- end }}\n  labels:\n    {{- include "pipewright.labels" . | nindent 4 }}\n';
  return `${MADE}{{- if include "pipewright.crdsEnabled" . }}\n${escaped.replace(head, (found) => found + ours)}{{- end }}\n`;
}

function kustomization(names: readonly string[]): string {
  const resources = names.map((name) => `  - ${name}\n`).join('');
  return `${MADE}apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n${resources}`;
}

/** What deploy/kustomize/install is made of, in one file. */
async function installManifest(crds: readonly string[], deployment: string): Promise<string> {
  const parts = ['base/namespace.yaml', 'user-roles/user-roles.yaml', 'base/rbac.yaml'];
  const rest = await Promise.all(parts.map((path) => read(`deploy/kustomize/${path}`)));
  const [namespace = '', ...others] = rest;
  const policy = await read('deploy/kustomize/base/networkpolicy.yaml');
  return `${MADE}${[namespace, ...crds, ...others, deployment, policy].join('---\n')}`;
}

/** The Deployment with a variable for every flag; the next key of the container ends them. */
function withEnvironment(text: string): string {
  const block = /^ {10}env:\n(?: {12}.*\n)+/m;
  if (!block.test(text)) throw new Error(`${DEPLOYMENT} has no container with env`);
  return text.replace(
    block,
    () => `          env:\n${environmentEntries('pipewright-flags', ' '.repeat(12))}`,
  );
}

function kindOf({ name, text }: { name: string; text: string }): string {
  const crd = parse(text) as { readonly spec?: { readonly names?: { readonly kind?: string } } };
  const kind = crd.spec?.names?.kind;
  if (kind === undefined) throw new Error(`crds/${name} names no kind`);
  return kind;
}

/** Health check and actions in the two forms that Argo CD takes them in, for each kind by itself. */
async function customizations(kinds: readonly string[]): Promise<[string, string][]> {
  const health = await read(`${ARGOCD}/health.lua`);
  const discovery = await read(`${ARGOCD}/actions/discovery.lua`);
  const actions = await Promise.all(
    ACTIONS.map(async (name) => ({ name, script: await read(`${ARGOCD}/actions/${name}.lua`) })),
  );
  const definitions = actions.map(
    ({ name, script }) => `- name: ${name}\n  action.lua: |\n${indented(script, 4)}`,
  );
  const text = `discovery.lua: |\n${indented(discovery, 2)}definitions:\n${definitions.join('')}`;
  const key = (what: string, kind: string, value: string): string =>
    `  resource.customizations.${what}.pipewright.dev_${kind}: |\n${indented(value, 4)}`;
  const patch = kinds.flatMap((kind) => [key('health', kind, health), key('actions', kind, text)]);
  return [
    [`${ARGOCD}/argocd-cm.yaml`, `${MADE}${PATCH_HEAD}${patch.join('')}`],
    ...kinds.flatMap((kind): [string, string][] => [
      [`${CUSTOMIZATIONS}/${kind}/health.lua`, health],
      [`${CUSTOMIZATIONS}/${kind}/actions/discovery.lua`, discovery],
      ...actions.map(({ name, script }): [string, string] => [
        `${CUSTOMIZATIONS}/${kind}/actions/${name}/action.lua`,
        script,
      ]),
    ]),
  ];
}

/** The text, each line that is not empty moved to the right. */
function indented(text: string, by: number): string {
  return text.replaceAll(/^(?=.)/gm, ' '.repeat(by));
}

function between(page: string, table: string): string {
  const [start, end] = MARKS;
  const [before, rest] = page.split(start);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined)
    throw new Error(`${CHART}/README.md has no ${start} … ${end}`);
  return `${before}${start}\n\n${table}\n\n${end}${after}`;
}

/** The page with this table in the place of the one with the same first line; an empty line ends it. */
async function withTable(path: string, table: string): Promise<string> {
  const page = await read(path);
  const [head = ''] = table.split('\n');
  const start = page.indexOf(`${head}\n`);
  if (start === -1) throw new Error(`${path} has no table that begins with ${head}`);
  const end = page.indexOf('\n\n', start);
  return page.slice(0, start) + table + page.slice(end);
}

function metricsTable(): string {
  const rows = [
    ...createMetrics()
      .render()
      .matchAll(/^# HELP (\w+) (.+)\n# TYPE \w+ (\w+)$/gm),
  ];
  return [
    '| Metric | Type | Meaning |',
    '|---|---|---|',
    ...rows.map(([, name, help, type]) => `| \`${name}\` | ${type} | ${help} |`),
  ].join('\n');
}

async function check(): Promise<void> {
  const problems = orphans.map((path) => `${path} is made from nothing`);
  for (const [path, text] of wanted) {
    const onDisk = await read(path).catch(() => undefined);
    if (onDisk === undefined) problems.push(`${path} does not exist`);
    else if (onDisk !== text) problems.push(`${path} ${firstDifference(onDisk, text)}`);
  }
  if (problems.length === 0) return;
  console.error(`${problems.join('\n')}\nRun \`npm run generate\` and commit what it writes.`);
  process.exitCode = 1;
}

async function write(): Promise<void> {
  for (const [path, text] of wanted) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  for (const path of orphans) await rm(join(root, path));
}

function firstDifference(onDisk: string, text: string): string {
  const [is, should] = [onDisk.split('\n'), text.split('\n')];
  const found = should.findIndex((line, index) => line !== is[index]);
  const at = found === -1 ? should.length : found;
  return `is out of date, first in line ${at + 1}: ${JSON.stringify(is[at] ?? '')} should be ${JSON.stringify(should[at] ?? '')}`;
}

function read(path: string): Promise<string> {
  return readFile(join(root, path), 'utf8');
}

/** Paths of all files below a folder; none where there is no folder. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true }).catch(
    () => [],
  );
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(root, '/').length));
}
