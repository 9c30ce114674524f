import type { Mutation } from '../mutation.ts';

const SECRETS = 'test/unit/kube-secrets.test.ts';
const SECRETS_READ = 'test/unit/kube-secrets-read.test.ts';
const WATCHED_SECRET = 'test/unit/kube-watched-secret.test.ts';
const TROUBLE = 'test/unit/kube-events-trouble.test.ts';
const EVENTS = 'test/unit/kube-events.test.ts';

/** A Secret's way, and what is said in events. */
export const SECRETS_AND_EVENTS: readonly Mutation[] = [
  {
    name: 'secret-asked-for-by-name',
    rule: 'No other Secret is ever asked for than those that objects refer to.',
    file: 'kube/secrets/secrets.ts',
    from: 'fieldSelector: `metadata.name=${name}`,',
    to: '',
    seenBy: { test: SECRETS, title: 'asks for nothing but the one Secret, by name and without' },
  },
  {
    name: 'secret-watched-without-data',
    rule: 'The watch of a Secret does not carry its value.',
    file: 'kube/secrets/secrets.ts',
    from: 'metadataOnly: true,',
    to: 'metadataOnly: false,',
    seenBy: { test: SECRETS, title: 'asks for nothing but the one Secret, by name and without' },
  },
  {
    name: 'watches-of-a-namespace-are-bounded',
    rule: 'In one namespace no more than 1,500 Secrets are watched or read.',
    file: 'kube/secrets/places.ts',
    from: 'names.placed.size < this.#most ?',
    to: 'names.placed.size >= 0 ?',
    seenBy: { test: SECRETS, title: 'watches 1,500 Secrets of a namespace' },
  },
  {
    name: 'free-place-is-taken',
    rule: 'A Secret that was one too many is watched as soon as another one is not.',
    file: 'kube/secrets/secrets.ts',
    from: 'start(waiting);',
    to: '',
    seenBy: { test: SECRETS, title: 'watches 1,500 Secrets of a namespace' },
  },
  {
    name: 'shared-secret-stays-watched',
    rule: 'A Secret is watched until the last object that refers to it is gone.',
    file: 'kube/secrets/secrets.ts',
    from: 'if (entry.owners === 0) end(key, entry);',
    to: 'end(key, entry);',
    seenBy: { test: SECRETS, title: 'watches once for any number of owners' },
  },
  {
    name: 'secret-read-again-when-changed',
    rule: 'A Secret that changed while it was read is read again.',
    file: 'kube/secrets/watched-secret.ts',
    from: 'reads < READS &&',
    to: 'reads < 1 &&',
    seenBy: { test: SECRETS_READ, title: 'reads again when the Secret changed while it was read' },
  },
  {
    name: 'no-old-key-while-blind',
    rule: 'While the watch of a Secret is broken its value is read anew for each call.',
    file: 'kube/secrets/watched-secret.ts',
    from: "state === 'watching' ? LIVE : BROKEN",
    to: 'LIVE',
    seenBy: { test: WATCHED_SECRET, title: 'a value is read anew while the watch does not work' },
  },
  {
    name: 'no-key-from-before-a-restore',
    rule: 'A key from before a restored backup is not served, though its version is there again.',
    file: 'kube/secrets/watched-secret.ts',
    from: 'if (!isRestored) return;',
    to: 'return;',
    seenBy: {
      test: WATCHED_SECRET,
      title: 'what was read before the cluster was restored is no longer served',
    },
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
