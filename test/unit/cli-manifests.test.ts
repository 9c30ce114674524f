import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { MOST_DOCUMENTS, readDocuments } from '../../src/cli/manifests/documents.ts';
import { readSources } from '../../src/cli/manifests/files.ts';
import { readManifests } from '../../src/cli/manifests/manifests.ts';
import { temporaryFolder } from '../support/folder.ts';

const GOOD = `apiVersion: pipewright.dev/v1alpha1
kind: PipeSettings
metadata: { name: orders }
spec:
  organizationId: "o"
  serviceId: "s"
  pipeId: "p"
  credentialsSecretRef: { name: api }
  settings:
    engine_max_threads: 8
`;

const read = (text: string) =>
  readManifests(readDocuments([{ path: 'f.yaml', text }]), {
    namespace: 'current',
    isGiven: false,
  });
const problems = (text: string): string[] =>
  read(text).ours.flatMap((one) =>
    one.problems.map(({ place, message }) => `${place.line}:${place.column} ${message}`),
  );
const edited = (from: string, to: string): string => {
  expect(GOOD).toContain(from);
  return GOOD.replace(from, to);
};

test('a good manifest has no problem, and the namespace that kubectl would use', () => {
  const { ours, skipped, strays } = read(GOOD);
  expect(ours).toMatchObject([{ name: 'orders', namespace: 'current', problems: [] }]);
  expect([skipped, strays]).toEqual([0, []]);
});

test.each([
  [
    'a value out of range',
    'threads: 8',
    'threads: 65',
    '10:5 spec.settings.engine_max_threads must be a whole number from 0 to 64, not 65',
  ],
  [
    'a text for a number',
    'threads: 8',
    'threads: "8"',
    '10:5 spec.settings.engine_max_threads must be a whole number from 0 to 64, not "8"',
  ],
  [
    'a misspelt setting',
    'engine_max',
    'engine_mix',
    '9:3 spec.settings must have at least one field that is known, not {"engine_mix_threads":8}',
  ],
  [
    'a misspelt field',
    '  pipeId',
    '  suspended: true\n  pipeId',
    '7:3 spec.suspended is not a known field',
  ],
  ['a missing field', '  serviceId: "s"\n', '', '4:1 spec.serviceId is required'],
  [
    'an id without quotes',
    '"s"',
    '0123',
    '6:3 spec.serviceId must be 1 to 128 letters, digits and . _ ~ -, starting with a letter or digit, not 83',
  ],
  [
    'another version',
    'v1alpha1',
    'v1',
    '1:1 apiVersion must be pipewright.dev/v1alpha1, not "pipewright.dev/v1"',
  ],
  ['no name', '{ name: orders }', '{}', '3:1 metadata.name is required'],
  [
    'a name that is none',
    'name: orders',
    'name: Orders_1',
    '3:13 metadata.name must be 1 to 253 lower-case letters, digits, . and -, each part between dots starting and ending with a letter or digit, not "Orders_1"',
  ],
  [
    'a name with an empty part',
    'name: orders',
    'name: orders..eu',
    '3:13 metadata.name must be 1 to 253 lower-case letters, digits, . and -, each part between dots starting and ending with a letter or digit, not "orders..eu"',
  ],
  ['a field beside spec', 'spec:', 'specs: {}\nspec:', '4:1 specs is not a known field'],
])('%s is told with its place', (_, from, to, told) => {
  expect(problems(edited(from, to))).toEqual([told]);
});

test('a name may have a part that is longer than those of host names', () => {
  expect(problems(edited('name: orders', `name: ${'o'.repeat(100)}`))).toEqual([]);
});

test('a setting that is misspelt beside one that is not', () => {
  expect(problems(`${GOOD}    engine_mix_threads: 8\n`)).toEqual([
    '11:5 spec.settings.engine_mix_threads is not a known field',
  ]);
});

test('what stands in a List is told with its own place', () => {
  const item = GOOD.replaceAll('\n', '\n    ').replace('threads: 8', 'threads: 65');
  const text = `apiVersion: v1\nkind: List\nitems:\n  - ${item.trimEnd()}\n`;
  expect(problems(text)).toEqual([
    '13:9 spec.settings.engine_max_threads must be a whole number from 0 to 64, not 65',
  ]);
});

test('JSON is read as well', () => {
  const text = JSON.stringify(
    { apiVersion: 'pipewright.dev/v1alpha1', kind: 'Activity', metadata: { name: 'a' }, spec: {} },
    null,
    2,
  );
  expect(problems(text).map((one) => one.replace(/^\S+ /, ''))).toEqual([
    'spec.organizationId is required',
    'spec.activityId is required',
    'spec.credentialsSecretRef is required',
  ]);
});

