import type { Mutation } from '../mutation.ts';

const QUEUE = 'test/tables/engine/queue.test.ts';
const WORKER = 'test/tables/engine/worker.test.ts';
const WRITER = 'test/tables/engine/status.test.ts';
const ATTEMPT = 'test/tables/engine/attempt.test.ts';

export const CONTROLLER: readonly Mutation[] = [
  {
    name: 'No object is reconciled twice at a time.',
    file: 'controller/queue.ts',
    from: 'if (this.#out.has(key)) {',
    to: 'if (this.#again.has(key)) {',
    seenBy: { test: QUEUE, title: 'a queue gives no key twice at a time' },
  },
  {
    name: 'A change that comes during a reconcile brings another one.',
    file: 'controller/queue.ts',
    from: 'if (again) this.add(key, again);',
    to: '',
    seenBy: { test: QUEUE, title: 'a queue gives again what was added' },
  },
  {
    name: 'Of two times at which an object is to be reconciled the earlier one holds.',
    file: 'controller/queue.ts',
    from: 'before.due <= due',
    to: 'before.due >= due',
    seenBy: { test: QUEUE, title: 'a queue keeps the earlier of two delays' },
  },
  {
    name: 'What somebody has changed is reconciled before what is only due.',
    file: 'controller/queue.ts',
    from: 'user.size > 0 ? user : scheduled',
    to: 'scheduled.size > 0 ? scheduled : user',
    seenBy: { test: QUEUE, title: 'a queue gives first what a user edited' },
  },
  {
    name: 'Nothing is sent for a spec that has been edited since.',
    file: 'kube/resource.ts',
    from: 'one.generation === generation',
    to: 'one.generation !== undefined',
    seenBy: { test: WORKER, title: 'after an edit, is still wanted: false' },
  },
  {
    name: 'Nothing is sent for an object that has been deleted since, but what its deletion asks for.',
    file: 'kube/resource.ts',
    from: 'isSame && one.deletionTimestamp === deletionTimestamp',
    to: 'isSame && deletionTimestamp === undefined',
    seenBy: { test: WORKER, title: 'of a deleted object is wanted' },
  },
  {
    name: 'A result waits while Kubernetes is away, and its call is not repeated.',
    file: 'controller/status-writer.ts',
    from: 'error.status >= 500 || ',
    to: '',
    seenBy: { test: WRITER, title: 'by errors of its own: a result waits' },
  },
  {
    name: 'A status is written to the object that it speaks of, not to one made anew by its name.',
    file: 'controller/status-writer.ts',
    from: 'found?.metadata.uid !== uid',
    to: 'found === undefined',
    seenBy: { test: WRITER, title: 'goes to no object made anew' },
  },
  {
    name: 'A status that says what stands there already is not written.',
    file: 'controller/status-writer.ts',
    from: "if (isDeepStrictEqual(newest.status, wanted)) return 'written';",
    to: '',
    seenBy: { test: WRITER, title: 'is not written where it stands' },
  },
  {
    name: 'What another process has written since is not overwritten.',
    file: 'controller/status-writer.ts',
    from: "return 'dropped';",
    to: '{}',
    seenBy: { test: WRITER, title: 'yields to the status of another' },
  },
  {
    name: 'A status whose write had no answer is known for ours where it stands.',
    file: 'controller/status-writer.ts',
    from: 'known.statuses.push(wanted);',
    to: '',
    seenBy: { test: ATTEMPT, title: 'where no answer comes, though it stands' },
  },
  {
    name: 'An event is sent when the status that says the same is written.',
    file: 'controller/worker.ts',
    from: 'for (const event of events)',
    to: 'for (const event of events.slice(1))',
    seenBy: { test: WRITER, title: 'a result goes out once' },
  },
];
