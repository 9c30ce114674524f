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
  options: PluginOptions = {},
): Promise<PluginRun> {
  return (await startPlugin(args, options)).ended;
}

/** A run that goes on until it is interrupted. */
export interface RunningPlugin {
  /** What it has printed so far. */
  readonly stdout: () => string;
  readonly ended: Promise<PluginRun>;
  /** As a reader that has seen enough. */
  readonly readNoMore: () => void;
  /** As Ctrl-C does. */
  readonly interrupt: () => void;
}

/** The same, and does not wait for the end. */
export async function startPlugin(
  args: readonly string[],
  { kubeconfig = controlPlane.adminKubeconfig, input, env, cwd }: PluginOptions = {},
): Promise<RunningPlugin> {
  const path = await pluginFolder();
  const child = spawn(join(path, 'kubectl'), ['pipewright', ...args], {
    cwd: cwd ?? path,
    env: {
      PATH: `${path}:${process.env['PATH'] ?? ''}`,
      HOME: path,
      KUBECONFIG: kubeconfig,
      KUBECACHEDIR: join(controlPlane.folder, 'kubectl'),
      NO_COLOR: '1',
      ...env,
    },
  });
  child.stdin.on('error', () => child.stdin.destroy());
  child.stdin.end(input ?? '');
  const code = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (ended) => resolve(ended ?? -1));
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    printed += chunk;
  });
  return {
    stdout: () => printed,
    ended: Promise.all([code, text(child.stderr)]).then(([code, stderr]) => ({
      code,
      stdout: printed,
      stderr,
    })),
    readNoMore: () => void child.stdout.destroy(),
    interrupt: () => void child.kill('SIGINT'),
  };
}
