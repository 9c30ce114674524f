import { spawn } from 'node:child_process';

interface KubectlResult {
  /** 0 when all went well; -1 when a signal ended it. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs kubectl as the administrator, or as the user whose kubeconfig is given. Never throws for an
 * exit code.
 */
export type Kubectl = (
  args: readonly string[],
  stdin?: string,
  kubeconfig?: string,
) => Promise<KubectlResult>;

export interface KubectlOptions {
  readonly program: string;
  readonly kubeconfig: string;
  /** Discovery goes here, so that the cache of the person at this machine stays as it is. */
  readonly cacheFolder: string;
}

export function createKubectl(options: KubectlOptions): Kubectl {
  return (args, stdin, kubeconfig = options.kubeconfig) =>
    new Promise((resolve, reject) => {
      const child = spawn(options.program, args, {
        env: {
          ...process.env,
          KUBECONFIG: kubeconfig,
          KUBECACHEDIR: options.cacheFolder,
          KUBERC: 'off',
        },
      });
      const stdout: Buffer[] = [];
      const stderr: Buffer[] = [];
      child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
      child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
      child.once('error', reject);
      child.once('close', (code) => {
        resolve({
          code: code ?? -1,
          stdout: Buffer.concat(stdout).toString(),
          stderr: Buffer.concat(stderr).toString(),
        });
      });
      // kubectl may end without reading all of it, a refused flag for one; its exit code tells the
      // story.
      child.stdin.on('error', () => child.stdin.destroy());
      child.stdin.end(stdin ?? '');
    });
}
