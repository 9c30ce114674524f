import type { Dispatcher } from 'undici';

/** With so many pieces of a body unread, the server is asked to wait. */
const MOST_UNREAD = 16;

export interface Head {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/**
 * One answer as undici brings it. Its own `request` makes a stream of every body and listens to a
 * signal, for each call anew.
 */
export class Incoming implements Dispatcher.DispatchHandler, AsyncIterable<Uint8Array> {
  readonly #head = Promise.withResolvers<Head>();
  /** Rejects where no answer comes. */
  readonly head: Promise<Head> = this.#head.promise;
  #controller: Dispatcher.DispatchController | undefined;
  #unread: Uint8Array[] = [];
  #hasBegun = false;
  #isOver = false;
  #error: Error | undefined;
  #wake: (() => void) | undefined;

  /** Breaks the call off; whoever waits for it gets the error, or reads it after what has come. */
  abort(error: Error): void {
    this.#end(error);
    const controller = this.#controller;
    if (!controller) return;
    // With any other code undici may fail whatever else waits for a connection.
    const cause = Object.assign(new Error(error.message), { code: 'UND_ERR_INFO' });
    // Not while Node reads from the connection: where that is closed soon after, Node may hang.
    setImmediate(() => controller.abort(cause));
  }

  /** undici has a connection for it, which may have been long in coming. Throwing sends nothing. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#isOver) throw this.#error ?? new Error('the call is over');
    this.#controller = controller;
  }

  /** Also called for each informational response. */
  onResponseStart(
    _controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: Head['headers'],
  ): void {
    if (statusCode < 200) return;
    this.#hasBegun = true;
    this.#head.resolve({ statusCode, headers });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#unread.push(chunk);
    if (this.#unread.length >= MOST_UNREAD) controller.pause();
    this.#wake?.();
  }

  onResponseEnd(): void {
    this.#end(undefined);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#end(error);
  }

  /** The pieces of the body, once. Whoever stops before the end breaks the call off. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      while (!this.#isOver || this.#unread.length > 0) {
        const chunks = this.#unread;
        this.#unread = [];
        for (const chunk of chunks) yield chunk;
        if (!this.#isOver && this.#unread.length === 0) await this.#more();
      }
      if (this.#error) throw this.#error;
    } finally {
      if (!this.#isOver) this.abort(new Error('its reader has stopped'));
    }
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      this.#controller?.resume();
    });
  }

  #end(error: Error | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#error = error;
    // Making an error for each answer would cost more than all else here.
    if (!this.#hasBegun) this.#head.reject(error ?? new Error('the answer ended before it began'));
    this.#wake?.();
  }
}
