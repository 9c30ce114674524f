import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { nameOf, type Plot } from './plot.ts';
import type { Result } from './worker.ts';

interface PackOptions {
  readonly sources: string;
  /** The next life to live; undefined: there is none. */
  readonly next: () => Plot | undefined;
  /** Told of every life; false ends the hunt. */
  readonly heard: (result: Result) => boolean;
}

/** What goes round and round takes some ten seconds until it is noticed. */
const LONGEST_MS = 120_000;

/** Lives lives on every core until there are no more, or somebody has heard enough. */
export async function livePack({ sources, next, heard }: PackOptions): Promise<void> {
  let isOver = false;
  const workers = Array.from({ length: availableParallelism() }, () => startWorker(sources));
  const endWorkers = (): void => {
    for (const worker of workers) worker.kill();
  };
  process.prependOnceListener('exit', endWorkers);
  const work = (worker: ChildProcess): Promise<void> =>
    new Promise((resolve, reject) => {
      let clock: NodeJS.Timeout | undefined;
      let present = 'none yet';
      const give = (): void => {
        const plot = isOver ? undefined : next();
        if (plot === undefined) {
          resolve();
          return;
        }
        present = nameOf(plot);
        const stuck = new Error(`life ${present} has not ended after ${LONGEST_MS / 1_000} s`);
        clock = setTimeout(() => reject(stuck), LONGEST_MS);
        worker.send(plot);
      };
      worker.on('error', reject);
      worker.on('exit', (code, signal) => {
        reject(new Error(`a worker ended with ${signal ?? `code ${code}`} in life ${present}`));
      });
      worker.on('message', (result: Result) => {
        clearTimeout(clock);
        if (!heard(result)) isOver = true;
        give();
      });
      give();
    });
  try {
    await Promise.all(workers.map(work));
  } finally {
    process.off('exit', endWorkers);
    endWorkers();
  }
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
