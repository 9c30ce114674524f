import type { ApiRequest } from '../../src/api/call.ts';
import { Limiter, type LimiterOptions } from '../../src/api/limiter.ts';
import type { Reply } from '../../src/api/reply.ts';
import type { Context } from '../../src/controller/kind.ts';
import { Caller, type Calls, type NoCall, type Wish } from '../../src/kinds/shared/calls.ts';
import type { KindContext } from '../../src/kinds/shared/context.ts';
import type { CredentialRead } from '../../src/kinds/shared/credentials.ts';
import type { KubeObject } from '../../src/kube/resource.ts';
import type { SecretState } from '../../src/kube/secrets.ts';
import { createLog } from '../../src/telemetry/logger.ts';
import { createRedactor } from '../../src/telemetry/mask.ts';
import { FakeClock } from './fake-clock.ts';

/** Any object of any kind; `target` says what it stands for. */
export function anyObject(name: string, more: Partial<KubeObject['metadata']> = {}): KubeObject {
  return {
    metadata: {
      name,
      namespace: 'ingest',
      uid: `uid-${name}`,
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
      ...more,
    },
    spec: { credentialsSecretRef: { name: 'api' }, target: name },
  };
}

export function aKey(id: string, resourceVersion = '1'): CredentialRead {
  const credential = { id, authorization: 'Basic eA==', mask: (text: string) => text };
  return { ok: true, credential, resourceVersion };
}

/** The calls of an attempt that goes on until `end`; the permits are asked for one by one. */
function performing(
  caller: Caller<KubeObject>,
  object: KubeObject,
  context: Context,
  wish: Wish,
): Calls {
  const begun = Promise.withResolvers<{ calls: Calls; none: NoCall | undefined }>();
  const ended = Promise.withResolvers<void>();
  let calls: Calls | undefined;
  return {
    async permit() {
      if (calls) return calls.permit();
      void caller.perform(object, context, wish, (given, none) => {
        calls = given;
        begun.resolve({ calls: given, none });
        return ended.promise;
      });
      return (await begun.promise).none;
    },
    send: async (...request) => (await begun.promise).calls.send(...request),
    pausedSince: (time) => calls?.pausedSince(time) ?? false,
    end: () => ended.resolve(),
  };
}

/** One attempt of an object, as the worker would run it. */
export interface Started {
  readonly calls: Calls;
  readonly context: Context;
  /** Statuses written in its midst. */
  readonly saved: object[];
  /** The object was edited. */
  edit(): void;
  /** How many of its waits hold no worker now. */
  parked(): number;
}

export interface AttemptRig {
  readonly clock: FakeClock;
  readonly caller: Caller<KubeObject>;
  /** Keys that were asked to be reconciled. */
  readonly enqueued: string[];
  readonly sent: ApiRequest[];
  /** What the Secret gives from now on. */
  key: CredentialRead;
  secret: SecretState;
  /** What the API answers. */
  answer: () => Promise<Reply> | Reply;
  start(object: KubeObject, wish?: Partial<Wish>): Started;
}

/** The calls of a kind with a real limiter, on a clock that stands still. */
export function attemptRig(limits: Partial<LimiterOptions> = {}): AttemptRig {
  const clock = new FakeClock();
  const enqueued: string[] = [];
  const enqueue = (id: string): void => void enqueued.push(id);
  const limiter = new Limiter({
    rate: { calls: 0, perMs: 10_000 },
    rateTotal: { calls: 0, perMs: 10_000 },
    inFlight: 4,
    clock,
    wake: enqueue,
    ...limits,
  });
  const rig: AttemptRig = {
    clock,
    enqueued,
    sent: [],
    key: aKey('key'),
    secret: { state: 'unknown' },
    answer: () => ({ answered: true, httpStatus: 200, result: {} }),
    get caller() {
      return caller;
    },
    start: (object, wish) => startAttempt(object, wish),
  };
  const context: KindContext = {
    api: {
      baseUrl: 'https://api.test',
      async call(request) {
        if (!request.begin())
          return { answered: false, sent: false, cause: 'not sent', calledOff: true };
        rig.sent.push(request);
        return rig.answer();
      },
      close: async () => undefined,
    },
    limiter,
    secrets: { awaitChange: () => undefined, state: () => rig.secret },
    readCredential: async () => rig.key,
    clock,
    enqueue,
    changed: () => undefined,
    announce: () => undefined,
    onSecretChange: () => undefined,
    leaveSecret: () => undefined,
    log: createLog({ level: 'silent', redactor: createRedactor() }),
    apiTimeoutMs: 35_000,
    planOnly: false,
    cleanupDeadlineMs: 600_000,
  };
  const caller = new Caller<KubeObject>(
    'Kind',
    context,
    ({ spec }) => (spec as { target: string }).target,
  );
  const startAttempt = (object: KubeObject, wish: Partial<Wish> = {}): Started => {
    const edited = new AbortController();
    const saved: object[] = [];
    let parked = 0;
    const attempt: Context = {
      now: () => clock.now(),
      object: () => object,
      stillWanted: () => !edited.signal.aborted,
      onUnwanted: (end) => edited.signal.addEventListener('abort', end),
      async parked(wait) {
        parked += 1;
        const value = await wait();
        parked -= 1;
        return value;
      },
      save: async (status) => saved.push(status) > 0,
      finalizer: async () => true,
      emit: () => undefined,
    };
    const ref = { name: 'api' };
    const whole = { ref, priority: 'user', ...wish } as const;
    return {
      calls: performing(caller, object, attempt, whole),
      context: attempt,
      saved,
      edit: () => edited.abort(),
      parked: () => parked,
    };
  };
  return rig;
}
