import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { ACME, manifest, PIPE, UUID } from './plugin/objects.ts';
import { type Answers, pipewright } from './plugin/run.ts';

const ORDERS = `apiVersion: pipewright.dev/v1alpha1
kind: PipeSettings
metadata:
  name: orders
  namespace: ingest
spec:
  organizationId: "o"
  serviceId: "s"
  pipeId: "p"
  credentialsSecretRef: { name: api }
  settings:
    engine_max_threads: 8
`;
const ITEM = ORDERS.replaceAll(/^(?=.)/gm, '    ').replace('    api', '  - api');

/** Plans these files of one folder; the output names them as they are named here. */
async function plan(
  files: Readonly<Record<string, string>>,
  flags: readonly string[] = [],
  answers: Answers = {},
) {
  const folder = await temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const ran = await pipewright(['plan', '-f', folder, ...flags], answers);
  const named = (text: string): string => text.replaceAll(`${folder}/`, '');
  return { ...ran, stdout: named(ran.stdout), stderr: named(ran.stderr) };
}

const titlesIn = (page: string): string[] => page.match(/^\S+ \S+\/\S+, .*$/gm) ?? [];

describe('what -f takes', () => {
  test.each<[string, Record<string, string>, string[], string]>([
    [
      'several documents, a List, and what is no manifest',
      { 'all.yaml': `${ORDERS}---\n# nothing\n---\nkind: List\nitems:\n${ITEM}---\na: 1\n` },
      ['PipeSettings ingest/orders, all.yaml:1', 'PipeSettings ingest/orders, all.yaml:18'],
      '2 objects: 2 send something; 2 requests in all; 1 document of other kinds ignored.',
    ],
    [
      'JSON',
      { 'a.json': JSON.stringify(manifest('PipeSettings', PIPE, { name: 'a', namespace: 'b' })) },
      ['PipeSettings b/a, a.json:1'],
      '1 object: 1 sends something; 1 request in all.',
    ],
    [
      'a folder with what is below it, but not what is hidden or of packages',
      { 'a/b.yml': ORDERS, '.git/c.yaml': ORDERS, 'node_modules/d.yaml': ORDERS, 'e.txt': '{' },
      ['PipeSettings ingest/orders, a/b.yml:1'],
      '1 object: 1 sends something; 1 request in all.',
    ],
  ])('%s', async (_, files, titles, sum) => {
    const { code, stdout, stderr, asked } = await plan(files);
    expect({ code, stderr, asked }).toEqual({ code: 2, stderr: '', asked: [] });
    expect(titlesIn(stdout)).toEqual(titles);
    expect(stdout.split('\n')[0]).toBe(sum);
  });

  test.each([
    [['-n', 'mine'], {}, 'mine'],
    [[], { 'config view': 'theirs' }, 'theirs'],
    [[], { 'config view': { code: 1, stderr: 'no configuration' } }, 'default'],
  ])('no namespace is that of %j, of the kubeconfig %j, or default', async (flags, answers, is) => {
    const nowhere = ORDERS.replace('  namespace: ingest\n', '');
    const { stdout } = await plan({ 'a.yaml': nowhere }, flags, answers);
    expect(titlesIn(stdout)).toEqual([`PipeSettings ${is}/orders, a.yaml:1`]);
  });
});

describe('what is wrong is said with its line', () => {
  test.each([
    ['engine_max_threads: 8', 'engine_max_threads: 99', 12, 'spec.settings.engine_max_threads'],
    ['threads: 8', 'threads: 8\n    engine: 8', 13, 'spec.settings.engine is not a known field'],
    ['  pipeId: "p"\n', '', 6, 'spec.pipeId is required'],
    ['  name: orders\n', '', 3, 'metadata.name is required'],
    ['name: orders', 'name: Orders', 4, 'starting and ending with a letter or digit, not "Orders"'],
    ['namespace: ingest', 'namespace: 5', 5, 'must be the name of a namespace, not 5'],
    ['namespace: ingest', 'labels: { a: 1 }', 5, 'a label must be a string, not 1'],
    ['v1alpha1', 'v1', 1, 'must be pipewright.dev/v1alpha1, not "pipewright.dev/v1"'],
    ['PipeSettings', 'Pipe', 2, 'kind must be one of PipeSettings, Organization, Activity, not'],
    ['spec:', 'data: {}\nspec:', 6, 'data is not a known field'],
  ])('%s → %s', async (from, to, line, says) => {
    const { code, stdout, stderr } = await plan({ 'a.yaml': ORDERS.replace(from, to) }, [
      '-n',
      'x',
    ]);
    expect(code).toBe(1);
    expect(stderr).toMatch(new RegExp(`^error: not valid: a\\.yaml:${line}: .*\n$`));
    expect(stderr).toContain(says);
    expect(stdout).toContain(`a.yaml:${line}: `);
  });

  test.each([
    ['a: [1', 'a.yaml:1: this is not valid YAML: '],
    ['a: 1\n\nb: }\n', 'a.yaml:3: this is not valid YAML: '],
    ['a: 1\na: 2\n', 'a.yaml:2: this is not valid YAML: '],
    ['a: &a\n  b: *a\n', 'a.yaml:1: the aliases of this document cannot be followed: '],
  ])('%j is no YAML that kubectl can take', async (text, says) => {
    const { code, stdout, stderr } = await plan({ 'a.yaml': text });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.startsWith(`error: ${says}`)).toBe(true);
  });

  test.each<[string, string[], string]>([
    ['a path', ['-f', '/nowhere'], '/nowhere: there is no such file or folder; check the path'],
    ['an object of ours', ['-f', 'package.json'], 'there is no object of Pipewright in it (1 of'],
    ['a manifest', ['-f', 'test/mutation'], 'no file in this folder or below it ends in .yaml'],
    ['the flag', [], "required option '-f, --filename <file...>' not specified"],
    ['a namespace', ['-f', 'README.md', '-n', ''], '-n is empty; give the name of a namespace'],
    ['a format', ['-f', 'README.md', '-o', 'yaml'], 'Allowed choices are text, json, markdown.'],
  ])('there is no %s', async (_, args, says) => {
    const { code, stdout, stderr } = await pipewright(['plan', ...args]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(says);
  });
});

