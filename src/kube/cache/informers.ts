import type { Cancel, Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';
import type { KubeClient } from '../client/client.ts';
import { isForbidden, isNotFound, type KubeError } from '../client/kube-error.ts';
import { collectionPath, type KubeObject, type ResourceType } from '../resource.ts';
import { startWatch, type Watch, type WatchSink } from './watch.ts';

/**
 * How long a namespace that the server forbids is waited for before the others go on without it.
 * Rights that are just being given, or moved from one Role to another, are there by then.
 */
const REFUSAL_PATIENCE_MS = 30_000;
/** Every list has it. */
const ANY_VERSION = '0';

/** What is watched, and where the news of one namespace, or of all, goes. */
export interface Watched {
  readonly type: ResourceType;
  sink(namespace?: string): WatchSink<KubeObject>;
}

export interface InformerOptions {
  readonly client: KubeClient;
  readonly watched: readonly Watched[];
  /** Empty: all. */
  readonly namespaces: readonly string[];
  readonly labelSelector: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

export interface Informers {
  /**
   * Resolves when the first list of every kind is complete. A named namespace that is still
   * forbidden after 30 s is passed over, and goes on being tried: so looks one that does not exist,
   * where rights are given by Roles. Without named namespaces, everything waits until the list is
   * allowed. Without the CRDs, everything waits for them.
   */
  readonly synced: Promise<void>;
  /**
   * Resolves when all that was written up to this version is known. A named namespace that is still
   * forbidden after 30 s, or was passed over before and is forbidden still, is passed over.
   */
  reached(version: string): Promise<void>;
  /** What is waited for and fails, or has never come, in words; undefined: nothing. */
  missing(): string | undefined;
}

/** One collection that is watched. */
interface Scope {
  readonly watched: Watched;
  readonly namespace: string | undefined;
  readonly name: string;
  isPassedOver: boolean;
  /** Why everything waits for it; undefined: nothing does. */
  missing: string | undefined;
}

/** Watches everything in every namespace asked for, for ever. */
export function startInformers(options: InformerOptions): Informers {
  const namespaces = options.namespaces.length === 0 ? [undefined] : options.namespaces;
  const scopes = options.watched.flatMap((watched) =>
    namespaces.map((namespace) => scopeOf(watched, namespace)),
  );
  const watches = scopes.map((scope) => ({ scope, watch: startOne(options, scope) }));
  const reached = async (version: string): Promise<void> => {
    const all = watches.map(({ scope, watch }) => reach(options.clock, scope, watch, version));
    await Promise.all(all);
  };
  return {
    synced: reached(ANY_VERSION),
    reached,
    missing: () => {
      const all = scopes.flatMap(({ name, missing }) =>
        missing === undefined ? [] : `${name}: ${missing}`,
      );
      return all.length === 0 ? undefined : all.join('; ');
    },
  };
}

function scopeOf(watched: Watched, namespace: string | undefined): Scope {
  const { plural } = watched.type;
  const name = namespace === undefined ? plural : `${plural} in namespace "${namespace}"`;
  const missing = 'the first list is not complete';
  return { watched, namespace, name, isPassedOver: false, missing };
}

function startOne(options: InformerOptions, scope: Scope): Watch {
  const { client, clock, log, signal, labelSelector } = options;
  const { watched, namespace, name } = scope;
  const failed = (error: KubeError): void => {
    const text = explain(error, watched);
    if (text !== error.message)
      log.warn({ watch: name, error: text }, 'cannot watch: a permission or a CRD is missing');
  };
  return startWatch<KubeObject>({
    client,
    path: collectionPath(watched.type, namespace),
    ...(labelSelector !== undefined && { labelSelector }),
    clock,
    log,
    signal,
    sink: { ...watched.sink(namespace), failed },
  });
}

/** Resolves when the watch has reached the version, or its namespace is passed over. */
async function reach(clock: Clock, scope: Scope, watch: Watch, version: string): Promise<void> {
  const passedOver = Promise.withResolvers<void>();
  let isOver = false;
  let cancelPatience: Cancel | undefined;
  const passOver = (): void => {
    scope.isPassedOver = true;
    passedOver.resolve();
  };
  const failed = (error: KubeError): void => {
    if (isOver) return;
    scope.missing = explain(error, scope.watched);
    if (scope.namespace !== undefined && isForbidden(error)) {
      cancelPatience ??= clock.at(scope.isPassedOver ? 0 : REFUSAL_PATIENCE_MS, passOver);
    } else {
      cancelPatience?.();
      cancelPatience = undefined;
    }
  };
  const come = watch.reach(version, failed).then(() => {
    scope.isPassedOver = false;
  });
  await Promise.race([come, passedOver.promise]);
  isOver = true;
  cancelPatience?.();
  scope.missing = undefined;
}

function explain(error: KubeError, { type }: Watched): string {
  const collection = `${type.plural}.${type.group}`;
  if (isNotFound(error))
    return `the API server knows no ${collection}; install the CRDs of this release (${error.message})`;
  if (isForbidden(error))
    return `${error.message}; allow get, list and watch on ${collection}, and update on ${type.plural}/status`;
  return error.message;
}
