import { type ChildProcess, spawn } from 'node:child_process';
import { NODE_FLAGS } from '../dockerfile.ts';

/** A run of the bundle with any flags, also ones that it refuses. */
export interface BareProcess {
  readonly process: ChildProcess;
  /** What it printed so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** The exit code; null after a signal. */
  readonly exited: Promise<number | null>;
}

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
): BareProcess {
  const { bundle = 'dist/pipewright.js', nodeFlags = [], env = {}, cwd } = options;
  const child = spawn(process.execPath, [...NODE_FLAGS, ...nodeFlags, bundle, ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...env },
    ...(cwd !== undefined && { cwd }),
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { process: child, stdout: () => stdout, stderr: () => stderr, exited };
}
