import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { World } from './world.ts';

/** What the plugin of kubectl did. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
}

/**
 * Runs `kubectl pipewright` among the manifests of the story. 0 and 2 are its answers; throws with
 * what it said where it fails.
 */
export async function runPlugin(
  { controlPlane, programs, manifests }: World,
  args: readonly string[],
): Promise<Ran> {
  const child = spawn(join(programs, 'kubectl'), ['pipewright', ...args], {
    cwd: manifests,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      PATH: `${programs}:${process.env['PATH'] ?? ''}`,
      KUBECONFIG: controlPlane.adminKubeconfig,
      KUBECACHEDIR: join(controlPlane.folder, 'kubectl'),
      KUBERC: 'off',
    },
  });
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? -1));
  });
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  if (code !== 0 && code !== 2)
    throw new Error(`kubectl pipewright ${args.join(' ')} ended with ${code}: ${stderr.trim()}`);
  return { code, stdout };
}
