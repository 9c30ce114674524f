/** A request as a server gets it. */
export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** An answer with its whole body, or one whose body goes on. */
export interface WireReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | WireStream;
  readonly says?: unknown;
}

/** A body that comes in pieces. What it returns ends it from the client's side. */
export type WireStream = (to: {
  readonly data: (text: string, says: unknown) => void;
  readonly ended: (broken: boolean) => void;
}) => () => void;

/** What becomes of one request on its way. Times in milliseconds. */
export interface Fate {
  readonly thereMs: number;
  readonly backMs: number;
  /** `request`: it never arrives. `reply`: the work is done and nobody hears. */
  readonly lost?: 'request' | 'reply';
  /** The connection breaks: before the request arrives, or after the work is done. */
  readonly reset?: 'before' | 'after';
  /** The reply breaks off in its body. */
  readonly truncated?: true;
  /** It arrives so late, whatever the process was told before; nobody hears of what comes of it. */
  readonly strayMs?: number;
}

/** One request on its way. */
export interface Crossing {
  readonly id: number;
  readonly host: string;
  readonly request: WireRequest;
}

/** A server, as a connection sees it. */
export interface Server {
  /** The process asks; its connection may not stand yet. */
  asks?(crossing: Crossing): void;
  /** Asked when the first byte leaves. */
  fate(crossing: Crossing): Fate;
  /** Its first byte leaves now. */
  left?(crossing: Crossing): void;
  serve(crossing: Crossing): WireReply;
  /** The whole reply, or the beginning of a stream, has reached the process. */
  answered(crossing: Crossing, reply: WireReply): void;
  /** A piece of a stream has reached the process. */
  streamed?(crossing: Crossing, says: unknown): void;
  /** The process hears of no answer any more: it gave up, or the connection broke. */
  unanswered(crossing: Crossing, why: string): void;
  /** How long a new connection takes to stand; undefined: it is refused. */
  connectMs(): number | undefined;
}
