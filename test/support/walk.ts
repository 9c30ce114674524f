import { spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { controlPlane, waitFor } from '../controlplane/client.ts';
import type { PageBlock } from './page.ts';
import { pluginFolder } from './plugin.ts';
import { missingFrom } from './shown-output.ts';

/** A reader who runs the commands of a page, one block after another, in one folder and shell. */
export interface Walk {
  /** Where the reader stands; files that blocks make are here. */
  readonly folder: string;
  /**
   * Runs the blocks below this heading, which must come next. Throws where one ends with another
   * code than the page's words let expect, or prints other lines than the page shows.
   */
  section(heading: string): Promise<void>;
  /** The headings of the blocks that were not run yet. */
  left(): string[];
}

export interface Walker {
  /** What stands in the page, and what is meant by it here: names of namespaces, addresses. */
  readonly here: Readonly<Record<string, string>>;
  /** Absent: the administrator's. */
  readonly kubeconfig?: string;
}

/** A plan ends with 2 where something would be sent. */
const MAY_END_WITH_2 = /^kubectl pipewright plan /;
/** Events are sent behind the status. */
const MAY_COME_LATER = /^kubectl events /;

export async function walk(blocks: readonly PageBlock[], walker: Walker): Promise<Walk> {
  const { here, kubeconfig = controlPlane.adminKubeconfig } = walker;
  const folder = await mkdtemp(join(tmpdir(), 'pipewright-walk-'));
  const path = await pluginFolder();
  const toRun = blocks.filter(({ notRun }) => notRun === undefined);

  async function run({ script }: PageBlock): Promise<{ code: number | null; printed: string }> {
    const child = spawn('sh', ['-e', '-c', translated(script, Object.entries(here))], {
      cwd: folder,
      env: {
        PATH: `${path}:${process.env['PATH'] ?? ''}`,
        HOME: folder,
        KUBECONFIG: kubeconfig,
        KUBECACHEDIR: join(controlPlane.folder, 'kubectl'),
        NO_COLOR: '1',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    const [code, out, err] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
    return { code, printed: `${out}${err}` };
  }

  /** What is wrong with a run of this block; undefined where it went as the page says. */
  async function complaintOf(block: PageBlock): Promise<string | undefined> {
    const { script, shown } = block;
    const { code, printed } = await run(block);
    const codes = shown !== undefined && MAY_END_WITH_2.test(script) ? [0, 2] : [0];
    if (code === null || !codes.includes(code)) return `ended with ${code}:\n${script}\n${printed}`;
    const back = Object.entries(here).map(([name, meant]): [string, string] => [meant, name]);
    const missing = missingFrom(translated(printed, back), shown ?? '');
    return missing && `shows ${JSON.stringify(missing)}, which is not in\n${printed}`;
  }

  async function go(block: PageBlock): Promise<void> {
    const complaint = MAY_COME_LATER.test(block.script)
      ? await waitFor(() => complaintOf(block), {
          what: `the output of ${block.page}:${block.line}`,
          until: (one) => one === undefined,
        })
      : await complaintOf(block);
    if (complaint !== undefined) throw new Error(`${block.page}:${block.line} ${complaint}`);
  }

  return {
    folder,
    async section(heading) {
      if (toRun[0]?.section !== heading)
        throw new Error(`"${toRun[0]?.section}" comes before "${heading}"`);
      for (let [next] = toRun; next?.section === heading; [next] = toRun) {
        await go(next);
        toRun.shift();
      }
    },
    left: () => toRun.map(({ section }) => section),
  };
}

function translated(words: string, pairs: readonly (readonly [string, string])[]): string {
  return pairs.reduce((said, [from, to]) => said.replaceAll(from, to), words);
}
