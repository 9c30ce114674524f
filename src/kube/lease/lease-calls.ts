import { getObject, type KubeClient } from '../client/client.ts';
import { KubeError } from '../client/kube-error.ts';
import { missingRule } from '../client/missing-rule.ts';
import { collectionPath, objectPath } from '../resource.ts';
import { LEASE, type Lease, type LeaseDraft } from './lease-record.ts';

export interface LeaseCalls {
  /** Undefined: there is none. Throws KubeError. */
  read(limitMs: number, stop: AbortSignal): Promise<Lease | undefined>;
  /**
   * Creates it where the draft has no resourceVersion, else replaces exactly that version. Throws
   * KubeError.
   */
  write(draft: LeaseDraft, limitMs: number, stop: AbortSignal): Promise<Lease>;
  /** One line that says what failed and, for a 403, which rule is missing. */
  explain(error: KubeError): string;
}

/** Reads and conditional writes of one Lease, each with a time limit. */
export function createLeaseCalls(options: {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly name: string;
}): LeaseCalls {
  const { client, namespace, name } = options;
  const path = objectPath(LEASE, namespace, name);

  return {
    read: (limitMs, stop) => getObject(client, path, { signal: stop, timeoutMs: limitMs }),

    write: (draft, limitMs, stop) => {
      const create = draft.metadata.resourceVersion === undefined;
      const method = create ? 'POST' : 'PUT';
      const target = create ? collectionPath(LEASE, namespace) : path;
      return client.request<Lease>({
        method,
        path: target,
        body: draft,
        signal: stop,
        timeoutMs: limitMs,
      });
    },

    explain: (error) =>
      error.status === 403
        ? missingRule({
            error,
            verb: 'use',
            group: LEASE.group,
            resource: LEASE.plural,
            namespace,
            ...(/\bcannot create\b/.test(error.body)
              ? { needs: ['create'] }
              : { name, needs: LEASE_VERBS }),
          })
        : error.message,
  };
}

/** On the one Lease by name; `create` cannot be cut down to a name. */
const LEASE_VERBS = ['get', 'list', 'watch', 'update'];

/**
 * For failures of the API that the next try may mend; anything else is a bug and is thrown on.
 * Results in false.
 */
export function tolerate(
  onFailure: (error: KubeError) => void,
  isExpected: (error: unknown) => boolean = () => false,
) {
  return (error: unknown): false => {
    if (!(error instanceof KubeError)) throw error;
    if (!isExpected(error)) onFailure(error);
    return false;
  };
}