describe('what is printed', () => {
  const BROKEN = ORDERS.replace('orders', 'broken').replace(': 8', ': 99');
  const files = { 'all.yaml': `${ORDERS}---\n${BROKEN}` };
  const RANGE = 'spec.settings.engine_max_threads must be a whole number from 0 to 64, not 99';

  test('has what needs a look first, and each request', async () => {
    const { stdout, stderr } = await plan(files);
    expect(stderr).toBe(`error: not valid: all.yaml:25: ${RANGE}\n`);
    expect(stdout).toBe(`2 objects: 1 is not valid, 1 sends something; 1 request in all.
Planned without the cluster, so nothing is known of the present values: --dry-run=server

PipeSettings ingest/broken, all.yaml:14
  not valid: all.yaml:25: ${RANGE}

PipeSettings ingest/orders, all.yaml:1
  One PUT with 1 setting.
  Changes, no response has shown the present values yet:
    engine_max_threads: ? → 8
  Would send:
    PUT /v1/organizations/o/services/s/pipes/p/settings
      {"engine_max_threads":8}
`);
  });

  test('as JSON has the same for programs', async () => {
    const { stdout } = await plan(files, ['-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({
      summary: '2 objects: 1 is not valid, 1 sends something; 1 request in all',
      offline: true,
      objects: [
        { kind: 'PipeSettings', name: 'orders', line: 1, does: 'send', requests: [{}] },
        { name: 'broken', line: 14, does: 'invalid', problems: [{ line: 25, message: RANGE }] },
      ],
    });
  });

  test('as Markdown has a table, and the details folded', async () => {
    const { stdout } = await plan(files, ['-o', 'markdown']);
    expect(stdout).toContain('\n| Object | Plan | What |\n|---|---|---|\n| `PipeSettings ingest/b');
    expect(stdout).toContain('| `PipeSettings ingest/orders` | sends something | engine\\_max');
    expect(stdout).toContain('- `all.yaml:25` spec.settings.engine\\_max\\_threads must be');
    expect(stdout.match(/<details>/g)).toHaveLength(1);
  });

  test('as Markdown is no longer than a comment may be, and says what it leaves out', async () => {
    const many = Array.from({ length: 300 }, (_, at) => ORDERS.replace('orders', `o-${at}`));
    const { stdout } = await plan({ 'all.yaml': many.join('---\n') }, ['-o', 'markdown']);
    expect(stdout.length).toBeLessThan(65_536);
    expect(stdout).toContain('\nand 250 more.\n');
    expect(stdout).toMatch(/\n\d+ objects left out of the details, .*: kubectl pipewright plan/);
  });

  test('whatever others have written, it is no markup, and ends no fence', async () => {
    const name = `</details><b>@all</b> \`\`\`\` | \u001b[31m`;
    const source = JSON.stringify(manifest('Organization', { ...ACME, name }, { name: 'acme' }));
    const { stdout } = await plan({ 'a.json': source }, ['-n', 'x', '-o', 'markdown']);
    expect(stdout).toContain('`````\nname: ? → ');
    expect(stdout).not.toContain('\u001b');
    const unfenced = stdout.replace(/`{5}\n[^]*?\n`{5}/g, '');
    expect(unfenced.match(/<\/details>/g)).toHaveLength(1);
    expect(unfenced.replace(/<\/?(details|summary)>/g, '')).not.toMatch(/[<@]/);
  });

  test('of an organization without a reply, nothing is certain but the look', async () => {
    const source = JSON.stringify(manifest('Organization', { ...ACME, privateEndpoints: [] }));
    const { stdout } = await plan({ 'a.json': source }, ['-n', 'x']);
    expect(stdout).toContain('what follows depends on that list.\n');
    expect(stdout.match(/PATCH \/\S+/g)).toEqual([`PATCH /v1/organizations/${UUID}`]);
  });
});
