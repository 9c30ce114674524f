import type { Cancel } from '../clock.ts';
import { isForbidden, isNotFound, type KubeError } from './errors.ts';
import { type FollowOptions, follow, type Sink } from './follow.ts';
import { collectionPath, type KubeObject, type ResourceType } from './resource.ts';

/**
 * How long a namespace that the server refuses is waited for before the others go on without it.
 * Rights that are just being given are there by then.
 */
const REFUSAL_PATIENCE_MS = 30_000;

/** What is followed, and where the news of one namespace, or of all, goes. */
export interface Followed {
  readonly type: ResourceType;
  sink(namespace?: string): Sink<KubeObject>;
}

export interface InformerOptions
  extends Pick<
    FollowOptions<KubeObject>,
    'cluster' | 'client' | 'labelSelector' | 'clock' | 'log' | 'signal'
  > {
  readonly followed: readonly Followed[];
  /** Empty: all. */
  readonly namespaces: readonly string[];
}

export interface Informers {
  /**
   * Resolves when the first list of every kind is complete. A named namespace that is refused for
   * 30 s is no longer waited for, and goes on being asked.
   */
  readonly synced: Promise<void>;
  /** What is waited for and fails, or has never come, in words; undefined: nothing. */
  missing(): string | undefined;
}

/** Follows every kind in every namespace asked for, until the signal is raised. */
export function startInformers(options: InformerOptions): Informers {
  const { followed, namespaces, clock, log } = options;
  const synced = Promise.withResolvers<void>();
  /** Name of what is waited for, and why it is not there. */
  const missing = new Map<string, string>();
  const goOn = (name: string): void => {
    missing.delete(name);
    if (missing.size === 0) synced.resolve();
  };

  function start({ type, sink }: Followed, namespace: string | undefined): void {
    const name =
      namespace === undefined ? type.plural : `${type.plural} in namespace "${namespace}"`;
    missing.set(name, 'the first list is not complete');
    let cancel: Cancel | undefined;
    const passOver = (): void => {
      log.warn({ list: name }, 'a list has been refused for 30 s; going on without it');
      goOn(name);
    };
    void follow({
      ...options,
      path: collectionPath(type, namespace),
      sink: sink(namespace),
      onListed: () => {
        cancel?.();
        goOn(name);
      },
      onFailure: (error) => {
        const text = explain(error, type);
        if (!missing.has(name)) return text;
        missing.set(name, text);
        if (namespace !== undefined && (isForbidden(error) || isNotFound(error))) {
          cancel ??= clock.at(REFUSAL_PATIENCE_MS, passOver);
        } else {
          cancel?.();
          cancel = undefined;
        }
        return text;
      },
    });
  }

  for (const one of followed)
    for (const namespace of namespaces.length === 0 ? [undefined] : namespaces)
      start(one, namespace);
  return {
    synced: synced.promise,
    missing: () =>
      missing.size === 0
        ? undefined
        : [...missing].map(([name, why]) => `${name}: ${why}`).join('; '),
  };
}

function explain(error: KubeError, { plural, group }: ResourceType): string {
  if (isNotFound(error))
    return `the API server knows no ${plural}.${group}; install the CRDs of this release (${error.message})`;
  if (isForbidden(error))
    return `${error.message}; allow get, list and watch on ${plural}.${group}, and update on ${plural}/status`;
  return error.message;
}
