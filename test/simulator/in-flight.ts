import type { InFlight } from './types.ts';

export interface InFlightCounter {
  /** Counts a call of a key in; the function returned counts it out, once. */
  enter(keyId: string | undefined): () => void;
  of(keyId?: string): InFlight;
}

/** How many calls are under way at once, over all and for each key. */
export function createInFlight(): InFlightCounter {
  const all: InFlight = { now: 0, highest: 0 };
  const perKey = new Map<string, InFlight>();

  function counterOf(keyId: string): InFlight {
    const present = perKey.get(keyId) ?? { now: 0, highest: 0 };
    perKey.set(keyId, present);
    return present;
  }

  return {
    enter: (keyId) => {
      const counters = keyId === undefined ? [all] : [all, counterOf(keyId)];
      for (const counter of counters) {
        counter.now += 1;
        counter.highest = Math.max(counter.highest, counter.now);
      }
      let inside = true;
      return () => {
        if (!inside) return;
        inside = false;
        for (const counter of counters) counter.now -= 1;
      };
    },
    of: (keyId) => ({
      ...(keyId === undefined ? all : (perKey.get(keyId) ?? { now: 0, highest: 0 })),
    }),
  };
}
