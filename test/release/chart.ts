import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };
import type { Say } from '../controlplane/progress.ts';
import { file, gzipped, tarOf } from './archive.ts';
import { run } from './run.ts';

const CHART = 'deploy/helm/pipewright';
const { version } = packageJson;

/** The chart, as `helm package` packs it but for the times. Throws where it is not of the package's version. */
export async function chartArchive(say: Say): Promise<Uint8Array> {
  requireVersion(await readFile(join(CHART, 'Chart.yaml'), 'utf8'));
  const paths = await filesOfChart();
  await requireInGit(paths, say);
  const entries = paths.map(async (path) =>
    file(join('pipewright', path.slice(CHART.length + 1)), await readFile(path)),
  );
  return gzipped(await tarOf(await Promise.all(entries)));
}

function requireVersion(text: string): void {
  const metadata = parse(text) as Readonly<Record<string, unknown>>;
  for (const key of ['version', 'appVersion'])
    if (metadata[key] !== version)
      throw new Error(
        `${CHART}/Chart.yaml has the ${key} ${JSON.stringify(metadata[key])}, and package.json has the version ${JSON.stringify(version)}; run "npm run generate" and commit what it writes`,
      );
}

async function filesOfChart(): Promise<string[]> {
  const ignored = await readFile(join(CHART, '.helmignore'), 'utf8');
  const endings = ignored
    .trim()
    .split('\n')
    .map((pattern) => pattern.replace('*', ''));
  const found = await readdir(CHART, { recursive: true, withFileTypes: true });
  return found
    .filter((entry) => entry.isFile() && !endings.some((ending) => entry.name.endsWith(ending)))
    .map(({ parentPath, name }) => join(parentPath, name));
}

/** A file that only this machine has would make a chart that nobody else can build. A source without git has no more than its files. */
async function requireInGit(paths: readonly string[], say: Say): Promise<void> {
  if (!existsSync('.git')) return;
  // The folder may be another user's, in a container for one; git only lists names here.
  const args = ['-c', 'safe.directory=*', 'ls-files', '-z', '--others', '--', CHART];
  const listed = await run('git', args).catch(() => undefined);
  if (listed?.code !== 0) {
    const why = listed ? listed.stderr.trim() : 'the program "git" does not start here';
    say(`Not checked: whether each file of the chart is in git (${why})`);
    return;
  }
  const others = new Set(listed.stdout.toString('utf8').split('\0'));
  const strays = paths.filter((path) => others.has(path));
  if (strays.length > 0)
    throw new Error(
      `These files are in ${CHART} and not in git, so nobody else could build the same chart:\n${strays.map((path) => `  ${JSON.stringify(path)}`).join('\n')}\nRemove them, or add them to git.`,
    );
}
