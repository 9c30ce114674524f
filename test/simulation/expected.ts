/**
 * A fault of the operator that is known and not mended yet. The list may only shrink; a rule stands
 * twice where two faults break it.
 */
export interface Expected {
  readonly rule: string;
  /** A life that shows it, the first known; with a depth, an interleaving of the small scope. */
  readonly seed: number;
  readonly depth?: number;
  /**
   * By its number at the head of organization.md (1 to 8) or in section 3 of issue 11 (11.1 to
   * 11.13); else of the first version, by the same causes, or new.
   */
  readonly fault: string;
}

export const EXPECTED: readonly Expected[] = [];

export function expectedOf(rule: string): Expected | undefined {
  return EXPECTED.find((one) => one.rule === rule);
}
