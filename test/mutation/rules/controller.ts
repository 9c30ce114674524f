import { type Mutation, seenInLife } from '../mutation.ts';

const QUEUE = 'test/unit/controller-queue.test.ts';
const WORKERS = 'test/unit/controller-workers.test.ts';
const SHARES = 'test/unit/controller-shares.test.ts';
const RECONCILER = 'test/unit/controller-reconciler.test.ts';
const CHANGED_MEANWHILE = 'test/unit/controller-changed-meanwhile.test.ts';
const UNWRITTEN = 'test/unit/controller-unwritten.test.ts';

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
    name: 'workers-are-left-for-others',
    rule: 'A namespace whose reconciles hang holds no more workers than it leaves.',
    file: 'controller/shares.ts',
    from: '?? 0) < free',
    to: '?? 0) <= free',
    seenBy: { test: SHARES, title: 'are half held by a namespace' },
  },
  {
    name: 'one-namespace-uses-all-workers',
    rule: 'Where there is one namespace it uses all workers.',
    file: 'controller/shares.ts',
    from: '!this.#areSeveral || ',
    to: '',
    seenBy: { test: SHARES, title: 'are all used by one namespace' },
  },
  {
    name: 'namespaces-take-turns',
    rule: 'A namespace with many objects keeps another one waiting for one of them at a time.',
    file: 'controller/lanes.ts',
    from: 'group: namespaceIn(key)',
    to: "group: ''",
    seenBy: { test: SHARES, title: 'lets a namespace with one key wait' },
  },
  {
    name: 'slot-keeps-the-turn',
    rule: 'A key that gets its slot while it waits costs its namespace no turn.',
    file: 'controller/lanes.ts',
    from: 'this.#rank += 1;',
    to: 'if (before) this.#queue.remove(before);\n    this.#rank += 1;',
    seenBy: {
      test: 'test/unit/controller-lanes.test.ts',
      title: 'a key that gets a slot while it waits keeps the place of its namespace',
    },
  },
  {
    name: 'slot-goes-ahead',
    rule: 'No backlog of its own lets a namespace hold slots that others wait for.',
    file: 'controller/lanes.ts',
    from: 'holdsSlot ? this.#rank - Number.MAX_SAFE_INTEGER : this.#rank',
    to: 'this.#rank',
    seenBy: {
      test: 'test/unit/api-limiter-backlog.test.ts',
      title: 'a first call waits for one window, however many keys',
    },
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
  seenInLife(
    'earlier-recheck-behind-later-timer',
    'An attempt is made at the time that the status promises, whoever else waits.',
  ),
  {
    name: 'kubernetes-may-ask-for-patience',
    rule: 'The API server is left alone for as long as it asks.',
    file: 'controller/controller.ts',
    from: ', askedWaitMs(error))',
    to: ', 0)',
    seenBy: { test: WORKERS, title: 'is left alone for as long as the server asks' },
  },
  seenInLife(
    'refusal-without-retry-after',
    'A refusal of Kubernetes that names no time to wait ends no worker.',
  ),
  {
    name: 'broken-reconcile-waits-longer',
    rule: 'What breaks again and again is tried ever less often.',
    file: 'controller/controller.ts',
    from: 'BROKEN_RECONCILE, failures',
    to: 'BROKEN_RECONCILE, 1',
    seenBy: { test: WORKERS, title: 'is tried again after waits that double up to a minute' },
  },
  {
    name: 'no-more-workers-than-told',
    rule: 'No more objects are reconciled at once than --concurrency allows.',
    file: 'controller/controller.ts',
    from: 'length: options.concurrency }',
    to: 'length: options.concurrency + 1 }',
    seenBy: { test: WORKERS, title: 'never has more passes at once than it was told' },
  },
];

