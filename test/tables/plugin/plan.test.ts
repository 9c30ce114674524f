import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';
import { KINDS } from '../kinds/objects.ts';
import { pipewright } from './run.ts';

const HEAD = `apiVersion: pipewright.dev/v1alpha1
kind: PipeSettings
metadata:
  name: one
  namespace: ingest
spec:
  credentialsSecretRef: { name: api }
`;
const PIPE = `${HEAD}  organizationId: "o"
  serviceId: "s"
  pipeId: "p"
  settings:
    engine_max_threads: 8
`;
const UUID = '7f0e0b1d-0000-4000-8000-000000000000';
const ACME = `${HEAD.replace('PipeSettings', 'Organization')}  organizationId: ${UUID}
  name: Acme
  privateEndpoints:
  - { id: a, cloudProvider: gcp, region: r1 }
`;
const ITEM = PIPE.replaceAll(/^(?=.)/gm, '    ').replace('    api', '  - api');

/** Plans these files of one folder; the output names them as they are named here. */
async function plan(files: Readonly<Record<string, string>>, ...flags: readonly string[]) {
  const folder = await temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const { code, stdout, stderr } = await pipewright(['plan', '-f', folder, ...flags]);
  const [page, told] = [stdout, stderr].map((text) => text.replaceAll(`${folder}/`, ''));
  return { code, page: page ?? '', told: told ?? '' };
}

test.each<[string, Record<string, string>, string[], string]>([
  [
    'several documents, a List, and what is no manifest',
    { 'all.yaml': `${PIPE}---\n# nothing\n---\nkind: List\nitems:\n${ITEM}---\na: 1\n` },
    ['PipeSettings ingest/one, all.yaml:1', 'PipeSettings ingest/one, all.yaml:18'],
    '2 objects: 2 send something; 2 requests planned; 1 document of other kinds ignored.',
  ],
  [
    'a folder with what is below it, but not what is hidden or of packages',
    { 'a/b.yml': PIPE, '.git/c.yaml': PIPE, 'node_modules/d.yaml': PIPE, 'e.txt': '{' },
    ['PipeSettings ingest/one, a/b.yml:1'],
    '1 object: 1 sends something; 1 request planned.',
  ],
])('-f takes %s', async (_, files, titles, sum) => {
  const { code, page, told } = await plan(files);
  expect({ code, told, sum: page.split('\n')[0] }).toEqual({ code: 2, told: '', sum });
  expect(page.match(/^\S+ \S+\/\S+, .*$/gm)).toEqual(titles);
});

describe('what is not valid is said with its line and value, and what would do', () => {
  test.each<[string | RegExp, string, number, string]>([
    ['v1alpha1', 'v1', 1, 'must be pipewright.dev/v1alpha1, not "pipewright.dev/v1"'],
    ['PipeSettings', 'Pipe', 2, `kind must be one of ${KINDS.join(', ')}, not`],
    ['  name: one\n', '', 3, 'metadata.name is required'],
    ['name: one', 'name: One', 4, 'metadata.name is "One"; it must be 1 to 253 lower-case'],
    ['namespace: ingest', 'namespace: 5', 5, 'must be the name of a namespace, not 5'],
    ['namespace: ingest', 'labels: { a: 1 }', 5, 'a label must be a string, not 1'],
    ['spec:', 'data: {}\nspec:', 6, 'data is not a known field'],
    ['"p"', '..', 10, `spec.pipeId is ".."; it must not be '.' or '..'`],
    ['threads: 8', 'threads: "8"', 12, 'is "8"; it must be a whole number from 0 to 64'],
    ['threads: 8', 'threads: 8\n    typo: 8', 13, 'spec.settings.typo is not a known field'],
    ['{ name: api }', '{}', 7, 'spec.credentialsSecretRef.name is required'],
    ['spec:', 'spec:\n  suspend: maybe', 7, 'spec.suspend is "maybe"; it must be true or false'],
    ['spec:', 'spec:\n  additionalSettings: { a: 0.5 }', 7, 'must be text of at most 256 char'],
    [/( +- )(.*)/, '$1$2\n$1$2', 25, 'id is "a"; it must be an id that is listed only once'],
    [/ {2}name: Acme[^]*/, '', 19, '; it must have name, privateEndpoints or both'],
  ])('%s → %s', async (from, to, line, says) => {
    const text = `${PIPE}---\n${ACME}`.replace(from, to);
    const { code, page, told } = await plan({ 'a.yaml': text }, '-n', 'x');
    expect({ code, told }).toEqual({ code: 1, told: expect.stringContaining(says) });
    expect(told).toMatch(new RegExp(`^error: not valid: a\\.yaml:${line}: .*\n$`));
    expect(page).toContain(`a.yaml:${line}: `);
  });
});

describe('what is printed', () => {
  const files = { 'all.yaml': `${PIPE}---\n${PIPE.replace('one', 'bad').replace(': 8', ': 99')}` };
  const RANGE = 'spec.settings.engine_max_threads is 99; it must be a whole number from 0 to 64';

  test('has what needs a look first, and each request', async () => {
    const { page } = await plan(files);
    expect(page).toBe(`2 objects: 1 is not valid, 1 sends something; 1 request planned.
Planned without the cluster; to compare with the present values, add --dry-run=server

PipeSettings ingest/bad, all.yaml:14
  not valid: all.yaml:25: ${RANGE}

PipeSettings ingest/one, all.yaml:1
  One PUT with 1 setting.
  Changes, not compared, because no response has shown the present values yet:
    engine_max_threads: unknown → 8
  Would send:
    PUT /v1/organizations/o/services/s/pipes/p/settings
      {"engine_max_threads":8}
`);
  });

  test('as Markdown has a table, and the details folded', async () => {
    const { page } = await plan(files, '-o', 'markdown');
    expect(page).toContain('\n| Object | Plan | What |\n|---|---|---|\n| `PipeSettings ingest/b');
    expect(page).toContain('| `PipeSettings ingest/one` | sends something | engine\\_max');
    expect(page).toContain('- `all.yaml:25` spec.settings.engine\\_max\\_threads is 99; it must');
    expect(page.match(/<details>/g)).toHaveLength(1);
  });

  test('whatever others have written, it is no markup, and ends no fence', async () => {
    const name = JSON.stringify(`</details><b>@all</b> \`\`\`\` | \u001b[31m`);
    const hostile = ACME.replace('Acme', name);
    const { page } = await plan({ 'a.yaml': hostile }, '-o', 'markdown');
    expect(page).toContain('`````\nname: unknown → ');
    expect(page).not.toContain('\u001b');
    const unfenced = page.replace(/`{5}\n[^]*?\n`{5}/g, '');
    expect(unfenced.match(/<\/details>/g)).toHaveLength(1);
    expect(unfenced.replace(/<\/?(details|summary)>/g, '')).not.toMatch(/[<@]/);
  });
});
