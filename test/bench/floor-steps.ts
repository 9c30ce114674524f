/**
 * What the bare loop does besides, each with all before it: a watch that
 * keeps what it brings, a line in the log for each object, and a look at each spec by its schema.
 */
export const FLOOR_STEPS = ['watch', 'log', 'schema'] as const;
export type FloorStep = (typeof FLOOR_STEPS)[number];

/** A step and those before it; none where none is named. */
export function floorSteps(upTo: FloorStep | undefined): readonly FloorStep[] {
  return FLOOR_STEPS.slice(0, FLOOR_STEPS.findIndex((step) => step === upTo) + 1);
}
