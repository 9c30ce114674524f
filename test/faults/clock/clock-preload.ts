import { type ClockMove, isClockMove } from './clock-move.ts';

/**
 * Runs before the bundle in the operator's process: its wall clock is ahead of the machine's by as much as the search of
 * this module's URL says, and then by as much as the last message said. Only what reads the wall clock notices.
 */
const machine = globalThis.Date.now;
let aheadMs = Number(new URL(import.meta.url).searchParams.get('ahead') ?? 0);

globalThis.Date.now = () => machine() + aheadMs;
globalThis.Date = new Proxy(globalThis.Date, {
  construct: (target, given: unknown[], as) =>
    Reflect.construct(target, given.length === 0 ? [target.now()] : given, as) as Date,
});

process.on('message', (message) => {
  if (!isClockMove(message)) return;
  ({ aheadMs } = message);
  process.send?.({ aheadMs } satisfies ClockMove);
});
// The channel keeps no process alive that has nothing else to do.
process.channel?.unref();
