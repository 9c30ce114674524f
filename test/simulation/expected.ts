/** A fault of the operator that is known and not mended yet. The list may only shrink. */
export interface Expected {
  readonly rule: string;
  /** A life that shows it. */
  readonly seed: number;
  readonly fault: string;
}

export const EXPECTED: readonly Expected[] = [];

export function expectedOf(rule: string): Expected | undefined {
  return EXPECTED.find((one) => one.rule === rule);
}
