import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { customResourceDefinition } from '../../crds/manifest.ts';
import { toYaml } from '../../src/cli/yaml.ts';
import { definitions } from '../../src/kinds/definitions.ts';

const root = join(import.meta.dirname, '..', '..');
test('the files of the repository are what the schemas say', () => {
  const args = [join(root, 'crds', 'generate.ts'), '--check'];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
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
