import type { RunningOperator } from '../../support/operator.ts';

/** Sets the clocks of an operator's process, and in the answer says that it is set. */
export interface ClockMove {
  readonly aheadMs: number;
}

export function isClockMove(message: unknown): message is ClockMove {
  return typeof message === 'object' && message !== null && 'aheadMs' in message;
}

/**
 * What an operator has to be started with for both its clocks to be moved, as if that time had
 * passed; from its start on they are ahead by so much. What waits has to be woken; timers do not
 * notice.
 */
export function movableTime(aheadMs = 0): string {
  return new URL(`./clock-preload.ts?ahead=${aheadMs}`, import.meta.url).href;
}

/**
 * Lets both clocks of that process jump, to so much ahead of the machine's; resolves when
 * it has.
 */
export function jumpTo(aheadMs: number, { process: child }: RunningOperator): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (end: () => void): void => {
      child.off('message', heard);
      child.off('exit', ended);
      end();
    };
    const heard = (message: unknown): void => {
      if (isClockMove(message) && message.aheadMs === aheadMs) settle(resolve);
    };
    const ended = (): void =>
      settle(() => reject(new Error('the operator ended before its clock was moved')));
    child.on('message', heard);
    child.on('exit', ended);
    child.send({ aheadMs } satisfies ClockMove, (error) => {
      if (error) settle(() => reject(error));
    });
  });
}
