import type { CredentialLimiter, Entry } from './credential-limiter.ts';
import type { SharedPace } from './shared-pace.ts';

/**
 * Moves entries between the queue and the slots. After every `fill`: where a slot is free, nobody
 * who could use it waits in the queue.
 */
export class Slots {
  /** The targets for which somebody holds a slot, over all credentials, and who waits for each. */
  readonly #busyTargets = new Map<string, Set<Entry>>();
  /** Somebody of theirs waits for a target no more; the next `fill` hands them what is free. */
  readonly #owed = new Set<CredentialLimiter>();
  readonly #shared: SharedPace;
  readonly #wake: (entry: Entry) => void;

  constructor(shared: SharedPace, wake: (entry: Entry) => void) {
    this.#shared = shared;
    this.#wake = wake;
  }

  enqueue(entry: Entry): void {
    entry.state = 'queued';
    entry.limiter.queue.add(entry);
  }

  /**
   * A user's change came while the key waited as scheduled work: it keeps its rank in the faster
   * lane.
   */
  upgrade(entry: Entry): void {
    if (entry.lane === 'user') return;
    if (entry.state === 'queued') entry.limiter.queue.remove(entry);
    entry.lane = 'user';
    if (entry.state === 'queued') entry.limiter.queue.add(entry);
  }

  /**
   * Hands free slots to whoever is next, of this credential or another one that waits for what all
   * share. The asking key takes its slot at once, the others are woken for theirs.
   */
  fill(limiter: CredentialLimiter, now: number, asking?: Entry): void {
    const woken: Entry[] = [];
    for (const one of [...this.#owed, limiter]) this.#lineUp(one, now);
    this.#owed.clear();
    for (let next = this.#shared.next(now); next; next = this.#shared.next(now)) {
      const entry = this.#lineUp(next, now);
      // What it waits for has changed since it came into the line, and with that whose turn it is.
      if (!entry || this.#shared.next(now) !== next) continue;
      this.#reserve(entry);
      if (entry !== asking) woken.push(entry);
      this.#lineUp(next, now);
    }
    this.#shared.arm(now);
    for (const entry of woken) this.#wake(entry);
  }

  /** Hands out what has come free by time alone of what all share. */
  fillShared(now: number): void {
    const next = this.#shared.next(now);
    if (next) this.fill(next, now);
    else this.#shared.arm(now);
  }

  /** Who could take a slot of this credential now; those that wait for their target step aside. */
  #lineUp(limiter: CredentialLimiter, now: number): Entry | undefined {
    const entry = limiter.capacity(now) > 0 ? this.#firstFree(limiter) : undefined;
    if (entry) this.#shared.lineUp(limiter, entry);
    else this.#shared.leave(limiter);
    limiter.arm(now);
    return entry;
  }

  #firstFree({ queue }: CredentialLimiter): Entry | undefined {
    for (let next = queue.first(); next; next = queue.first()) {
      const waitForTarget = this.#busyTargets.get(next.target);
      if (!waitForTarget) return next;
      queue.remove(next);
      waitForTarget.add(next);
      next.state = 'target-busy';
    }
    return undefined;
  }

  #reserve(entry: Entry): void {
    const { limiter, target } = entry;
    limiter.queue.serve(entry);
    limiter.takeSlot();
    entry.giveBack = this.#shared.take(limiter);
    this.#busyTargets.set(target, new Set());
    entry.state = 'reserved';
  }

  /**
   * Takes an entry from wherever it stands and gives back what it holds: those that waited for its
   * target are in the queue again. The caller fills.
   */
  withdraw(entry: Entry, now: number): void {
    const { state, limiter, target } = entry;
    entry.state = 'new';
    if (state === 'queued') limiter.queue.remove(entry);
    if (state === 'target-busy') this.#busyTargets.get(target)?.delete(entry);
    if (state !== 'reserved' && state !== 'permitted' && state !== 'calling') return;
    limiter.releaseSlot(now, state === 'calling');
    entry.giveBack?.(now, state === 'calling');
    const freed = [...(this.#busyTargets.get(target) ?? [])];
    this.#busyTargets.delete(target);
    for (const waiting of freed) {
      this.enqueue(waiting);
      this.#owed.add(waiting.limiter);
    }
  }

  /**
   * Slots that were reserved and not taken go back; their keys keep their rank and are woken again.
   */
  recall(entries: readonly Entry[], now: number): void {
    for (const entry of entries) {
      if (entry.state !== 'reserved') continue;
      this.withdraw(entry, now);
      this.enqueue(entry);
    }
  }
}
