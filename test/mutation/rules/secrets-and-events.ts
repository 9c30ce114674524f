import type { Mutation } from '../mutation.ts';

const SECRETS = 'test/unit/kube-secrets.test.ts';
const TROUBLE = 'test/unit/kube-events-trouble.test.ts';
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
    from: "await read(...partsOf(key), 'anew');",
    to: 'await read(...partsOf(key));',
    seenBy: { test: SECRETS, title: 'is asked for every 2 s, then 10 s, then 60 s' },
  },
  {
    name: 'nobody-waits-no-poll',
    rule: 'A Secret that nobody waits for is not asked for.',
    file: 'kube/secrets.ts',
    from: 'if (poll.owners.size > 0) return;',
    to: 'return;',
    seenBy: { test: SECRETS, title: 'and no more when the last one that waits is gone' },
  },
  {
    name: 'same-event-not-repeated',
    rule: 'The same is not said of the same object again within ten minutes.',
    file: 'kube/events/event-limits.ts',
    from: 'now - said < REPEAT_MS',
    to: 'now < said',
    seenBy: { test: EVENTS, title: 'says the same of the same object again after ten minutes' },
  },
  {
    name: 'only-word-is-never-held-back',
    rule: 'An event that tells what stands nowhere else is sent, however many came before.',
    file: 'kube/events/events.ts',
    from: '!always && !limits',
    to: '!limits',
    seenBy: { test: EVENTS, title: 'sends what stands nowhere else' },
  },
  {
    name: 'events-take-turns',
    rule: 'A namespace with many events keeps an event of another one waiting for one at a time.',
    file: 'kube/events/event-queue.ts',
    from: 'group: namespace, rank',
    to: "group: '', rank",
    seenBy: {
      test: EVENTS,
      title: 'of another namespace wait for one of a namespace that has many',
    },
  },
  {
    name: 'events-leave-places',
    rule: 'A namespace with many events leaves places for those of others.',
    file: 'kube/events/event-queue.ts',
    from: '(this.#held.get(namespace) ?? 0) < this.#free',
    to: 'this.#held.size >= 0 && this.#free > 0',
    seenBy: { test: EVENTS, title: 'of one namespace take no more places than they leave' },
  },
  {
    name: 'full-namespace-pauses-itself',
    rule: 'Where Kubernetes takes no more events of one namespace, those of others are sent.',
    file: 'kube/events/events.ts',
    from: 'const isOfNamespace = error.status === 429;',
    to: 'const isOfNamespace = error.status === 428;',
    seenBy: { test: TROUBLE, title: 'that one namespace may say no more holds up no other' },
  },
  {
    name: 'events-outlast-an-outage',
    rule: 'An event that found no server is sent when there is one again.',
    file: 'kube/events/events.ts',
    from: 'error.status === 0 || error.status === 429 ||',
    to: 'error.status === 429 ||',
    seenBy: { test: TROUBLE, title: 'tries again what may pass, every two seconds' },
  },
];
