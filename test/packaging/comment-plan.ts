import { chmod, copyFile, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { controlPlane } from '../controlplane/client.ts';
import { temporaryFolder } from '../support/folder.ts';
import { pluginFolder } from '../support/plugin.ts';
import { type Forge, type ForgeName, startForge } from './forge.ts';
import { type Ran, run } from './run.ts';

export const EXAMPLES = 'deploy/examples/ci';
export const TOKEN = 'a-token-that-nobody-may-see';

/** One run of a job. */
export interface JobRun extends Ran {
  /** Arguments and environment of every program that the script started by its name. */
  readonly started: string;
  /** Of GitHub's summary of the job. */
  readonly summary: string;
}

/** A checkout on a machine of the CI, and the forge that it belongs to. */
export interface Job {
  readonly forge: Forge;
  readonly folder: string;
  /** As the forge starts a shell: by default with the script itself. */
  run(env?: Readonly<Record<string, string>>, command?: readonly string[]): Promise<JobRun>;
}

export const ACCOUNTS = { GitHub: 'github-actions[bot]', GitLab: 'project_12_bot' } as const;

/** `files` go to the folder `manifests` of the checkout. */
export async function jobOf(
  name: ForgeName,
  files: Readonly<Record<string, string>>,
): Promise<Job> {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'manifests'));
  await mkdir(join(folder, 'ci'));
  await copyFile(join(EXAMPLES, 'comment-plan.sh'), join(folder, 'ci', 'comment-plan.sh'));
  for (const [file, text] of Object.entries(files))
    await writeFile(join(folder, 'manifests', file), text);
  const forge = await startForge(name, { token: TOKEN, account: ACCOUNTS[name] });
  onTestFinished(() => forge.close());
  return {
    forge,
    folder,
    async run(env = {}, command = ['sh', 'ci/comment-plan.sh']) {
      const { path, record } = await recordingPrograms(folder);
      const summary = join(folder, 'summary');
      await writeFile(summary, '');
      const set = {
        PATH: path,
        HOME: folder,
        TMPDIR: folder,
        KUBECACHEDIR: join(controlPlane.folder, 'kubectl'),
        KUBERC: 'off',
        PLAN_FOLDER: 'manifests',
        ...variablesOf(name, forge.url, summary),
        ...env,
      };
      const pairs = Object.entries(set).map(([key, value]) => `${key}=${value}`);
      // Nothing of the machine of this test, such as its own CI.
      const ran = await run('env', ['-i', '-C', folder, ...pairs, ...command]);
      const started = await readFile(record, 'utf8');
      return { ...ran, started, summary: await readFile(summary, 'utf8') };
    },
  };
}

/** What the forges set in each job, and the token. */
function variablesOf(name: ForgeName, url: string, summary: string): Record<string, string> {
  if (name === 'GitHub')
    return {
      GITHUB_ACTIONS: 'true',
      GITHUB_API_URL: url,
      GITHUB_REPOSITORY: 'acme/data',
      GITHUB_REF: 'refs/pull/7/merge',
      GITHUB_STEP_SUMMARY: summary,
      GITHUB_TOKEN: TOKEN,
    };
  return {
    GITLAB_CI: 'true',
    CI_API_V4_URL: url,
    CI_MERGE_REQUEST_IID: '7',
    CI_MERGE_REQUEST_PROJECT_ID: '12',
    GITLAB_TOKEN: TOKEN,
  };
}

/** A PATH whose programs write down how they were started, and then do their work. */
async function recordingPrograms(inside: string): Promise<{ path: string; record: string }> {
  const programs = await mkdtemp(join(inside, 'programs-'));
  const record = join(programs, 'record');
  await writeFile(record, '');
  const rest = `${await pluginFolder()}:/usr/local/bin:/usr/bin:/bin`;
  for (const name of ['curl', 'kubectl', 'node', 'sed']) {
    const script = join(programs, name);
    const lines = [
      '#!/bin/sh',
      `{ printf '%s\\n' ${name} "$@"; env; } >>'${record}'`,
      `PATH='${rest}' exec ${name} "$@"`,
      '',
    ];
    await writeFile(script, lines.join('\n'));
    await chmod(script, 0o755);
  }
  return { path: `${programs}:${rest}`, record };
}
