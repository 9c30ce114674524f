import type { Failure } from '../../api/reply/verdict.ts';
import type { Goal } from './goal.ts';

/** An API that fails so often in a row with the same request does so for good. */
const FOR_GOOD = 3;
/** Answers of an API that takes no change of two empty lists. */
const REFUSES_EMPTY: ReadonlySet<number> = new Set([400, 405, 422]);

/**
 * What this process has learned of the requests that the API takes for one organization. Losing it
 * costs a few requests; an outage teaches nothing.
 */
export class Ways {
  #refusesToObserve: 'refused' | 'failed' | undefined;
  #observationsFailed = 0;
  #changesFailed = 0;

  /** The declared name, where sending it is the way to see the list. */
  nameToObserveBy({ name, isCleanup }: Goal): string | undefined {
    const isKnown = isCleanup ? this.#refusesToObserve === 'refused' : this.#refusesToObserve;
    return isKnown ? name : undefined;
  }

  /** The request that changes nothing works, or the declared name does not show the list either. */
  forget(): void {
    this.#refusesToObserve = undefined;
    this.#observationsFailed = 0;
  }

  /** What follows a failed observation; `none`: a declared name would make the list readable. */
  notObserved({ httpStatus = 0, isJson }: Failure, goal: Goal): 'by-name' | 'none' | 'again' {
    const isRefused = REFUSES_EMPTY.has(httpStatus);
    const isOwnError = httpStatus === 500 && isJson === true;
    this.#observationsFailed = isOwnError ? this.#observationsFailed + 1 : 0;
    if (!isRefused && this.#observationsFailed < FOR_GOOD) return 'again';
    this.#refusesToObserve = isRefused ? 'refused' : 'failed';
    if (this.nameToObserveBy(goal) !== undefined) return 'by-name';
    return goal.name === undefined ? 'none' : 'again';
  }

  /** A change of several endpoints is answered with 500 for good: each goes by itself. */
  get isOneByOne(): boolean {
    return this.#changesFailed >= FOR_GOOD;
  }

  /** `httpStatus`: of the answer to a change of several endpoints. */
  changeEnded(httpStatus: number | undefined): void {
    if (httpStatus === 500 || httpStatus === 501) this.#changesFailed += 1;
    else if (!this.isOneByOne) this.#changesFailed = 0;
  }
}
