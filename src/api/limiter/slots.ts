import type { CredentialLimiter } from './credential-limiter.ts';
import type { Lane } from './limiter.ts';
import { Targets } from './targets.ts';
import type { Ranked } from './waiting-queue.ts';

/**
 * Where one key stands. In `parked` it waits for its target, in `gated` for the breaker; `reserved`,
 * `permit` and `begun` hold a slot.
 */
export interface Entry extends Ranked {
  readonly key: string;
  readonly target: string;
  readonly pace: CredentialLimiter<Entry>;
  readonly since: number;
  place: 'new' | 'line' | 'parked' | 'reserved' | 'permit' | 'begun' | 'circuit-open';
  /** Asked since the last `settle`. */
  asked: boolean;
}

/**
 * Moves entries between the line and the slots. After every `pump`: where a slot is free, nobody
 * who could use it stands in line.
 */
export class Slots {
  readonly #targets = new Targets<Entry>();
  readonly #onWake: (key: string, lane: Lane) => void;

  constructor(wake: (key: string, lane: Lane) => void) {
    this.#onWake = wake;
  }

  wake({ key, lane }: Entry): void {
    this.#onWake(key, lane);
  }

  queue(entry: Entry): void {
    entry.place = 'line';
    entry.pace.line.add(entry);
  }

  /**
   * A user's change came while the key waited as scheduled work: it keeps its rank in the faster
   * lane.
   */
  upgrade(entry: Entry): void {
    if (entry.lane === 'user') return;
    if (entry.place === 'line') entry.pace.line.remove(entry);
    entry.lane = 'user';
    if (entry.place === 'line') entry.pace.line.add(entry);
  }

  /**
   * Hands free slots to whoever is next. The asking key takes its slot at once, the others are
   * woken for theirs.
   */
  pump(pace: CredentialLimiter<Entry>, now: number, asking?: Entry): void {
    const woken: Entry[] = [];
    for (let next = pace.line.first(); next && pace.capacity(now) > 0; next = pace.line.first()) {
      if (this.#targets.isBusy(next.target)) {
        pace.line.remove(next);
        this.#targets.park(next);
        next.place = 'parked';
        continue;
      }
      pace.line.serve(next);
      pace.take();
      this.#targets.occupy(next.target);
      next.place = 'reserved';
      if (next !== asking) woken.push(next);
    }
    pace.arm(now);
    for (const entry of woken) this.wake(entry);
  }

  /**
   * Takes an entry from wherever it stands and gives back what it holds; parked keys of its target
   * stand in line again. The caller pumps its pace.
   */
  withdraw(entry: Entry, now: number): void {
    const { place, pace, target } = entry;
    entry.place = 'new';
    if (place === 'line') pace.line.remove(entry);
    if (place === 'parked') this.#targets.unpark(entry);
    if (place !== 'reserved' && place !== 'permit' && place !== 'begun') return;
    pace.release(now, place === 'begun');
    const freed = this.#targets.release(target);
    for (const parked of freed) this.queue(parked);
    for (const other of new Set(freed.map((parked) => parked.pace)))
      if (other !== pace) this.pump(other, now);
  }

  /**
   * Slots that were reserved but not taken go back; their keys keep their rank and are woken again.
   */
  recall(entries: readonly Entry[], now: number): void {
    for (const entry of entries) {
      if (entry.place !== 'reserved') continue;
      this.withdraw(entry, now);
      this.queue(entry);
    }
  }
}
