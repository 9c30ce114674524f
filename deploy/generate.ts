import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { code, table } from '../crds/markdown.ts';
import { eventsTable, logTable, reasonsTable } from '../crds/messages.ts';
import { FLAG_LIST, flagOf, variableOf } from '../src/config/flags.ts';
import { createMetrics } from '../src/telemetry/metrics.ts';
import { readCrds } from './install-manifest.ts';

/**
 * `node deploy/generate.ts [--check]`: writes what in deploy/ follows from the CRDs, the alerts, the
 * scripts for Argo CD and the code, or says what is out of date.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
const CHART = 'deploy/helm/pipewright';
const ARGOCD = 'deploy/argocd';
const ACTIONS = ['reconcile', 'resume', 'suspend'];
const REFERENCE = 'deploy/guides/reference.md';
/** Tables that are made from the code, and the page that they stand in. */
const GUIDE_TABLES: readonly (readonly [page: string, rows: readonly string[]])[] = [
  ['deploy/guides/troubleshooting.md', reasonsTable()],
  [REFERENCE, flagsTable()],
  [REFERENCE, await metricsTable()],
  [REFERENCE, eventsTable()],
  [REFERENCE, logTable()],
];
/** Their rules that say `# all kinds` have the list of them. */
const ROLES = [
  `${CHART}/templates/rbac.yaml`,
  'deploy/kustomize/base/rbac.yaml',
  'deploy/kustomize/user-roles/user-roles.yaml',
];
const MADE = '# Made by `npm run generate`. Do not edit.\n';
const FLUX = 'deploy/flux/health-check-exprs.yaml';
const FLUX_HEAD = `# For a Kustomization of Flux with \`wait: true\` or \`healthChecks\`: with this in its spec, an object that is suspended or
# planned does not hold it up. Everything else is as without it.
healthCheckExprs:
`;
const PATCH_HEAD = `# For the ConfigMap argocd-cm of Argo CD: kubectl -n argocd patch configmap argocd-cm --type merge --patch-file deploy/argocd/argocd-cm.yaml
# Two keys for each kind, with the text of health.lua and of actions/: one key for the whole group would be
# \`resource.customizations\`, which a patch would take from everybody else who has something in it.
data:
`;

const wanted = await wantedFiles();
const templates = (await readdir(`${root}/${CHART}/templates/crds`)).map(
  (name) => `${CHART}/templates/crds/${name}`,
);
const orphans = templates.filter((path) => !wanted.has(path));
if (process.argv.includes('--check')) await check();
else await write();

async function wantedFiles(): Promise<Map<string, string>> {
  const crds = await readCrds();
  const names = crds.map(({ text }) => namesOf(text));
  const kinds = names.map(({ kind }) => kind);
  const plurals = names.map(({ plural }) => plural);
  const roles = ROLES.map(
    async (path): Promise<[string, string]> => [path, withPlurals(await read(path), plurals)],
  );
  const pages = new Map<string, string>();
  for (const [page, rows] of GUIDE_TABLES)
    pages.set(page, withTable(page, pages.get(page) ?? (await read(page)), rows));
  return new Map([
    ...crds.map(({ name, text }): [string, string] => [
      `${CHART}/templates/crds/${name}`,
      crdTemplate(name, text),
    ]),
    [`${CHART}/files/rules.yaml`, await read('deploy/monitoring/rules.yaml')],
    [`${ARGOCD}/argocd-cm.yaml`, await argocdPatch(kinds)],
    [FLUX, `${MADE}${FLUX_HEAD}${kinds.map(fluxCheck).join('')}`],
    ...(await Promise.all(roles)),
    ...pages,
  ]);
}

