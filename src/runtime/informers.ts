import type { Clock } from '../clock.ts';
import type { KubeClient } from '../kube/client.ts';
import { isForbidden, isNotFound, type KubeError } from '../kube/errors.ts';
import { collectionPath, type KubeObject } from '../kube/resource.ts';
import { startWatch } from '../kube/watch.ts';
import type { Log } from '../log.ts';
import type { Kind } from './kind.ts';

export interface InformerOptions {
  readonly client: KubeClient;
  readonly kinds: readonly Kind[];
  /** Empty: all. */
  readonly namespaces: readonly string[];
  readonly labelSelector: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

export interface Informers {
  /**
   * Resolves when the first list of every kind is complete. With named namespaces, a forbidden one is passed over (and
   * watched for), which is what a missing one looks like where rights are given by Roles; with rights to all it lists
   * as empty. Without names, everything waits until the list is allowed. Without the CRDs, everything waits for them.
   */
  readonly synced: Promise<void>;
  /** What is still missing, in words; undefined once `synced`. */
  missing(): string | undefined;
}

/** Watches every kind in every namespace asked for, for ever. */
export function startInformers(options: InformerOptions): Informers {
  const scopes = options.namespaces.length === 0 ? [undefined] : options.namespaces;
  const waiting = new Map<string, string>();
  const starts = options.kinds.flatMap((kind) =>
    scopes.map((namespace) => {
      const name = namespace === undefined ? kind.type.plural : `${kind.type.plural} in namespace "${namespace}"`;
      waiting.set(name, 'the first list is not complete');
      return startOne(options, { kind, namespace, name, waiting }).then(() => waiting.delete(name));
    }),
  );
  return {
    synced: Promise.all(starts).then(() => undefined),
    missing: () => {
      const all = [...waiting].map(([name, why]) => `${name}: ${why}`);
      return all.length === 0 ? undefined : all.join('; ');
    },
  };
}

interface Scope {
  readonly kind: Kind;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly waiting: Map<string, string>;
}

function startOne(options: InformerOptions, { kind, namespace, name, waiting }: Scope): Promise<void> {
  const { client, clock, log, signal, labelSelector } = options;
  return new Promise((resolve) => {
    const sink = kind.sink(namespace);
    const failed = (error: KubeError): void => {
      const text = explain(error, kind);
      if (waiting.has(name)) waiting.set(name, text);
      if (text !== error.message) log.warn({ watch: name, error: text }, 'a watch needs help from outside');
      if (namespace !== undefined && isForbidden(error)) resolve();
    };
    const watch = startWatch<KubeObject>({
      client,
      path: collectionPath(kind.type, namespace),
      ...(labelSelector !== undefined && { labelSelector }),
      clock,
      log,
      signal,
      sink: {
        trim: (object) => sink.trim?.(object) ?? object,
        replace: (objects, resourceVersion) => sink.replace(objects, resourceVersion),
        apply: (event, object) => sink.apply(event, object),
        bookmark: (resourceVersion) => sink.bookmark?.(resourceVersion),
        failed,
      },
    });
    void watch.synced.then(resolve);
  });
}

function explain(error: KubeError, { type }: Kind): string {
  const collection = `${type.plural}.${type.group}`;
  if (isNotFound(error))
    return `the API server knows no ${collection}; install the CRDs of this release (${error.message})`;
  if (isForbidden(error))
    return `${error.message}; allow get, list and watch on ${collection}, and update on ${type.plural}/status`;
  return error.message;
}
