import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { toYaml } from '../../src/cli/yaml.ts';
import { definitions } from '../../src/kinds/definitions.ts';
import { customResourceDefinition } from '../../src/kinds/schema/manifest.ts';

const root = join(import.meta.dirname, '..', '..');
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crds-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function generate(...args: string[]) {
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(root, 'crds', 'generate.ts'), ...args],
    {
      encoding: 'utf8',
    },
  );
  return { status, stderr };
}

test('the files of the repository are what the schemas say', () => {
  expect(generate('--check')).toEqual({ status: 0, stderr: '' });
});

test('--check names what is missing, changed and left over, and the remedy; generating mends it', () => {
  writeFileSync(join(folder, 'gone.yaml'), '');
  expect(generate('--check', folder)).toEqual({
    status: 1,
    stderr: expect.stringMatching(
      /gone\.yaml belongs to no kind\n(.*\n)*crds\/pipesettings\.yaml does not exist\n(.*\n)*Run `npm run generate`/,
    ),
  });

  generate(folder);
  expect(generate('--check', folder)).toEqual({ status: 0, stderr: '' });

  appendFileSync(join(folder, 'reference.md'), 'by hand\n');
  const file = join(folder, 'pipesettings.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replace('maximum: 60000', 'maximum: 60001'));
  const { status, stderr } = generate('--check', folder);
  expect(status).toBe(1);
  expect(stderr).toMatch(
    /crds\/pipesettings\.yaml differs from the schemas, first in line \d+: ".*60001" should be ".*60000"/,
  );
  expect(stderr).toContain('crds/reference.md differs from the schemas');
});

test('every folder of a kind is in the list that CRDs are made from', () => {
  const folders = readdirSync(join(root, 'src', 'kinds'), { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && existsSync(join(entry.parentPath, entry.name, 'resource.ts')),
  );
  const kebab = (kind: string) => kind.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase();
  expect(definitions.map(({ type }) => kebab(type.kind)).sort()).toEqual(
    folders.map(({ name }) => name).sort(),
  );
});

for (const definition of definitions) {
  const { kind } = definition.type;
  const crd = customResourceDefinition(definition);

  test(`the CRD of ${kind} is small enough to read and to apply`, () => {
    expect(toYaml(crd).length).toBeLessThan(36 * 1024);
    expect(JSON.stringify(crd).length).toBeLessThan(24 * 1024);
  });

  test(`${kind} requires spec, gives it no default, and starts as not yet visited`, () => {
    const schema = crd.spec.versions[0]?.schema.openAPIV3Schema;
    expect(schema?.required).toEqual(['spec']);
    expect(JSON.stringify(schema?.properties.spec)).not.toContain('"default"');
    expect(schema?.properties.status.default).toMatchObject({
      observedGeneration: -1,
      conditions: [{ type: 'Ready', status: 'Unknown', reason: 'Pending' }],
    });
  });
}
