import type { Phase } from '../adversary/adversary.ts';
import type { Life, Opponent } from '../life/life.ts';
import type { Crossing } from '../network/wire.ts';
import { declare, MOVES, OTHER } from './moves.ts';
import type { Schedule } from './schedule.ts';

/** By then the first reconciliation is over, and its user comes back. */
const SETTLED_MS = 60_000;

/**
 * Carries out an interleaving: counts the steps of the operator's calls, and makes each move before
 * its step.
 */
export class Script implements Opponent {
  readonly #life: Life;
  readonly #schedule: Schedule;
  #step = 0;

  constructor(life: Life, schedule: Schedule) {
    this.#life = life;
    this.#schedule = schedule;
  }

  begin(): void {
    if (this.#schedule.isSettled) this.#life.after(SETTLED_MS, () => declare(this.#life, [OTHER]));
  }

  /**
   * A call to the management API, or a write to the API server, leaves, is carried out or is
   * answered: these are the steps. Between leaving and arriving nothing can be told apart.
   */
  hop(phase: Phase, { request }: Crossing): number {
    const life = this.#life;
    if (phase === 'arrives' || request.method === 'GET') return 0;
    if (this.#schedule.isSettled && life.timeline.now < SETTLED_MS) return 0;
    this.#step += 1;
    for (const [index, move] of MOVES.entries()) {
      const id = `move ${index + 1}`;
      if (this.#schedule.steps[index] !== this.#step || !life.may(id)) continue;
      life.tell({ what: 'act', id, text: `${move.text(this.#schedule)} (step ${this.#step})` });
      move.perform(life, this.#schedule);
    }
    return 0;
  }
}
