import { constants } from 'node:os';

/**
 * Something that the user can mend. The message says what is wrong, with which value, and what to
 * do; it is all that is printed, and the exit code is 1.
 */
export class UserError extends Error {
  override readonly name = 'UserError';
}

/**
 * The command was ended before its end, as by Ctrl-C. No UserError: nothing may go on as if the
 * cluster, or anybody, had answered.
 */
export class Stopped extends Error {
  override readonly name = 'Stopped';
  /** As shells have it. */
  readonly exitCode: number;

  constructor(signal: NodeJS.Signals, message: string) {
    super(message);
    this.exitCode = 128 + constants.signals[signal];
  }
}

export function stoppedByUser(): Stopped {
  return new Stopped('SIGINT', 'stopped');
}
