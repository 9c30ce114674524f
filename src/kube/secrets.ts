import { isDeepStrictEqual } from 'node:util';
import { spread, waitFor } from '../backoff.ts';
import type { Cancel, Clock } from '../clock.ts';
import { getObject, type KubeClient } from './client.ts';
import { isForbidden, KubeError } from './errors.ts';
import { type KubeObject, objectPath, type ResourceType } from './resource.ts';

const SECRET: ResourceType = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret' };

export interface SecretObject extends KubeObject {
  readonly type?: string;
  /** base64, as stored. */
  readonly data?: Readonly<Record<string, string>>;
}

/** What reading a Secret gave. */
export type SecretRead =
  | { readonly state: 'absent' }
  | { readonly state: 'forbidden'; readonly message: string }
  | { readonly state: 'present'; readonly resourceVersion: string; readonly secret: SecretObject };

/** What is remembered of the last read; no value. `unknown`: there was none. */
export type SecretState =
  | { readonly state: 'unknown' | 'absent' | 'forbidden' }
  | { readonly state: 'present'; readonly resourceVersion: string };

/** `--secret-selector`: a Secret without these labels is forbidden. */
type Labels = Readonly<Record<string, string>>;
type Listener = (key: string) => void;

const UNKNOWN = { state: 'unknown' } as const;
const KEPT_MS = 5_000;
const QUICK_POLL_MS = 2_000;
const SLOW_POLL_MS = 60_000;
/** Where Kubernetes does not give it. */
const TROUBLE = { firstMs: 1_000, capMs: 60_000 };

interface Known {
  readonly key: string;
  state: SecretState;
  kept?: SecretRead | undefined;
  reading?: Promise<SecretRead> | undefined;
  /** How many wait for it. */
  waiting: number;
  /** When the last of them began to, or it changed; monotonic. */
  since: number;
  failures: number;
  cancelPoll: Cancel;
}

export type Secrets = ReturnType<typeof createSecrets>;

/**
 * Secrets by GET, one at a time for each, and only where a call or an object asks for one. Keys are
 * `namespace/name`. `signal` ends the polling; reads go on for the reconciles that still run.
 */
export function createSecrets(
  client: KubeClient,
  clock: Clock,
  signal: AbortSignal,
  labels: Labels = {},
) {
  const listeners: Listener[] = [];
  const secrets = new Map<string, Known>();
  /** What each owner waits for. */
  const awaited = new Map<string, Known>();

  const known = (key: string): Known => {
    const unread = { key, state: UNKNOWN, waiting: 0, since: 0, failures: 0, cancelPoll() {} };
    const one = secrets.get(key) ?? unread;
    secrets.set(key, one);
    return one;
  };

  const get = async (one: Known): Promise<SecretRead> => {
    const read: SecretRead = await getSecret(client, one.key, labels);
    const { state } = read;
    const before = one.state;
    one.state = state === 'present' ? { state, resourceVersion: read.resourceVersion } : { state };
    one.kept = read;
    clock.at(KEPT_MS, () => {
      if (one.kept === read) one.kept = undefined;
    });
    if (isDeepStrictEqual(before, one.state)) return read;
    // Who mends a Secret step by step is as quick to be heard at each.
    one.since = clock.monotonic();
    if (before !== UNKNOWN || one.waiting > 0) for (const tell of listeners) tell(one.key);
    return read;
  };

  const getAnew = (one: Known): Promise<SecretRead> => {
    one.reading ??= get(one).finally(() => {
      one.reading = undefined;
    });
    return one.reading;
  };

  const schedulePoll = (one: Known, waitMs: number): void => {
    one.cancelPoll();
    one.cancelPoll = clock.at(waitMs, () => void poll(one));
  };

  const poll = async (one: Known): Promise<void> => {
    if (signal.aborted || one.waiting === 0) return;
    try {
      await getAnew(one);
      one.failures = 0;
      const waitedMs = clock.monotonic() - one.since;
      const everyMs = waitedMs < 600_000 ? 10_000 : SLOW_POLL_MS;
      schedulePoll(one, waitedMs < 60_000 ? QUICK_POLL_MS : everyMs);
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      one.failures += 1;
      schedulePoll(one, waitFor(TROUBLE, one.failures, one.key));
    }
  };

  return {
    /** At most 5 s old, or anew. Throws KubeError where Kubernetes gives no answer. */
    async read(key: string, how?: 'anew'): Promise<SecretRead> {
      const one = known(key);
      return how !== 'anew' && one.kept ? one.kept : getAnew(one);
    },

    /** Another state was read, or the first one of a Secret that is awaited. Must not throw. */
    onChange: (listener: Listener): void => void listeners.push(listener),

    state: (key: string): SecretState => secrets.get(key)?.state ?? UNKNOWN,

    /** From now on `owner` waits for this Secret and no other, or for none. */
    awaitChange(owner: string, key: string | undefined): void {
      const former = awaited.get(owner);
      if (former?.key === key) return;
      if (former) former.waiting -= 1;
      awaited.delete(owner);
      if (key === undefined) return;
      const one = known(key);
      awaited.set(owner, one);
      one.waiting += 1;
      one.since = clock.monotonic();
      // Ten thousand that wait after a start do not ask at the same moment.
      schedulePoll(one, spread(key, QUICK_POLL_MS));
    },

    /** Nobody refers to it any more. */
    forget(key: string): void {
      if (secrets.get(key)?.waiting === 0) secrets.delete(key);
    },
  };
}

async function getSecret(client: KubeClient, key: string, labels: Labels) {
  const [namespace = '', name = ''] = key.split('/');
  const path = objectPath(SECRET, namespace, name);
  try {
    const secret = await getObject<SecretObject>(client, path);
    if (!secret) return { state: 'absent' } as const;
    const { resourceVersion, labels: own = {} } = secret.metadata;
    const missing = Object.entries(labels).filter(([label, value]) => own[label] !== value);
    if (missing.length === 0) return { state: 'present', resourceVersion, secret } as const;
    const which = missing.map((label) => label.join('=')).join(', ');
    const message = `The Secret "${name}" lacks labels that --secret-selector requires: ${which}. Add them, or name a Secret that has them in spec.credentialsSecretRef; the operator continues by itself`;
    return { state: 'forbidden', message } as const;
  } catch (error) {
    if (!isForbidden(error)) throw error;
    return { state: 'forbidden', message: refused(error, namespace, name) } as const;
  }
}

/** What RBAC misses; not every 403 is its: an admission webhook says why in its own words. */
function refused({ body, message }: KubeError, namespace: string, name: string): string {
  const user = /\bUser "([^"]+)" cannot get resource/.exec(body)?.[1];
  if (user === undefined) return `The Secret "${name}" may not be read: ${message}`;
  const rule = `{apiGroups: [""], resources: ["secrets"], resourceNames: ["${name}"], verbs: ["get"]}`;
  return `${user} may not get the Secret "${name}"; add the rule ${rule} to a Role in namespace "${namespace}" that is bound to ${user}`;
}
