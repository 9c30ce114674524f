import { judges } from '../judges/all.ts';
import { Life, type LifeOptions } from '../life/life.ts';
import { statusOf } from '../record/objects.ts';
import { Court } from './court.ts';
import { type Outcome, observeOutcome } from './outcome.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
/** So long after everything works what was broken by the adversary has come to rest, or says when. */
const REST_MS = 8 * MINUTE;
/** What says that it is tried again within this time is waited for. */
const HORIZON_MS = 45 * MINUTE;
const ROUNDS = 6;

export interface Lived {
  readonly life: Life;
  readonly court: Court;
  readonly outcome: Outcome;
}

/** Lives a life to its end and judges it; `listen` is there before anything happens. */
export async function live(options: LifeOptions, listen: (life: Life) => void): Promise<Lived> {
  const life = new Life(options);
  const court = new Court(life);
  listen(life);
  const outcomeOf = observeOutcome(life);
  const endings = judges.flatMap((judge) => judge(life, court).atEnd ?? []);
  const unheard = (error: unknown): void =>
    court.report('rest unhandled', 'the operator', `a promise failed unheard: ${String(error)}`);
  process.on('unhandledRejection', unheard);
  try {
    life.begin();
    await life.run(options.world.restAt + REST_MS);
    await runUntilTried(life);
    await Promise.all(life.processes.all.map((one) => one.scrape()));
    for (const end of endings) end();
    return { life, court, outcome: outcomeOf() };
  } finally {
    process.off('unhandledRejection', unheard);
    life.timeline.stop();
  }
}

/** Lives on until nothing says any more that it is tried again soon. */
async function runUntilTried(life: Life): Promise<void> {
  const horizon = life.timeline.now + HORIZON_MS;
  for (let round = 0; round < ROUNDS; round += 1) {
    const times = life.objects().flatMap(({ thing }) => {
      const { nextAttemptTime } = statusOf(thing);
      const at = Date.parse(nextAttemptTime ?? '') - life.wall;
      return at > life.timeline.now - SECOND && at < horizon ? [at] : [];
    });
    if (times.length === 0) return;
    await life.run(Math.max(...times) + 2 * MINUTE);
  }
}
