import type { Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';
import { quietLog } from '../cache/quiet-log.ts';
import { startWatch } from '../cache/watch.ts';
import type { KubeClient } from '../client/client.ts';
import { collectionPath, type KubeObject } from '../resource.ts';
import { notSelected } from './label-match.ts';
import { Places, SECRETS_PER_NAMESPACE } from './places.ts';
import { getSecret } from './secret-get.ts';
import { SECRET, type SecretRead, type SecretState } from './secret-state.ts';
import { createStartLine } from './start-line.ts';
import { WatchedSecret } from './watched-secret.ts';

/**
 * Secrets that are listed for the first time at once. Enough to be through soon, and few enough not
 * to hold up the first lists of the kinds.
 */
const STARTS_AT_ONCE = 8;
const START_PATIENCE_MS = 5_000;

export interface SecretsOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Ends every watch. Reading goes on working, by one GET per call, for reconciles that still run.
   */
  readonly signal: AbortSignal;
  /** Only Secrets with these labels are read; absent: all. */
  readonly selector?: string | undefined;
  /**
   * A referred Secret appeared, changed or vanished; or the right to watch it came or went; or
   * nobody refers to it any more, so that what was made of its value can go too. Must not throw.
   */
  readonly onChange: (namespace: string, name: string) => void;
}

/**
 * The Secrets that somebody refers to, each watched by its name; no other is ever asked for, nor
 * one of those too many in its namespace, which counts as forbidden.
 */
export interface Secrets {
  /** `owner` refers to this one from now on, and to no other. */
  refer(owner: string, namespace: string, name: string): void;
  /** The last owner to go ends the watch and drops the value. */
  release(owner: string): void;
  /** `unknown` until the watch has answered, and for one that nobody refers to. */
  state(namespace: string, name: string): SecretState;
  isReferred(namespace: string, name: string): boolean;
  /**
   * The values of these keys; no others are kept. Never rejects. At most one GET per version,
   * however many ask for the same keys, while the watch is connected; else one per call.
   */
  read(namespace: string, name: string, keys: readonly string[]): Promise<SecretRead>;
}

type Refused = Extract<SecretState, { state: 'forbidden' }>;

interface Referred {
  readonly namespace: string;
  readonly name: string;
  readonly secret: WatchedSecret;
  readonly stop: AbortController;
  owners: number;
}

export function createSecrets(options: SecretsOptions): Secrets {
  const { client, clock, signal, selector } = options;
  const objectionTo =
    selector === undefined ? undefined : (secret: KubeObject) => notSelected(secret, selector);
  const quiet = quietLog(options.log);
  const referred = new Map<string, Referred>();
  const references = new Map<string, string>();
  const places = new Places(SECRETS_PER_NAMESPACE);
  const startInTurn = createStartLine({
    clock,
    atOnce: STARTS_AT_ONCE,
    patienceMs: START_PATIENCE_MS,
  });

  const secretOf = (namespace: string, name: string): WatchedSecret =>
    new WatchedSecret({
      namespace,
      name,
      clock,
      get: (keys) => getSecret(client, namespace, name, keys, objectionTo),
      objectionTo,
      onChange: () => options.onChange(namespace, name),
    });

  const watch = (entry: Referred): Promise<void> => {
    const { namespace, name } = entry;
    startWatch({
      client,
      path: collectionPath(SECRET, namespace),
      fieldSelector: `metadata.name=${name}`,
      metadataOnly: true,
      pageSize: 1,
      clock,
      // Every object that refers to it shows its state; that need not be logged a thousand times.
      log: quiet,
      signal: entry.stop.signal,
      sink: entry.secret,
      onState: (state) => entry.secret.watchTurned(state),
    });
    return entry.secret.answered;
  };

  const begin = (namespace: string, name: string): Referred => {
    const entry: Referred = {
      namespace,
      name,
      secret: secretOf(namespace, name),
      stop: new AbortController(),
      owners: 0,
    };
    places.take(namespace, name);
    if (places.has(namespace, name)) start(entry);
    return entry;
  };

  const start = (entry: Referred): void => {
    if (!signal.aborted) startInTurn(() => watch(entry));
  };

  const end = (key: string, { namespace, name, stop, secret }: Referred): void => {
    referred.delete(key);
    stop.abort();
    secret.drop();
    options.onChange(namespace, name);
    const next = places.leave(namespace, name);
    const waiting = next === undefined ? undefined : referred.get(keyFor(namespace, next));
    if (!waiting) return;
    start(waiting);
    options.onChange(namespace, waiting.name);
  };

  const release = (owner: string): void => {
    const key = references.get(owner);
    const entry = key === undefined ? undefined : referred.get(key);
    if (key === undefined || !entry) return;
    references.delete(owner);
    entry.owners -= 1;
    if (entry.owners === 0) end(key, entry);
  };

  /** Referred to, but one too many. */
  const refused = (entry: Referred | undefined): Refused | undefined =>
    entry && !places.has(entry.namespace, entry.name)
      ? { state: 'forbidden', message: places.refusal(entry.namespace, entry.name) }
      : undefined;

  // One listener for all, in place of a thousand on one signal.
  signal.addEventListener('abort', () => {
    for (const entry of referred.values()) {
      entry.stop.abort();
      entry.secret.watchTurned('stopped');
    }
  });

  return {
    refer: (owner, namespace, name) => {
      const key = keyFor(namespace, name);
      if (references.get(owner) === key) return;
      release(owner);
      const entry = referred.get(key) ?? begin(namespace, name);
      entry.owners += 1;
      referred.set(key, entry);
      references.set(owner, key);
    },
    release,
    state: (namespace, name) => {
      const entry = referred.get(keyFor(namespace, name));
      return refused(entry) ?? entry?.secret.state() ?? { state: 'unknown' };
    },
    isReferred: (namespace, name) => referred.has(keyFor(namespace, name)),
    read: async (namespace, name, keys) => {
      const entry = referred.get(keyFor(namespace, name));
      return refused(entry) ?? (entry?.secret ?? secretOf(namespace, name)).read(keys);
    },
  };
}

function keyFor(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}
