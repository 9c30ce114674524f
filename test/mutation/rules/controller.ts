import type { Mutation } from '../mutation.ts';

const QUEUE = 'test/unit/controller-queue.test.ts';

/** Which object is looked at, and when. */
const QUEUES: readonly Mutation[] = [
  {
    name: 'one-reconcile-per-object',
    rule: 'No object is reconciled twice at a time.',
    file: 'controller/queue.ts',
    from: 'if (running) {',
    to: 'if (running?.again) {',
    seenBy: { test: QUEUE, title: 'is never out twice at a time, and comes back once' },
  },
  {
    name: 'change-meanwhile-is-not-lost',
    rule: 'A change that comes during a reconcile brings another one.',
    file: 'controller/queue.ts',
    from: 'if (running.again) this.add(key, running.again.lane, running.again.holdsSlot);',
    to: '',
    seenBy: { test: QUEUE, title: 'is never out twice at a time, and comes back once' },
  },
  {
    name: 'slot-is-told-to-the-queue',
    rule: 'A key that is woken for a slot goes ahead of its namespace.',
    file: 'api/limiter/rate-limiter.ts',
    from: 'this.#wake(entry, true)',
    to: 'this.#wake(entry)',
    seenBy: {
      test: 'test/unit/api-limiter-backlog.test.ts',
      title: 'a first call waits for one window, however many keys',
    },
  },
  {
    name: 'earlier-delay-holds',
    rule: 'Of two times at which an object is to be looked at the earlier one holds.',
    file: 'controller/delay-heap.ts',
    from: 'current !== undefined && current <= due',
    to: 'current !== undefined && current >= due',
    seenBy: {
      test: 'test/unit/controller-delay-heap.test.ts',
      title: 'keeps the earlier of two times for a key',
    },
  },
];

/** The one write of a status. */
const STATUSES: readonly Mutation[] = [
  {
    name: 'transition-time-moves-with-status',
    rule: 'lastTransitionTime moves when the status of a condition moves, and at no other time.',
    file: 'controller/conditions.ts',
    from: 'before?.status === status && before.lastTransitionTime',
    to: 'before?.lastTransitionTime',
    seenBy: {
      test: 'test/unit/controller-conditions.test.ts',
      title: 'move lastTransitionTime with status and with nothing else',
    },
  },
];

export const CONTROLLER: readonly Mutation[] = [...QUEUES, ...STATUSES];
