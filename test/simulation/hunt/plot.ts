import { Draw } from '../engine/draw.ts';
import type { LifeOptions } from '../life/life.ts';
import { drawWorld } from '../life/world.ts';
import { scheduleOf } from '../scope/schedule.ts';
import { Script } from '../scope/script.ts';
import { SMALL_WORLD } from '../scope/world.ts';
import { Tenants } from '../tenants/tenants.ts';
import { drawTenants } from '../tenants/world.ts';

const NOTHING_BEFALLS = { apiFault: 0, kubeFault: 0, glitch: 0, hop: 0 };

/** Which life to live: the one of a seed, or one of the interleavings of a depth, by its number. */
export interface Plot {
  readonly seed: number;
  /** The seed is the number of an interleaving of this depth. */
  readonly depth?: number;
  /** The life of a seed with a busier adversary: another life. */
  readonly isDense?: boolean;
  /** A life of two tenants, which is lived once more without the one that wants to harm. */
  readonly isTenants?: boolean;
}

/** What there is and happens in a life: the same for the same plot, every time and everywhere. */
export function optionsOf({
  seed,
  depth,
  isDense,
  isTenants,
}: Plot): Pick<LifeOptions, 'world' | 'opponent' | 'odds'> {
  if (isTenants) {
    return {
      world: drawTenants(new Draw(`life ${seed}/tenants`)),
      opponent: (life) => new Tenants(life),
      odds: NOTHING_BEFALLS,
    };
  }
  if (depth === undefined) return { world: drawWorld(new Draw(`life ${seed}`), isDense) };
  return {
    world: SMALL_WORLD,
    opponent: (life) => new Script(life, scheduleOf(seed, depth)),
    odds: NOTHING_BEFALLS,
  };
}
