import type { Cancel, Clock } from '../../clock.ts';

type Start = () => Promise<void>;

/**
 * Lets few things start at once, in the order in which they were given. The promise of a start
 * tells when the next may go; one that has not answered after `patienceMs` keeps nobody waiting any
 * longer.
 */
export function createStartLine(options: {
  readonly clock: Clock;
  readonly atOnce: number;
  readonly patienceMs: number;
}): (start: Start) => void {
  const { clock, atOnce, patienceMs } = options;
  const waiting: Start[] = [];
  let starting = 0;

  const fill = (): void => {
    while (starting < atOnce) {
      const start = waiting.shift();
      if (!start) return;
      starting += 1;
      void run(start);
    }
  };

  const run = async (start: Start): Promise<void> => {
    let cancel: Cancel | undefined;
    const patience = new Promise<void>((resolve) => {
      cancel = clock.at(patienceMs, resolve);
    });
    await Promise.race([start(), patience]);
    cancel?.();
    starting -= 1;
    fill();
  };

  return (start) => {
    waiting.push(start);
    fill();
  };
}
