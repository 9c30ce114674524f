import type { Priority } from '../../controller/queue.ts';

/**
 * Makes the limiter's wake-up something to wait for: who waits here goes on, any other key is
 * reconciled. So no wake-up is lost, whoever it is for.
 */
export class Waiters {
  readonly #waiting = new Map<string, () => void>();
  readonly #enqueue: (id: string, priority: Priority) => void;

  constructor(enqueue: (id: string, priority: Priority) => void) {
    this.#enqueue = enqueue;
  }

  wake(id: string, priority: Priority): void {
    const goOn = this.#waiting.get(id);
    if (goOn) goOn();
    else this.#enqueue(id, priority);
  }

  /** Resolves when this key is woken, the signal is aborted, or `leave` says so. */
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

  leave(id: string): void {
    this.#waiting.get(id)?.();
  }
}
