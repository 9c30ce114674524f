import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import accepted from '../bundle/accepted.json' with { type: 'json' };
import { findProgram } from '../controlplane/programs.ts';
import { makeBundles } from '../release/bundles.ts';
import { bills } from '../release/sbom/bills.ts';
import { BUILD_MS } from './helm.ts';
import { succeed } from './run.ts';

const { version } = packageJson;
const made = new Map(bills(await makeBundles(), '2026-02-03'));
const named = (ending: string): [string, string][] =>
  [...made].filter(([name]) => name.endsWith(ending));
const bundled = (...files: (keyof typeof accepted)[]): string[] =>
  [...new Set(files.flatMap((file) => Object.keys(accepted[file])))]
    .filter((name) => name !== packageJson.name)
    .sort();

interface CycloneDx {
  readonly components: readonly {
    readonly name: string;
    readonly purl: string;
    readonly licenses?: readonly object[];
  }[];
}

/** Of both formats, as each calls it. */
interface Versions {
  readonly components?: readonly Versioned[];
  readonly packages?: readonly Versioned[];
}
interface Versioned {
  readonly version?: string;
  readonly versionInfo?: string;
}

const componentsOf = (name: string): CycloneDx['components'] =>
  (JSON.parse(made.get(`${name}-${version}.cdx.json`) ?? '') as CycloneDx).components;
const ofNpm = (components: CycloneDx['components']): string[] =>
  components
    .filter(({ purl }) => purl.startsWith('pkg:npm/'))
    .map(({ name }) => name)
    .sort();

test('plugin and images have a bill in each of the two formats', () => {
  const subjects = ['kubectl-pipewright', 'pipewright-image-amd64', 'pipewright-image-arm64'];
  expect([...made.keys()]).toEqual(
    subjects.flatMap((name) => [`${name}-${version}.cdx.json`, `${name}-${version}.spdx.json`]),
  );
});

test.each(named('.cdx.json'))('%s is of the schema of CycloneDX', async (_, text) => {
  const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
  expect(await validator.validate(text)).toBeNull();
  // It sees what is wrong.
  expect(await validator.validate(text.replace('"purl"', '"purls"'))).not.toBeNull();
});

test.each(named('.spdx.json'))(
  '%s is read by the library of SPDX, and has the parts of the other format',
  async (name, text) => {
    const lines = await succeed(await findProgram('spdx'), [], { stdin: text });
    const subject = name.replace(`-${version}.spdx.json`, '');
    const [first, ...parts] = lines.trim().split('\n');
    expect(first).toBe(`${subject} ${version} Apache-2.0`);
    expect(new Set(parts.map((line) => line.split(' ')[0]))).toEqual(
      new Set(componentsOf(subject).map((part) => part.name)),
    );
    expect(text).toContain('"created": "2026-02-03T00:00:00Z"');
  },
  BUILD_MS,
);

test.each([...made])('every part in %s has a version', (_, text) => {
  const bill = JSON.parse(text) as Versions;
  const parts = [...(bill.components ?? []), ...(bill.packages ?? [])];
  expect(parts.length).toBeGreaterThan(5);
  expect(parts.filter(({ version, versionInfo }) => !(version ?? versionInfo))).toEqual([]);
  expect(text).not.toContain('@"');
});

test('each names the packages that are in the bundles, and their licences', () => {
  const plugin = componentsOf('kubectl-pipewright');
  expect(ofNpm(plugin)).toEqual(bundled('kubectl-pipewright.js'));
  expect(plugin.filter(({ licenses }) => licenses === undefined)).toEqual([]);
  for (const architecture of ['amd64', 'arm64']) {
    const image = componentsOf(`pipewright-image-${architecture}`);
    expect(ofNpm(image)).toEqual(
      bundled('pipewright.js', 'kubectl-pipewright.js', 'entrypoint.js'),
    );
    const others = image.map(({ name }) => name);
    expect(others).toEqual(expect.arrayContaining(['node', 'libc6', 'openssl', 'v8']));
  }
});
