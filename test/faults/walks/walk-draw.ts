import type { Dice } from '../../support/dice.ts';

export type Spec = Readonly<Record<string, unknown>>;

/** What the Secret of an object holds. */
export type Key = 'good' | 'absent' | 'wrong' | 'empty';

/** One thing that happens on a walk; `settle`: the operator has had its say before the next. */
export type Step = { readonly settle: boolean } & (
  | { readonly do: 'edit'; readonly spec: Spec }
  /** An edit that the API server refuses: `wrong` replaces fields of the spec. */
  | { readonly do: 'refused-edit'; readonly wrong: Spec }
  | { readonly do: 'key'; readonly key: Key }
  | { readonly do: 'recreate' }
  | { readonly do: 'request' }
  /** Somebody else changes what the object does not own. */
  | { readonly do: 'theirs'; readonly value: number }
  | { readonly do: 'wait'; readonly minutes: number }
  | { readonly do: 'restart' }
);

/** How the specs of one kind are drawn. */
export interface Drawing {
  /** What the kind declares; at times what the API refuses or alters, unless `last`. */
  readonly own: (dice: Dice, options: { readonly last: boolean }) => Spec;
  /** What the API server's schema refuses. */
  readonly wrong: readonly [Spec, ...Spec[]];
}

export interface Walk {
  readonly steps: readonly Step[];
  readonly key: Key;
  readonly spec: Spec;
}

const STEPS = 8;

/** A walk, and what it ends with: a new spec on a key that was set before. */
export function drawWalk(dice: Dice, drawing: Drawing): Walk {
  const steps = Array.from({ length: STEPS }, () => drawStep(dice, drawing));
  const key = dice.one(['good', 'good', 'good', 'good', 'absent', 'wrong', 'empty'] as const);
  return {
    steps: [{ do: 'edit', spec: drawSpec(dice, drawing), settle: true }, ...steps],
    key,
    spec: drawSpec(dice, drawing, true),
  };
}

function drawStep(dice: Dice, drawing: Drawing): Step {
  const settle = dice.chance(0.5);
  const roll = dice.below(100);
  if (roll < 45) return { do: 'edit', spec: drawSpec(dice, drawing), settle };
  if (roll < 60) return { do: 'refused-edit', wrong: dice.one(drawing.wrong), settle: false };
  if (roll < 75)
    return {
      do: 'key',
      key: dice.one(['good', 'absent', 'wrong', 'empty'] as const),
      settle: false,
    };
  if (roll < 81) return { do: 'recreate', settle };
  if (roll < 86) return { do: 'request', settle: false };
  if (roll < 92) return { do: 'theirs', value: dice.below(30), settle: false };
  // All walks of a world together stay below the day after which a bad key lets a target go.
  if (roll < 97) return { do: 'wait', minutes: 10 + dice.below(60), settle: false };
  return { do: 'restart', settle: false };
}

function drawSpec(dice: Dice, { own }: Drawing, last = false): Spec {
  return {
    ...own(dice, { last }),
    ...(dice.chance(0.12) && { suspend: true }),
    ...(dice.chance(0.12) && { mode: 'Plan' }),
    ...(dice.chance(0.2) && { reassertInterval: dice.one(['10m', '1h', '24h']) }),
  };
}
