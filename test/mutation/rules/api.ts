import type { Mutation } from '../mutation.ts';

const SLOTS = 'test/unit/api-limiter.test.ts';
const PAUSE = 'test/unit/api-limiter-pause.test.ts';
const UNTRIED = 'test/unit/api-limiter-untried.test.ts';
const TENANTS = 'test/unit/api-limiter-tenants.test.ts';
const CIRCUIT_BREAKER = 'test/unit/api-limiter-circuit-breaker.test.ts';
const CLIENT = 'test/unit/api-client.test.ts';
const CLIENT_ANSWERS = 'test/unit/api-client-answers.test.ts';
const TLS = 'test/unit/api-tls.test.ts';
const BASE_URL = 'test/unit/api-base-url.test.ts';
const ENVELOPE = 'test/unit/api-envelope.test.ts';
const ERRORS = 'test/unit/api-errors.test.ts';
const PROXY = 'test/unit/api-proxy.test.ts';
const PROXY_FAILURES = 'test/unit/api-proxy-failures.test.ts';

/** How fast calls go, and who may make one. */
const LIMITER: readonly Mutation[] = [
  {
    name: 'slot-frees-after-the-end',
    rule: 'A slot of --api-rate comes free one window after its call has ended, not started.',
    file: 'api/limiter/rate-window.ts',
    from: 'this.#taken - this.#freeing.length',
    to: 'this.#freeing.length',
    seenBy: { test: SLOTS, title: 'frees a slot only after its call has ended' },
  },
  {
    name: 'calls-count-for-the-whole-window',
    rule: 'What counts against --api-rate is kept for as long as its window, also when nobody asks.',
    file: 'api/limiter/registry.ts',
    from: 'Math.max(DROP_AFTER_MS, this.#options.rate.perMs)',
    to: 'DROP_AFTER_MS',
    seenBy: { test: SLOTS, title: 'keeps a credential for as long as its calls count' },
  },
  {
    name: 'made-up-keys-do-not-pile-up',
    rule: 'Of a key with which no call was made nothing is remembered once nobody asks with it.',
    file: 'api/limiter/registry.ts',
    from: 'if (limiter.isProven || limiter.hasCalled) return;',
    to: 'if (limiter.id !== undefined) return;',
    seenBy: {
      test: 'test/unit/api-limiter-untried.test.ts',
      title: 'are not remembered at all where they never had a turn',
    },
  },
  {
    name: 'one-call-per-target',
    rule: 'For one pipe or organization at most one call is under way, whatever the keys.',
    file: 'api/limiter/slots.ts',
    from: 'if (!waitForTarget) return next;',
    to: "if (!waitForTarget || next.lane === 'user') return next;",
    seenBy: { test: SLOTS, title: 'lets one call in flight per target over all credentials' },
  },
  {
    name: 'user-changes-starve-nobody',
    rule: 'Of five calls in a row one is scheduled work, however many user changes wait.',
    file: 'waiting-queue.ts',
    from: 'const USERS_IN_A_ROW = 4;',
    to: 'const USERS_IN_A_ROW = 400;',
    seenBy: { test: SLOTS, title: 'serves user changes first and scheduled work once in five' },
  },
  {
    name: 'granted-call-waits-for-the-pause',
    rule: 'A call that was granted before a pause does not leave in the pause.',
    file: 'api/limiter/rate-limiter.ts',
    from: 'if (limiter.pausedUntil(now) === undefined) return true;',
    to: 'if (limiter.pausedUntil(now) !== now) return true;',
    seenBy: {
      test: PAUSE,
      title: 'holds back a call that was granted before it and keeps its place',
    },
  },
  {
    name: 'granted-call-waits-behind-401',
    rule: 'A call that was granted before its key was refused does not leave after that.',
    file: 'api/limiter/rate-limiter.ts',
    from: 'admits(key, { probe: false, now })',
    to: 'admits(key, { probe: true, now })',
    seenBy: { test: CIRCUIT_BREAKER, title: 'holds back a call that was granted before it opened' },
  },
  {
    name: 'one-probe-at-a-time',
    rule: 'A refused key is tried by one object at a time, not by all of them.',
    file: 'api/limiter/circuit-breaker.ts',
    from: 'this.#prober !== undefined || !(probe || isTurn)',
    to: '!(probe || isTurn)',
    seenBy: { test: CIRCUIT_BREAKER, title: 'lets one probe at a time through' },
  },
  {
    name: 'untried-keys-share-a-rate',
    rule: 'All keys that have never worked share one --api-rate, whatever their number.',
    file: 'api/limiter/shared-pace.ts',
    from: '[this.#total, this.#untried] :',
    to: '[this.#total] :',
    seenBy: { test: TENANTS, title: 'answers of 401 are within one rate for all' },
  },
  {
    name: 'only-200-proves-a-key',
    rule: 'No answer but 200 gives a key a pace of its own.',
    file: 'api/limiter/credential-limiter.ts',
    from: 'if (end.httpStatus === 200)',
    to: 'if (end.httpStatus !== 401)',
    seenBy: { test: UNTRIED, title: 'are not proven by an answer with' },
  },
  {
    name: 'tenants-take-turns',
    rule: 'A tenant with many keys that do not work keeps another one waiting for one call at a time.',
    file: 'api/limiter/shared-pace.ts',
    from: 'group: tenant, rank }',
    to: "group: '', rank }",
    seenBy: { test: UNTRIED, title: 'take turns by tenant' },
  },
  {
    name: 'total-counts-every-call',
    rule: '--api-rate-total counts the calls of all keys.',
    file: 'api/limiter/shared-pace.ts',
    from: ': [this.#total];',
    to: ': [];',
    seenBy: { test: UNTRIED, title: 'counts every call, whatever its key' },
  },
  {
    name: 'untried-keys-do-not-pile-up',
    rule: 'A Secret that changes all the time fills no memory.',
    file: 'api/limiter/registry.ts',
    from: 'limiter.isProven ? provenAfterMs : untriedAfterMs',
    to: 'provenAfterMs',
    seenBy: { test: UNTRIED, title: 'are remembered for a minute' },
  },
  {
    name: 'load-closes-no-breaker',
    rule: 'An answer that says nothing of a refused key is no proof that it works again.',
    file: 'api/limiter/rate-limiter.ts',
    from: '![401, 408, 429].includes(httpStatus)',
    to: '![401].includes(httpStatus)',
    seenBy: { test: CIRCUIT_BREAKER, title: 'which says nothing of the key' },
  },
];

