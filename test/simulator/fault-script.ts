import { fits } from './call-log.ts';
import type { Call, Fault, Match, Turns } from './types.ts';

export interface Faults {
  next(fault: Fault, options?: Turns): void;
  always(fault: Fault, match?: Match): void;
  clear(): void;
  /**
   * What is to happen to this call; uses up one turn of `next`. `admitted`: keys and limits let it
   * through.
   */
  take(call: Call, admitted: boolean): Fault | undefined;
}

/**
 * The script of what goes wrong: turns said once go first, in the order said, then the standing one
 * said last.
 */
export function createFaults(): Faults {
  let turns: { fault: Fault; left: number; match: Match }[] = [];
  let standing: { fault: Fault; match: Match }[] = [];

  function take(call: Call, admitted: boolean): Fault | undefined {
    if (turns.length === 0 && standing.length === 0) return undefined;
    const meant = ({ fault, match }: { fault: Fault; match: Match }): boolean =>
      (admitted || !isOperations(fault)) && fits(call, match);
    const turn = turns.find(meant);
    if (turn === undefined) return standing.find(meant)?.fault;
    turn.left -= 1;
    if (turn.left <= 0) turns = turns.filter((other) => other !== turn);
    return turn.fault;
  }

  return {
    next: (fault, { times = 1, match = {} } = {}) => {
      turns.push({ fault, left: times, match });
    },
    always: (fault, match = {}) => {
      standing = [{ fault, match }, ...standing];
    },
    clear: () => {
      turns = [];
      standing = [];
    },
    take,
  };
}

/** Whether a fault is the operation's own doing, and not of something in front of it. */
export function isOperations(fault: Fault): boolean {
  if ('status' in fault)
    return (fault.by ?? (fault.status < 300 ? 'operation' : 'gateway')) === 'operation';
  if ('transport' in fault) return fault.by === 'operation';
  return !('slowMs' in fault || 'hold' in fault);
}

/** How long after the answer the work of a call is done; undefined where it is not. */
export function lateWork(fault: Fault | undefined): number | undefined {
  return fault && 'appliesAfterMs' in fault ? fault.appliesAfterMs : undefined;
}

/** Whether the work of a call is done on arrival although its answer goes wrong. */
export function worksOnArrival(fault: Fault | undefined): boolean {
  if (fault === undefined) return true;
  if (lateWork(fault) !== undefined) return false;
  if ('status' in fault) return fault.applied ?? fault.status < 300;
  if ('transport' in fault) {
    return fault.applied ?? (fault.transport !== 'reset-before' && fault.transport !== 'no-answer');
  }
  return true;
}
