import type { Mutation } from '../mutation.ts';

const CLUSTER = 'test/tables/kube/kubeconfig.test.ts';
const CLIENT = 'test/tables/kube/client.test.ts';
const FOLLOW = 'test/tables/kube/follow.test.ts';
const STORE = 'test/tables/kube/store.test.ts';
const ATTEMPT = 'test/tables/engine/attempt.test.ts';

/** Calls to the Kubernetes API. */
const CALLS: readonly Mutation[] = [
  {
    name: 'one-dispatcher-for-all-calls',
    rule: 'Connections to Kubernetes are made anew only where certificates have changed.',
    file: 'kube/cluster.ts',
    from: 'isDeepStrictEqual(this.#current.options, options)',
    to: 'this.#current.options === options',
    seenBy: { test: CLIENT, title: 'one after another share their connections' },
  },
  {
    name: 'kubernetes-speaks-http-1',
    rule: 'Kubernetes is spoken to over HTTP/1.1: breaking off calls on HTTP/2 has ended the process.',
    file: 'kube/cluster.ts',
    from: '{ ...LEAST_TLS, allowH2: false,',
    to: '{ ...LEAST_TLS, allowH2: true,',
    seenBy: { test: CLUSTER, title: 'with a token, over HTTP/1.1' },
  },
  {
    name: 'kubernetes-redirect-not-followed',
    rule: 'A redirect of the Kubernetes API is an error, and is not followed with the token.',
    file: 'kube/client.ts',
    from: 'status < 200 || status >= 300',
    to: 'status < 200 || status >= 400',
    seenBy: { test: CLIENT, title: 'a redirect, which is not followed' },
  },
  {
    name: 'finalizer-of-what-was-read',
    rule: 'Finalizers are written on top of the version that was read, never over a newer one.',
    file: 'controller/finalizers.ts',
    from: 'const metadata = { resourceVersion, finalizers:',
    to: 'const metadata = { finalizers:',
    seenBy: { test: ATTEMPT, title: 'waits for the next attempt after an edit' },
  },
];

/** How collections are followed. */
const COLLECTIONS: readonly Mutation[] = [
  {
    name: 'no-list-is-no-empty-list',
    rule: 'An answer that is no list of objects is not taken for an empty one.',
    file: 'kube/follow.ts',
    from: 'const { metadata, items } = ',
    to: 'const { metadata, items = [] } = ',
    seenBy: { test: FOLLOW, title: 'a version alone is not taken for a list' },
  },
  {
    name: 'shard-has-its-own-objects',
    rule: 'With --selector only objects that match are worked on.',
    file: 'kube/follow.ts',
    from: 'query = { labelSelector, limit',
    to: 'query = { limit',
    seenBy: { test: FOLLOW, title: 'and what the selector says' },
  },
  {
    name: 'bookmarks-count',
    rule: 'A watch goes on from the last version that it was told, not from the last change.',
    file: 'kube/follow.ts',
    from: 'version = object.metadata.resourceVersion;',
    to: "if (what !== 'BOOKMARK') version = object.metadata.resourceVersion;",
    seenBy: { test: FOLLOW, title: 'ends after a bookmark' },
  },
  {
    name: 'silent-watch-is-given-up',
    rule: 'A watch that was cut off without a word is given up after its time.',
    file: 'kube/follow.ts',
    from: 'const WATCH_GRACE_S = 15;',
    to: 'const WATCH_GRACE_S = 1_500;',
    seenBy: { test: FOLLOW, title: 'says nothing more for 40 s' },
  },
];

/** What is known of the objects. */
const KNOWN: readonly Mutation[] = [
  {
    name: 'versions-are-numbers',
    rule: 'Resource versions are compared as numbers of any length.',
    file: 'kube/resource.ts',
    from: 'if (a.length !== b.length) return a.length - b.length;',
    to: '',
    seenBy: { test: STORE, title: 'takes a reply of more digits' },
  },
  {
    name: 'late-reply-revives-nobody',
    rule: 'The late reply to a write does not bring back an object that was deleted.',
    file: 'kube/store.ts',
    from: 'if (held?.metadata.uid !== reply.metadata.uid || !isNewer(reply, held)) return object;',
    to: 'if (held && !isNewer(reply, held)) return object;',
    seenBy: { test: STORE, title: 'revives nothing by a late reply' },
  },
];

export const KUBE: readonly Mutation[] = [...CALLS, ...COLLECTIONS, ...KNOWN];
