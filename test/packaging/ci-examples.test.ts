import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { controlPlane } from '../controlplane/client.ts';
import { run } from '../controlplane/run.ts';
import { ensureCrds } from '../support/crd.ts';
import { temporaryFolder } from '../support/folder.ts';
import { GOOD, manifestOf } from '../support/kinds.ts';
import { makePluginFolder } from '../support/plugin-folder.ts';
import { valueAt } from './chart/manifests.ts';

const read = (name: string, at: string): unknown =>
  valueAt(parse(readFileSync(`deploy/examples/ci/${name}.yaml`, 'utf8')), at);
const script = (at: string): string =>
  (read('gitlab-job', `pipewright-plan.${at}`) as readonly string[]).join('\n');
const steps = read('github-workflow', 'jobs.plan.steps') as readonly { readonly run?: string }[];
const [plan = '', comment = ''] = steps.flatMap((step) => step.run ?? []).slice(-2);

const PULL_REQUEST = 'https://g/o/r/pull/7';
const PLACES = [
  {
    at: 'GitHub',
    plan,
    comment,
    poster: 'gh',
    variables: { MAY_COMMENT: 'true', GITHUB_STEP_SUMMARY: 'summary.md', PULL_REQUEST },
    to: PULL_REQUEST,
  },
  {
    at: 'GitLab',
    plan: script('script'),
    comment: script('after_script'),
    poster: 'curl',
    variables: {
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
  const env = { ...one.variables, PATH, KUBECONFIG: controlPlane.adminKubeconfig };
  const sh = (script: string) => run('sh', ['-e', '-c', script], { cwd, env });
  const made = (file: string): string => readFileSync(join(cwd, file), 'utf8');
  const declare = (settings: object): void => {
    const manifest = manifestOf('pset', 'orders', { ...GOOD.pset, settings });
    writeFileSync(join(cwd, 'manifests/orders.yaml'), JSON.stringify(manifest));
  };
  declare({ engine_max_threads: 4 });
  expect(await sh(one.plan)).toMatchObject({ code: 0, stderr: '' });
  expect(await sh(one.comment)).toMatchObject({ code: 0, stderr: '' });
  expect(made('posted.md')).toContain('{"engine_max_threads":4}');
  expect(made('posted-with')).toContain(one.to);
  expect(made('posted-with')).not.toContain('a-token');
  declare({ engine_max_threads: 1_000 });
  expect(await sh(one.plan)).toMatchObject({ code: 1 });
  expect(made('plan.md')).toContain('**Not valid**');
});
