import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../clock.ts';
import type { Cluster, Credentials } from './cluster.ts';

/** A rotated token stays valid for minutes after its successor is in the file, so this is soon enough. */
const LOOK_AGAIN_MS = 10_000;

/** Keeps what `read` gave for 10 s; asks once however many wait. Where a later read fails, the last good one stays in use. */
export function rememberCredentials(
  clock: Clock,
  read: (options: { readonly anew: boolean }) => Promise<Credentials>,
): Pick<Cluster, 'credentials' | 'renew'> {
  let last: Credentials | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<Credentials> | undefined;

  const readOnce = (anew: boolean): Promise<Credentials> => {
    reading ??= read({ anew })
      .then(
        (now) => (last = sameTls(last, now)),
        (error: unknown) => {
          if (!last) throw error;
          return last;
        },
      )
      .finally(() => {
        readAt = clock.monotonic();
        reading = undefined;
      });
    return reading;
  };

  return {
    credentials: async () => (last && clock.monotonic() - readAt < LOOK_AGAIN_MS ? last : readOnce(false)),
    renew: async () => void (await readOnce(true)),
  };
}

/** Callers tell by identity whether connections must be made anew. */
function sameTls(before: Credentials | undefined, now: Credentials): Credentials {
  return before && isDeepStrictEqual(before.tls, now.tls) ? { ...now, tls: before.tls } : now;
}
