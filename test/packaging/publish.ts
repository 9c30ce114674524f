import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };
import { findProgram } from '../controlplane/programs.ts';
import type { Registry } from './registry.ts';
import { succeed } from './run.ts';

export const WORKFLOW = '.github/workflows/release.yaml';

interface Workflow {
  readonly jobs: {
    readonly publish: {
      readonly steps: readonly { readonly id?: string; readonly run?: string }[];
    };
  };
}

/** What the step that pushes has done. */
export interface Published {
  /** Each call of cosign, which is not here: its arguments. */
  readonly signed: readonly string[];
  /** What later steps get. */
  readonly outputs: string;
}

/**
 * Runs the step of the release's workflow that pushes and signs, with crane and helm, in a folder
 * with the files of a release in `release`; to another registry, which has no TLS.
 */
export async function publish(folder: string, { address }: Registry): Promise<Published> {
  const { jobs } = parse(await readFile(WORKFLOW, 'utf8')) as Workflow;
  const script = jobs.publish.steps.find(({ id }) => id === 'push')?.run;
  if (script === undefined) throw new Error(`${WORKFLOW} has no step that pushes`);
  const programs = join(folder, 'bin');
  const [signed, outputs] = [join(folder, 'signed'), join(folder, 'outputs')];
  await mkdir(programs);
  await symlink(await findProgram('crane'), join(programs, 'crane'));
  const scripts = {
    helm: `exec '${await findProgram('helm')}' "$@" --plain-http`,
    cosign: `echo "$*" >> '${signed}'`,
  };
  for (const [name, text] of Object.entries(scripts)) {
    await writeFile(join(programs, name), `#!/bin/sh\n${text}\n`);
    await chmod(join(programs, name), 0o755);
  }
  const home = join(folder, 'home');
  await succeed('bash', ['-e', '-o', 'pipefail', '-c', script.replaceAll('ghcr.io', address)], {
    cwd: folder,
    env: {
      PATH: `${programs}:${process.env['PATH'] ?? ''}`,
      HOME: home,
      DOCKER_CONFIG: home,
      HELM_REGISTRY_CONFIG: join(home, 'helm.json'),
      TOKEN: 'any',
      GITHUB_ACTOR: 'somebody',
      GITHUB_REF_NAME: `v${packageJson.version}`,
      GITHUB_OUTPUT: outputs,
    },
  });
  const lines = (await readFile(signed, 'utf8')).trim().split('\n');
  return { signed: lines, outputs: await readFile(outputs, 'utf8') };
}
