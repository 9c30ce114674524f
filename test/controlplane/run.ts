import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** What a program that ran to its end said. */
export interface Ran {
  /** -1 when a signal ended it. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly stdin?: string;
  /** Beside the variables of this process, or in their place. */
  readonly env?: Readonly<Record<string, string>>;
  readonly isBare?: true;
  readonly cwd?: string;
}

/** Runs a program; never throws for an exit code. */
export function run(
  program: string,
  args: readonly string[],
  { stdin = '', env = {}, isBare, cwd }: RunOptions = {},
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env: { ...(isBare ? {} : process.env), ...env } });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? -1, stdout, stderr }));
    // It may end without reading all of it, over a wrong flag for one.
    child.stdin.on('error', () => child.stdin.destroy());
    child.stdin.end(stdin);
  });
}

/** The same, where it should succeed: gives its output, throws with what it complained of. */
export async function succeed(...call: Parameters<typeof run>): Promise<string> {
  const { code, stdout, stderr } = await run(...call);
  if (code !== 0)
    throw new Error(`${call[0]} ${call[1].join(' ')} ended with ${code}: ${stderr || stdout}`);
  return stdout;
}

/** Runs kubectl as the administrator, or as the user of another kubeconfig. */
export function kubectlOf(program: string, admin: string, folder: string) {
  return (args: readonly string[], stdin = '', kubeconfig = admin): Promise<Ran> => {
    // Its discovery goes here, so that the cache of the person at this machine stays as it is.
    const KUBECACHEDIR = join(folder, 'kubectl');
    return run(program, args, {
      stdin,
      env: { KUBECONFIG: kubeconfig, KUBECACHEDIR, KUBERC: 'off' },
    });
  };
}