/** What leaves this process, and what is known of it. */
const HTTP: readonly Mutation[] = [
  {
    name: 'never-sent-twice',
    rule: 'A request that has begun to leave is never written a second time.',
    file: 'api/http/api-exchange.ts',
    from: 'if (this.#sent) throw',
    to: 'if (this.#over && this.#sent) throw',
    seenBy: { test: TLS, title: 'refuses to be written a second time' },
  },
  {
    name: 'never-sent-after-its-end',
    rule: 'What was said to be unsent at the deadline is not sent later.',
    file: 'api/http/api-exchange.ts',
    from: 'if (this.#over) throw',
    to: 'if (this.#over && this.#sent) throw',
    seenBy: { test: TLS, title: 'refuses to be written after its call is over' },
  },
  {
    name: 'leave-is-asked-for',
    rule: 'Right before the first byte leaves it is asked whether this process may still call.',
    file: 'api/http/client.ts',
    from: "if (!options.mayStart()) return 'not-leader';",
    to: '',
    seenBy: {
      test: CLIENT,
      title: 'asks for leave when the connection stands, and sends nothing without it',
    },
  },
  {
    name: 'broken-call-may-have-left',
    rule: 'A call whose connection broke after its request had left is not said to be unsent.',
    file: 'api/http/client.ts',
    from: 'sent: ended.sent,',
    to: 'sent: false,',
    seenBy: { test: CLIENT, title: 'makes one arrival when the server closes right after reading' },
  },
  {
    name: 'http-1-only',
    rule: 'The management API is spoken to in HTTP/1.1, which nothing repeats on its own.',
    file: 'api/http/client.ts',
    from: 'allowH2: false,',
    to: 'allowH2: true,',
    seenBy: { test: TLS, title: 'speaks HTTP/1.1 also to a server that would rather speak HTTP/2' },
  },
  {
    name: 'endless-reply-is-cut',
    rule: 'A reply without end does not fill the memory.',
    file: 'api/http/api-exchange.ts',
    from: 'LONGEST_BODY = 1024 * 1024',
    to: 'LONGEST_BODY = 64 * 1024 * 1024',
    seenBy: { test: CLIENT_ANSWERS, title: 'stops reading an endless body above 1 MiB' },
  },
  {
    name: 'id-stays-one-segment',
    rule: 'An id in a spec addresses what has that id, whatever characters are in it.',
    file: 'api/http/path.ts',
    from: 'return encodeURIComponent(segment);',
    to: 'return encodeURI(segment);',
    seenBy: { test: CLIENT, title: 'one encoded segment' },
  },
  {
    name: 'no-key-in-clear-text',
    rule: 'Keys go over http to this machine only, unless --api-allow-http is set.',
    file: 'api/http/base-url.ts',
    from: '!options.allowHttp && !isLoopback(url.hostname)',
    to: '!options.allowHttp && isLoopback(url.hostname)',
    seenBy: { test: BASE_URL, title: 'refuses ' },
  },
  {
    name: 'user-info-is-refused',
    rule: 'An --api-url with a user name or a password is refused, not half used.',
    file: 'api/http/base-url.ts',
    from: 'if (url.username || url.password)',
    to: 'if (url.username && url.password)',
    seenBy: { test: BASE_URL, title: 'refuses ' },
  },
  {
    name: 'no-password-in-a-message',
    rule: 'A message about an address that cannot be read does not repeat its password.',
    file: 'shown.ts',
    from: "'$1***@'",
    to: "'$&'",
    seenBy: {
      test: 'test/unit/hostile-flags.test.ts',
      title: 'a password in any value is not repeated',
    },
  },
];

