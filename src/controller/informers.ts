import type { Cancel, Clock } from '../clock.ts';
import { startWatch, type Watch } from '../kube/cache/watch.ts';
import type { KubeClient } from '../kube/client/client.ts';
import { isForbidden, isNotFound, type KubeError } from '../kube/client/kube-error.ts';
import { collectionPath, type KubeObject } from '../kube/resource.ts';
import type { Log } from '../log.ts';
import type { Kind } from './kind.ts';

/**
 * How long a namespace that the server forbids is waited for before the others go on without it.
 * Rights that are just being given, or moved from one Role to another, are there by then.
 */
const REFUSAL_PATIENCE_MS = 30_000;
/** Every list has it. */
const ANY_VERSION = '0';

export interface InformerOptions {
  readonly client: KubeClient;
  readonly kinds: readonly Kind[];
  /** Empty: all. */
  readonly namespaces: readonly string[];
  readonly labelSelector: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /**
   * The first list of a kind in a named namespace has come, however late; `unlisted` names it no
   * more. Must not throw.
   */
  readonly onListed?: (kind: Kind, namespace: string) => void;
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
  /**
   * The named namespaces in which objects of this kind may stand that nobody has seen yet, also
   * once `synced`.
   */
  unlisted(plural: string): readonly string[];
}

/** One collection that is watched. */
interface Scope {
  readonly kind: Kind;
  readonly namespace: string | undefined;
  readonly name: string;
  isListed: boolean;
  isPassedOver: boolean;
  /** Why everything waits for it; undefined: nothing does. */
  missing: string | undefined;
}

/** Watches every kind in every namespace asked for, for ever. */
export function startInformers(options: InformerOptions): Informers {
  const namespaces = options.namespaces.length === 0 ? [undefined] : options.namespaces;
  const scopes = options.kinds.flatMap((kind) =>
    namespaces.map((namespace) => scopeOf(kind, namespace)),
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
    unlisted: (plural) =>
      scopes.flatMap(({ kind, namespace, isListed }) =>
        namespace === undefined || isListed || kind.type.plural !== plural ? [] : namespace,
      ),
  };
}

function scopeOf(kind: Kind, namespace: string | undefined): Scope {
  const { plural } = kind.type;
  const name = namespace === undefined ? plural : `${plural} in namespace "${namespace}"`;
  const missing = 'the first list is not complete';
  return { kind, namespace, name, isListed: false, isPassedOver: false, missing };
}

function startOne(options: InformerOptions, scope: Scope): Watch {
  const { client, clock, log, signal, labelSelector, onListed } = options;
  const { kind, namespace, name } = scope;
  const failed = (error: KubeError): void => {
    const text = explain(error, kind);
    if (text !== error.message)
      log.warn({ watch: name, error: text }, 'cannot watch: a permission or a CRD is missing');
  };
  const watch = startWatch<KubeObject>({
    client,
    path: collectionPath(kind.type, namespace),
    ...(labelSelector !== undefined && { labelSelector }),
    clock,
    log,
    signal,
    sink: { ...kind.sink(namespace), failed },
  });
  void watch.synced.then(() => {
    scope.isListed = true;
    if (namespace !== undefined) onListed?.(kind, namespace);
  });
  return watch;
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
    scope.missing = explain(error, scope.kind);
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

function explain(error: KubeError, { type }: Kind): string {
  const collection = `${type.plural}.${type.group}`;
  if (isNotFound(error))
    return `the API server knows no ${collection}; install the CRDs of this release (${error.message})`;
  if (isForbidden(error))
    return `${error.message}; allow get, list and watch on ${collection}, and update on ${type.plural}/status`;
  return error.message;
}
