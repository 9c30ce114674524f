import { Limiter } from '../../../src/api/limiter.ts';
import type { createKinds } from '../../../src/kinds/index.ts';
import { createCredentials } from '../../../src/kinds/shared/credentials.ts';
import type { FakeClock } from '../../support/fake-clock.ts';
import type { Secrets } from './secrets.ts';

type KindContext = Parameters<typeof createKinds>[0];
type Call = KindContext['api']['call'];
export type Request = Parameters<Call>[0];
export type Reply = Awaited<ReturnType<Call>>;

export const BASE_URL = 'https://api.test';

export interface ProcessOptions {
  readonly planOnly?: boolean;
  readonly baseUrl?: string;
  readonly limits?: Partial<ConstructorParameters<typeof Limiter>[0]>;
}

/** What is kept of what the kinds do to a process. */
interface Records {
  readonly clock: FakeClock;
  readonly secrets: Secrets;
  readonly woken: string[];
  readonly announced: string[];
  readonly warned: object[];
  readonly guarded: (readonly string[])[];
}

/** A process with a real limiter and real credentials, and nothing else. */
export function contextOf(records: Records, options: ProcessOptions, call: Call): KindContext {
  const { clock, secrets, woken, announced, warned, guarded } = records;
  const { planOnly = false, baseUrl = BASE_URL, limits } = options;
  const enqueue = (id: string, priority: string) => void woken.push(`${id} ${priority}`);
  const rate = { calls: 0, perMs: 1 };
  const credentials = createCredentials({
    secrets,
    baseUrl,
    guard: (values) => {
      guarded.push(values);
      return () => void guarded.splice(guarded.indexOf(values), 1);
    },
  });
  const wake = (id: string) => enqueue(id, 'woken');
  const quiet = () => undefined;
  const log = { trace: quiet, debug: quiet, info: quiet, error: quiet, fatal: quiet };
  return {
    api: { baseUrl, call, close: async () => undefined },
    limiter: new Limiter({ rate, rateTotal: rate, inFlight: 4, clock, wake, ...limits }),
    secrets,
    readCredential: (...read) => credentials.read(...read),
    clock,
    enqueue,
    onSecretChange: (listener) => void secrets.listeners.push(listener),
    leaveSecret: (secret) => credentials.forget(secret),
    changed: quiet,
    announce: ({ reason, note }) => void announced.push(`${reason}: ${note}`),
    log: { ...log, warn: (fields) => void warned.push(fields) },
    apiTimeoutMs: 35_000,
    planOnly,
    cleanupDeadlineMs: 600_000,
  };
}
