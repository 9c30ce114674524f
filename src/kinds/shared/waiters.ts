/**
 * Makes the limiter's wake-up something to wait for: who waits here goes on, and any other key is
 * to be reconciled, so that no wake-up is lost.
 */
export class Waiters {
  readonly #waiting = new Map<string, () => void>();

  /** Wakes this key where it waits. False: it waits for nothing. */
  woken(id: string): boolean {
    const goOn = this.#waiting.get(id);
    goOn?.();
    return goOn !== undefined;
  }

  /** Resolves when this key is woken, or the signal aborted. */
  wait(id: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const goOn = (): void => {
        this.#waiting.delete(id);
        signal.removeEventListener('abort', goOn);
        resolve();
      };
      this.#waiting.set(id, goOn);
      signal.addEventListener('abort', goOn);
      if (signal.aborted) goOn();
    });
  }
}
