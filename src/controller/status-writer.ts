import { isDeepStrictEqual } from 'node:util';
import { getObject, type KubeClient } from '../kube/client.ts';
import { isConflict, isNotFound, KubeError } from '../kube/errors.ts';
import {
  apiVersionOf,
  compareVersions,
  type KubeObject,
  keyOf,
  objectPath,
} from '../kube/resource.ts';
import type { Kind } from './kind.ts';

/** After so many in a row somebody else writes this object all the time. */
const MOST_CONFLICTS = 5;
/** Beside 5xx and no answer: what says nothing about the status, and passes. */
const PASSING = [401, 403, 408, 409, 429];

/** An object as one reconcile knows it. */
export interface Known {
  readonly kind: Kind;
  /** As this reconcile has read or written it last. */
  object: KubeObject;
  /** Every status that it has read or sent. Any other one that stands there is somebody else's. */
  statuses: unknown[];
}

/** `dropped`: somebody else's status stands there, so the object is to be reconciled from that. */
export type Written = 'written' | 'dropped' | 'gone';

/**
 * Writes the result of a reconcile, until it stands or cannot stand any more.
 *
 *     newest version ── its status is not ours ──► dropped
 *       ▲         │
 *      GET       PUT ──► 2xx, or it stands there already: written
 *       │         ├────► no answer, 5xx, 429, 401, 403: again, when `retry` has waited
 *       └── 409 ──┴────► 404: gone
 *
 * Throws KubeError where `retry` says that the time is over, and where the status is refused.
 */
export async function writeStatus(
  client: KubeClient,
  known: Known,
  status: object,
  retry: (error: KubeError, failures: number) => Promise<boolean>,
): Promise<Written> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await putOrReadAgain(client, known, status);
    } catch (error) {
      if (isConflict(error) && failures <= MOST_CONFLICTS) continue;
      if (!isPassing(error) || !(await retry(error, failures))) throw error;
    }
  }
}

/** One PUT on the newest version, none where the status stands. Throws KubeError. */
export async function putStatus(
  client: KubeClient,
  known: Known,
  status: object,
): Promise<Written> {
  const newest = newestOf(known);
  const wanted = known.kind.fit(status);
  if (isDeepStrictEqual(newest.status, wanted)) return 'written';
  if (!known.statuses.some((ours) => isDeepStrictEqual(ours, newest.status))) return 'dropped';
  known.object = newest;
  // Also where no answer comes, it may stand.
  known.statuses.push(wanted);
  const { type } = known.kind;
  const { name, namespace, uid, resourceVersion } = newest.metadata;
  const metadata = { name, namespace, uid, resourceVersion };
  const reply = await client.request<KubeObject>({
    method: 'PUT',
    path: `${objectPath(type, namespace, name)}/status`,
    body: { apiVersion: apiVersionOf(type), kind: type.kind, metadata, status: wanted },
  });
  take(known, reply);
  // What was sent before was for versions that are no more: it cannot come to stand now.
  known.statuses = [known.object.status];
  return 'written';
}

async function putOrReadAgain(client: KubeClient, known: Known, status: object): Promise<Written> {
  try {
    return await putStatus(client, known, status);
  } catch (error) {
    if (!isConflict(error) && !isNotFound(error)) throw error;
    const { namespace, name, uid } = known.object.metadata;
    const found = await getObject(client, objectPath(known.kind.type, namespace, name));
    if (found?.metadata.uid !== uid) return 'gone';
    take(known, found);
    throw error;
  }
}

/** The newest version that this process has. */
export function newestOf({ kind, object }: Known): KubeObject {
  const stored = kind.store.get(keyOf(object));
  if (stored?.metadata.uid !== object.metadata.uid) return object;
  const { resourceVersion } = object.metadata;
  return compareVersions(stored.metadata.resourceVersion, resourceVersion) < 0 ? object : stored;
}

/** The server's answer, trimmed, replaces what is known. */
export function take(known: Known, answer: KubeObject): void {
  // Not over what the watch has brought since: an edit would be unseen for ever.
  known.object = known.kind.store.put(answer);
}

function isPassing(error: unknown): error is KubeError {
  if (!(error instanceof KubeError)) return false;
  return error.status < 400 || error.status >= 500 || PASSING.includes(error.status);
}
