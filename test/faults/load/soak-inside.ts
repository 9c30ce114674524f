import { createHook } from 'node:async_hooks';
import { EventEmitter, getEventListeners } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * What only the process itself can tell; it answers every message with one of these, after a
 * collection of garbage.
 */
export interface Inside {
  /** Alive after the collection. */
  readonly heapBytes: number;
  /** Of event emitters and event targets that are alive. */
  readonly listeners: number;
  /** Timers that are set, those included that would not keep the process up. */
  readonly timers: number;
  /**
   * Everything else with a life of its own: sockets, streams, sessions, parsers, by the name Node
   * gives it.
   */
  readonly handles: Readonly<Record<string, number>>;
}

type AnyTarget = EventEmitter | EventTarget;

const live = new Map<number, string>();
const known = new WeakSet<AnyTarget>();
const targets = new Set<WeakRef<AnyTarget>>();
const typesOf = new WeakMap<EventTarget, Set<string>>();

createHook({
  init: (id, type) => void live.set(id, type),
  destroy: (id) => void live.delete(id),
  trackPromises: false,
}).enable();

function remember(target: AnyTarget): void {
  if (known.has(target)) return;
  known.add(target);
  targets.add(new WeakRef(target));
}

for (const name of [
  'on',
  'addListener',
  'prependListener',
  'once',
  'prependOnceListener',
] as const) {
  const original = Reflect.get(EventEmitter.prototype, name);
  EventEmitter.prototype[name] = function (...args): EventEmitter {
    remember(this);
    return original.apply(this, args);
  };
}

const addEventListener = Reflect.get(EventTarget.prototype, 'addEventListener');
EventTarget.prototype.addEventListener = function (type: string, ...rest: [never, never?]): void {
  remember(this);
  typesOf.set(this, (typesOf.get(this) ?? new Set()).add(type));
  addEventListener.call(this, type, ...rest);
};

function listenersOf(target: AnyTarget): number {
  const names =
    target instanceof EventTarget ? [...(typesOf.get(target) ?? [])] : target.eventNames();
  return names.reduce(
    (sum, name) => sum + getEventListeners(target as EventEmitter, name).length,
    0,
  );
}

function countListeners(): number {
  let sum = 0;
  for (const reference of targets) {
    const target = reference.deref();
    if (target) sum += listenersOf(target);
    else targets.delete(reference);
  }
  return sum;
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options: {
  readonly type: 'major';
  readonly execution: 'sync';
}) => void;

process.on('message', () => {
  // Targets held by a WeakRef live to the end of the turn in which it was asked, so the collection
  // has one to itself.
  collect({ type: 'major', execution: 'sync' });
  setImmediate(() => {
    const counts: Record<string, number> = {};
    for (const type of live.values()) counts[type] = (counts[type] ?? 0) + 1;
    const { Timeout: timers = 0, TickObject: _, Immediate: __, ...handles } = counts;
    const inside: Inside = {
      heapBytes: process.memoryUsage().heapUsed,
      listeners: countListeners(),
      timers,
      handles,
    };
    process.send?.(inside);
  });
});
