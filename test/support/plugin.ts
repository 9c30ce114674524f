import { join } from 'node:path';
import { controlPlane } from '../controlplane/client.ts';
import { type Ran, run } from '../controlplane/run.ts';
import { makePluginFolder } from './plugin-folder.ts';

export interface PluginOptions {
  /** Absent: the administrator's. */
  readonly kubeconfig?: string;
  readonly input?: string;
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
  { kubeconfig = controlPlane.adminKubeconfig, input = '' }: PluginOptions = {},
): Promise<Ran> {
  const path = await pluginFolder();
  const KUBECACHEDIR = join(controlPlane.folder, 'kubectl');
  return run(join(path, 'kubectl'), ['pipewright', ...args], {
    stdin: input,
    cwd: path,
    env: { PATH: path, HOME: path, KUBECONFIG: kubeconfig, KUBECACHEDIR },
    isBare: true,
  });
}
