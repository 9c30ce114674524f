import type { Life } from '../life/life.ts';

/** Something that must not be. */
export interface Violation {
  readonly at: number;
  /** The judge, and which part of its rule. */
  readonly rule: string;
  /** The object, target or process that it is about. */
  readonly subject: string;
  readonly text: string;
}

const MOST_OF_ONE_RULE = 5;

export class Court {
  readonly violations: Violation[] = [];
  readonly #now: () => number;

  constructor(life: Life) {
    this.#now = () => life.timeline.now;
  }

  report(rule: string, subject: string, text: string): void {
    if (this.violations.filter((one) => one.rule === rule).length < MOST_OF_ONE_RULE)
      this.violations.push({ at: this.#now(), rule, subject, text });
  }
}

/** Listens to a life, and says at its end what only the end shows. */
export type Judge = (life: Life, court: Court) => { readonly atEnd?: () => void };
