import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Played } from './play.ts';
import { nameOf, type Plot } from './plot.ts';
import type { Result } from './worker.ts';

export interface Searched {
  readonly lives: number;
  /** Lives that break something. */
  readonly found: readonly Played[];
  /** Why a life could not be lived at all. */
  readonly failed: string | undefined;
}

interface SearchOptions {
  readonly sources: string;
  readonly plots: Iterator<Plot>;
  readonly seconds: number;
  /** The first breach ends it. */
  readonly isFirstEnough?: true;
}

/** A life takes a part of a second, but behind all else on a busy machine it takes minutes. */
const LONGEST_MS = 600_000;
/** Ctrl-C in a terminal reaches workers too; in a session of their own they would not be behind. */
const LIVES_ON = "process.on('SIGINT',()=>{})";

/** Lives one life after another, on every core. Ctrl-C ends it as if there were no more. */
export async function search(options: SearchOptions): Promise<Searched> {
  const { sources, plots, seconds, isFirstEnough = false } = options;
  const until = performance.now() + seconds * 1_000;
  const found: Played[] = [];
  let lives = 0;
  let failed: string | undefined;
  let isOver = false;
  const end = (): void => {
    isOver = true;
  };
  const heard = (result: Result): void => {
    if ('failed' in result) {
      failed ??= `${nameOf(result.plot)}: ${result.failed}`;
      return end();
    }
    lives += 1;
    if (result.played.violations.length > 0) found.push(result.played);
    if (isFirstEnough && found.length > 0) end();
  };
  const work = (worker: ChildProcess): Promise<void> =>
    new Promise((resolve, reject) => {
      let present: Plot | undefined;
      let clock: NodeJS.Timeout | undefined;
      const give = (): void => {
        const next = isOver || performance.now() > until ? undefined : plots.next();
        if (!next || next.done) return resolve();
        present = next.value;
        const stuck = new Error(`life ${nameOf(present)} does not end`);
        clock = setTimeout(() => reject(stuck), LONGEST_MS);
        worker.send(present);
      };
      worker.on('error', reject);
      worker.on('exit', (code, signal) => {
        clearTimeout(clock);
        reject(new Error(`life ${present && nameOf(present)} ends its worker: ${signal ?? code}`));
      });
      worker.on('message', (result: Result) => {
        clearTimeout(clock);
        heard(result);
        give();
      });
      give();
    });
  const workers = Array.from({ length: availableParallelism() }, () => startWorker(sources));
  const endWorkers = (): void => {
    for (const worker of workers) worker.kill();
  };
  process.once('SIGINT', end);
  process.prependOnceListener('exit', endWorkers);
  await Promise.all(workers.map(work)).finally(() => {
    process.off('SIGINT', end);
    process.off('exit', endWorkers);
    endWorkers();
  });
  return { lives, found, failed };
}

/**
 * A process of its own: Node 24 now and then ends with a trap where many threads come and go, each
 * with the WebAssembly of its HTTP parser. With room for the short-lived things that a life is made
 * of it collects garbage less often.
 */
function startWorker(sources: string): ChildProcess {
  return fork(fileURLToPath(new URL('worker.ts', import.meta.url)), [sources], {
    serialization: 'advanced',
    execArgv: ['--max-semi-space-size=64', `--import=data:text/javascript,${LIVES_ON}`],
  });
}
