import { type Mutation, seenInLife } from '../mutation.ts';

const CLIENT = 'test/unit/kube-client.test.ts';
const STORE = 'test/unit/kube-store.test.ts';
const WATCH = 'test/unit/kube-watch.test.ts';
const WATCH_STALE = 'test/unit/kube-watch-stale.test.ts';
const LEASE_ACQUIRING = 'test/unit/kube-lease-acquiring.test.ts';
const LEASE_LEADING = 'test/unit/kube-lease-leading.test.ts';
const LEASE_STOPPING = 'test/unit/kube-lease-stopping.test.ts';
const SECRETS = 'test/unit/kube-secrets.test.ts';
const WATCHED_SECRET = 'test/unit/kube-watched-secret.test.ts';
const EVENTS = 'test/unit/kube-events.test.ts';

/** Calls to the Kubernetes API. */
const CALLS: readonly Mutation[] = [
  {
    name: 'kubernetes-write-not-repeated',
    rule: 'A write to Kubernetes whose connection breaks is not sent once more.',
    file: 'kube/client/exchange.ts',
    from: "if (call.method !== 'GET' || ",
    to: 'if (',
    seenBy: { test: CLIENT, title: 'a read whose connection breaks under it is sent once more' },
  },
  {
    name: 'rotated-token-is-read',
    rule: 'After a 401 of Kubernetes the token is read again, so that a rotation costs nothing.',
    file: 'kube/client/exchange.ts',
    from: 'first.statusCode !== 401',
    to: 'first.statusCode !== 402',
    seenBy: { test: CLIENT, title: 'after a 401 the token is read again and the call tried once' },
  },
  {
    name: 'kubernetes-redirect-not-followed',
    rule: 'A redirect of the Kubernetes API is an error, and is not followed with the token.',
    file: 'kube/client/exchange.ts',
    from: 'status >= 200 && status < 300',
    to: 'status >= 200 && status < 400',
    seenBy: { test: CLIENT, title: 'no redirect is followed' },
  },
  {
    name: 'odd-answer-not-quoted',
    rule: 'What a proxy before Kubernetes says in its own words is not quoted.',
    file: 'kube/client/kube-error.ts',
    from: "text(told?.message) ?? '',",
    to: 'text(told?.message) ?? body,',
    seenBy: { test: CLIENT, title: 'a refusal that is no Status object is named by its code' },
  },
  {
    name: 'cut-stream-is-broken',
    rule: 'A watch that ends inside an event is broken off, and the event is not lost.',
    file: 'kube/client/client.ts',
    from: 'if (splitter.pending > 0)',
    to: 'if (splitter.pending < 0)',
    seenBy: { test: CLIENT, title: 'a stream that ends inside a line is broken, not ended' },
  },
  {
    name: 'finalizer-of-what-was-read',
    rule: 'Finalizers are written on top of the version that was read, never over a newer one.',
    file: 'kube/client/finalizers.ts',
    from: 'metadata: { resourceVersion, finalizers:',
    to: 'metadata: { finalizers:',
    seenBy: {
      test: 'test/unit/kube-finalizers.test.ts',
      title: 'nothing else, and the version that was read as precondition',
    },
  },
  {
    name: 'no-list-is-no-empty-list',
    rule: 'An answer that is no list of objects is not taken for an empty one.',
    file: 'kube/cache/list.ts',
    from: 'if (isPage(page)) return page;',
    to: 'if (page !== undefined) return page as Page<T>;',
    seenBy: {
      test: 'test/unit/hostile-watch-lines.test.ts',
      title: 'an answer that is no list leaves what the store holds',
    },
  },
  {
    name: 'unnamed-object-is-no-event',
    rule: 'An event of an object without a name gets into no store.',
    file: 'kube/cache/watch-event.ts',
    from: 'if (!isNamed(object)) throw',
    to: 'if (false) throw',
    seenBy: {
      test: 'test/unit/hostile-watch-lines.test.ts',
      title: 'a line is an event of an object with a name',
    },
  },
  {
    name: 'kubeconfig-in-the-place-of-its-path',
    rule: 'KUBECONFIG that holds a kubeconfig is refused as such.',
    file: 'kube/auth/kubeconfig.ts',
    from: "if (isTextOfFile(file ?? environment['KUBECONFIG'] ?? ''))",
    to: "if (file === '')",
    seenBy: {
      test: 'test/unit/kube-config.test.ts',
      title: 'KUBECONFIG that is itself a kubeconfig is refused',
    },
  },
  {
    name: 'path-of-a-kubeconfig-is-shown-with-care',
    rule: 'Of KUBECONFIG no more is repeated than of a flag.',
    file: 'kube/auth/kubeconfig.ts',
    from: 'cannot read the kubeconfig ${shown(path)}',
    to: 'cannot read the kubeconfig ${path}',
    seenBy: {
      test: 'test/unit/hostile-flags.test.ts',
      title: 'of the text of a file in the place of its path',
    },
  },
  {
    name: 'alias-bomb-in-a-kubeconfig',
    rule: 'A kubeconfig with an alias for a text is refused before anything writes it out.',
    file: 'kube/auth/kubeconfig.ts',
    from: 'if (!hasPlainValues(config)) throw',
    to: 'if (false) throw',
    seenBy: {
      test: 'test/unit/hostile-kubeconfigs.test.ts',
      title: 'with a list or an object for a text is refused',
    },
  },
];

