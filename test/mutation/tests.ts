import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Mutation } from './mutation.ts';

const VITEST = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
const LONGEST_MS = 120_000;
const running = new Set<ChildProcess>();

/** How one test ended, as the JSON reporter of vitest has it. */
interface TestEnd {
  readonly fullName: string;
  readonly status: string;
  readonly failureMessages: readonly string[];
}

type Report = readonly {
  readonly name: string;
  readonly message: string;
  readonly assertionResults: readonly TestEnd[];
}[];

const literal = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);

/**
 * Runs the tests that these mutations name, in a copy and in a process of its own. Gives how those
 * of one mutation end: one for each row of a table. Throws where the run did not end as runs end.
 */
export async function runTests(
  folder: string,
  mutations: readonly Mutation[],
): Promise<(mutation: Mutation) => readonly TestEnd[]> {
  const file = join(folder, 'mutation-report.json');
  rmSync(file, { force: true });
  const tests = new Set(mutations.map(({ seenBy }) => seenBy.test));
  const titles = new Set(mutations.map(({ seenBy }) => literal(seenBy.title)));
  const args = [...tests, '--testNamePattern', [...titles].join('|')];
  const output = await vitest(folder, ['--reporter=json', `--outputFile=${file}`, ...args]);
  if (!existsSync(file)) throw new Error(`the tests did not run to their end:\n${output}`);
  const files: Report = JSON.parse(readFileSync(file, 'utf8')).testResults;
  const broken = files.find(({ assertionResults }) => assertionResults.length === 0);
  if (broken) throw new Error(`${broken.name} could not be loaded: ${broken.message}`);
  return ({ seenBy }) => {
    const named = files.filter(({ name }) => name.endsWith(`/${seenBy.test}`));
    const all = named.flatMap(({ assertionResults }) => assertionResults);
    return all.filter(({ fullName }) => fullName.includes(seenBy.title));
  };
}

async function vitest(folder: string, args: readonly string[]): Promise<string> {
  const project = ['--config', 'test/vitest.config.ts', '--project', 'tables'];
  const child = spawn(process.execPath, [VITEST, 'run', ...project, ...args], {
    cwd: folder,
    env: { ...process.env, MUTATION_REPORT: folder, TEST_PATIENCE_MS: '10000' },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that its workers end with it.
    detached: true,
  });
  running.add(child);
  const timer = setTimeout(() => endTests([child]), LONGEST_MS);
  try {
    return (await Promise.all([text(child.stdout), text(child.stderr)])).join('').trim();
  } finally {
    clearTimeout(timer);
    running.delete(child);
  }
}

/** Ends runs at once, with their workers: all of them, or these. */
export function endTests(children: Iterable<ChildProcess> = running): void {
  for (const { pid } of children)
    try {
      if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
}
