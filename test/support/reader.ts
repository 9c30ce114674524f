import { type Ran, run } from '../controlplane/run.ts';
import type { PageBlock } from './page.ts';
import { missingFrom } from './shown-output.ts';

/**
 * The time of a block, then it ends with 124, and its commands with it: `kubectl delete` would wait
 * as long as a finalizer stands.
 */
const PATIENCE_S = 180;

interface ReaderOptions {
  readonly folder: string;
  /** All of it. */
  readonly env: Readonly<Record<string, string>>;
  /** What stands in the page, and what is meant by it here: names of namespaces, addresses. */
  readonly here?: Readonly<Record<string, string>>;
}

export type Reader = ReturnType<typeof readerAt>;

/** Who follows pages: in one folder, with `sh -e`, and nothing of the machine of the test. */
export function readerAt({ folder, env, here = {} }: ReaderOptions) {
  const names = Object.entries(here);
  const back = names.map(([name, meant]): [string, string] => [meant, name]);
  const pairs = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  /** As a person types it; never throws for an exit code. */
  const shell = (script: string): Promise<Ran> => {
    const limited = ['timeout', String(PATIENCE_S), 'sh', '-e', '-c', translated(script, names)];
    return run('env', ['-i', ...pairs, ...limited], { cwd: folder });
  };
  return {
    folder,
    shell,
    /** The same, where it should succeed; gives what it printed. */
    async succeed(script: string): Promise<string> {
      const { code, stdout, stderr } = await shell(script);
      if (code !== 0) throw new Error(`${script}\nended with ${code}: ${stderr}`);
      return stdout;
    },
    /** Runs a block. Throws where it ends with another code, or prints other than is shown. */
    async follow(block: PageBlock, codes: readonly number[] = [0]): Promise<Ran> {
      const { page, line, script, shown = '' } = block;
      const ran = await shell(script);
      const printed = translated(`${ran.stdout}${ran.stderr}`, back);
      if (!codes.includes(ran.code))
        throw new Error(`${page}:${line} ended with ${ran.code}:\n${script}\n${printed}`);
      const missing = missingFrom(printed, shown);
      if (missing !== undefined)
        throw new Error(
          `${page}:${line} shows ${JSON.stringify(missing)}, which is not so in\n${printed}`,
        );
      return ran;
    },
  };
}

function translated(words: string, pairs: readonly (readonly [string, string])[]): string {
  return pairs.reduce((said, [from, to]) => said.replaceAll(from, to), words);
}
