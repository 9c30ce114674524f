import { judge } from '../invariants/all.ts';
import type { Court } from '../invariants/court.ts';
import { Life, type LifeOptions } from './life.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
/** The longest wait of the contract is 6 h, give or take a fifth. */
const LONGEST_MS = 8 * 60 * MINUTE;
/** So often what is open may say that it is tried again later. */
const ROUNDS = 4;

/** Lives a life to its end and judges it. `listen` hears every fact. */
export async function live(
  options: LifeOptions & { readonly listen?: (life: Life) => void },
): Promise<Court> {
  const life = new Life(options);
  options.listen?.(life);
  const { court, ending, close } = judge(life);
  life.begin();
  const unheard = (error: unknown): void =>
    court.report(
      'process unhandled',
      'the operator',
      `a promise failed and nobody looked: ${String(error)}`,
    );
  process.on('unhandledRejection', unheard);
  try {
    await life.run(options.world.endAt);
    if (!court.isAdjourned) await runUntilClosed(life, () => ending.openUntil());
    for (const one of life.fleet.processes) one.scrape();
    if (!court.isAdjourned) close();
  } finally {
    process.off('unhandledRejection', unheard);
    life.timeline.stop();
  }
  return court;
}

/** Lives on until nothing says any more that it is tried again later. */
async function runUntilClosed(life: Life, openUntil: () => readonly number[]): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    // Times on record were written by clocks that may have been ahead, and are kept by clocks that
    // may be behind.
    const horizon = life.world.restAt + LONGEST_MS + 2 * life.fleet.clocksOffMs;
    // What has come due this second may not have left yet.
    const isDue = (at: number): boolean => at > life.timeline.now - SECOND && at < horizon;
    const times = openUntil().filter(isDue);
    if (times.length === 0) return;
    const due = Math.max(...times);
    await sleepUntil(life, due - MINUTE);
    await life.run(due + 2 * MINUTE);
  }
}

/**
 * Hours in which nothing happens cost as much as others: most lives have their processes stopped,
 * and started again before something is due.
 */
async function sleepUntil(life: Life, at: number): Promise<void> {
  if (!life.world.sleeps || at < life.timeline.now + 10 * MINUTE) return;
  life.fleet.stop();
  await life.run(at);
  life.fleet.start();
}