/** But --help and --version. */
function flagsTable(): readonly string[] {
  return table(
    ['Flag', 'Environment', 'Default', 'Meaning'],
    FLAG_LIST.map(([name, { placeholder, about, fallback }]) => {
      const written = placeholder === undefined ? flagOf(name) : `${flagOf(name)} ${placeholder}`;
      const shown = fallback === undefined ? '–' : code(fallback);
      return [code(written), code(variableOf(name)), shown, about];
    }),
  );
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
    '  labels:\n    {{- include "pipewright.labels" . | nindent 4 }}\n  {{- include "pipewright.keep" . | nindent 2 }}\n';
  return `${MADE}{{- if .Values.crds.enabled }}\n${escaped.replace(head, (found) => found + ours)}{{- end }}\n`;
}

function namesOf(crd: string): { readonly kind: string; readonly plural: string } {
  return (parse(crd) as { spec: { names: { kind: string; plural: string } } }).spec.names;
}

function withPlurals(text: string, plurals: readonly string[]): string {
  const ofAll = /\[[^\]]*?(\/status)?\] # all kinds$/gm;
  const list = (part = ''): string => plurals.map((one) => one + part).join(', ');
  return text.replaceAll(ofAll, (_, part?: string) => `[${list(part)}] # all kinds`);
}

function fluxCheck(kind: string): string {
  return `  - apiVersion: pipewright.dev/v1alpha1
    kind: ${kind}
    failed: status.conditions.exists(c, c.type == 'Stalled' && c.status == 'True')
    current: status.conditions.exists(c, c.type == 'Ready' && (c.status == 'True' || c.reason in ['Planned', 'Suspended']))
`;
}

/** Health check and actions for each kind by itself. */
async function argocdPatch(kinds: readonly string[]): Promise<string> {
  const health = await read(`${ARGOCD}/health.lua`);
  const discovery = await read(`${ARGOCD}/actions/discovery.lua`);
  const definitions = await Promise.all(
    ACTIONS.map(async (name) => {
      const script = await read(`${ARGOCD}/actions/${name}.lua`);
      return `- name: ${name}\n  action.lua: |\n${indented(script, 4)}`;
    }),
  );
  const actions = `discovery.lua: |\n${indented(discovery, 2)}definitions:\n${definitions.join('')}`;
  const key = (what: string, kind: string, value: string): string =>
    `  resource.customizations.${what}.pipewright.dev_${kind}: |\n${indented(value, 4)}`;
  const keys = kinds.flatMap((kind) => [
    key('health', kind, health),
    key('actions', kind, actions),
  ]);
  return `${MADE}${PATCH_HEAD}${keys.join('')}`;
}

/** The text, each line that is not empty moved to the right. */
function indented(text: string, by: number): string {
  return text.replaceAll(/^(?=.)/gm, ' '.repeat(by));
}

/** The text with this table in the place of the one that has its head. */
function withTable(page: string, text: string, rows: readonly string[]): string {
  const lines = text.split('\n');
  const start = lines.indexOf(rows[0] ?? '');
  if (start === -1) throw new Error(`${page} has no table that begins with ${rows[0]}`);
  const length = lines.slice(start).findIndex((line) => !line.startsWith('|'));
  return lines.toSpliced(start, length, ...rows).join('\n');
}

async function metricsTable(): Promise<readonly string[]> {
  const { render } = createMetrics();
  const rows = [...(await render()).matchAll(/^# HELP (\w+) (.+)\n# TYPE \w+ (\w+)$/gm)];
  return table(
    ['Metric', 'Type', 'Meaning'],
    rows.map(([, name = '', help = '', type = '']) => [code(name), type, help]),
  );
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
  for (const [path, text] of wanted) await writeFile(root + path, text);
  for (const path of orphans) await rm(root + path);
}

function firstDifference(onDisk: string, text: string): string {
  const [is, should] = [onDisk.split('\n'), text.split('\n')];
  const found = should.findIndex((line, index) => line !== is[index]);
  const at = found === -1 ? should.length : found;
  return `is out of date, first in line ${at + 1}: ${JSON.stringify(is[at] ?? '')} should be ${JSON.stringify(should[at] ?? '')}`;
}

function read(path: string): Promise<string> {
  return readFile(root + path, 'utf8');
}
