import type { CredentialLimiter, Entry } from './credential-limiter.ts';

/**
 * Moves entries between the queue and the slots. After every `fill`: where a slot is free, nobody
 * who could use it waits in the queue.
 */
export class Slots {
  /** The targets for which somebody holds a slot, over all credentials, and who waits for each. */
  readonly #busyTargets = new Map<string, Set<Entry>>();
  readonly #wake: (entry: Entry) => void;

  constructor(wake: (entry: Entry) => void) {
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
   * Hands free slots to whoever is next. The asking key takes its slot at once, the others are
   * woken for theirs.
   */
  fill(limiter: CredentialLimiter, now: number, asking?: Entry): void {
    const { queue } = limiter;
    const woken: Entry[] = [];
    for (let next = queue.first(); next && limiter.capacity(now) > 0; next = queue.first()) {
      const waitForTarget = this.#busyTargets.get(next.target);
      if (waitForTarget) {
        queue.remove(next);
        waitForTarget.add(next);
        next.state = 'target-busy';
        continue;
      }
      queue.serve(next);
      limiter.takeSlot();
      this.#busyTargets.set(next.target, new Set());
      next.state = 'reserved';
      if (next !== asking) woken.push(next);
    }
    limiter.arm(now);
    for (const entry of woken) this.#wake(entry);
  }

  /**
   * Takes an entry from wherever it stands and gives back what it holds: those that waited for its
   * target are in the queue again. The caller fills the slots of its own credential.
   */
  withdraw(entry: Entry, now: number): void {
    const { state, limiter, target } = entry;
    entry.state = 'new';
    if (state === 'queued') limiter.queue.remove(entry);
    if (state === 'target-busy') this.#busyTargets.get(target)?.delete(entry);
    if (state !== 'reserved' && state !== 'permitted' && state !== 'calling') return;
    limiter.releaseSlot(now, state === 'calling');
    const freed = [...(this.#busyTargets.get(target) ?? [])];
    this.#busyTargets.delete(target);
    for (const waiting of freed) this.enqueue(waiting);
    for (const other of new Set(freed.map((waiting) => waiting.limiter)))
      if (other !== limiter) this.fill(other, now);
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
