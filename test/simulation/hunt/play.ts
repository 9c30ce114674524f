import { liveSeed } from '../adversary/seeds.ts';
import type { Life } from '../life/life.ts';
import type { Product } from '../life/product.ts';
import type { Violation } from '../oracles/court.ts';
import type { Fact } from '../record/facts.ts';
import { Sweep } from '../sweep/sweep.ts';
import { type Plot, workloadOf } from './plot.ts';

export interface Played {
  readonly plot: Plot;
  readonly violations: readonly Violation[];
}

export interface PlayOptions {
  /** Names of what does not happen this time. */
  readonly without?: ReadonlySet<string>;
  readonly listen?: (fact: Fact) => void;
}

/** Plays lives in one copy of the product: the same plot is the same life, every time. */
export class Stage {
  readonly sweep: Sweep;
  readonly #product: Product;

  constructor(product: Product) {
    this.#product = product;
    this.sweep = new Sweep(product);
  }

  async play(plot: Plot, options: PlayOptions = {}): Promise<Played> {
    const { listen = () => {}, without = new Set() } = options;
    // Thousands of calls are given up, and each would draw a picture of the stack for nobody.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    const hear = (life: Life): void => life.chronicle.listen(listen);
    try {
      const { court } =
        plot.type === 'seed'
          ? await liveSeed(plot.seed, this.#product, without, hear)
          : await this.sweep.live(workloadOf(plot.workload), plot, hear);
      return { plot, violations: court.violations };
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
    }
  }
}
