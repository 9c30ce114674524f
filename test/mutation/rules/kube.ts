import type { Mutation } from '../mutation.ts';

const CLIENT = 'test/unit/kube-client.test.ts';
const STREAM = 'test/unit/kube-client-stream.test.ts';
const STORE = 'test/unit/kube-store.test.ts';
const BROKEN_OFF = 'test/unit/kube-broken-off.test.ts';
const GOAWAY_ABORT = 'test/unit/kube-goaway-abort.test.ts';
const REFUSED = 'test/unit/kube-refused.test.ts';
const INCOMING = 'test/unit/kube-incoming.test.ts';

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
    name: 'closed-client-asks-nobody',
    rule: 'A client that is closed asks for no new identity.',
    file: 'kube/client/exchange.ts',
    from: ' || transport.isClosed()',
    to: '',
    seenBy: { test: REFUSED, title: 'a client that is closed during a refusal' },
  },
  {
    name: 'a-call-falls-alone',
    rule: 'A call to Kubernetes that is broken off takes no other with it.',
    file: 'kube/client/incoming.ts',
    from: "const cause = Object.assign(new Error(error.message), { code: 'UND_ERR_INFO' });",
    to: 'const cause = error;',
    seenBy: { test: GOAWAY_ABORT, title: 'a call that is broken off while others wait' },
  },
  {
    name: 'call-is-broken-off-later',
    rule: 'A call is not broken off while Node reads from its connection.',
    file: 'kube/client/incoming.ts',
    from: 'setImmediate(() => controller.abort(cause));',
    to: 'controller.abort(cause);',
    seenBy: { test: BROKEN_OFF, title: 'not broken off while Node is telling' },
  },
  {
    name: 'answer-without-a-call-harms-nobody',
    rule: 'The answer to a call that was broken off does not end the process.',
    file: 'kube/client/transport.ts',
    from: "stream.on('error', () => {});",
    to: '',
    seenBy: { test: BROKEN_OFF, title: 'an answer that comes when its call' },
  },
  {
    name: 'closed-client-sends-nothing',
    rule: 'A client that is closed sends nothing any more.',
    file: 'kube/client/transport.ts',
    from: "if (isClosed) throw new Error('the client is closed');",
    to: '',
    seenBy: { test: BROKEN_OFF, title: 'a client that is closed sends nothing any more' },
  },
  {
    name: 'late-call-is-not-sent',
    rule: 'A call to Kubernetes that is over before it has a connection is not sent.',
    file: 'kube/client/incoming.ts',
    from: "if (this.#isOver) throw this.#error ?? new Error('the call is over');",
    to: '',
    seenBy: { test: INCOMING, title: 'a call that is over before it has a connection is not sent' },
  },
  {
    name: 'slow-reader-is-waited-for',
    rule: 'The API server waits where its answer is read slowly; it does not pile up in memory.',
    file: 'kube/client/incoming.ts',
    from: 'if (this.#unread.length >= MOST_UNREAD) controller.pause();',
    to: '',
    seenBy: { test: INCOMING, title: 'a server waits for a reader that is slow' },
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
    seenBy: { test: STREAM, title: 'a stream that ends inside a line is broken, not ended' },
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
    from: 'if (held?.metadata.uid !== object.metadata.uid) return false;',
    to: 'if (!held) return this.#set(this.#trim(object, written)) !== undefined;',
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

export const KUBE: readonly Mutation[] = [...CALLS, ...CACHE];
