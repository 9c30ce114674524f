import { spread, waitFor } from '../backoff.ts';
import type { Cancel, Clock } from '../clock.ts';
import { getObject, type KubeClient } from './client.ts';
import { isForbidden, KubeError, missingRule } from './errors.ts';
import { type KubeObject, objectPath, type ResourceType } from './resource.ts';

export const SECRET: ResourceType = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret' };

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

export interface SecretsOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** Ends the polling; reads go on working for the reconciles that still run. */
  readonly signal: AbortSignal;
  /** `--secret-selector`: a Secret without these labels is forbidden. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /**
   * A read found another state than the one before it; of one that is awaited, also the first. Must
   * not throw.
   */
  readonly onChange: (namespace: string, name: string) => void;
}

/** Secrets by GET, one at a time for each, and only where a call or an object asks for one. */
export interface Secrets {
  /** At most 5 s old, or anew. Throws KubeError where Kubernetes gives no answer. */
  read(namespace: string, name: string, how?: 'anew'): Promise<SecretRead>;
  state(namespace: string, name: string): SecretState;
  /** `owner` waits for this Secret, and for no other: it is asked for until `release`. */
  awaitChange(owner: string, namespace: string, name: string): void;
  release(owner: string): void;
  /** Nobody refers to it any more. */
  forget(namespace: string, name: string): void;
}

const KEPT_MS = 5_000;
const TIMEOUT_MS = 10_000;
/** A Secret is awaited this often, by how long its youngest owner has waited. */
const POLL = [
  { withinMs: 60_000, everyMs: 2_000 },
  { withinMs: 600_000, everyMs: 10_000 },
] as const;
const SLOWEST_POLL_MS = 60_000;
/** Where Kubernetes gives no answer. */
const TROUBLE = { firstMs: 1_000, capMs: 60_000 };

interface Known {
  state: SecretState;
  kept: SecretRead | undefined;
  reading: Promise<SecretRead> | undefined;
}

interface Poll {
  readonly owners: Set<string>;
  since: number;
  failures: number;
  cancel: Cancel;
}

export function createSecrets(options: SecretsOptions): Secrets {
  const { client, clock, signal, labels = {} } = options;
  const known = new Map<string, Known>();
  const polls = new Map<string, Poll>();
  /** Owner to the key of the Secret that it waits for. */
  const awaited = new Map<string, string>();

  const get = async (namespace: string, name: string): Promise<SecretRead> => {
    const path = objectPath(SECRET, namespace, name);
    try {
      const secret = await getObject<SecretObject>(client, path, { timeoutMs: TIMEOUT_MS });
      if (!secret) return { state: 'absent' };
      const { resourceVersion, labels: own = {} } = secret.metadata;
      const fits = Object.entries(labels).every(([label, value]) => own[label] === value);
      if (!fits) return { state: 'forbidden', message: notSelected(name, labels) };
      return { state: 'present', resourceVersion, secret };
    } catch (error) {
      if (!isForbidden(error)) throw error;
      return { state: 'forbidden', message: missingSecretRule(error, namespace, name) };
    }
  };

  const keep = (one: Known, key: string, read: SecretRead): void => {
    const before = one.state;
    one.kept = read;
    one.state =
      read.state === 'present'
        ? { state: read.state, resourceVersion: read.resourceVersion }
        : { state: read.state };
    clock.at(KEPT_MS, () => {
      if (one.kept === read) one.kept = undefined;
    });
    const poll = polls.get(key);
    const isNews = before.state !== 'unknown' || poll !== undefined;
    if (!isNews || isSame(before, one.state)) return;
    // Who mends a Secret step by step is as quick to be heard at each.
    if (poll) poll.since = clock.monotonic();
    options.onChange(...partsOf(key));
  };

  const read: Secrets['read'] = (namespace, name, how) => {
    const key = `${namespace}/${name}`;
    const one = known.get(key) ?? {
      state: { state: 'unknown' },
      kept: undefined,
      reading: undefined,
    };
    known.set(key, one);
    if (one.kept && how !== 'anew') return Promise.resolve(one.kept);
    one.reading ??= get(namespace, name)
      .then((answer) => {
        keep(one, key, answer);
        return answer;
      })
      .finally(() => {
        one.reading = undefined;
      });
    return one.reading;
  };

  const schedule = (key: string, poll: Poll, waitMs: number): void => {
    poll.cancel();
    if (!signal.aborted) poll.cancel = clock.at(waitMs, () => void ask(key, poll));
  };

  const ask = async (key: string, poll: Poll): Promise<void> => {
    try {
      await read(...partsOf(key), 'anew');
      poll.failures = 0;
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      poll.failures += 1;
    }
    if (polls.get(key) !== poll) return;
    const waitedMs = clock.monotonic() - poll.since;
    const everyMs = POLL.find(({ withinMs }) => waitedMs < withinMs)?.everyMs ?? SLOWEST_POLL_MS;
    const troubleMs = poll.failures === 0 ? 0 : waitFor(TROUBLE, poll.failures, key);
    schedule(key, poll, Math.max(everyMs, troubleMs));
  };

  const release = (owner: string): void => {
    const key = awaited.get(owner);
    const poll = polls.get(key ?? '');
    if (key === undefined || !poll) return;
    awaited.delete(owner);
    poll.owners.delete(owner);
    if (poll.owners.size > 0) return;
    poll.cancel();
    polls.delete(key);
  };

  signal.addEventListener('abort', () => {
    for (const { cancel } of polls.values()) cancel();
  });

  return {
    read,
    release,
    state: (namespace, name) => known.get(`${namespace}/${name}`)?.state ?? { state: 'unknown' },
    awaitChange(owner, namespace, name) {
      const key = `${namespace}/${name}`;
      if (awaited.get(owner) === key) return;
      release(owner);
      const since = clock.monotonic();
      const poll = polls.get(key) ?? { owners: new Set(), since, failures: 0, cancel: () => {} };
      polls.set(key, poll);
      awaited.set(owner, key);
      poll.owners.add(owner);
      poll.since = since;
      // Ten thousand that wait after a start do not ask at the same moment.
      schedule(key, poll, spread(key, POLL[0].everyMs));
    },
    forget: (namespace, name) => void known.delete(`${namespace}/${name}`),
  };
}

function isSame(one: SecretState, other: SecretState): boolean {
  if (one.state !== 'present' || other.state !== 'present') return one.state === other.state;
  return one.resourceVersion === other.resourceVersion;
}

/** What a key was made of. */
function partsOf(key: string): [namespace: string, name: string] {
  const [namespace = '', name = ''] = key.split('/');
  return [namespace, name];
}

function notSelected(name: string, labels: Readonly<Record<string, string>>): string {
  const selector = Object.entries(labels).map((label) => label.join('='));
  return `The Secret "${name}" has not the labels without which the operator reads none (--secret-selector ${selector.join(',')}). Label it, or name one in spec.credentialsSecretRef that has them; the operator continues by itself`;
}

function missingSecretRule(error: KubeError, namespace: string, name: string): string {
  const about = { verb: 'get', group: '', resource: 'secrets', namespace, name, needs: ['get'] };
  return missingRule({ error, ...about });
}
