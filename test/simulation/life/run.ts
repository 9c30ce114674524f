import { judge } from '../invariants/all.ts';
import type { Court } from '../invariants/court.ts';
import { Life, type LifeOptions } from './life.ts';

const MINUTE = 60_000;
/** What the adversary leaves open is brought to its end in this time, or it says itself when it is tried again. */
const AFTER_REST_MS = 15 * MINUTE;
/** The longest wait of the contract is 6 h, give or take a fifth. */
const LONGEST_MS = 8 * 60 * MINUTE;
/** So often what is open may say that it is tried again later. */
const ROUNDS = 4;

/** Lives a life to its end and judges it. `listen` hears every fact. */
export async function live(options: LifeOptions & { readonly listen?: (life: Life) => void }): Promise<Court> {
  const life = new Life(options);
  options.listen?.(life);
  const { court, ending, close } = judge(life);
  life.begin();
  const { restAt } = options.world;
  await life.run(restAt + AFTER_REST_MS);
  for (let round = 0; round < ROUNDS; round += 1) {
    const times = ending.openUntil().filter((at) => at > life.timeline.now && at < restAt + LONGEST_MS);
    if (times.length === 0) break;
    const due = Math.max(...times);
    await sleepUntil(life, due - MINUTE);
    await life.run(due + 2 * MINUTE);
  }
  close();
  life.timeline.stop();
  return court;
}

/** Hours in which nothing happens cost as much as others: most lives have their processes stopped, and started again before something is due. */
async function sleepUntil(life: Life, at: number): Promise<void> {
  if (!life.world.sleeps || at < life.timeline.now + 10 * MINUTE) return;
  life.fleet.stop();
  await life.run(at);
  life.fleet.start();
}
