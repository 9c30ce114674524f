import type { Draw } from '../engine/draw.ts';
import type { Life } from '../life/life.ts';
import type { Means } from '../life/world.ts';

/** Where an act was drawn to: what it concerns, where that is not left to chance. */
export interface Focus {
  /** In the words of `targetOfSpec`. */
  readonly target?: string;
  readonly process?: string;
}

/** One thing that somebody other than the operator can do. */
export interface Act {
  readonly name: string;
  readonly means: Means;
  readonly weight: number;
  /**
   * Does it, and says in one plain sentence what was done; undefined: there was nothing to do it
   * to.
   */
  perform(life: Life, draw: Draw, focus: Focus): string | undefined;
}
