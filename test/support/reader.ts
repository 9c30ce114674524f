import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { controlPlane, waitFor } from '../controlplane/client.ts';
import { type Ran, run } from '../controlplane/run.ts';
import type { PageBlock } from './page.ts';
import { pluginFolder } from './plugin.ts';
import { isShown } from './shown-output.ts';

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
  readonly here: Readonly<Record<string, string>>;
}

export type Reader = ReturnType<typeof readerAt>;

/** Who follows pages: in one folder, with `sh -e`, and nothing of the machine of the test. */
export function readerAt({ folder, env, here }: ReaderOptions) {
  const names = Object.entries(here);
  const back = names.map(([name, meant]): [string, string] => [meant, name]);
  /** As a person types it; never throws for an exit code. */
  const shell = (script: string): Promise<Ran> => {
    const args = [String(PATIENCE_S), 'sh', '-e', '-c', translated(script, names)];
    return run('timeout', args, { cwd: folder, env, isBare: true });
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
      if (!isShown(printed, shown))
        throw new Error(`${page}:${line} shows\n${shown}\nwhich is not so in\n${printed}`);
      return ran;
    },
  };
}

function translated(words: string, pairs: readonly (readonly [string, string])[]): string {
  return pairs.reduce((said, [from, to]) => said.replaceAll(from, to), words);
}

/** A plan ends with 2 where something would be sent. */
const MAY_END_WITH_2 = /^kubectl pipewright plan /;
/** Events are sent behind the status. */
const MAY_COME_LATER = /^kubectl events /;

export type Walk = Awaited<ReturnType<typeof walk>>;

/** Somebody who runs the commands of a page section by section, while the test acts between. */
export async function walk(
  blocks: readonly PageBlock[],
  here: ReaderOptions['here'],
  kubeconfig = controlPlane.adminKubeconfig,
) {
  const folder = await mkdtemp(join(controlPlane.folder, 'walk-'));
  const env = {
    PATH: `${await pluginFolder()}:${process.env['PATH'] ?? ''}`,
    HOME: folder,
    KUBECONFIG: kubeconfig,
    KUBECACHEDIR: join(controlPlane.folder, 'kubectl'),
    NO_COLOR: '1',
  };
  const reader = readerAt({ folder, env, here });
  const toRun = blocks.filter(({ notRun }) => notRun === undefined);
  async function go(block: PageBlock): Promise<void> {
    const { page, line, script, shown } = block;
    const codes = shown !== undefined && MAY_END_WITH_2.test(script) ? [0, 2] : [0];
    const follow = () => reader.follow(block, codes);
    if (!MAY_COME_LATER.test(script)) await follow();
    else await waitFor(follow, { what: `the output of ${page}:${line}` });
  }
  return {
    /** Where the reader stands; files that blocks make are here. */
    folder,
    /** Runs the blocks below this heading, which must come next. */
    async section(heading: string): Promise<void> {
      if (toRun[0]?.section !== heading)
        throw new Error(`"${toRun[0]?.section}" comes before "${heading}"`);
      for (let [next] = toRun; next?.section === heading; [next] = toRun) {
        await go(next);
        toRun.shift();
      }
    },
    /** The headings of the blocks that were not run yet. */
    left: () => toRun.map(({ section }) => section),
  };
}
