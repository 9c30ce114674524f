import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Plot } from './plot.ts';
import type { Result } from './worker.ts';

export interface PackOptions {
  readonly sources: string;
  /** The next life to live; undefined: there is none. */
  readonly next: () => Plot | undefined;
  /** Told of every life; false ends the hunt. */
  readonly heard: (result: Result) => boolean;
  /** How many at a time; as many as there are cores where absent. */
  readonly workers?: number;
}

/** The longest lives, those that go round and round, take some ten seconds. */
const LONGEST_MS = 180_000;

/**
 * Lives lives on every core until there are no more, or somebody has heard enough. Rejects where a
 * life does not end, or ends its worker.
 */
export async function hunt({
  sources,
  next,
  heard,
  workers: count = availableParallelism(),
}: PackOptions): Promise<void> {
  let isOver = false;
  const first = take(count, next);
  const workers = first.map(() => startWorker(sources));
  const endWorkers = (): void => {
    for (const worker of workers) worker.kill();
  };
  // Before whoever made a copy of the sources for them removes it.
  process.prependOnceListener('exit', endWorkers);
  const work = (worker: ChildProcess, index: number): Promise<void> =>
    new Promise((resolve, reject) => {
      let clock: NodeJS.Timeout | undefined;
      let present = 0;
      const give = (plot: Plot | undefined): void => {
        if (plot === undefined) {
          resolve();
          return;
        }
        const stuck = new Error(
          `the life of seed ${plot.seed} has not ended after ${LONGEST_MS / 1_000} s of real time`,
        );
        clock = setTimeout(() => reject(stuck), LONGEST_MS);
        // It must not keep a hunt alive that is over.
        clock.unref();
        present = plot.seed;
        worker.send(plot);
      };
      worker.on('error', reject);
      worker.on('exit', (code, signal) => {
        reject(
          new Error(
            `a worker ended with ${signal ?? `code ${code}`} in the life of seed ${present}`,
          ),
        );
      });
      worker.on('message', (result: Result) => {
        clearTimeout(clock);
        if (!heard(result)) isOver = true;
        give(isOver ? undefined : next());
      });
      give(first[index]);
    });
  try {
    await Promise.all(workers.map(work));
  } finally {
    process.off('exit', endWorkers);
    endWorkers();
  }
}

/**
 * The first life of each worker; where there are fewer lives than that, there are fewer workers.
 */
function take(count: number, next: () => Plot | undefined): Plot[] {
  const plots: Plot[] = [];
  while (plots.length < count) {
    const plot = next();
    if (plot === undefined) break;
    plots.push(plot);
  }
  return plots;
}

/**
 * A process of its own: Node 24 now and then ends with a trap where many threads come and go, each
 * with the WebAssembly of its HTTP parser. With room for the short-lived things that a life is made
 * of it collects garbage less often.
 */
function startWorker(sources: string): ChildProcess {
  return fork(fileURLToPath(new URL('worker.ts', import.meta.url)), [sources], {
    serialization: 'advanced',
    execArgv: ['--max-semi-space-size=64'],
  });
}
