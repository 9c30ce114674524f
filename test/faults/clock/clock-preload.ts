import { type ClockMove, isClockMove } from './clock-move.ts';

/**
 * Runs before the bundle in the operator's process: both its clocks are ahead of the machine's by as
 * much as the search of this module's URL says, and then by as much as the last message said, as if
 * that time had passed; timers run on as they are, so no call under way ends early.
 */
const { searchParams } = new URL(import.meta.url);
const machine = globalThis.Date.now;
let aheadMs = Number(searchParams.get('ahead') ?? 0);

const steady = performance.now.bind(performance);
performance.now = () => steady() + aheadMs;
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
