import type { ApiClient } from '../../api/call.ts';
import type { Limiter } from '../../api/limiter.ts';
import type { Clock } from '../../clock.ts';
import type { Event } from '../../controller/kind.ts';
import type { Priority } from '../../controller/queue.ts';
import type { Secrets } from '../../kube/secrets.ts';
import type { Log } from '../../telemetry/log.ts';
import type { ReadCredential } from './credentials.ts';

/** What a kind is built from; the engine knows none of it. */
export interface KindContext {
  readonly api: ApiClient;
  readonly limiter: Limiter;
  readonly secrets: Pick<Secrets, 'awaitChange' | 'state'>;
  readonly readCredential: ReadCredential;
  readonly clock: Clock;
  /** Asks for a reconcile of this queue key. */
  readonly enqueue: (id: string, priority: Priority) => void;
  /** Calls back with `namespace/name` when a Secret was read and is another one than before. */
  readonly onSecretChange: (listener: (secret: string) => void) => void;
  /** An object refers to this Secret (`namespace/name`) no more. */
  readonly leaveSecret: (secret: string) => void;
  /** To be called for every change of an object, by its queue key: it may end its reconcile. */
  readonly changed: (id: string) => void;
  /** An event on the Lease of this process, for what can be said nowhere else. */
  readonly announce: (event: Event) => void;
  readonly log: Log;
  /** `--api-timeout`: a call that has started is over after this long, at this end. */
  readonly apiTimeoutMs: number;
  /** `--plan-only`: every object is as if in Plan mode, and says why. */
  readonly planOnly: boolean;
  /** `--cleanup-deadline`: a deleted object is let go this long after its deletion. */
  readonly cleanupDeadlineMs: number;
}
