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
    if (isCleanup && this.#refusesToObserve !== 'refused') return undefined;
    return this.#refusesToObserve ? name : undefined;
  }

  observed(byName: boolean): void {
    if (byName) return;
    this.#refusesToObserve = undefined;
    this.#observationsFailed = 0;
  }

  /** The declared name did not show it either. */
  notObservedByName(): void {
    this.#refusesToObserve = undefined;
  }

  /** What follows a failed observation: the declared name, no way at all, or another attempt. */
  notObserved(failure: Failure, goal: Goal): 'by-name' | 'none' | 'again' {
    const { httpStatus = 0 } = failure;
    const isRefused = REFUSES_EMPTY.has(httpStatus);
    const isOwnError = httpStatus === 500 && failure.isJson === true;
    this.#observationsFailed = isOwnError ? this.#observationsFailed + 1 : 0;
    if (!isRefused && this.#observationsFailed < FOR_GOOD) return 'again';
    this.#refusesToObserve = isRefused ? 'refused' : 'failed';
    return this.nameToObserveBy(goal) === undefined ? 'none' : 'by-name';
  }

  /** A change of several endpoints is answered with 500 for good: each goes by itself. */
  get isOneByOne(): boolean {
    return this.#changesFailed >= FOR_GOOD;
  }

  changeFailed({ httpStatus }: Failure, isOfSeveral: boolean): void {
    if (isOfSeveral && (httpStatus === 500 || httpStatus === 501)) this.#changesFailed += 1;
  }

  changed(): void {
    if (!this.isOneByOne) this.#changesFailed = 0;
  }
}
