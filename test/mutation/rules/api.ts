import { type Mutation, seenInLife } from '../mutation.ts';

const PACING = 'test/unit/api-pacing.test.ts';
const CLIENT = 'test/unit/api-client.test.ts';
const ENVELOPE = 'test/unit/api-envelope.test.ts';
const ERRORS = 'test/unit/api-errors.test.ts';
const PROXY = 'test/unit/api-proxy.test.ts';

export const API: readonly Mutation[] = [
  {
    name: 'slot-frees-after-the-end',
    rule: 'A slot of --api-rate comes free one window after its call has ended, not started.',
    file: 'api/limiter/rate-window.ts',
    from: 'this.#taken - this.#freeing.length',
    to: 'this.#freeing.length',
    seenBy: {
      test: PACING,
      title: 'frees a slot only after its call has ended',
    },
  },
  {
    name: 'one-call-per-target',
    rule: 'For one pipe or organization at most one call is under way, whatever the keys.',
    file: 'api/limiter/targets.ts',
    from: 'return this.#busy.has(target);',
    to: 'return target === undefined;',
    seenBy: { test: PACING, title: 'lets one call in flight per target over all credentials' },
  },
  {
    name: 'never-sent-twice',
    rule: 'A request that has begun to leave is never written a second time.',
    file: 'api/http/api-exchange.ts',
    from: 'if (this.#sent) throw',
    to: 'if (this.#over && this.#sent) throw',
    seenBy: {
      test: 'test/unit/api-tls.test.ts',
      title: 'refuses to be written a second time, whatever the transport intends',
    },
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
    name: 'only-200-confirms',
    rule: 'Only HTTP 200 with a result confirms a request; another 2xx does not.',
    file: 'api/reply/verdict.ts',
    from: 'if (result && httpStatus === 200 &&',
    to: 'if (result && httpStatus < 300 &&',
    seenBy: { test: ERRORS, title: 'where the contract has it' },
  },
  {
    name: 'key-hidden-in-any-spelling',
    rule: 'Every spelling of key id and secret is hidden in what the API answers.',
    file: 'redaction.ts',
    from: ".toString('base64url')];",
    to: ".toString('hex')];",
    seenBy: { test: ENVELOPE, title: 'hides base64 as it stands in URLs too' },
  },
  {
    name: 'proxy-password-to-proxy-only',
    rule: "User name and password of a proxy's URL go to the proxy.",
    file: 'api/http/proxy.ts',
    from: 'credentials !== undefined &&',
    to: 'credentials === undefined &&',
    seenBy: {
      test: PROXY,
      title: 'user name and password of its URL go to the proxy and nowhere else',
    },
  },
  seenInLife(
    'credential-told-by-key-id-alone',
    'Keys are told apart by id, secret and address: a wrong secret stops nobody else.',
  ),
];
