import { type Clock, waitAtMost } from '../../clock.ts';
import type { WatchSink, WatchState } from '../cache/watch.ts';
import type { WatchEvent } from '../cache/watch-event.ts';
import { isForbidden, type KubeError } from '../client/kube-error.ts';
import { compareVersions, type KubeObject } from '../resource.ts';
import { type Objection, secretRule } from './secret-get.ts';
import { changedAt, type SecretRead, type SecretState, type SecretValue } from './secret-state.ts';

/** What the watch last said, whatever its connection does now. */
type Observed =
  | { readonly state: 'unknown' }
  | { readonly state: 'absent' }
  | {
      readonly state: 'present';
      readonly resourceVersion: string;
      readonly changedAt: number | undefined;
      /** Why it must not be used. */
      readonly objection: string | undefined;
    };

/** How the watch does. Once forbidden, it counts as forbidden until it is open again. */
type Watching =
  | { readonly is: 'live' }
  | { readonly is: 'broken' }
  | { readonly is: 'forbidden'; readonly message: string };

const LIVE = { is: 'live' } as const;
const BROKEN = { is: 'broken' } as const;
const UNKNOWN = { state: 'unknown' } as const;
const ABSENT = { state: 'absent' } as const;

/**
 * A refused GET is not tried again for this long: a thousand objects on one Secret would ask a
 * thousand times. No longer, because nothing tells that the right was given: a user who gave it and
 * asks to try now must not get the old answer.
 */
const REFUSAL_MS = 1_000;
/** A watch that takes longer to open is not waited for: another GET is made. */
const ANSWER_MS = 2_000;

/**
 * Keys of one Secret whose values are kept. Each object uses two; every edit of a spec may name
 * others, and the old ones are then forgotten.
 */
const MOST_KEYS = 32;

/** A Secret that changes under every one of so many reads is given to the caller as read. */
const READS = 3;

export interface WatchedSecretOptions {
  readonly namespace: string;
  readonly name: string;
  readonly clock: Clock;
  /** One GET; failures are values. `keys` may grow until it is answered. */
  readonly get: (keys: ReadonlySet<string>) => Promise<SecretRead>;
  /** Asked before any value is read. */
  readonly objectionTo?: Objection | undefined;
  readonly onChange: () => void;
}

/**
 * One Secret: what its watch says, and its value while that is current. The value is served from
 * memory only when the watch works (its list counts) and says this very version; in every other
 * case a read is a GET, shared by all who ask while it runs.
 */
export class WatchedSecret implements WatchSink<KubeObject> {
  readonly #options: WatchedSecretOptions;
  #watching: Watching = BROKEN;
  #observed: Observed = UNKNOWN;
  /** The newest version that the watch delivered, that of a deletion included. */
  #observedVersion = '';
  /** Somebody was told `unknown`, and gets an onChange at the first answer. */
  #wasAskedEarly = false;
  #value: SecretValue | undefined;
  /** Those that were asked for. */
  #keys = new Set<string>();
  #reading: Promise<SecretRead> | undefined;
  #refusal: { readonly message: string; readonly until: number } | undefined;
  readonly #answer = Promise.withResolvers<void>();
  /** Resolves at the first answer, be it a failure. */
  readonly answered: Promise<void> = this.#answer.promise;

  constructor(options: WatchedSecretOptions) {
    this.#options = options;
  }

  /** Says `unknown` only before the watch's first answer. */
  state(): SecretState {
    const state = this.#state();
    if (state.state === 'unknown') this.#wasAskedEarly = true;
    return state;
  }

