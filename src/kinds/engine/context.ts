import type { ApiClient } from '../../api/http/client.ts';
import type { RateLimiter } from '../../api/limiter/contract.ts';
import type { Clock } from '../../clock.ts';
import type { Notice } from '../../controller/kind.ts';
import type { Lane } from '../../controller/queue.ts';
import type { WriteFinalizers } from '../../kube/client/finalizers.ts';
import type { KubeObject, ResourceType } from '../../kube/resource.ts';
import type { Secrets } from '../../kube/secrets/secrets.ts';
import type { Log } from '../../log.ts';
import type { ReadCredential } from './credentials.ts';

/** What a kind is built from; the engine knows none of it. */
export interface KindContext {
  readonly api: ApiClient;
  readonly limiter: RateLimiter;
  readonly secrets: Pick<Secrets, 'refer' | 'release' | 'state'>;
  readonly readCredential: ReadCredential;
  readonly clock: Clock;
  /** Asks for a reconcile of this queue key. */
  readonly enqueue: (id: string, lane: Lane) => void;
  /** Calls back with `namespace/name` when a referred Secret appears, changes or vanishes. */
  readonly onSecretChange: (listener: (secret: string) => void) => void;
  readonly writeFinalizers: WriteFinalizers;
  /**
   * Sends an event later; for what has to be said before an act that may leave nobody to say it.
   */
  readonly emit: (object: KubeObject, type: ResourceType, notice: Notice) => void;
  readonly log: Log;
  /**
   * The configured namespaces in which objects of this kind, by its plural, may stand that nobody
   * has seen yet.
   */
  readonly unlisted: (plural: string) => readonly string[];
  /** `--api-timeout`: a call that has started is over after this long, at this end. */
  readonly apiTimeoutMs: number;
  /** `--plan-only`: every object is as if in Plan mode, and says why. */
  readonly planOnly: boolean;
  /** `--cleanup-deadline`: a deleted object is let go this long after its deletion. */
  readonly cleanupDeadlineMs: number;
}
