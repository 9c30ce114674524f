import { type Clock, waitAtMost } from '../../clock.ts';

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
    await waitAtMost(clock, patienceMs, start());
    starting -= 1;
    fill();
  };

  return (start) => {
    waiting.push(start);
    fill();
  };
}
