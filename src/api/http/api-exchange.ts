import type { Dispatcher } from 'undici';
import type { NoAnswer } from '../reply/reply.ts';

/** A response larger than this is not read further. */
const LONGEST_BODY = 1024 * 1024;

/** How an exchange ended. */
export type Ended =
  | {
      readonly kind: 'answer';
      readonly httpStatus: number;
      readonly headers: Headers;
      readonly body: Body;
    }
  | { readonly kind: 'failed'; readonly sent: boolean; readonly error: unknown }
  | { readonly kind: 'called-off'; readonly by: NonNullable<NoAnswer['aborted']> }
  | { readonly kind: 'stopped'; readonly sent: boolean; readonly by: StopReason };

export type StopReason = 'deadline' | 'signal';

type Headers = Record<string, string | string[] | undefined>;
type Body = { readonly text: string } | { readonly state: 'truncated' | 'too-large' };

export interface ExchangeOptions {
  /**
   * Asked right before the first byte is written, in the same turn of the event loop; where there
   * is one, nothing is written.
   */
  readonly objection: () => NonNullable<NoAnswer['aborted']> | undefined;
  /** Called once. */
  readonly done: (end: Ended) => void;
}

/**
 * Receives one response from undici, and is the one place that decides whether a request leaves.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #options: ExchangeOptions;
  #controller: Dispatcher.DispatchController | undefined;
  #head: { readonly httpStatus: number; readonly headers: Headers } | undefined;
  #chunks: Buffer[] = [];
  #size = 0;
  #over = false;

  constructor(options: ExchangeOptions) {
    this.#options = options;
  }

  /** Ends the exchange from outside; what was not written yet never will be. */
  stop(by: StopReason): void {
    this.#end(
      this.#head ? this.#answer({ state: 'truncated' }) : { kind: 'stopped', sent: this.#sent, by },
    );
    this.#controller?.abort(new Error(by));
  }

  /** undici is about to write the request. Throwing keeps the connection and writes nothing. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#sent) throw new Error('a request is never sent twice');
    if (this.#over) throw new Error('the call is over');
    const by = this.#options.objection();
    if (by !== undefined) {
      this.#end({ kind: 'called-off', by });
      throw new Error(by);
    }
    this.#controller = controller;
  }

  /**
   * Also called for each informational response: those are passed over, the deadline ends an
   * endless row of them.
   */
  onResponseStart(
    _controller: Dispatcher.DispatchController,
    httpStatus: number,
    headers: Headers,
  ): void {
    if (httpStatus >= 200) this.#head = { httpStatus, headers };
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size <= LONGEST_BODY) {
      this.#chunks.push(chunk);
      return;
    }
    this.#end(this.#answer({ state: 'too-large' }));
    controller.abort(new Error('response too large'));
  }

  onResponseEnd(): void {
    this.#end(this.#answer({ text: new TextDecoder().decode(Buffer.concat(this.#chunks)) }));
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#end(
      this.#head
        ? this.#answer({ state: 'truncated' })
        : { kind: 'failed', sent: this.#sent, error },
    );
  }

  get #sent(): boolean {
    return this.#controller !== undefined;
  }

  #answer(body: Body): Ended {
    return this.#head
      ? { kind: 'answer', ...this.#head, body }
      : { kind: 'failed', sent: this.#sent, error: undefined };
  }

  #end(end: Ended): void {
    if (this.#over) return;
    this.#over = true;
    this.#chunks = [];
    this.#options.done(end);
  }
}
