import { waitFor } from '../../backoff.ts';
import type { Log } from '../../log.ts';
import type { KubeError } from '../client/kube-error.ts';

const BACK_OFF = { firstMs: 500, capMs: 30_000 };
/** A server may ask for patience, but not make us blind for longer. */
const LONGEST_WAIT_MS = 300_000;
/** A broken connection is everyday life; one that stays broken is news. */
const QUIET_BREAKS = 3;

/** How a watch counts its failures, waits after them and tells of them. */
export interface Trouble {
  /** Counts one more; milliseconds to wait now. */
  wait(error: KubeError | undefined): number;
  /** Tells sink and log, once per change of cause. */
  report(error: KubeError): void;
  /** The server answered well: the next trouble is news again. */
  recovered(): void;
  /** Forgets the count: the watch has made progress. */
  reset(): void;
  /** Failures in a row. */
  readonly count: number;
}

export function createTrouble(options: {
  readonly log: Log;
  readonly path: string;
  /** Makes the jitter of this watch its own. */
  readonly seed: string;
  readonly onChange: (error: KubeError) => void;
}): Trouble {
  const { log, path, seed, onChange } = options;
  let count = 0;
  let cause: string | undefined;
  let same = 0;
  let logged = false;

  return {
    get count() {
      return count;
    },
    wait(error) {
      count += 1;
      // The first time, a stream that only ended, or whose version is too old, is opened again at
      // once.
      const mild = error === undefined || error.status === 410;
      if (mild && count === 1) return 0;
      return Math.min(
        Math.max(waitFor(BACK_OFF, mild ? count - 1 : count, seed), error?.retryAfterMs ?? 0),
        LONGEST_WAIT_MS,
      );
    },
    report(error) {
      const now = `${error.status} ${error.reason}`;
      same = now === cause ? same + 1 : 1;
      if (now !== cause) onChange(error);
      cause = now;
      if (same !== (error.status === 0 ? QUIET_BREAKS : 1)) return;
      logged = true;
      log.warn(
        { path, status: error.status, reason: error.reason, error: error.message },
        'cannot list or watch; retrying',
      );
    },
    recovered() {
      if (logged) log.info({ path }, 'listing and watching again');
      cause = undefined;
      logged = false;
    },
    reset() {
      count = 0;
    },
  };
}
