import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { leaves, type ValueSchema, valuesFile } from '../../deploy/values-schema.ts';
import { FLAGS } from '../../src/config/flag-table.ts';

const root = join(import.meta.dirname, '..', '..');
const CHART = 'deploy/helm/pipewright';
const CUSTOMIZATIONS = 'deploy/argocd/resource_customizations/pipewright.dev';
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'deploy-'));
  for (const part of ['crds', 'deploy', 'package.json', 'CHANGELOG.md'])
    cpSync(join(root, part), join(folder, part), { recursive: true });
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function generate(...args: string[]) {
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(root, 'deploy', 'generate.ts'), ...args],
    {
      encoding: 'utf8',
    },
  );
  return { status, stderr };
}

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const inCopy = (path: string): string => readFileSync(join(folder, path), 'utf8');

describe('what is made from other files', () => {
  test('is up to date in the repository', () => {
    expect(generate('--check')).toEqual({ status: 0, stderr: '' });
  });

  test('follows a change of CRDs, rules, schema and alerts, which --check names before', () => {
    rmSync(join(folder, 'crds/pipesettings.yaml'));
    writeFileSync(
      join(folder, 'crds/pipes.yaml'),
      '# A comment.\nmetadata:\n  name: pipes\nspec:\n  names:\n    kind: Pipe\n  versions: [{name: v1, schema: {openAPIV3Schema: {description: A pipe.}}}]\nabout: "{{ braces }}"\n',
    );
    appendFileSync(join(folder, 'deploy/kustomize/base/rbac.yaml'), '# More rules.\n');
    writeFileSync(join(folder, 'deploy/argocd/health.lua'), 'local hs = {}\n\nreturn hs\n');
    writeFileSync(join(folder, 'deploy/argocd/actions/resume.lua'), 'return obj\n');
    const rows = {
      'deploy/guides/flags.md': /^\| `--concurrency.*\n/m,
      'deploy/guides/conditions.md': /^\| `Fetched.*\n/m,
      'deploy/guides/metrics.md': /^\| `pipewright_leader.*\n/m,
    };
    for (const [page, row] of Object.entries(rows))
      writeFileSync(join(folder, page), read(page).replace(row, ''));
    const { status, stderr } = generate('--check', folder);
    expect(status).toBe(1);
    expect(stderr).toContain('deploy/kustomize/crds/pipesettings.yaml is made from nothing\n');
    expect(stderr).toContain(`${CHART}/templates/crds/pipes.yaml does not exist\n`);
    expect(stderr).toContain(`${CUSTOMIZATIONS}/PipeSettings/health.lua is made from nothing\n`);
    expect(stderr).toContain(`${CUSTOMIZATIONS}/Pipe/health.lua does not exist\n`);
    expect(stderr).toContain(
      `${CUSTOMIZATIONS}/PipeSettings/actions/resume/action.lua is made from nothing\n`,
    );
    for (const page of Object.keys(rows)) expect(stderr).toContain(`${page} is out of date`);
    expect(stderr).toMatch(
      /files\/rbac\.yaml is out of date, first in line \d+: "" should be "# More rules\."\n/,
    );
    expect(stderr).toMatch(
      /install\.yaml is out of date.*\n(.*\n)*Run `npm run generate` and commit what it writes\.\n$/,
    );

    expect(generate(folder)).toEqual({ status: 0, stderr: '' });
    expect(generate('--check', folder)).toEqual({ status: 0, stderr: '' });
    for (const page of Object.keys(rows)) expect(inCopy(page)).toBe(read(page));
    expect(inCopy(`${CHART}/files/rbac.yaml`)).toContain('# More rules.');
    expect(inCopy(`${CHART}/templates/crds/pipes.yaml`)).toContain('about: "{{ "{{" }} braces }}"');
    expect(inCopy('deploy/install.yaml')).not.toContain('pipesettings.pipewright.dev');
    expect(inCopy(`${CUSTOMIZATIONS}/Pipe/health.lua`)).toBe('local hs = {}\n\nreturn hs\n');
    expect(inCopy(`${CUSTOMIZATIONS}/Pipe/actions/resume/action.lua`)).toBe('return obj\n');
    const { data } = parse(inCopy('deploy/argocd/argocd-cm.yaml')) as {
      data: Record<string, string>;
    };
    const keyed = (what: string) =>
      ['Activity', 'Organization', 'Pipe'].map(
        (kind) => `resource.customizations.${what}.pipewright.dev_${kind}`,
      );
    expect(Object.keys(data).sort()).toEqual([...keyed('actions'), ...keyed('health')]);
    for (const key of keyed('health')) expect(data[key]).toBe('local hs = {}\n\nreturn hs\n');
    for (const key of keyed('actions')) {
      const actions = parse(data[key] ?? '') as Record<string, unknown>;
      expect(actions['discovery.lua']).toBe(read('deploy/argocd/actions/discovery.lua'));
      expect(actions['definitions']).toContainEqual({
        name: 'resume',
        'action.lua': 'return obj\n',
      });
    }
  });

  test('takes the alerts and the dashboard into the chart', () => {
    mkdirSync(join(folder, 'deploy/monitoring'), { recursive: true });
    writeFileSync(join(folder, 'deploy/monitoring/rules.yaml'), 'groups: []\n');
    writeFileSync(join(folder, 'deploy/monitoring/dashboard.json'), '{}\n');
    expect(generate(folder)).toEqual({ status: 0, stderr: '' });
    expect(inCopy(`${CHART}/files/monitoring/rules.yaml`)).toBe('groups: []\n');
    expect(inCopy(`${CHART}/files/monitoring/dashboard.json`)).toBe('{}\n');
  });

  test('a CRD that cannot be made a template is refused by name', () => {
    writeFileSync(join(folder, 'crds/pipes.yaml'), '# A comment.\nmetadata: { name: pipes }\n');
    expect(generate(folder).stderr).toContain(
      'crds/pipes.yaml does not begin with a comment, or has no metadata with',
    );
  });
});

describe('the schema of the values', () => {
  const schema = JSON.parse(read(`${CHART}/values.schema.json`)) as ValueSchema;
  const values = leaves(schema);

  test('refuses one that has no description or no default', () => {
    expect(() => valuesFile({ properties: { a: { default: 1 } } })).toThrow('a has no description');
    expect(() =>
      leaves({ properties: { a: { properties: { b: { description: 'b' } } } } }),
    ).toThrow('a.b has no default');
  });

  test('is closed: no object with values of its own takes unknown ones', () => {
    const count = (pattern: RegExp): number =>
      [...read(`${CHART}/values.schema.json`).matchAll(pattern)].length;
    const open = 2;
    expect(
      count(/"additionalProperties": true/g),
      'parts of a Pod, which are named, and global, which is for all charts of a parent',
    ).toBe(open);
    expect(count(/"additionalProperties": false/g)).toBe(count(/"(p|patternP)roperties"/g) - open);
  });

  test.each(['deprecated', 'unlisted'])('takes what is %s, and shows it nowhere', (mark) => {
    const taken = { properties: { old: { description: 'Of before.', [mark]: true } } };
    expect(leaves(taken as ValueSchema)).toEqual([]);
    expect(valuesFile(taken as ValueSchema)).toBe('');
  });

  test.each(FLAGS.filter((flag) => !('commandLineOnly' in flag)).map(({ name }) => name))(
    'says which value is --%s, and its default as it is',
    (name) => {
      const about = values.filter(({ description }) => description.includes(`(--${name})`));
      const flag = FLAGS.find((one) => one.name === name);
      const fallback = flag && 'default' in flag ? flag.default : undefined;
      expect(about.map((value) => (fallback === undefined ? undefined : told(value)))).toEqual([
        fallback,
      ]);
    },
  );
});

/** The default that the table of values shows for a flag. */
function told({
  path,
  default: value,
  description,
}: ReturnType<typeof leaves>[number]): string | undefined {
  if (path === 'port') return `:${JSON.stringify(value)}`;
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  return /(?:Empty|Null): ([^ ]+)\.(?: |$)/.exec(description)?.[1];
}

describe('versions', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string };

  test('the chart and every manifest are of the version that is built', () => {
    expect(read(`${CHART}/Chart.yaml`)).toContain(
      `\nversion: ${version}\nappVersion: ${version}\n`,
    );
    expect(read('deploy/install.yaml')).toContain(
      `image: ghcr.io/pipewright/pipewright:${version}\n`,
    );
    for (const overlay of ['cluster-wide', 'one-namespace']) {
      expect(read(`deploy/kustomize/overlays/${overlay}/kustomization.yaml`)).toContain(
        `newTag: ${version}\n`,
      );
    }
  });
});
