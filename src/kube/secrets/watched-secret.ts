import { type Clock, waitAtMost } from '../../clock.ts';
import type { WatchSink, WatchState } from '../cache/watch.ts';
import type { WatchEvent } from '../cache/watch-event.ts';
import { isForbidden, type KubeError } from '../client/kube-error.ts';
import { compareVersions, type KubeObject } from '../resource.ts';
import { secretRule } from './secret-get.ts';
import { changedAt, type SecretRead, type SecretState, type SecretValue } from './secret-state.ts';

/** What the watch last said, whatever its connection does now. */
type Known =
  | { readonly state: 'unknown' }
  | { readonly state: 'absent' }
  | {
      readonly state: 'present';
      readonly resourceVersion: string;
      readonly changedAt: number | undefined;
    };

/** How the watch does; what it is forbidden it stays forbidden until it is open again. */
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
 * thousand times. No longer, because nothing tells that the right was given: who gave it and asks
 * to try now must not meet the old answer.
 */
const REFUSAL_MS = 1_000;
/** A watch that takes longer to open is not waited for: another GET is made. */
const ANSWER_MS = 2_000;

/** A Secret that changes under every one of so many reads is given to the caller as read. */
const READS = 3;

export interface WatchedSecretOptions {
  readonly namespace: string;
  readonly name: string;
  readonly clock: Clock;
  /** One GET; failures are values. */
  readonly get: () => Promise<SecretRead>;
  readonly onChange: () => void;
}

/**
 * One Secret: what its watch says, and its value while that is current. A kept value is served only
 * when the watch works (its list counts) and says this very version; in every other case a read is
 * a GET, shared by those who ask meanwhile.
 */
export class WatchedSecret implements WatchSink<KubeObject> {
  readonly #options: WatchedSecretOptions;
  #watching: Watching = BROKEN;
  #known: Known = UNKNOWN;
  /** Newest version the watch delivered, deletions included. */
  #seen = '';
  #toldUnknown = false;
  #kept: SecretValue | undefined;
  #reading: Promise<SecretRead> | undefined;
  #refusal: { readonly message: string; readonly until: number } | undefined;
  readonly #answer = Promise.withResolvers<void>();
  /** Resolves at the first answer, be it a failure. */
  readonly answered: Promise<void> = this.#answer.promise;

  constructor(options: WatchedSecretOptions) {
    this.#options = options;
  }

  /**
   * Says `unknown` only before the watch's first answer; who was told so gets an onChange when it
   * comes.
   */
  state(): SecretState {
    const state = this.#state();
    if (state.state === 'unknown') this.#toldUnknown = true;
    return state;
  }

