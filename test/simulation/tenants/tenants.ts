import type { Life, Opponent } from '../life/life.ts';
import { beginA } from './a.ts';
import { beginB } from './b.ts';

/** The two tenants; or B alone, who does then what he does beside A. */
export class Tenants implements Opponent {
  readonly #life: Life;
  readonly #isAlone: boolean;

  constructor(life: Life, isAlone = false) {
    this.#life = life;
    this.#isAlone = isAlone;
  }

  begin(): void {
    beginB(this.#life);
    if (!this.#isAlone) beginA(this.#life);
  }

  /** Neither sees what lies between two events of a call. */
  hop(): number {
    return 0;
  }
}