test('the same object twice names both places; in another namespace it is another one', () => {
  expect(problems(`${GOOD}---\n${GOOD}`)).toEqual([
    '12:1 the same object stands at f.yaml:1 too; remove one of the two',
  ]);
  const elsewhere = GOOD.replace('name: orders', 'name: orders, namespace: other');
  expect(problems(`${GOOD}---\n${elsewhere}`)).toEqual([]);
});

test('other kinds are counted; a kind of our group that there is not is wrong', () => {
  const others = 'apiVersion: v1\nkind: Secret\nmetadata: { name: x }\n';
  const typo = GOOD.replace('PipeSettings', 'PipeSetting');
  const { ours, skipped, strays } = read(`${others}---\n---\n# nothing\n---\n${typo}`);
  expect([ours.length, skipped]).toEqual([0, 1]);
  expect(strays.map(({ message }) => message)).toEqual([
    'kind must be one of PipeSettings, Organization, Activity, not "PipeSetting"',
  ]);
});

describe('what is no YAML, or too much of it', () => {
  const refusal = (text: string): string => {
    try {
      readDocuments([{ path: 'f.yaml', text }]);
    } catch (error) {
      return String(error);
    }
    return 'it was read';
  };

  test.each([
    [
      'a list that does not end',
      `${GOOD}---\na: [1,\nb: 2\n`,
      /f\.yaml:1[34]:\d+: this is not valid YAML/,
    ],
    ['a tab', 'a:\n\tb: 1\n', /f\.yaml:2:1: this is not valid YAML/],
    ['a key twice', 'a: 1\na: 2\n', /f\.yaml:2:1: this is not valid YAML: Map keys must be unique/],
    [
      'aliases that grow',
      `a: &a [${'x,'.repeat(50)}]\nb: &b [${'*a,'.repeat(50)}]\nc: [${'*b,'.repeat(50)}]\n`,
      /f\.yaml:1: the aliases of this document cannot be followed/,
    ],
    ['too many documents', 'a: 1\n---\n'.repeat(MOST_DOCUMENTS + 1), /more than 5000 documents/],
  ])('%s', (_, text, said) => {
    expect(refusal(text)).toMatch(said);
    expect(refusal(text).split('\n')).toHaveLength(1);
  });
});

describe('files', () => {
  const from = { stdin: Readable.from([]), stop: new AbortController().signal };
  const paths = async (...names: string[]): Promise<string[]> =>
    (await readSources(names, from)).map(({ path }) => path);

  test('a folder gives what ends in .yaml, .yml and .json below it, in order', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'b'));
    await mkdir(join(folder, '.git'));
    for (const name of ['c.yml', 'a.yaml', 'b/x.json', 'readme.md', '.git/d.yaml'])
      await writeFile(join(folder, name), '');
    await symlink(join(folder, 'a.yaml'), join(folder, 'z.yaml'));
    expect(await paths(folder)).toEqual(
      ['a.yaml', 'b/x.json', 'c.yml', 'z.yaml'].map((name) => join(folder, name)),
    );
  });

  test('two links to one folder are no circle, and one into itself is', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'real'));
    await writeFile(join(folder, 'real', 'a.yaml'), '');
    await symlink(join(folder, 'real'), join(folder, 'twin'));
    expect(await paths(folder)).toHaveLength(2);
    await symlink(folder, join(folder, 'real', 'up'));
    await expect(paths(folder)).rejects.toThrow('by a symbolic link, so it has no end');
    await symlink('circle.yaml', join(folder, 'circle.yaml'));
    await expect(paths(join(folder, 'circle.yaml'))).rejects.toThrow('lead in a circle');
  });

  test('a pipe is read once somebody writes into it, and given up by the signal', async () => {
    const pipe = join(await temporaryFolder(), 'pipe');
    execFileSync('mkfifo', [pipe]);
    const read = readSources([pipe], from);
    await writeFile(pipe, GOOD);
    expect(await read).toEqual([{ path: pipe, text: GOOD }]);
    const stop = new AbortController();
    const never = readSources([pipe], { ...from, stop: stop.signal });
    stop.abort('SIGTERM');
    await expect(never).rejects.toMatchObject({ name: 'Stopped', exitCode: 143 });
  });

  test('a folder without any says so', async () => {
    await expect(paths(await temporaryFolder())).rejects.toThrow('there is no file that ends in');
  });
});
