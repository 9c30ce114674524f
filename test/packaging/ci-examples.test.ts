import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { controlPlane } from '../controlplane/client.ts';
import { run } from '../controlplane/run.ts';
import { ensureCrds, goodSpec, pipeSettings } from '../support/crd.ts';
import { temporaryFolder } from '../support/folder.ts';
import { pluginFolder } from '../support/plugin.ts';

interface Workflow {
  readonly jobs: { readonly plan: { readonly steps: readonly { readonly run?: string }[] } };
}
interface Job {
  readonly script: readonly string[];
  readonly after_script: readonly string[];
}

const example = (name: string): unknown =>
  parse(readFileSync(`deploy/examples/ci/${name}`, 'utf8'));
const { jobs } = example('github-workflow.yaml') as Workflow;
const steps = jobs.plan.steps.flatMap((step) => step.run ?? []);
const job = (example('gitlab-job.yaml') as Readonly<Record<string, Job>>)['pipewright-plan'];
const GITHUB = { plan: steps.at(-2) ?? '', comment: steps.at(-1) ?? '', poster: 'gh' };
const GITLAB = {
  plan: job?.script.join('\n') ?? '',
  comment: job?.after_script.join('\n') ?? '',
  poster: 'curl',
};

beforeAll(ensureCrds);

test.each([
  [
    'GitHub',
    GITHUB,
    {
      MAY_COMMENT: 'true',
      GITHUB_STEP_SUMMARY: 'summary.md',
      PULL_REQUEST: 'https://g/o/r/pull/7',
    },
    'https://g/o/r/pull/7',
  ],
  [
    'GitLab',
    GITLAB,
    {
      GITLAB_TOKEN: 'a-token',
      CI_API_V4_URL: 'https://g/api',
      CI_PROJECT_ID: '3',
      CI_MERGE_REQUEST_IID: '7',
    },
    'https://g/api/projects/3/merge_requests/7/notes',
  ],
])('the job of %s posts the plan, and fails where it is not valid', async (_, one, env, to) => {
  const cwd = await temporaryFolder();
  mkdirSync(join(cwd, 'manifests'));
  // What is posted is the file that it is told.
  const stub = `#!/bin/sh\necho "$@" > posted-with\ncat "$(echo "$*" | sed -E 's/.*(--body-file |body@)([^ ]+).*/\\2/')" > posted.md\n`;
  writeFileSync(join(cwd, one.poster), stub, { mode: 0o755 });
  const PATH = [cwd, await pluginFolder(), process.env['PATH']].join(':');
  const sh = (script: string) =>
    run('sh', ['-e', '-c', script], {
      cwd,
      env: { ...env, PATH, KUBECONFIG: controlPlane.adminKubeconfig },
    });
  const manifest = (settings: object): void =>
    writeFileSync(
      join(cwd, 'manifests/orders.yaml'),
      JSON.stringify(pipeSettings('orders', { ...goodSpec, settings })),
    );

  manifest({ engine_max_threads: 4 });
  expect(await sh(one.plan)).toMatchObject({ code: 0, stderr: '' });
  expect(await sh(one.comment)).toMatchObject({ code: 0, stderr: '' });
  expect(readFileSync(join(cwd, 'posted.md'), 'utf8')).toContain('{"engine_max_threads":4}');
  const postedWith = readFileSync(join(cwd, 'posted-with'), 'utf8');
  expect(postedWith).toContain(to);
  expect(postedWith).not.toContain('a-token');
  manifest({ engine_max_threads: 1_000 });
  expect(await sh(one.plan)).toMatchObject({ code: 1 });
  expect(readFileSync(join(cwd, 'plan.md'), 'utf8')).toContain('**Not valid**');
});
