import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { UnitTest } from './mutation.ts';
import type { Report, TestEnd } from './reporter.ts';

const VITEST = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
const LONGEST_MS = 120_000;
/** For what a test waits for in vain; without a change the same is enough. */
const PATIENCE_MS = 10_000;
const running = new Set<ChildProcess>();

/**
 * Runs tests of a copy of the project in a process of their own. Throws where that did not end as a
 * run of tests ends.
 */
export async function runTests(folder: string, tests: readonly UnitTest[]): Promise<Report> {
  const file = join(folder, 'mutation-report.json');
  rmSync(file, { force: true });
  const output = await run(folder, file, [
    ...new Set(tests.map(({ test }) => test)),
    '--testNamePattern',
    [
      ...new Set(tests.map(({ title }) => title.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`))),
    ].join('|'),
  ]);
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report;
  } catch (error) {
    throw new Error(`the tests did not run to their end:\n${output}`, { cause: error });
  }
}

function run(folder: string, report: string, args: readonly string[]): Promise<string> {
  const child = spawn(
    process.execPath,
    [
      VITEST,
      'run',
      '--config',
      join(folder, 'test/vitest.config.ts'),
      '--project',
      'unit',
      '--project',
      'tables',
      '--reporter',
      join(folder, 'test/mutation/reporter.ts'),
      ...args,
    ],
    {
      cwd: folder,
      env: { ...process.env, MUTATION_REPORT: report, TEST_PATIENCE_MS: String(PATIENCE_MS) },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own, so that its workers end with it.
      detached: true,
    },
  );
  running.add(child);
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => output.push(chunk));
  const timer = setTimeout(() => end(child), LONGEST_MS);
  return new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve(Buffer.concat(output).toString('utf8').trim()));
  }).finally(() => {
    clearTimeout(timer);
    running.delete(child);
  });
}

/** Ends all runs at once, with their workers. */
export function endTests(): void {
  for (const child of running) end(child);
}

function end({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

/** How the tests ended that bear this title, which may be one for each row of a table. */
export function endsOf({ tests }: Report, { test, title }: UnitTest): readonly TestEnd[] {
  return tests.filter((one) => one.file.endsWith(`/${test}`) && one.title.includes(title));
}
