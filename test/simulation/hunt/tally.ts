import type { Played } from './play.ts';

/** What a hunt has seen so far. */
export class Tally {
  readonly #started = performance.now();
  readonly #transitions = new Map<string, number>();
  readonly #excused = new Map<string, number>();
  /** In how many lives each invariant was broken, and the first seed of them. */
  readonly #rules = new Map<string, { readonly count: number; readonly seed: number }>();
  #lives = 0;

  add({ plot, violations, excused, transitions }: Played): void {
    this.#lives += 1;
    for (const [name, count] of transitions) add(this.#transitions, name, count);
    for (const [name, count] of excused) add(this.#excused, name, count);
    for (const rule of new Set(violations.map((violation) => violation.rule))) {
      const known = this.#rules.get(rule) ?? { count: 0, seed: plot.seed };
      this.#rules.set(rule, { count: known.count + 1, seed: Math.min(known.seed, plot.seed) });
    }
  }

  /** What was broken, the commonest first: in how many lives, and in which. */
  broken(): string[] {
    const sorted = [...this.#rules].sort((a, b) => b[1].count - a[1].count);
    const lines = sorted.map(
      ([rule, { count, seed }]) =>
        `  BROKEN  ${rule.padEnd(22)} ${count} ${count === 1 ? 'life' : 'lives'}, as of seed ${seed}`,
    );
    return lines.length === 0 ? ['Nothing broke.'] : ['Broken:', ...lines];
  }

  get lives(): number {
    return this.#lives;
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
      `What no client could have avoided: ${shown([...this.#excused]) || 'none'}`,
    ];
  }
}

function add(counts: Map<string, number>, name: string, count: number): void {
  counts.set(name, (counts.get(name) ?? 0) + count);
}
