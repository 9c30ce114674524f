import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { findProgram } from '../controlplane/programs.ts';
import { BUILD_MS } from './helm.ts';
import { WORKFLOW } from './publish.ts';
import { run } from './run.ts';

const FOLDER = '.github/workflows';
const OURS = readdirSync(FOLDER).map((name) => join(FOLDER, name));
const EXAMPLE = 'deploy/examples/ci/github-workflow.yaml';

interface Job {
  readonly container?: string;
  readonly permissions: Readonly<Record<string, string>>;
  readonly steps: readonly { readonly run?: string }[];
}
const jobsOf = (file: string): Readonly<Record<string, Job>> =>
  (parse(readFileSync(file, 'utf8')) as { readonly jobs: Readonly<Record<string, Job>> }).jobs;

test(
  'actionlint has nothing to say of our workflows and of the example',
  async () => {
    const lint = ['-shellcheck=', '-pyflakes=', ...OURS, EXAMPLE];
    const said = { code: 0, stdout: '', stderr: '' };
    expect(await run(await findProgram('actionlint'), lint)).toEqual(said);
  },
  BUILD_MS,
);

test.each(OURS)(
  '%s names each action by a commit, and has no right that no job asks for',
  (file) => {
    const text = readFileSync(file, 'utf8');
    const uses = text.split('\n').filter((line) => line.includes('uses:'));
    expect(uses.length).toBeGreaterThan(1);
    expect(
      uses.filter((line) => !/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line)),
    ).toEqual([]);
    expect(text).toContain('\npermissions: {}\n');
  },
);

test.each(OURS)('no script of %s holds a text that somebody else may have written', (file) => {
  const scripts = Object.values(jobsOf(file)).flatMap(({ steps }) =>
    steps.flatMap(({ run }) => run ?? []),
  );
  expect(scripts.length).toBeGreaterThan(0);
  expect(scripts.filter((script) => script.includes('${{'))).toEqual([]);
});

test('what is built for a tag has been checked, and is built again from the same tag', () => {
  const { build, verify } = jobsOf(WORKFLOW);
  const scripts = (job?: Job) => job?.steps.flatMap(({ run }) => run ?? []);
  const release = 'npm run release -- --tag "$GITHUB_REF_NAME"';
  expect(scripts(build)).toEqual(['npm run check', release]);
  expect(scripts(verify)).toEqual([`${release} --verify built/SHA256SUMS`]);
});

test('only what publishes may write, after two builds in the image that the Dockerfile builds in', () => {
  const { build, verify, publish } = jobsOf(WORKFLOW);
  const [, image] = /^ARG NODE_IMAGE=(.*)$/m.exec(readFileSync('Dockerfile', 'utf8')) ?? [];
  for (const job of [build, verify])
    expect(job).toMatchObject({ container: image, permissions: { contents: 'read' } });
  expect(publish).toMatchObject({
    needs: 'verify',
    permissions: {
      contents: 'write',
      packages: 'write',
      'id-token': 'write',
      attestations: 'write',
    },
  });
});
