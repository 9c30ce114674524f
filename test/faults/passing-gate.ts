import type { Handlers, Passing } from './proxy.ts';

type Take = NonNullable<Handlers['take']>;

/** Holds what fits, and lets the rest pass. */
export interface Gate {
  readonly take: Take;
  /** How many it holds. */
  held(): number;
  /** Lets go what it holds, and everything from now on; resolves when the answers have left. */
  open(): Promise<void>;
}

/**
 * `hold` says what is held: the request, which then does not reach the server, or the answer to it.
 */
export function gateFor(hold: (passing: Passing) => 'request' | 'answer' | undefined): Gate {
  const waiting: (() => Promise<void>)[] = [];
  let isOpen = false;
  return {
    async take(passing) {
      const held = isOpen ? undefined : hold(passing);
      if (held !== 'request') await passing.forward();
      if (held === undefined) return passing.reply();
      waiting.push(async () => {
        if (held === 'request') await passing.forward();
        await passing.reply();
      });
    },
    held: () => waiting.length,
    async open() {
      isOpen = true;
      await Promise.all(waiting.splice(0).map((go) => go()));
    },
  };
}
