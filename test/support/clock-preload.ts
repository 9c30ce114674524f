/**
 * Runs before the bundle in the operator's process: its time is ahead of the machine's by as much
 * as this module's URL said at first and the last message since. Timers move along: what a jump
 * makes due runs at once, the earliest first.
 */
export interface ClockMove {
  readonly aheadMs: number;
}

interface Timer {
  readonly due: number;
  readonly run: () => void;
  /** The machine's timer that now stands for it: since a jump, another than its owner has. */
  real: NodeJS.Timeout;
}

const machine = globalThis.Date.now;
const steady = performance.now.bind(performance);
const set = globalThis.setTimeout;
const clear = globalThis.clearTimeout;
const timers = new Map<unknown, Timer>();
let aheadMs = Number(new URL(import.meta.url).searchParams.get('ahead'));

const now = (): number => steady() + aheadMs;
performance.now = now;
globalThis.Date.now = () => machine() + aheadMs;
globalThis.Date = new Proxy(globalThis.Date, {
  construct: (target, given: unknown[], as) =>
    Reflect.construct(target, given.length === 0 ? [target.now()] : given, as) as Date,
});

const setTimer = (callback: (...given: unknown[]) => void, ms = 0, ...given: unknown[]) => {
  const run = (): void => {
    timers.delete(timer);
    callback(...given);
  };
  const timer = set(run, ms);
  timers.set(timer, { due: now() + ms, run, real: timer });
  return timer;
};
globalThis.setTimeout = Object.assign(setTimer as typeof setTimeout, {
  __promisify__: set.__promisify__,
});
globalThis.clearTimeout = (timer) => {
  clear(timers.get(timer)?.real);
  timers.delete(timer);
  clear(timer);
};

process.on('message', (message: ClockMove) => {
  ({ aheadMs } = message);
  for (const timer of [...timers.values()].toSorted((a, b) => a.due - b.due)) {
    const former = timer.real;
    timer.real = set(timer.run, timer.due - now());
    if (!former.hasRef()) timer.real.unref();
    clear(former);
  }
  process.send?.(message);
});
// The channel keeps no process alive that has nothing else to do.
process.channel?.unref();
