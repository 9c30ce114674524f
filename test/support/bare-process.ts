import { spawn } from 'node:child_process';
import { NODE_FLAGS } from '../dockerfile.ts';

/**
 * Starts the bundle, or a copy of it, with nothing in its environment but what is given. The caller
 * ends it.
 */
export function startBare(
  flags: readonly string[],
  options: {
    readonly bundle?: string;
    readonly nodeFlags?: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
    readonly cwd?: string;
  } = {},
) {
  const { bundle = 'dist/pipewright.js', nodeFlags = [], env = {}, cwd } = options;
  const child = spawn(process.execPath, [...NODE_FLAGS, ...nodeFlags, bundle, ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...env },
    ...(cwd !== undefined && { cwd }),
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  /** The exit code; null after a signal. */
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { process: child, stdout: () => stdout, stderr: () => stderr, exited };
}