/** The one write of a status. */
const STATUSES: readonly Mutation[] = [
  {
    name: 'failed-intent-keeps-what-was-learned',
    rule: 'What a step has learned is written at the end, also where the status of the next one has failed to be written.',
    file: 'controller/reconciler.ts',
    from: "if (recorded === 'lost' && before) await this.#writer.write(id, before);",
    to: '',
    seenBy: {
      test: 'test/unit/controller-superseded.test.ts',
      title: 'what was learned before it is written, and told, and the intent does not stand',
    },
  },
  {
    name: 'result-is-written-before-anything',
    rule: 'A result that could not be written is written first, and its call is not repeated.',
    file: 'controller/reconciler.ts',
    from: 'const result = this.#writer.pending.get(id);',
    to: 'const result = this.#writer.pending.get(kind.type.kind);',
    seenBy: {
      test: UNWRITTEN,
      title: 'written before anything else is done, without a second call',
    },
  },
  {
    name: 'unreadable-answer-may-be-a-write',
    rule: 'A write whose answer cannot be read may have been stored.',
    file: 'kube/client/kube-error.ts',
    from: 'error.status < 400;',
    to: 'error.status === 0;',
    seenBy: { test: UNWRITTEN, title: 'though the answer to its write could not be read' },
  },
  {
    name: 'edit-during-a-write-is-new',
    rule: 'What a step has learned is written first where the user says something new, also during its write.',
    file: 'controller/reconciler.ts',
    from: 'defer(isEdited(base, written) ? { ...base, status } : written);',
    to: 'defer(written);',
    seenBy: { test: UNWRITTEN, title: 'also during the write before it' },
  },
  {
    name: 'last-results-are-written',
    rule: 'What could not be written is tried once more when the process ends.',
    file: 'controller/reconciler.ts',
    from: '[...pending].map(',
    to: '[...pending].slice(0, 0).map(',
    seenBy: { test: UNWRITTEN, title: 'is tried once more where the process ends' },
  },
  {
    name: 'status-of-the-same-object',
    rule: 'A status is written to the object that it speaks of, not to one made anew by its name.',
    file: 'controller/status-writer.ts',
    from: 'metadata = { name, namespace, uid, resourceVersion };',
    to: 'metadata = { name, namespace, resourceVersion };',
    seenBy: { test: RECONCILER, title: 'carries resourceVersion and uid as precondition' },
  },
  seenInLife(
    'recreated-object-gets-old-status',
    'An object that was made anew during a call does not get the result of that call.',
  ),
  {
    name: 'same-status-not-written',
    rule: 'A status that says what stands there already is not written.',
    file: 'controller/status-writer.ts',
    from: 'isDeepStrictEqual(target.status, report.status)',
    to: 'isDeepStrictEqual(target, report.status)',
    seenBy: { test: RECONCILER, title: 'does not happen where it would change nothing' },
  },
  {
    name: 'newer-word-of-another-stays',
    rule: 'What another process has recorded since, in the same second too, is not overwritten.',
    file: 'controller/superseded.ts',
    from: "(attempt.time ?? '') >=",
    to: "(attempt.time ?? '') >",
    seenBy: {
      test: CHANGED_MEANWHILE,
      title: 'is left to whoever recorded another attempt meanwhile',
    },
  },
  {
    name: 'result-of-a-newer-spec-only',
    rule: 'After a restored backup the result of a later spec is not written to the former one.',
    file: 'controller/superseded.ts',
    from: 'if (generation < generationThen) return false;',
    to: '',
    seenBy: {
      test: 'test/unit/controller-superseded.test.ts',
      title: 'a result for what is no more is not written',
    },
  },
  {
    name: 'events-go-with-the-status',
    rule: 'What happened is told in an event when the status that tells of it is written.',
    file: 'controller/status-writer.ts',
    from: 'for (const notice of notices)',
    to: 'for (const notice of notices.slice(1))',
    seenBy: {
      test: UNWRITTEN,
      title: 'written before anything else is done, without a second call',
    },
  },
  seenInLife(
    'edit-met-in-conflict-wakes-nobody',
    'An edit that a status write meets in its conflict is acted on.',
  ),
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
  seenInLife(
    'stalled-stays-after-recovery',
    'An object that has recovered says neither Stalled nor Reconciling.',
  ),
];

export const CONTROLLER: readonly Mutation[] = [...QUEUES, ...STATUSES];
