import { pause } from '../../clock.ts';
import type { Definition } from '../../kinds/schema/definition.ts';
import { collectionPath, type KubeObject } from '../../kube/resource.ts';
import { KubectlError } from '../cluster/kubectl.ts';
import type { Found } from '../cluster/objects.ts';
import { readEvent } from '../cluster/watch-event.ts';
import type { Context } from '../command.ts';
import { Stopped } from '../user-error.ts';

/** Objects of one kind, in one namespace or in all. */
export interface Group {
  readonly definition: Definition;
  readonly namespace: string | undefined;
  readonly objects: readonly Found[];
}

export interface Watched {
  /** Told of an object as it is now, until it gives true: then nobody waits for it any more. */
  readonly isDone: (object: KubeObject) => boolean;
  /** An object that was deleted, or replaced by another one of its name. */
  readonly onGone: (uid: string) => void;
}

interface Listed {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly KubeObject[];
}

/** The server ends a watch after this long, and what it may have missed is listed again. */
const WATCH_SECONDS = 240;
/** Between two looks, so that a server that ends each watch at once is not asked without a rest. */
const REST_MS = 1_000;

/**
 * Watches these objects until all are done or gone, or the signal is aborted. Throws KubectlError
 * where they may not be listed or watched. An API server that is away is waited for; where it stays
 * away, that is thrown at the end.
 */
export async function watchUntilDone(
  { kubectl, clock }: Pick<Context, 'kubectl' | 'clock'>,
  group: Group,
  { isDone, onGone }: Watched,
  signal: AbortSignal,
): Promise<void> {
  const waiting = new Set(group.objects.map(({ object }) => object.metadata.uid));
  const path = collectionPath(group.definition.type, group.namespace);
  const only = onlyOne(group);
  const finished = new AbortController();
  let failure: KubectlError | undefined;
  const see = (object: KubeObject): void => {
    const { uid } = object.metadata;
    if (waiting.has(uid) && isDone(object)) waiting.delete(uid);
  };
  const gone = (uid: string): void => {
    if (waiting.delete(uid)) onGone(uid);
  };
  const onLine = (line: string): void => {
    const event = readEvent(line);
    // The next list shows what was missed.
    if (!event) return;
    if (event.type === 'DELETED') gone(event.object.metadata.uid);
    else see(event.object);
    if (waiting.size === 0) finished.abort();
  };
  const look = async (): Promise<void> => {
    const { metadata, items } = await kubectl.get<Listed>(`${path}?${only}`);
    failure = undefined;
    for (const item of items) see(item);
    const there = new Set(items.map(({ metadata: { uid } }) => uid));
    for (const uid of [...waiting].filter((one) => !there.has(one))) gone(uid);
    if (waiting.size === 0) return;
    const from = `watch=true&timeoutSeconds=${WATCH_SECONDS}&resourceVersion=${metadata.resourceVersion}`;
    await kubectl.follow(
      `${path}?${only}${from}`,
      onLine,
      AbortSignal.any([signal, finished.signal]),
    );
  };
  while (waiting.size > 0 && !signal.aborted) {
    try {
      await look();
    } catch (error) {
      // Ctrl-C ends kubectl too, which is no failure.
      if (error instanceof Stopped && signal.aborted) return;
      if (!isPassing(error)) throw error;
      failure = error;
    }
    if (waiting.size > 0) await pause(clock, REST_MS, signal);
  }
  if (waiting.size > 0 && failure) throw failure;
}

/** The API server could not be reached, or broke off; nobody has refused anything. */
function isPassing(error: unknown): error is KubectlError {
  return (
    error instanceof KubectlError &&
    (error.failure.reason === 'Unreachable' || error.failure.reason === 'Other')
  );
}

/** One object needs no watch of the whole namespace. */
function onlyOne({ objects: [first, ...others] }: Group): string {
  if (!first || others.length > 0) return '';
  return `fieldSelector=${encodeURIComponent(`metadata.name=${first.object.metadata.name}`)}&`;
}
