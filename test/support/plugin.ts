import { spawn } from 'node:child_process';
import { mkdtemp, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { controlPlane } from '../controlplane/client.ts';

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

const ROOT = join(import.meta.dirname, '..', '..');

let folder: Promise<string> | undefined;

/** A folder for PATH with kubectl, the plugin as it is built, as `kubectl` finds it, and Node. */
export function pluginFolder(): Promise<string> {
  folder ??= (async () => {
    const made = await mkdtemp(join(controlPlane.folder, 'plugin-'));
    await symlink(join(ROOT, 'dist', 'kubectl-pipewright.js'), join(made, 'kubectl-pipewright'));
    await symlink(process.execPath, join(made, 'node'));
    await symlink(controlPlane.kubectlProgram, join(made, 'kubectl'));
    return made;
  })();
  return folder;
}

/**
 * Runs `kubectl pipewright` through PATH, as a user does, with `args` after it. Never throws for an
 * exit code.
 */
export async function plugin(
  args: readonly string[],
  { kubeconfig = controlPlane.adminKubeconfig, input, env, cwd }: PluginOptions = {},
): Promise<PluginRun> {
  const path = await pluginFolder();
  const child = spawn(join(path, 'kubectl'), ['pipewright', ...args], {
    cwd: cwd ?? path,
    env: {
      PATH: `${path}:${process.env['PATH'] ?? ''}`,
      HOME: path,
      KUBECONFIG: kubeconfig,
      KUBECACHEDIR: join(controlPlane.folder, 'kubectl'),
      KUBERC: 'off',
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
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, stdout, stderr };
}