/** The proxy on the way, and what an answer means. */
const REPLIES: readonly Mutation[] = [
  {
    name: 'proxy-password-goes-to-the-proxy',
    rule: "User name and password of a proxy's URL go to the proxy, as they are.",
    file: 'api/http/proxy.ts',
    from: '`${decodeURIComponent(username)}:',
    to: '`${username}:',
    seenBy: { test: PROXY, title: 'user name and password of its URL go to the proxy' },
  },
  {
    name: 'proxy-password-is-guarded',
    rule: "What a proxy's password may look like on the way is kept out of the log.",
    file: 'api/http/proxy.ts',
    from: 'decodeURIComponent(proxy.password), authorization]',
    to: 'decodeURIComponent(proxy.password)]',
    seenBy: { test: PROXY, title: 'user name and password of its URL go to the proxy' },
  },
  {
    name: 'proxy-named-without-password',
    rule: 'A failure of the proxy names the proxy without the password of its URL.',
    file: 'api/http/proxy.ts',
    from: 'proxy ${proxy.origin}`',
    to: 'proxy ${proxy.href}`',
    seenBy: { test: PROXY_FAILURES, title: 'but refuses the connection' },
  },
  {
    name: 'proxy-says-what-it-wants',
    rule: 'A proxy that takes no call without a password is told as that.',
    file: 'api/http/proxy.ts',
    from: 'if (statusCode !== 407)',
    to: 'if (statusCode !== 408)',
    seenBy: { test: PROXY_FAILURES, title: 'but answers' },
  },
  {
    name: 'redirect-not-followed',
    rule: 'A redirect is never followed with a key; its host is named.',
    file: 'api/reply/envelope.ts',
    from: 'if (httpStatus < 300 || httpStatus > 399) return undefined;',
    to: 'if (httpStatus > 300) return undefined;',
    seenBy: { test: CLIENT, title: 'follows no redirect and names only its host' },
  },
  {
    name: 'redirect-needs-the-user',
    rule: 'A redirect is told as what the user has to mend.',
    file: 'api/reply/verdict.ts',
    from: '&& { redirect: true as const }',
    to: '&& {}',
    seenBy: { test: ERRORS, title: 'names the host of a redirect and marks it as one' },
  },
  {
    name: 'only-200-confirms',
    rule: 'Only HTTP 200 with a result confirms a request; another 2xx does not.',
    file: 'api/reply/verdict.ts',
    from: 'if (result && httpStatus === 200 &&',
    to: 'if (result && httpStatus < 300 &&',
    seenBy: { test: ERRORS, title: 'where the contract has it' },
  },
  {
    name: 'lost-answer-is-unknown',
    rule: 'The outcome of a write that left and got no answer is unknown, not failed.',
    file: 'api/reply/verdict.ts',
    from: 'const unknown = sent && write;',
    to: 'const unknown = sent && !write;',
    seenBy: { test: ERRORS, title: 'knows the effect of a write that left without an answer' },
  },
  {
    name: 'server-wait-has-an-end',
    rule: 'No server can make the operator wait for longer than a quarter of an hour.',
    file: 'api/reply/retry-after.ts',
    from: ' LONGEST_SERVER_WAIT_MS));',
    to: ' Number.POSITIVE_INFINITY));',
    seenBy: { test: ENVELOPE, title: 'in either header' },
  },
  {
    name: 'no-digit-is-lost',
    rule: 'A number that a double cannot hold keeps all its digits.',
    file: 'api/reply/json.ts',
    from: 'Number.isInteger(value) && !Number.isSafeInteger(value) ? source : value',
    to: 'value',
    seenBy: { test: ENVELOPE, title: 'keeps every digit of a number that a double cannot hold' },
  },
  {
    name: 'redirect-shows-no-key',
    rule: 'The host of a redirect is shown without the key.',
    file: 'api/reply/envelope.ts',
    from: 'URL.parse(mask(location), url)',
    to: 'URL.parse(location, url)',
    seenBy: { test: ENVELOPE, title: 'masks the key in the host of the redirect' },
  },
  {
    name: 'deep-reply-is-no-json',
    rule: 'A reply nested without end overflows no stack.',
    file: 'api/reply/json.ts',
    from: 'if (nestsTooDeep(text)) return undefined;',
    to: '',
    seenBy: { test: ENVELOPE, title: 'takes deep nesting for no JSON' },
  },
  {
    name: 'key-hidden-in-any-spelling',
    rule: 'Every spelling of key id and secret is hidden in what the API answers.',
    file: 'redaction.ts',
    from: '[0, 1, 2].map(',
    to: '[0].map(',
    seenBy: {
      test: ENVELOPE,
      title: 'hides it within base64 of a longer text, wherever it begins',
    },
  },
  {
    name: 'key-hidden-in-request-ids',
    rule: 'A key that comes together only as odd characters go is hidden all the same.',
    file: 'api/reply/text.ts',
    from: 'return mask(mask(text).replace(',
    to: 'return (mask(text).replace(',
    seenBy: { test: ENVELOPE, title: 'masks a request id that becomes the secret' },
  },
];

export const API: readonly Mutation[] = [...LIMITER, ...HTTP, ...REPLIES];
