import type { Played } from './play.ts';

/** What a hunt has seen so far. */
export class Tally {
  readonly #started = performance.now();
  readonly #transitions = new Map<string, number>();
  readonly #excused = new Map<string, number>();
  readonly #rules = new Map<string, { count: number; readonly seed: number; readonly lives: number }>();
  #lives = 0;

  add({ plot, violations, excused, transitions }: Played): void {
    this.#lives += 1;
    for (const [name, count] of transitions) add(this.#transitions, name, count);
    for (const [name, count] of excused) add(this.#excused, name, count);
    for (const rule of new Set(violations.map((violation) => violation.rule))) {
      const known = this.#rules.get(rule);
      if (known) known.count += 1;
      else this.#rules.set(rule, { count: 1, seed: plot.seed, lives: this.#lives });
    }
  }

  get lives(): number {
    return this.#lives;
  }

  /** In how many lives each invariant was broken, with the first seed and the lives until then. */
  get rules(): ReadonlyMap<string, { readonly count: number; readonly seed: number; readonly lives: number }> {
    return this.#rules;
  }

  /** `1,204 lives in 60 s (20.1 a second); 312 kinds of transitions`. */
  line(): string {
    const seconds = (performance.now() - this.#started) / 1_000;
    const rate = (this.#lives / seconds).toFixed(1);
    const count = this.#lives.toLocaleString('en-US');
    return `${count} lives in ${seconds.toFixed(0)} s (${rate} a second), ${this.#transitions.size} kinds of transitions`;
  }

  /** The commonest and the rarest transitions, and what no client could have avoided. */
  coverage(): string[] {
    const sorted = [...this.#transitions].sort((a, b) => b[1] - a[1]);
    const shown = (entries: readonly (readonly [string, number])[]): string =>
      entries.map(([name, count]) => `${name} (${count})`).join(', ');
    return [
      `Transitions, the commonest: ${shown(sorted.slice(0, 6))}`,
      `Transitions, the rarest: ${shown(sorted.slice(-6))}`,
      `Removed although it was another's, where no client can tell: ${shown([...this.#excused]) || 'none'}`,
    ];
  }
}

function add(counts: Map<string, number>, name: string, count: number): void {
  counts.set(name, (counts.get(name) ?? 0) + count);
}
