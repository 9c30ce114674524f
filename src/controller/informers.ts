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
   * Resolves when `synced`, and all that was written up to this version is known; what is passed
   * over is not waited for.
   */
  reached(version: string): Promise<void>;
  /** What is still missing, in words; undefined once `synced`. */
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
  /** Why everything waits for it; undefined: nothing does. */
  missing: string | undefined;
  /** Resolves when it is passed over; another one once the server allows it again. */
  passedOver: PromiseWithResolvers<void>;
  isPassedOver: boolean;
}

/** Watches every kind in every namespace asked for, for ever. */
export function startInformers(options: InformerOptions): Informers {
  const namespaces = options.namespaces.length === 0 ? [undefined] : options.namespaces;
  const scopes = options.kinds.flatMap((kind) =>
    namespaces.map((namespace) => scopeOf(kind, namespace)),
  );
  const watches = scopes.map((scope) => ({ scope, watch: startOne(options, scope) }));
  const all = async (done: (watch: Watch) => Promise<void>): Promise<void> => {
    await Promise.all(
      watches.map(({ scope, watch }) => Promise.race([done(watch), scope.passedOver.promise])),
    );
  };
  const synced = all((watch) => watch.synced);
  return {
    synced,
    reached: async (version) => {
      await synced;
      await all((watch) => watch.reach(version));
    },
    missing: () => {
      const missing = scopes.flatMap((scope) =>
        scope.missing === undefined ? [] : `${scope.name}: ${scope.missing}`,
      );
      return missing.length === 0 ? undefined : missing.join('; ');
    },
    unlisted: (plural) =>
      scopes.flatMap(({ kind, namespace, isListed }) =>
        namespace === undefined || isListed || kind.type.plural !== plural ? [] : namespace,
      ),
  };
}

function scopeOf(kind: Kind, namespace: string | undefined): Scope {
  const { plural } = kind.type;
  return {
    kind,
    namespace,
    name: namespace === undefined ? plural : `${plural} in namespace "${namespace}"`,
    isListed: false,
    missing: 'the first list is not complete',
    passedOver: Promise.withResolvers<void>(),
    isPassedOver: false,
  };
}

function startOne(options: InformerOptions, scope: Scope): Watch {
  const { client, clock, log, signal, labelSelector, onListed } = options;
  const { kind, namespace, name } = scope;
  let cancelPatience: Cancel | undefined;
  const passOver = (): void => {
    scope.missing = undefined;
    scope.isPassedOver = true;
    scope.passedOver.resolve();
  };
  const allowed = (): void => {
    cancelPatience?.();
    cancelPatience = undefined;
    if (scope.isPassedOver) scope.passedOver = Promise.withResolvers<void>();
    scope.isPassedOver = false;
  };
  const failed = (error: KubeError): void => {
    const text = explain(error, kind);
    if (scope.missing !== undefined) scope.missing = text;
    if (text !== error.message)
      log.warn({ watch: name, error: text }, 'cannot watch: a permission or a CRD is missing');
    if (namespace !== undefined && isForbidden(error))
      cancelPatience ??= clock.at(REFUSAL_PATIENCE_MS, passOver);
  };
  const watch = startWatch<KubeObject>({
    client,
    path: collectionPath(kind.type, namespace),
    ...(labelSelector !== undefined && { labelSelector }),
    clock,
    log,
    signal,
    sink: { ...kind.sink(namespace), failed },
    onState: (state) => {
      if (state === 'watching') allowed();
    },
  });
  void watch.synced.then(() => {
    allowed();
    scope.isListed = true;
    scope.missing = undefined;
    if (namespace !== undefined) onListed?.(kind, namespace);
  });
  return watch;
}

function explain(error: KubeError, { type }: Kind): string {
  const collection = `${type.plural}.${type.group}`;
  if (isNotFound(error))
    return `the API server knows no ${collection}; install the CRDs of this release (${error.message})`;
  if (isForbidden(error))
    return `${error.message}; allow get, list and watch on ${collection}, and update on ${type.plural}/status`;
  return error.message;
}
