/** What a call is made with. The secret itself lives only inside `authorization` and `mask`. */
export interface Credential {
  /** Salted digest: by this the rate limiter tells credentials apart. Safe in logs. */
  readonly id: string;
  /** The complete value of the `authorization` header. */
  readonly authorization: string;
  /** Replaces every form of the key id and the secret in a text. */
  mask(text: string): string;
}

/**
 * How far the body of an answer could be read; `truncated`: it broke off or the deadline came;
 * `too-large`: over 1 MiB.
 */
export type BodyState = 'json' | 'not-json' | 'empty' | 'truncated' | 'too-large';

/** The API answered with a status line. */
export interface Answer {
  readonly answered: true;
  readonly httpStatus: number;
  readonly requestId?: string;
  /** What the API says of it: one line, at most 512 characters, credentials masked. */
  readonly error?: string;
  /** The body carries an `error` that has no text; its content is not shown. */
  readonly oddError?: true;
  readonly body: BodyState;
  /** Present only when the JSON body has a `result` that is an object. */
  readonly result?: Readonly<Record<string, unknown>>;
  /** From Retry-After or X-RateLimit-Reset, whichever is longer; 0 to 15 minutes. */
  readonly retryAfterMs?: number;
  /** Host a 3xx points to, credentials masked; it is never followed. */
  readonly redirectHost?: string;
}

/** No status line arrived. */
export interface NoAnswer {
  readonly answered: false;
  /** False only when it is certain that no byte of the request left this process. */
  readonly sent: boolean;
  /** Stable text, ready for a message. */
  readonly cause: string;
  /**
   * The call was called off before a byte left: leadership was in doubt, its permit was withdrawn,
   * its object had changed, or the caller's signal.
   */
  readonly aborted?: 'not-leader' | 'not-permitted' | 'not-wanted' | 'signal';
}

export type Reply = Answer | NoAnswer;
