import type { Draw } from '../engine/draw.ts';

/** How often the adversary strikes where it could, 0 to 1. */
export interface Odds {
  readonly apiFault: number;
  readonly kubeFault: number;
  readonly glitch: number;
  readonly hop: number;
}

export function drawOdds(draw: Draw, isDense: boolean): Odds {
  return {
    apiFault: draw.pick(isDense ? [0.08, 0.25] : [0.02, 0.08, 0.25]),
    kubeFault: draw.pick(isDense ? [0.04, 0.1] : [0.01, 0.04, 0.1]),
    glitch: draw.pick([0.05, 0.2]),
    hop: draw.pick(isDense ? [0.06, 0.15] : [0, 0.02, 0.06, 0.15]),
  };
}
