import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { controlPlane, waitFor } from '../controlplane/client.ts';
import type { PageBlock } from './page.ts';
import { pluginFolder } from './plugin.ts';
import { readerAt } from './reader.ts';

interface Walker {
  /** What stands in the page, and what is meant by it here. */
  readonly here: Readonly<Record<string, string>>;
  /** Absent: the administrator's. */
  readonly kubeconfig?: string;
}

/** A plan ends with 2 where something would be sent. */
const MAY_END_WITH_2 = /^kubectl pipewright plan /;
/** Events are sent behind the status. */
const MAY_COME_LATER = /^kubectl events /;

export type Walk = Awaited<ReturnType<typeof walk>>;

/** Somebody who runs the commands of a page section by section, while the test acts between. */
export async function walk(blocks: readonly PageBlock[], walker: Walker) {
  const { here, kubeconfig = controlPlane.adminKubeconfig } = walker;
  const folder = await mkdtemp(join(tmpdir(), 'pipewright-walk-'));
  const env = {
    PATH: `${await pluginFolder()}:${process.env['PATH'] ?? ''}`,
    HOME: folder,
    KUBECONFIG: kubeconfig,
    KUBECACHEDIR: join(controlPlane.folder, 'kubectl'),
    NO_COLOR: '1',
  };
  const reader = readerAt({ folder, env, here });
  const toRun = blocks.filter(({ notRun }) => notRun === undefined);

  async function go(block: PageBlock): Promise<unknown> {
    const { page, line, script, shown } = block;
    const follow = () =>
      reader.follow(block, shown !== undefined && MAY_END_WITH_2.test(script) ? [0, 2] : [0]);
    return MAY_COME_LATER.test(script)
      ? waitFor(follow, { what: `the output of ${page}:${line}` })
      : follow();
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