/** What is known of the objects, and when it is known to be old. */
const CACHE: readonly Mutation[] = [
  {
    name: 'too-old-watch-lists-again',
    rule: 'After a 410 the objects are listed anew, so that what vanished meanwhile is known.',
    file: 'kube/cache/watch.ts',
    from: 'error.status === 410 ||',
    to: 'error.status === 411 ||',
    seenBy: { test: WATCH, title: 'it lists again at once, so that what vanished meanwhile' },
  },
  {
    name: 'bookmarks-count',
    rule: 'A watch goes on from the last bookmark, and not from long ago.',
    file: 'kube/cache/watch.ts',
    from: 'version = line.resourceVersion;',
    to: "if (line.type !== 'BOOKMARK') version = line.resourceVersion;",
    seenBy: { test: WATCH, title: 'goes on at once from the last version, bookmarks count' },
  },
  {
    name: 'stale-list-is-refused',
    rule: 'A list that is older than what was seen is not believed for a minute.',
    file: 'kube/cache/restore-detector.ts',
    from: 'DOUBT_MS = 60_000',
    to: 'DOUBT_MS = 6_000',
    seenBy: { test: WATCH_STALE, title: 'a list older than what was seen is refused for a minute' },
  },
  seenInLife(
    'restored-list-taken-for-late',
    'After a restored backup what is listed is the truth, whatever versions were seen before.',
  ),
  seenInLife('failed-watch-rejects-unheard', 'A watch that is refused or breaks goes on trying.'),
  {
    name: 'versions-are-numbers',
    rule: 'Resource versions are compared as numbers of any length.',
    file: 'kube/resource.ts',
    from: 'if (a.length !== b.length) return a.length - b.length;',
    to: '',
    seenBy: { test: STORE, title: 'versions are compared as numbers of any length' },
  },
  {
    name: 'same-version-is-no-news',
    rule: 'An event that is not newer than what is held wakes nobody.',
    file: 'kube/cache/store.ts',
    from: 'held?.metadata.resourceVersion ?? delivered',
    to: "''",
    seenBy: { test: STORE, title: 'an event that is not newer than what is held is ignored' },
  },
  {
    name: 'late-reply-revives-nobody',
    rule: 'The late reply to a write does not bring back an object that was deleted.',
    file: 'kube/cache/store.ts',
    from: 'if (held || !this.#tombstones.delete(object.metadata.uid))',
    to: 'if (held)',
    seenBy: {
      test: STORE,
      title: 'a reply never brings in an object that the watch does not show',
    },
  },
  {
    name: 'list-speaks-for-its-namespace',
    rule: 'The list of one namespace ends no object of another.',
    file: 'kube/cache/store.ts',
    from: 'if (!keys.has(key) && isIn(scope, held.metadata.namespace))',
    to: 'if (!keys.has(key))',
    seenBy: { test: STORE, title: 'the list of one namespace says nothing about another' },
  },
];

