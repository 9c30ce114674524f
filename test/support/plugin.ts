import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { controlPlane } from '../controlplane/client.ts';
import { makePluginFolder } from './plugin-folder.ts';

/** What `kubectl pipewright …` did. */
export interface PluginRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface PluginOptions {
  /** Absent: the administrator's. */
  readonly kubeconfig?: string;
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

let folder: Promise<string> | undefined;

/** A folder for PATH with kubectl and the plugin, made once. */
export function pluginFolder(): Promise<string> {
  folder ??= makePluginFolder(controlPlane.folder, controlPlane.kubectlProgram);
  return folder;
}

/**
 * Runs `kubectl pipewright` through PATH, as a user does, with `args` after it. Never throws for an
 * exit code.
 */
export async function plugin(
  args: readonly string[],
  { kubeconfig = controlPlane.adminKubeconfig, input = '', env, cwd }: PluginOptions = {},
): Promise<PluginRun> {
  const path = await pluginFolder();
  const child = spawn(join(path, 'kubectl'), ['pipewright', ...args], {
    cwd: cwd ?? path,
    env: {
      PATH: path,
      HOME: path,
      KUBECONFIG: kubeconfig,
      KUBECACHEDIR: join(controlPlane.folder, 'kubectl'),
      ...env,
    },
  });
  // One that fails may end before it has read its input.
  child.stdin.on('error', () => child.stdin.destroy());
  child.stdin.end(input);
  const code = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (ended) => resolve(ended ?? -1));
  });
  const [ended, stdout, stderr] = await Promise.all([code, text(child.stdout), text(child.stderr)]);
  return { code: ended, stdout, stderr };
}
