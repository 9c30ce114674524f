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
    this.exitCode = exitCodeOf(signal);
  }
}

export function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

/** That which `stop` was aborted with as its reason; else that of Ctrl-C. */
export function signalOf(stop?: AbortSignal): NodeJS.Signals {
  const reason: unknown = stop?.reason;
  return isSignal(reason) ? reason : 'SIGINT';
}

function isSignal(reason: unknown): reason is NodeJS.Signals {
  return typeof reason === 'string' && Object.hasOwn(constants.signals, reason);
}

export function stoppedByUser(stop?: AbortSignal): Stopped {
  return new Stopped(signalOf(stop), 'stopped');
}
