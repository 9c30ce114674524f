import type { Mutation } from '../mutation.ts';

const INFORMERS = 'test/unit/kube-informers.test.ts';
const REACHED = 'test/unit/kube-informers-reached.test.ts';
const WATCH = 'test/unit/kube-watch.test.ts';
const REACH = 'test/unit/kube-watch-reach.test.ts';
const WATCH_STALE = 'test/unit/kube-watch-stale.test.ts';

/** How one collection is listed and watched. */
const COLLECTIONS: readonly Mutation[] = [
  {
    name: 'too-old-watch-lists-again',
    rule: 'After a 410 the objects are listed anew, so that what vanished meanwhile is known.',
    file: 'kube/cache/watch.ts',
    from: 'error.status === 410 ||',
    to: 'error.status === 411 ||',
    seenBy: { test: WATCH, title: 'it lists again at once, so that what vanished meanwhile' },
  },
  {
    name: 'list-under-way-is-too-early',
    rule: 'A list that was asked for before somebody asked for the newest does not answer him.',
    file: 'kube/cache/watch.ts',
    from: 'if (!before.includes(one) && compareVersions(',
    to: 'if (!waiting.has(one) && compareVersions(',
    seenBy: { test: REACH, title: 'of two that ask, the second one while a list is under way' },
  },
  {
    name: 'who-was-answered-asks-no-more',
    rule: 'Who asked a watch for the newest, and has it, has it list no more.',
    file: 'kube/cache/watch.ts',
    from: 'waiting.delete(one);',
    to: '',
    seenBy: { test: REACH, title: 'a watch that ends after that goes on from its version' },
  },
  {
    name: 'version-from-before-a-break-proves-nothing',
    rule: 'What a watch knew before it broke is not taken for the newest.',
    file: 'kube/cache/watch.ts',
    from: 'const isSound = !broke && !restores.needsList;',
    to: 'const isSound = true;',
    seenBy: { test: REACH, title: 'a version from before a break is not trusted' },
  },
  {
    name: 'asked-for-lists-at-once',
    rule: 'Who asks a watch for the newest does not wait until it ends by itself.',
    file: 'kube/cache/watch.ts',
    from: 'signal: interrupted,',
    to: 'signal,',
    seenBy: { test: REACH, title: 'a version that the watch has not told of is reached by a list' },
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
];

/** Whose objects are watched. */
const INFORMED: readonly Mutation[] = [
  {
    name: 'shard-has-its-own-objects',
    rule: 'With --selector only objects that match are worked on.',
    file: 'kube/cache/informers.ts',
    from: '...(labelSelector !== undefined && { labelSelector }),',
    to: '',
    seenBy: { test: INFORMERS, title: 'of a shard its own objects are asked for alone' },
  },
  {
    name: 'namespaces-side-by-side',
    rule: 'With --namespaces the objects of all of them are known.',
    file: 'kube/cache/informers.ts',
    from: 'watched.sink(namespace)',
    to: 'watched.sink()',
    seenBy: { test: INFORMERS, title: 'sees the objects of those, and none of others' },
  },
  {
    name: 'forbidden-namespace-holds-up-nobody',
    rule: 'Who takes over waits half a minute for a namespace that is forbidden, and goes on without.',
    file: 'kube/cache/informers.ts',
    from: 'await Promise.race([come, passedOver.promise]);',
    to: 'await come;',
    seenBy: { test: REACHED, title: 'without the namespaces that stay forbidden' },
  },
  {
    name: 'forbidden-for-long-is-not-waited-for-again',
    rule: 'A namespace that was passed over holds up no takeover while it is forbidden.',
    file: 'kube/cache/informers.ts',
    from: 'scope.isPassedOver ? 0 : REFUSAL_PATIENCE_MS',
    to: 'REFUSAL_PATIENCE_MS',
    seenBy: { test: REACHED, title: 'without a namespace that was passed over before' },
  },
  {
    name: 'allowed-namespace-has-its-time-again',
    rule: 'A namespace that is allowed again is waited for like any other.',
    file: 'kube/cache/informers.ts',
    from: 'scope.isPassedOver = false;',
    to: '',
    seenBy: { test: REACHED, title: 'with one that was passed over and has been allowed since' },
  },
  {
    name: 'forbidden-for-a-moment-is-no-refusal',
    rule: 'A namespace that was forbidden for a moment, and fails otherwise since, is not passed over.',
    file: 'kube/cache/informers.ts',
    from: 'cancelPatience?.();\n      cancelPatience = undefined;',
    to: '',
    seenBy: {
      test: REACHED,
      title: 'not when it was forbidden for a moment and fails otherwise since',
    },
  },
  {
    name: 'takeover-says-what-it-waits-for',
    rule: 'What a takeover waits for is named by /readyz.',
    file: 'kube/cache/informers.ts',
    from: 'scope.missing = explain(error, scope.watched);',
    to: 'if (scope.missing !== undefined) scope.missing = explain(error, scope.watched);',
    seenBy: { test: REACHED, title: 'not while the list fails otherwise' },
  },
  {
    name: 'missing-crd-is-waited-for',
    rule: 'Where a CRD is missing nothing begins with half of the objects.',
    file: 'kube/cache/informers.ts',
    from: 'if (scope.namespace !== undefined && isForbidden(error))',
    to: 'if (scope.namespace !== undefined)',
    seenBy: { test: INFORMERS, title: 'does not take a missing CRD for a missing namespace' },
  },
];

export const WATCHES: readonly Mutation[] = [...COLLECTIONS, ...INFORMED];
