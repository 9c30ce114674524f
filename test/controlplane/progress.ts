/** Says what is going on; one call, one line. */
export type Say = (line: string) => void;

/** Lines on standard error, each led by the seconds since this was called. */
export function progressLines(): Say {
  const since = performance.now();
  return (line) => process.stderr.write(`[${elapsed(since).padStart(6)}] ${line}\n`);
}

/**
 * Runs one step: a line at its start, every 30 s, and at its end with the time it took. A failed
 * step throws what `run` threw.
 */
export async function step<T>(say: Say, what: string, run: () => Promise<T>): Promise<T> {
  const since = performance.now();
  say(`${what} ...`);
  const alive = setInterval(() => say(`${what}: still at it after ${elapsed(since)}`), 30_000);
  try {
    const result = await run();
    say(`${what}: done in ${elapsed(since)}`);
    return result;
  } finally {
    clearInterval(alive);
  }
}

/** `4 min 10 s`; below a minute `1.3 s`. */
export function elapsed(since: number): string {
  const exact = (performance.now() - since) / 1_000;
  const seconds = Math.round(exact);
  const ofMinute = `${seconds % 60} s`;
  return seconds < 60 ? `${exact.toFixed(1)} s` : `${Math.floor(seconds / 60)} min ${ofMinute}`;
}
