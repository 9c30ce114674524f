import type { Mutation } from '../mutation.ts';

const CLUSTER = 'test/tables/kube/kubeconfig.test.ts';
const CLIENT = 'test/tables/kube/client.test.ts';
const FOLLOW = 'test/tables/kube/follow.test.ts';
const STORE = 'test/tables/kube/store.test.ts';
const ATTEMPT = 'test/tables/engine/attempt.test.ts';
const LEASE = 'test/tables/kube/lease.test.ts';

export const KUBE: readonly Mutation[] = [
  {
    name: 'Connections to Kubernetes are made anew only where certificates have changed.',
    file: 'kube/cluster.ts',
    from: 'isDeepStrictEqual(this.#current.options, options)',
    to: 'this.#current.options === options',
    seenBy: { test: CLIENT, title: 'one after another share their connections' },
  },
  {
    name: 'Kubernetes is spoken to over HTTP/1.1: breaking off calls on HTTP/2 has ended the process.',
    file: 'kube/cluster.ts',
    from: '{ ...LEAST_TLS, allowH2: false,',
    to: '{ ...LEAST_TLS, allowH2: true,',
    seenBy: { test: CLUSTER, title: 'with a token, over HTTP/1.1' },
  },
  {
    name: 'A redirect of the Kubernetes API is an error, and is not followed with the token.',
    file: 'kube/client.ts',
    from: 'status < 200 || status >= 300',
    to: 'status < 200 || status >= 400',
    seenBy: { test: CLIENT, title: 'a redirect, which is not followed' },
  },
  {
    name: 'Finalizers are written on top of the version that was read, never over a newer one.',
    file: 'controller/finalizers.ts',
    from: 'const metadata = { resourceVersion, finalizers:',
    to: 'const metadata = { finalizers:',
    seenBy: { test: ATTEMPT, title: 'waits for the next attempt after an edit' },
  },
  {
    name: 'An answer that is no list of objects is not taken for an empty one.',
    file: 'kube/follow.ts',
    from: 'const { metadata, items } = ',
    to: 'const { metadata, items = [] } = ',
    seenBy: { test: FOLLOW, title: 'a version alone is not taken for a list' },
  },
  {
    name: 'With --selector only objects that match are worked on.',
    file: 'kube/follow.ts',
    from: 'query = { labelSelector, limit',
    to: 'query = { limit',
    seenBy: { test: FOLLOW, title: 'and what the selector says' },
  },
  {
    name: 'A watch goes on from the last version that it was told, not from the last change.',
    file: 'kube/follow.ts',
    from: 'version = object.metadata.resourceVersion;',
    to: "if (what !== 'BOOKMARK') version = object.metadata.resourceVersion;",
    seenBy: { test: FOLLOW, title: 'ends after a bookmark' },
  },
  {
    name: 'A watch that was cut off without a word is given up after its time.',
    file: 'kube/follow.ts',
    from: 'const WATCH_GRACE_S = 15;',
    to: 'const WATCH_GRACE_S = 1_500;',
    seenBy: { test: FOLLOW, title: 'says nothing more for 40 s' },
  },
  {
    name: 'Resource versions are compared as numbers of any length.',
    file: 'kube/resource.ts',
    from: 'if (a.length !== b.length) return a.length - b.length;',
    to: '',
    seenBy: { test: STORE, title: 'takes a reply of more digits' },
  },
  {
    name: 'The late reply to a write does not bring back an object that was deleted.',
    file: 'kube/store.ts',
    from: 'if (held?.metadata.uid !== reply.metadata.uid || !isNewer(reply, held)) return object;',
    to: 'if (held && !isNewer(reply, held)) return object;',
    seenBy: { test: STORE, title: 'revives nothing by a late reply' },
  },
  {
    name: 'A renewal counts from when it was sent, not from its answer.',
    file: 'kube/lease.ts',
    from: 'renewedAt = sentAt;',
    to: 'renewedAt = clock.monotonic();',
    seenBy: { test: LEASE, title: 'is used for 10 s after its last renewal was sent' },
  },
  {
    name: 'A Lease is taken a whole term after its holder was last seen to renew, and not sooner.',
    file: 'kube/lease.ts',
    from: 'if (lease?.metadata.resourceVersion !== before?.metadata.resourceVersion)',
    to: 'if (!before)',
    seenBy: { test: LEASE, title: 'is left alone while it is renewed' },
  },
  {
    name: 'A process that has lost the Lease begins nothing any more.',
    file: 'kube/lease.ts',
    from: '          lost.abort();\n',
    to: '',
    seenBy: { test: LEASE, title: 'is used for 10 s after its last renewal was sent' },
  },
];
