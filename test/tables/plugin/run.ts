import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { vi } from 'vitest';
import { runProgram } from '../../../src/cli/program.ts';
import { temporaryFolder } from '../../support/folder.ts';

/** When every run takes place. */
export const NOW = '2026-03-01T12:00:00.000Z';

/** What kubectl prints and how it ends; a text or an object is what it prints where all is well. */
type Answer = string | object | { readonly code: number; readonly stderr: string };

/** By the beginning of the command line. */
export type Answers = Readonly<Record<string, Answer>>;

/** Runs `kubectl pipewright …` with a kubectl on the PATH that gives these answers. */
export async function pipewright(argv: readonly string[], answers: Answers = {}) {
  const folder = await temporaryFolder();
  const printed = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const)
    vi.spyOn(process[stream], 'write').mockImplementation((text) => {
      printed[stream] += String(text);
      return true;
    });
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(NOW) });
  try {
    const said = await standIn(folder, answers);
    vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`);
    const code = await runProgram(argv);
    return { code, ...printed, ...(await said()) };
  } finally {
    vi.unstubAllEnvs();
    vi.useRealTimers();
    vi.restoreAllMocks();
  }
}

/** Puts a program `kubectl` there; the result gives what it was asked. */
async function standIn(folder: string, answers: Answers) {
  const program = join(folder, 'kubectl');
  const cases: string[] = [];
  for (const [at, [start, answer]] of Object.entries(answers).entries()) {
    const { code, stderr, stdout } = outcomeOf(answer);
    await writeFile(`${program}.${at}.stdout`, stdout);
    await writeFile(`${program}.${at}.stderr`, stderr);
    cases.push(`'${start}'*) at=${at}; code=${code} ;;`);
  }
  const script = `#!/bin/sh
printf '%s\\n' "$*" >>"$0.asked"
case "$*" in *'-f -'*) cat >>"$0.input" ;; esac
case "$*" in
${cases.join('\n')}
*) echo "unexpected: kubectl $*" >&2; exit 99 ;;
esac
cat "$0.$at.stdout"
cat "$0.$at.stderr" >&2
exit $code
`;
  await writeFile(program, script);
  await chmod(program, 0o755);
  const kept = (what: string) => readFile(`${program}.${what}`, 'utf8').catch(() => '');
  return async () => ({
    /** The command lines, without the word itself. */
    asked: (await kept('asked')).split('\n').filter(Boolean),
    /** What was given as stdin, one after the other. */
    input: await kept('input'),
  });
}

function outcomeOf(answer: Answer) {
  const fine = { code: 0, stdout: '', stderr: '' };
  if (typeof answer === 'string') return { ...fine, stdout: answer };
  return 'stderr' in answer ? { ...fine, ...answer } : { ...fine, stdout: JSON.stringify(answer) };
}
