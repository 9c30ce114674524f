import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };

const read = (path: string): string => readFileSync(path, 'utf8');
const chart = parse(read('deploy/helm/pipewright/Chart.yaml')) as {
  readonly version: string;
  readonly appVersion: string;
  readonly home: string;
  readonly icon: string;
  readonly sources: readonly string[];
  readonly annotations: Readonly<Record<string, string>>;
};
/** The content of an annotation for Artifact Hub, which is YAML in a text. */
const annotation = (name: string): unknown =>
  parse(chart.annotations[`artifacthub.io/${name}`] ?? '');

test('the chart and the operator have the version of the package', () => {
  expect([chart.version, chart.appVersion]).toEqual([packageJson.version, packageJson.version]);
});

test('its icon is in this repository', () => {
  const path = chart.icon.split('/pipewright/main/')[1] ?? '';
  expect(path).toBe('deploy/helm/icon.svg');
  expect(read(path)).toMatch(/^<svg /);
});

test('every CRD is listed, and has an example that is in the documents', () => {
  const files = readdirSync('crds').filter((name) => name.endsWith('.yaml'));
  const crds = files.map((name) => read(`crds/${name}`));
  const listed = annotation('crds') as readonly { name: string; kind: string; version: string }[];
  expect(listed.map(({ name }) => name).sort()).toEqual(
    files.map((name) => name.replace('.yaml', '.pipewright.dev')).sort(),
  );
  for (const { kind, version } of listed)
    expect(crds.some((text) => text.includes(`kind: ${kind}\n`) && text.includes(version))).toBe(
      true,
    );
  const examples = annotation('crdsExamples') as readonly { kind: string }[];
  expect(examples.map(({ kind }) => kind).sort()).toEqual(listed.map(({ kind }) => kind).sort());
  const documented = readdirSync('deploy/examples')
    .filter((name) => name.endsWith('.yaml'))
    .flatMap((name) => parseAllDocuments(read(`deploy/examples/${name}`)))
    .map((document): unknown => document.toJS());
  for (const example of examples) expect(documented).toContainEqual(example);
});

test('its image is that of install.yaml', () => {
  const [image] = annotation('images') as readonly { image: string }[];
  expect(read('deploy/install.yaml')).toContain(`image: ${image?.image}\n`);
});

test('its changes are those of the newest section of the changelog', () => {
  const changes = annotation('changes') as readonly string[];
  const newest = read('CHANGELOG.md').split(/^## /m)[1] ?? '';
  expect(changes).toHaveLength(newest.match(/^- /gm)?.length ?? 0);
  expect(changes.length).toBeGreaterThan(0);
  const words = (text: string): string => text.replaceAll(/\s+/g, ' ');
  for (const change of changes) {
    expect(words(newest)).toContain(change);
    expect(change).not.toContain('###');
  }
});

test('it names no key: there is none', () => {
  expect(chart.annotations).not.toHaveProperty('artifacthub.io/signKey');
  expect(chart.annotations['artifacthub.io/license']).toBe(packageJson.license);
  expect(existsSync('LICENSE')).toBe(true);
});
