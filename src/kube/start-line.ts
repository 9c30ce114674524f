import type { Cancel, Clock } from '../clock.ts';

export interface StartLine<Id> {
  /** Runs `start` when there is room; its promise tells when the next may go. */
  join(id: Id, start: () => Promise<void>): void;
  /** Somebody waits for this one: it goes next. */
  hurry(id: Id): void;
}

/** Lets few things start at once. One that has not answered after `patienceMs` keeps nobody waiting any longer. */
export function createStartLine<Id>(options: {
  readonly clock: Clock;
  readonly atOnce: number;
  readonly patienceMs: number;
}): StartLine<Id> {
  const { clock, atOnce, patienceMs } = options;
  const waiting = new Map<Id, () => Promise<void>>();
  const hurried = new Set<Id>();
  let starting = 0;

  const next = (): Id | undefined => {
    for (const id of hurried) return id;
    for (const id of waiting.keys()) return id;
    return undefined;
  };

  const fill = (): void => {
    while (starting < atOnce) {
      const id = next();
      const start = id === undefined ? undefined : waiting.get(id);
      if (id === undefined || !start) return;
      waiting.delete(id);
      hurried.delete(id);
      starting += 1;
      void run(start);
    }
  };

  const run = async (start: () => Promise<void>): Promise<void> => {
    let cancel: Cancel | undefined;
    const patience = new Promise<void>((resolve) => {
      cancel = clock.at(patienceMs, resolve);
    });
    await Promise.race([start(), patience]);
    cancel?.();
    starting -= 1;
    fill();
  };

  return {
    join: (id, start) => {
      waiting.set(id, start);
      fill();
    },
    hurry: (id) => {
      if (waiting.has(id)) hurried.add(id);
    },
  };
}
