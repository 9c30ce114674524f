import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findProgram } from '../controlplane/programs.ts';
import { BUILD_MS } from './helm.ts';
import { run } from './run.ts';

const FOLDER = '.github/workflows';
const OURS = readdirSync(FOLDER).map((name) => join(FOLDER, name));
const EXAMPLE = 'deploy/examples/ci/github-workflow.yaml';

test(
  'actionlint has nothing to say of our workflows and of the example',
  async () => {
    const lint = ['-shellcheck=', '-pyflakes=', ...OURS, EXAMPLE];
    const said = { code: 0, stdout: '', stderr: '' };
    expect(await run(await findProgram('actionlint'), lint)).toEqual(said);
  },
  BUILD_MS,
);

test.each(OURS)('%s names each action by a commit', (file) => {
  const uses = readFileSync(file, 'utf8').match(/uses: .*/g) ?? [];
  expect(uses.length).toBeGreaterThan(1);
  expect(
    uses.filter((one) => !/^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(one)),
  ).toEqual([]);
});
