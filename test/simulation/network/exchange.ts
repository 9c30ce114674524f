import { type Dispatcher, errors } from 'undici';
import type { Host } from '../engine/host.ts';
import type { Timeline } from '../engine/timeline.ts';
import type { Crossing, Fate, Server, WireReply, WireStream } from './wire.ts';

export interface ExchangeOptions {
  readonly timeline: Timeline;
  readonly host: Host;
  readonly server: Server;
  readonly crossing: Crossing;
  readonly handler: Dispatcher.DispatchHandler;
  readonly over: () => void;
}

/**
 * One request on its way: asks the handler when the connection stands, as undici does, and brings
 * it what comes back.
 */
export class Exchange {
  readonly #options: ExchangeOptions;
  readonly #controller: Controller;
  #state: 'queued' | 'sent' | 'answered' | 'over' = 'queued';
  #stopStream: (() => void) | undefined;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    this.#controller = new Controller((reason) => this.fail(reason));
  }

  /** The connection stands. */
  begin(): void {
    if (this.#state !== 'queued') return;
    const { handler, server, crossing } = this.#options;
    try {
      handler.onRequestStart?.(this.#controller, {});
    } catch (error) {
      this.fail(error as Error);
      return;
    }
    if (this.#isOver()) return;
    this.#state = 'sent';
    server.left?.(crossing);
    this.#send(server.fate(crossing));
  }

  /** Ends it with an error, where it is not over. */
  fail(error: Error): void {
    if (this.#isOver()) return;
    const { handler, server, crossing } = this.#options;
    const wasSent = this.#state === 'sent' || this.#state === 'answered';
    this.#end();
    if (wasSent) server.unanswered(crossing, error.message);
    handler.onResponseError?.(this.#controller, error);
  }

  /** Its connection breaks, and both sides hear of it. */
  breakOff(): void {
    if (this.#state !== 'queued') this.#options.host.reach(() => this.fail(closed()));
  }

  #isOver(): boolean {
    return this.#state === 'over';
  }

  #send(fate: Fate): void {
    const { timeline, server, crossing } = this.#options;
    if (fate.strayMs !== undefined)
      timeline.quietlyAt(fate.strayMs, () => void server.serve(crossing));
    if (fate.reset === 'before') {
      this.#later(fate.thereMs + fate.backMs, () => this.fail(closed()));
      return;
    }
    if (fate.lost === 'request') return;
    timeline.quietlyAt(fate.thereMs, () => this.#comeBack(fate, server.serve(crossing)));
  }

  #comeBack(fate: Fate, reply: WireReply): void {
    if (fate.lost === 'reply') return;
    if (fate.reset === 'after') {
      this.#later(fate.backMs, () => this.fail(closed()));
      return;
    }
    const { body } = reply;
    if (typeof body !== 'string') {
      this.#stream(fate, reply, body);
      return;
    }
    const arrives = fate.truncated ? body.slice(0, Math.floor(body.length / 2)) : body;
    this.#later(fate.backMs, () => {
      this.#start({ ...reply, body: arrives });
      this.#push(arrives);
      if (fate.truncated) this.fail(closed());
      else this.#finish();
    });
  }

  #stream(fate: Fate, reply: WireReply, body: WireStream): void {
    const { server, crossing } = this.#options;
    this.#later(fate.backMs, () => this.#start(reply));
    this.#stopStream = body({
      data: (text, says) =>
        this.#later(fate.backMs, () => {
          server.streamed?.(crossing, says);
          this.#push(text);
        }),
      ended: (broken) =>
        this.#later(fate.backMs, () => {
          if (broken) this.fail(closed());
          else this.#finish();
        }),
    });
    if (this.#isOver()) this.#stopStream();
  }

  /** What reaches the process, unless the exchange is over by then. */
  #later(ms: number, run: () => void): void {
    const { timeline, host } = this.#options;
    timeline.at(ms, () => {
      host.reach(() => {
        if (!this.#isOver()) run();
      });
    });
  }

  #start(reply: WireReply): void {
    const { handler, server, crossing } = this.#options;
    this.#state = 'answered';
    server.answered(crossing, reply);
    handler.onResponseStart?.(this.#controller, reply.status, { ...reply.headers });
  }

  #push(text: string): void {
    if (!this.#isOver())
      this.#options.handler.onResponseData?.(this.#controller, Buffer.from(text));
  }

  #finish(): void {
    if (this.#isOver()) return;
    this.#end();
    this.#options.handler.onResponseEnd?.(this.#controller, {});
  }

  #end(): void {
    this.#state = 'over';
    this.#stopStream?.();
    this.#options.over();
  }
}

function closed(): Error {
  return new errors.SocketError('other side closed');
}

/** What a handler holds its side of an exchange by. It has room for everything that comes. */
class Controller implements Dispatcher.DispatchController {
  readonly paused = false;
  readonly #onAbort: (reason: Error) => void;
  #reason: Error | null = null;

  constructor(onAbort: (reason: Error) => void) {
    this.#onAbort = onAbort;
  }

  get aborted(): boolean {
    return this.#reason !== null;
  }

  get reason(): Error | null {
    return this.#reason;
  }

  pause(): void {
    // What comes meanwhile is kept by the reader.
  }

  resume(): void {
    // It never stood.
  }

  abort(reason: Error): void {
    if (this.#reason) return;
    this.#reason = reason ?? new errors.RequestAbortedError();
    this.#onAbort(this.#reason);
  }
}
