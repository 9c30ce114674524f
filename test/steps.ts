import { type ChildProcess, spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { createInterface } from 'node:readline';

/** One program run to its end, and what to do when it fails. */
export interface Step {
  readonly name: string;
  /** Arguments of node: a script of ours or of a package. */
  readonly run: readonly string[];
  readonly mend: string;
  /** What it prints is shown also where it succeeds. */
  readonly isHeard?: true;
}

export const BUILD: Step = {
  name: 'bundles',
  run: ['test/build.ts'],
  mend: 'see the message of the bundler',
};

export const VITEST = [
  'node_modules/vitest/vitest.mjs',
  'run',
  '--config',
  'test/vitest.config.ts',
];

/** Runs a step with its output shown only when it fails; resolves to whether it succeeded. */
export async function runQuietly(step: Step): Promise<boolean> {
  const started = performance.now();
  const output: Buffer[] = [];
  const child = spawn(process.execPath, step.run, { stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => output.push(chunk));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const said = Buffer.concat(output).toString('utf8').trimEnd();
  if (code === 0) {
    const heard = step.isHeard && said !== '' ? `: ${said}` : '';
    console.log(`  ok    ${step.name} (${seconds} s)${heard}`);
    return true;
  }
  console.log(`  FAIL  ${step.name} (${seconds} s): ${step.mend}\n${said}`);
  return false;
}

const ENDINGS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface LoudOptions {
  /** Absent: node, for a script of ours. */
  readonly program?: string;
  /** As of `nice`; absent: ours. */
  readonly priority?: number | undefined;
  /** Told each line that it prints, which is shown all the same. */
  readonly onLine?: (line: string) => void;
}

/** What a program has printed is there this long after its end, also where it left a child behind. */
const LAST_LINES_MS = 2_000;

/**
 * Runs a program that shows its own progress; resolves to whether it succeeded. A signal that would
 * end us ends it first.
 */
export function runLoudly(
  args: readonly string[],
  { program = process.execPath, priority, onLine }: LoudOptions = {},
): Promise<boolean> {
  const out = onLine ? 'pipe' : 'inherit';
  const child = spawn(program, args, { stdio: ['inherit', out, out] });
  if (onLine) hear(child, onLine);
  if (child.pid !== undefined && priority !== undefined) setPriority(child.pid, priority);
  let endedBy: NodeJS.Signals | undefined;
  const endFirst = (signal: NodeJS.Signals): void => {
    endedBy = signal;
    // Ctrl-C in a terminal reaches the child by itself.
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
  };
  for (const signal of ENDINGS) process.on(signal, endFirst);
  return new Promise((resolve) => {
    child.once('error', (error) => {
      console.error(`cannot run ${program} ${args[0]}: ${error.message}; run \`npm ci\``);
      resolve(false);
    });
    child.once('close', (code) => {
      for (const signal of ENDINGS) process.off(signal, endFirst);
      if (endedBy !== undefined) process.exit(1);
      resolve(code === 0);
    });
  });
}

/** Shows what a child prints, and tells each line of it. */
function hear(child: ChildProcess, onLine: (line: string) => void): void {
  const { stdout, stderr } = child;
  stdout?.pipe(process.stdout, { end: false });
  stderr?.pipe(process.stderr, { end: false });
  for (const stream of [stdout, stderr])
    if (stream) createInterface({ input: stream }).on('line', onLine);
  // Children of its own that it has left behind may hold them open, and us with them.
  const close = (): void => [stdout, stderr].forEach((stream) => stream?.destroy());
  child.once('exit', () => setTimeout(close, LAST_LINES_MS).unref());
}