  async read(): Promise<SecretRead> {
    // A value was read already, and the watch is about to say whether it still stands.
    if (this.#kept && this.#known.state === 'unknown')
      await waitAtMost(this.#options.clock, ANSWER_MS, this.answered);
    const watching = this.#watching;
    if (watching.is === 'forbidden') return { state: 'forbidden', message: watching.message };
    if (watching.is === 'live') {
      if (this.#known.state === 'absent') return ABSENT;
      const current = this.#current();
      if (current) return current;
    }
    const refusal = this.#refusal;
    if (refusal && this.#options.clock.monotonic() < refusal.until)
      return { state: 'forbidden', message: refusal.message };
    return (this.#reading ??= this.#share());
  }

  replace(objects: KubeObject[], resourceVersion: string, isRestored = false): void {
    // The watch goes on from this very list: until it is open, or says that it cannot be, nothing
    // newer is to be had.
    if (this.#watching.is !== 'forbidden') this.#watching = LIVE;
    const object = objects.find((one) => one.metadata.name === this.#options.name);
    this.#learn(object ? present(object) : ABSENT, resourceVersion);
    if (!isRestored) return;
    // Its version may have been given once more, to another value.
    this.#kept = undefined;
    this.#options.onChange();
  }

  apply(event: WatchEvent, object: KubeObject): void {
    if (object.metadata.name !== this.#options.name) return;
    this.#learn(event === 'DELETED' ? ABSENT : present(object), object.metadata.resourceVersion);
  }

  failed(error: KubeError): void {
    this.#kept = undefined;
    this.#answer.resolve();
    this.#change(() => {
      const { namespace, name } = this.#options;
      this.#watching = isForbidden(error)
        ? { is: 'forbidden', message: secretRule(error, 'watch', namespace, name) }
        : BROKEN;
    });
  }

  /** For the watch's onState. */
  turned(state: WatchState): void {
    if (state !== 'watching' && this.#watching.is === 'forbidden') return;
    this.#change(() => {
      this.#watching = state === 'watching' ? LIVE : BROKEN;
    });
  }

  /** Nobody refers to it any more: keeps nothing. */
  drop(): void {
    this.#watching = BROKEN;
    this.#known = UNKNOWN;
    this.#kept = undefined;
    this.#answer.resolve();
  }

  #state(): SecretState {
    const watching = this.#watching;
    if (watching.is === 'forbidden') return { state: 'forbidden', message: watching.message };
    if (this.#known.state !== 'present') return this.#known;
    return { ...this.#known, type: this.#current()?.type };
  }

  /** The kept value, where it is of the version that the watch says. */
  #current(): SecretValue | undefined {
    const known = this.#known;
    return known.state === 'present' && this.#kept?.resourceVersion === known.resourceVersion
      ? this.#kept
      : undefined;
  }

  #learn(known: Known, seen: string): void {
    this.#seen = seen;
    this.#answer.resolve();
    this.#change(() => {
      const before = this.#known;
      this.#known = known;
      if (same(before, known)) return;
      // Before the watch's first word there was nothing that could have changed: a read under way
      // looks at it at its end.
      if (before.state !== 'unknown') this.#reading = undefined;
      this.#forget();
    });
  }

  /** A value newer than the watch's version stays: the watch may be about to confirm it. */
  #forget(): void {
    this.#refusal = undefined;
    if (this.#kept && this.#isStale(this.#kept)) this.#kept = undefined;
  }

  /** What the watch has said meanwhile is newer. */
  #isOutdated(read: SecretRead): boolean {
    if (read.state === 'present') return this.#isStale(read);
    return read.state === 'absent' && this.#known.state === 'present';
  }

  #isStale(value: SecretValue): boolean {
    if (this.#known.state === 'unknown') return false;
    const newest = this.#known.state === 'present' ? this.#known.resourceVersion : this.#seen;
    return compareVersions(value.resourceVersion, newest) < 0;
  }

  #change(make: () => void): void {
    const before = this.#state();
    make();
    const now = this.#state();
    if (before.state === 'unknown' && !this.#toldUnknown) return;
    if (!same(before, now)) this.#options.onChange();
  }

  #share(): Promise<SecretRead> {
    const reading = this.#read().finally(() => {
      if (this.#reading === reading) this.#reading = undefined;
    });
    return reading;
  }

  async #read(): Promise<SecretRead> {
    let read = await this.#options.get();
    for (let reads = 1; reads < READS && this.#isOutdated(read); reads += 1)
      read = await this.#options.get();
    if (read.state === 'forbidden')
      this.#refusal = {
        message: read.message,
        until: this.#options.clock.monotonic() + REFUSAL_MS,
      };
    if (read.state === 'present' && !this.#isStale(read)) this.#kept = read;
    return read;
  }
}

function present(object: KubeObject): Known {
  return {
    state: 'present',
    resourceVersion: object.metadata.resourceVersion,
    changedAt: changedAt(object),
  };
}

function same(a: SecretState | Known, b: SecretState | Known): boolean {
  if (a.state === 'present' && b.state === 'present')
    return a.resourceVersion === b.resourceVersion;
  return a.state === b.state;
}
