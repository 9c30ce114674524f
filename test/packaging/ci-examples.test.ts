import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { controlPlane } from '../controlplane/client.ts';
import { run } from '../controlplane/run.ts';
import { ensureCrds, goodSpec, pipeSettings } from '../support/crd.ts';
import { temporaryFolder } from '../support/folder.ts';
import { makePluginFolder } from '../support/plugin-folder.ts';

interface Workflow {
  readonly jobs: { readonly plan: { readonly steps: readonly { readonly run?: string }[] } };
}
interface Job {
  readonly 'pipewright-plan': Readonly<Record<'script' | 'after_script', readonly string[]>>;
}

const example = (name: string): unknown =>
  parse(readFileSync(`deploy/examples/ci/${name}`, 'utf8'));
const { steps } = (example('github-workflow.yaml') as Workflow).jobs.plan;
const [plan = '', comment = ''] = steps.flatMap((step) => step.run ?? []).slice(-2);
const gitlab = (example('gitlab-job.yaml') as Job)['pipewright-plan'];

const PLACES = [
  {
    at: 'GitHub',
    plan,
    comment,
    poster: 'gh',
    env: {
      MAY_COMMENT: 'true',
      GITHUB_STEP_SUMMARY: 'summary.md',
      PULL_REQUEST: 'https://g/o/r/pull/7',
    },
    to: 'https://g/o/r/pull/7',
  },
  {
    at: 'GitLab',
    plan: gitlab.script.join('\n'),
    comment: gitlab.after_script.join('\n'),
    poster: 'curl',
    env: {
      GITLAB_TOKEN: 'a-token',
      CI_API_V4_URL: 'https://g/api',
      CI_PROJECT_ID: '3',
      CI_MERGE_REQUEST_IID: '7',
    },
    to: 'https://g/api/projects/3/merge_requests/7/notes',
  },
];

/** In the place of what posts: what is posted is the file that it is told. */
const STUB = `#!/bin/sh
echo "$@" > posted-with
cat "$(echo "$*" | sed -E 's/.*(--body-file |body@)([^ ]+).*/\\2/')" > posted.md
`;

beforeAll(ensureCrds);

test.each(PLACES)('the job of $at posts the plan, and fails where it is not valid', async (one) => {
  const cwd = await temporaryFolder();
  mkdirSync(join(cwd, 'manifests'));
  writeFileSync(join(cwd, one.poster), STUB, { mode: 0o755 });
  const bin = await makePluginFolder(controlPlane.folder, controlPlane.kubectlProgram);
  const PATH = [cwd, bin, process.env['PATH']].join(':');
  const env = { ...one.env, PATH, KUBECONFIG: controlPlane.adminKubeconfig };
  const sh = (script: string) => run('sh', ['-e', '-c', script], { cwd, env });
  const read = (file: string): string => readFileSync(join(cwd, file), 'utf8');
  const declare = (settings: object): void => {
    const manifest = pipeSettings('orders', { ...goodSpec, settings });
    writeFileSync(join(cwd, 'manifests/orders.yaml'), JSON.stringify(manifest));
  };
  declare({ engine_max_threads: 4 });
  expect(await sh(one.plan)).toMatchObject({ code: 0, stderr: '' });
  expect(await sh(one.comment)).toMatchObject({ code: 0, stderr: '' });
  expect(read('posted.md')).toContain('{"engine_max_threads":4}');
  expect(read('posted-with')).toContain(one.to);
  expect(read('posted-with')).not.toContain('a-token');
  declare({ engine_max_threads: 1_000 });
  expect(await sh(one.plan)).toMatchObject({ code: 1 });
  expect(read('plan.md')).toContain('**Not valid**');
});
