import { realpath } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { type Ran, run } from './run.ts';

/** What the npm that runs this tells its children of its project; another one is meant here. */
const OF_THIS_PROJECT =
  /^npm_(package_|lifecycle_|command$|node_execpath$|config_(local_|global_)?prefix$)/;

/**
 * Runs npm: the one that runs this, else the one on the PATH; with this Node, or another one. `env`
 * is put on top of what there is.
 */
export async function npm(
  args: readonly string[],
  {
    cwd,
    node = process.execPath,
    env = {},
  }: {
    readonly cwd: string;
    readonly node?: string;
    readonly env?: Readonly<Record<string, string>>;
  },
): Promise<Ran> {
  const without = Object.keys(process.env).flatMap((name) =>
    OF_THIS_PROJECT.test(name) ? ['-u', name] : [],
  );
  return run('env', [...without, node, await npmScript(), ...args], { cwd, env });
}

async function npmScript(): Promise<string> {
  const { npm_execpath: running, PATH = '' } = process.env;
  if (running !== undefined) return running;
  for (const folder of PATH.split(delimiter)) {
    const found = await realpath(join(folder, 'npm')).catch(() => undefined);
    if (found !== undefined) return found;
  }
  throw new Error('there is no npm on the PATH');
}
