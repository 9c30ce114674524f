import { findBinaries } from './controlplane/binaries.ts';
import { progressLines } from './controlplane/progress.ts';
import { BUILD, runLoudly, runQuietly, VITEST } from './steps.ts';
import { Timetable } from './timetable.ts';

/**
 * Lives of the operator on simulated time: every fate of every call and write of the workloads, and
 * the first lives of seeds. They run behind the integration tests, which mostly wait; by number, as
 * on a busy machine a given time would be spent in waiting for a processor.
 */
const HUNTS: readonly (readonly string[])[] = [['--sweep'], ['--from', '1', '--lives', '1500']];

/** Their priority, as of `nice`. */
const BEHIND = 10;

/** Projects that run no bundle. One that is made anew is not there for a moment. */
const WITHOUT_BUNDLE = ['unit', 'tables', 'planted'];

/** What holds the rules of the product; with arguments, vitest alone, which gets them. */
async function main(chosen: readonly string[]): Promise<boolean> {
  const times = new Timetable('npm test');
  const isBuilt = !chosen.some((one) => WITHOUT_BUNDLE.includes(one));
  if (isBuilt && !(await times.part(BUILD.name, () => runQuietly(BUILD)))) return false;
  if (chosen.length > 0) return runLoudly([...VITEST, ...chosen]);
  const holds = await all(times);
  console.log(`\n${times.lines().join('\n')}`);
  return holds;
}

async function all(times: Timetable): Promise<boolean> {
  // On a new machine this takes longer than the unit tests, which need none of it.
  const building = times.part('building etcd, kube-apiserver and kubectl', prepare);
  const unit = await times.part('unit tests', () => vitest('unit'));
  if (!(await building)) return false;
  const [integration, lives] = await Promise.all([
    times.part('integration tests', () => vitest('integration')),
    live(times),
  ]);
  return unit && integration && lives;
}

async function live(times: Timetable): Promise<boolean> {
  for (const hunt of HUNTS) {
    const name = `hunt ${hunt.join(' ')}`;
    console.log(`Simulated lives, ${name}:`);
    const run = () => runLoudly(['test/simulation/hunt/main.ts', ...hunt], { priority: BEHIND });
    if (!(await times.part(name, run))) return false;
  }
  return true;
}

function vitest(project: string): Promise<boolean> {
  return runLoudly([...VITEST, '--project', project]);
}

/** Builds what the integration tests run, if it is not there; says why where it cannot. */
async function prepare(): Promise<boolean> {
  const say = progressLines();
  try {
    const { folder, origin } = await findBinaries({ say });
    say(`etcd, kube-apiserver and kubectl are in ${folder} (${origin})`);
    return true;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return false;
  }
}

process.exitCode = (await main(process.argv.slice(2))) ? 0 : 1;