/** One leader at a time. */
const LEASES: readonly Mutation[] = [
  {
    name: 'missing-lease-namespace-is-said',
    rule: 'That the namespace of the Lease does not exist is said, not taken for another candidate.',
    file: 'kube/lease/standby.ts',
    from: 'isNotFound(error) && draft.metadata.resourceVersion !== undefined',
    to: 'isNotFound(error)',
    seenBy: {
      test: LEASE_ACQUIRING,
      title: 'says once that the namespace of its Lease does not exist, and leads when it does',
    },
  },
  {
    name: 'living-holder-is-left-alone',
    rule: 'A Lease is taken a whole term after its holder was last seen to renew, and not later.',
    file: 'kube/lease/lease-view.ts',
    from: 'if (record === this.#record) return;',
    to: '',
    seenBy: { test: LEASE_ACQUIRING, title: 'takes a change of labels for no sign of life' },
  },
  {
    name: 'deleted-lease-frees-nobody',
    rule: 'Who deletes the Lease does not make two processes lead.',
    file: 'kube/lease/lease-view.ts',
    from: 'this.#freeAt = now + this.#promisedMs(this.#lease);',
    to: 'this.#freeAt = now;',
    seenBy: {
      test: LEASE_LEADING,
      title: 'makes a deleted Lease again as it was, before a standby',
    },
  },
  seenInLife('lease-taken-too-late', 'When a leader dies, another leads after one term.'),
  seenInLife(
    'old-renewal-permits-calls',
    'A leader that stood still for longer than its Lease lasts calls nobody when it goes on.',
  ),
  {
    name: 'late-renewal-is-none',
    rule: 'A renewal whose answer is read after the deadline is none.',
    file: 'kube/lease/renewal.ts',
    from: 'if (this.ageMs() >= this.#options.renewMs) return this.#lose(',
    to: 'if (this.ageMs() < 0) return this.#lose(',
    seenBy: {
      test: LEASE_LEADING,
      title: 'takes no renewal whose answer is read after the deadline',
    },
  },
  {
    name: 'other-holder-ends-the-lead',
    rule: 'A leader that sees another holder stops at once.',
    file: 'kube/lease/renewal.ts',
    from: "if (holder !== '' && holder !== identity)",
    to: "if (holder === '')",
    seenBy: { test: LEASE_LEADING, title: 'ends at once when another holds the Lease' },
  },
  {
    name: 'only-own-lease-is-released',
    rule: 'A process that ends does not take the Lease from another one.',
    file: 'kube/lease/election.ts',
    from: 'if (seen?.spec?.holderIdentity !== identity) return true;',
    to: 'if (!seen) return true;',
    seenBy: { test: LEASE_STOPPING, title: 'takes nothing away from another holder' },
  },
  {
    name: 'frozen-winner-renews-first',
    rule: 'Who was frozen while it took the Lease renews it before it calls.',
    file: 'kube/lease/standby.ts',
    from: 'if (clock.monotonic() - since < renewMs) return',
    to: 'return',
    seenBy: { test: LEASE_LEADING, title: 'begins with a fresh renewal when it was frozen' },
  },
];

/** A Secret's way, and what is said in events. */
const SECRETS_AND_EVENTS: readonly Mutation[] = [
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
  seenInLife(
    'secrets-told-by-name-alone',
    "Nothing is sent with the Secret of the same name in another tenant's namespace.",
  ),
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
    seenBy: { test: SECRETS, title: 'reads again when the Secret changed while it was read' },
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
    seenBy: { test: EVENTS, title: 'that one namespace may say no more holds up no other' },
  },
  {
    name: 'events-outlast-an-outage',
    rule: 'An event that found no server is sent when there is one again.',
    file: 'kube/events/events.ts',
    from: 'error.status === 0 || error.status === 429 ||',
    to: 'error.status === 429 ||',
    seenBy: { test: EVENTS, title: 'tries again what may pass, every two seconds' },
  },
];

export const KUBE: readonly Mutation[] = [...CALLS, ...CACHE, ...LEASES, ...SECRETS_AND_EVENTS];
