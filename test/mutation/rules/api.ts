import type { Mutation } from '../mutation.ts';

const LIMITER_CASES = 'test/tables/api/limiter.test.ts';
const SENT = 'test/tables/api/sent.test.ts';
const CUT = 'test/tables/api/cut.test.ts';
const TLS = 'test/tables/api/tls.test.ts';
const PROXY = 'test/tables/api/proxy.test.ts';
const REPLY = 'test/tables/api/reply.test.ts';
const VERDICT = 'test/tables/api/verdict.test.ts';
const FAILURES = 'test/tables/kinds/failures.test.ts';
const CONFIG = 'test/tables/process/config.test.ts';

export const API: readonly Mutation[] = [
  {
    name: 'A slot of --api-rate comes free one window after its call has ended, not started.',
    file: 'api/line.ts',
    from: 'this.#taken + this.#freeing.length',
    to: 'this.#freeing.length',
    seenBy: { test: LIMITER_CASES, title: 'counts a call while it runs' },
  },
  {
    name: '--api-rate-total counts the calls of all keys.',
    file: 'api/limiter.ts',
    from: 'new Line(clock, rateTotal)',
    to: 'new Line(clock, { ...rateTotal, calls: 0 })',
    seenBy: { test: LIMITER_CASES, title: 'of the process holds over all keys' },
  },
  {
    name: 'In line, what a person edited or asked for counts as having come a minute earlier.',
    file: 'api/limiter.ts',
    from: "urgency === 'user' ? waits.EDITED_EARLIER_MS : 0",
    to: '0',
    seenBy: { test: LIMITER_CASES, title: 'turns go by time of entry' },
  },
  {
    name: 'A call that was granted before a pause does not leave in the pause.',
    file: 'api/limiter.ts',
    from: 'isPaused || !this.refusedKeys',
    to: '!this.refusedKeys',
    seenBy: { test: LIMITER_CASES, title: 'keeps back what was granted before it' },
  },
  {
    name: 'A call that was granted before its key was refused does not leave after that.',
    file: 'api/limiter.ts',
    from: 'if (isPaused || !this.refusedKeys.admits(credential, id, false))',
    to: 'if (isPaused)',
    seenBy: { test: LIMITER_CASES, title: 'is not used by those who wait' },
  },
  {
    name: 'A refused key is tried by one object at a time, not by all of them.',
    file: 'api/refused-keys.ts',
    from: 'if (key.trier !== undefined || !(mayTry || key.turn === id)) {',
    to: 'if (!(mayTry || key.turn === id)) {',
    seenBy: { test: LIMITER_CASES, title: 'is tried out of turn by who may' },
  },
  {
    name: 'A request that has begun to leave is never written a second time.',
    file: 'api/call.ts',
    from: 'if (sent) throw',
    to: 'if (sent && url.hash) throw',
    seenBy: { test: SENT, title: 'where the transport would write it again' },
  },
  {
    name: 'What was said to be unsent at the deadline is not sent later.',
    file: 'api/call.ts',
    from: 'over.signal.throwIfAborted();',
    to: '',
    seenBy: { test: PROXY, title: 'is left at the deadline, and nothing is sent later' },
  },
  {
    name: 'Right before the first byte leaves it is asked whether the call may still be made.',
    file: 'api/call.ts',
    from: 'stop.aborted || !request.begin()',
    to: 'stop.aborted',
    seenBy: { test: SENT, title: 'what gets no leave when its connection stands' },
  },
  {
    name: 'A call whose connection broke after its request had left is not said to be unsent.',
    file: 'api/call.ts',
    from: 'answered: false, sent,',
    to: 'answered: false, sent: false,',
    seenBy: { test: CUT, title: 'at any byte of' },
  },
  {
    name: 'The management API is spoken to in HTTP/1.1, which nothing repeats on its own.',
    file: 'api/call.ts',
    from: '...LEAST_TLS, allowH2: false',
    to: '...LEAST_TLS, allowH2: true',
    seenBy: { test: TLS, title: 'HTTP/1.1 spoken also where HTTP/2 is offered' },
  },
  {
    name: 'No connection is made with a TLS older than 1.2, whatever Node is told.',
    file: 'least-tls.ts',
    from: "minVersion: 'TLSv1.2'",
    to: "minVersion: 'TLSv1'",
    seenBy: { test: TLS, title: 'whatever Node is told to allow' },
  },
  {
    name: 'No request goes into a connection that a load balancer may just have closed.',
    file: 'api/call.ts',
    from: 'keepAliveTimeout: 300,',
    to: '',
    seenBy: { test: SENT, title: 'so no outcome is unknown' },
  },
  {
    name: 'An id in a spec addresses what has that id, whatever characters are in it.',
    file: 'api/path.ts',
    from: 'encodeURIComponent(one)',
    to: 'encodeURI(one)',
    seenBy: { test: SENT, title: 'as one encoded segment' },
  },
  {
    name: 'Keys go over http to this machine only, unless --api-allow-http is set.',
    file: 'api/base-url.ts',
    from: '!allowHttp && !isLoopback(hostname)',
    to: '!allowHttp && isLoopback(hostname)',
    seenBy: { test: CONFIG, title: 'api-url that is wrong' },
  },
  {
    name: 'A proxy that takes the connection and says nothing holds no call.',
    file: 'api/call.ts',
    from: '{ ...options, headersTimeout: CONNECT_MS }',
    to: 'options',
    seenBy: { test: PROXY, title: 'but says nothing is given up' },
  },
  {
    name: 'A proxy gets no request that it could repeat, also for an API with http.',
    file: 'api/call.ts',
    from: 'proxyTunnel: true',
    to: 'proxyTunnel: false',
    seenBy: { test: PROXY, title: 'by tunnels, which they share' },
  },
  {
    name: 'Only HTTP 200 with a result confirms a request; another 2xx does not.',
    file: 'api/verdict.ts',
    from: 'if (httpStatus === 200 && result',
    to: 'if (httpStatus < 300 && result',
    seenBy: { test: VERDICT, title: 'is what the contract says' },
  },
  {
    name: 'The outcome of a write that left and got no answer is unknown, not failed.',
    file: 'api/verdict.ts',
    from: 'write && reply.sent',
    to: '!write && reply.sent',
    seenBy: { test: FAILURES, title: 'lost is OutcomeUnknown' },
  },
  {
    name: 'No server can make the operator wait for longer than a quarter of an hour.',
    file: 'api/reply.ts',
    from: ' LONGEST_SERVER_WAIT_MS));',
    to: ' Number.POSITIVE_INFINITY));',
    seenBy: { test: REPLY, title: 'in either header' },
  },
];
