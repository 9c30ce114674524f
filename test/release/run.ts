import { spawn } from 'node:child_process';

export interface Ran {
  /** -1 when a signal ended it. */
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Runs a program to its end. Throws where there is no such program, not for its exit code. */
export function run(
  program: string,
  args: readonly string[],
  { cwd, env }: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const [out, err]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    child.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'ENOENT'
          ? new Error(
              `there is no program "${program}" here; a release is built on Debian, or in a container of it, which has it`,
            )
          : error,
      ),
    );
    child.once('close', (code) =>
      resolve({
        code: code ?? -1,
        stdout: Buffer.concat(out),
        stderr: Buffer.concat(err).toString('utf8'),
      }),
    );
  });
}