  async read(keys: readonly string[]): Promise<SecretRead> {
    // The value was read before the watch's first answer, which will say whether it still stands.
    if (this.#value && this.#observed.state === 'unknown')
      await waitAtMost(this.#options.clock, ANSWER_MS, this.answered);
    const watching = this.#watching;
    if (watching.is === 'forbidden') return { state: 'forbidden', message: watching.message };
    if (watching.is === 'live') {
      const observed = this.#observed;
      if (observed.state === 'absent') return ABSENT;
      if (observed.state === 'present' && observed.objection !== undefined)
        return { state: 'forbidden', message: observed.objection };
      const current = this.#current();
      if (current && hasAll(current, keys)) return current;
    }
    const refusal = this.#refusal;
    if (refusal && this.#options.clock.monotonic() < refusal.until)
      return { state: 'forbidden', message: refusal.message };
    this.#ask(keys);
    const read = await (this.#reading ??= this.#readShared());
    // They were asked for when its answer was there already.
    return read.state === 'present' && !hasAll(read, keys) ? this.read(keys) : read;
  }

  replace(objects: KubeObject[], resourceVersion: string, isRestored = false): void {
    // The watch goes on from this very list: until it is open, or says that it cannot be, nothing
    // newer is to be had.
    if (this.#watching.is !== 'forbidden') this.#watching = LIVE;
    const object = objects.find((one) => one.metadata.name === this.#options.name);
    this.#observe(object ? this.#present(object) : ABSENT, resourceVersion);
    if (!isRestored) return;
    // A restored server may have given the version once more, to another value.
    this.#value = undefined;
    this.#options.onChange();
  }

  apply(event: WatchEvent, object: KubeObject): void {
    if (object.metadata.name !== this.#options.name) return;
    const observed = event === 'DELETED' ? ABSENT : this.#present(object);
    this.#observe(observed, object.metadata.resourceVersion);
  }

  failed(error: KubeError): void {
    this.#value = undefined;
    this.#answer.resolve();
    this.#change(() => {
      const { namespace, name } = this.#options;
      this.#watching = isForbidden(error)
        ? { is: 'forbidden', message: secretRule(error, 'watch', namespace, name) }
        : BROKEN;
    });
  }

  /** For the watch's onState. */
  watchTurned(state: WatchState): void {
    if (state !== 'watching' && this.#watching.is === 'forbidden') return;
    this.#change(() => {
      this.#watching = state === 'watching' ? LIVE : BROKEN;
    });
  }

  /** Nobody refers to it any more. */
  drop(): void {
    this.#watching = BROKEN;
    this.#observed = UNKNOWN;
    this.#value = undefined;
    this.#answer.resolve();
  }

  #state(): SecretState {
    const watching = this.#watching;
    if (watching.is === 'forbidden') return { state: 'forbidden', message: watching.message };
    if (this.#observed.state !== 'present') return this.#observed;
    const { objection, ...present } = this.#observed;
    if (objection !== undefined) return { state: 'forbidden', message: objection };
    return { ...present, type: this.#current()?.type };
  }

  /** The kept value, where it is of the version that the watch says. */
  #current(): SecretValue | undefined {
    const observed = this.#observed;
    return observed.state === 'present' && this.#value?.resourceVersion === observed.resourceVersion
      ? this.#value
      : undefined;
  }

  #observe(observed: Observed, version: string): void {
    this.#observedVersion = version;
    this.#answer.resolve();
    this.#change(() => {
      const before = this.#observed;
      this.#observed = observed;
      if (isSame(before, observed)) return;
      // At the first answer nothing has changed: a read that runs compares its result with it.
      if (before.state !== 'unknown') this.#reading = undefined;
      this.#dropStale();
    });
  }

  /** A value that is newer than the watch's version stays: the watch may be about to say it. */
  #dropStale(): void {
    this.#refusal = undefined;
    if (this.#value && this.#isStale(this.#value)) this.#value = undefined;
  }

  /** Whether the watch has told of something newer while it was read. */
  #isOutdated(read: SecretRead): boolean {
    if (read.state === 'present') return this.#isStale(read);
    return read.state === 'absent' && this.#observed.state === 'present';
  }

  #isStale(value: SecretValue): boolean {
    if (this.#observed.state === 'unknown') return false;
    const newest =
      this.#observed.state === 'present' ? this.#observed.resourceVersion : this.#observedVersion;
    return compareVersions(value.resourceVersion, newest) < 0;
  }

  #change(change: () => void): void {
    const before = this.#state();
    change();
    const now = this.#state();
    if (before.state === 'unknown' && !this.#wasAskedEarly) return;
    if (!isSame(before, now)) this.#options.onChange();
  }

  #present(object: KubeObject): Observed {
    return {
      state: 'present',
      resourceVersion: object.metadata.resourceVersion,
      changedAt: changedAt(object),
      objection: this.#options.objectionTo?.(object),
    };
  }

  #ask(keys: readonly string[]): void {
    if (keys.every((key) => this.#keys.has(key))) return;
    if (this.#keys.size + keys.length > MOST_KEYS) {
      this.#keys = new Set();
      this.#reading = undefined;
    }
    for (const key of keys) this.#keys.add(key);
  }

  #readShared(): Promise<SecretRead> {
    const reading = this.#read().finally(() => {
      if (this.#reading === reading) this.#reading = undefined;
    });
    return reading;
  }

  async #read(): Promise<SecretRead> {
    const keys = this.#keys;
    let read = await this.#options.get(keys);
    for (let reads = 1; reads < READS && this.#isOutdated(read); reads += 1)
      read = await this.#options.get(keys);
    if (read.state === 'forbidden')
      this.#refusal = {
        message: read.message,
        until: this.#options.clock.monotonic() + REFUSAL_MS,
      };
    if (read.state === 'present' && !this.#isStale(read)) this.#value = read;
    return read;
  }
}

function hasAll({ data }: SecretValue, keys: readonly string[]): boolean {
  return keys.every((key) => Object.hasOwn(data, key));
}

function isSame(a: SecretState | Observed, b: SecretState | Observed): boolean {
  if (a.state === 'present' && b.state === 'present')
    return a.resourceVersion === b.resourceVersion;
  return a.state === b.state;
}
