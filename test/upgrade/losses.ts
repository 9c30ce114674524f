import { waitFor } from '../controlplane/client.ts';
import type { Passing } from '../faults/proxy.ts';

/**
 * What becomes of the first request that says `marker`: it never arrives, or its work is done;
 * nobody is told either way.
 */
interface Loss {
  readonly marker: string;
  readonly fate: 'never-arrives' | 'is-done';
}

/**
 * The way to the management API, of all replicas: it loses what it is told to, and all later calls
 * for the same target until it is mended.
 */
export interface Losses {
  readonly take: (passing: Passing) => Promise<void>;
  /** Resolves when all of these have been lost. */
  lose(losses: readonly Loss[], act: () => Promise<unknown>): Promise<void>;
  /** From now on all calls come through. */
  mend(): void;
}

export function createLosses(): Losses {
  let open: readonly Loss[] = [];
  const dark = new Set<string>();
  return {
    async take(passing) {
      const text = JSON.stringify(passing.body ?? '');
      const loss = open.find(({ marker }) => text.includes(marker));
      if (loss || dark.has(passing.path)) {
        open = open.filter((one) => one !== loss);
        dark.add(passing.path);
        if (loss?.fate === 'is-done') await passing.forward();
        return passing.sever();
      }
      await passing.forward();
      await passing.reply();
    },
    async lose(losses, act) {
      open = [...open, ...losses];
      await act();
      await waitFor(() => open.length, {
        what: 'all that was to be lost to be lost',
        until: (left) => left === 0,
        timeoutMs: 60_000,
      });
    },
    mend: () => dark.clear(),
  };
}
