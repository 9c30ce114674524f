import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../clock.ts';
import type { Cluster, Credentials } from '../client/cluster.ts';

/**
 * A rotated token stays valid for minutes after its successor is in the file, so this is soon
 * enough.
 */
const LOOK_AGAIN_MS = 10_000;

/**
 * A read that takes this long may never end, as with an exec plugin that hangs: the next caller
 * starts another.
 */
const PATIENCE_MS = 60_000;

interface Reading {
  readonly since: number;
  readonly answer: Promise<Credentials>;
}

/**
 * Keeps what `read` gave for 10 s; asks once however many wait. Where a later read fails, the last
 * good one stays in use.
 */
export function rememberCredentials(
  clock: Clock,
  read: (options: { readonly anew: boolean }) => Promise<Credentials>,
): Pick<Cluster, 'credentials' | 'renew'> {
  let last: Credentials | undefined;
  let lastBegunAt = Number.NEGATIVE_INFINITY;
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Reading | undefined;

  /**
   * An answer counts also when no caller waits for it any more, unless a read that began later has
   * answered first.
   */
  const learn = (now: Credentials, since: number): Credentials => {
    if (last && since < lastBegunAt) return last;
    lastBegunAt = since;
    readAt = clock.monotonic();
    last = sameTls(last, now);
    return last;
  };

  const begin = (anew: boolean): Reading => {
    const since = clock.monotonic();
    const begun: Reading = {
      since,
      answer: read({ anew })
        .then(
          (now) => learn(now, since),
          (error: unknown) => {
            if (!last) throw error;
            if (reading === begun) readAt = clock.monotonic();
            return last;
          },
        )
        .finally(() => {
          if (reading === begun) reading = undefined;
        }),
    };
    return begun;
  };

  const readOnce = (anew: boolean): Promise<Credentials> => {
    if (!reading || clock.monotonic() - reading.since >= PATIENCE_MS) reading = begin(anew);
    return reading.answer;
  };

  return {
    credentials: async () =>
      last && clock.monotonic() - readAt < LOOK_AGAIN_MS ? last : readOnce(false),
    renew: async () => void (await readOnce(true)),
  };
}

/** Callers tell by identity whether connections must be made anew. */
function sameTls(before: Credentials | undefined, now: Credentials): Credentials {
  return before && isDeepStrictEqual(before.tls, now.tls) ? { ...now, tls: before.tls } : now;
}
