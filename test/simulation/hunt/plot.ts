import { Draw } from '../engine/draw.ts';
import type { LifeOptions } from '../life/life.ts';
import { drawWorld } from '../life/world.ts';
import { scheduleOf } from '../scope/schedule.ts';
import { Script } from '../scope/script.ts';
import { SMALL_WORLD } from '../scope/world.ts';

/** Which life to live: the one of a seed, or one of the interleavings of a depth, by its number. */
export interface Plot {
  readonly seed: number;
  /** The seed is the number of an interleaving of this depth. */
  readonly depth?: number;
  /** The life of a seed with a busier adversary: another life. */
  readonly isDense?: boolean;
}

/** What there is and happens in a life: the same for the same plot, every time and everywhere. */
export function optionsOf({
  seed,
  depth,
  isDense,
}: Plot): Pick<LifeOptions, 'world' | 'opponent' | 'odds'> {
  if (depth === undefined) return { world: drawWorld(new Draw(`life ${seed}`), isDense) };
  return {
    world: SMALL_WORLD,
    opponent: (life) => new Script(life, scheduleOf(seed, depth)),
    odds: { apiFault: 0, kubeFault: 0, glitch: 0, hop: 0 },
  };
}
