import type { Mutation } from '../mutation.ts';

const SECRETS = 'test/unit/kube-secrets.test.ts';
const EVENTS = 'test/unit/kube-events.test.ts';

/** A Secret's way, and what is said in events. */
export const SECRETS_AND_EVENTS: readonly Mutation[] = [
  {
    name: 'secret-is-read-anew-in-time',
    rule: 'A value of a Secret is used for five seconds at most.',
    file: 'kube/secrets.ts',
    from: 'if (one.kept === read) one.kept = undefined;',
    to: '',
    seenBy: { test: SECRETS, title: 'a value is kept for five seconds' },
  },
  {
    name: 'awaited-secret-is-noticed',
    rule: 'An object that waits for its Secret hears of a change.',
    file: 'kube/secrets.ts',
    from: 'await getAnew(one);',
    to: '',
    seenBy: { test: SECRETS, title: 'is read soon after a start' },
  },
  {
    name: 'nobody-waits-no-poll',
    rule: 'A Secret that nobody waits for is not asked for.',
    file: 'kube/secrets.ts',
    from: 'if (signal.aborted || one.waiting === 0) return;',
    to: 'if (signal.aborted) return;',
    seenBy: { test: SECRETS, title: 'and no more when the last one that waits is gone' },
  },
  {
    name: 'events-are-bounded',
    rule: 'No more than 1,000 events wait.',
    file: 'kube/events.ts',
    from: 'queue.size < MOST_WAITING',
    to: 'queue.size >= 0',
    seenBy: { test: EVENTS, title: 'where 1,000 wait, more are dropped and named' },
  },
];
